// How editors colour programs.
#pragma once

#include <string>

namespace memlane::cli {

/// A TextMate grammar, which VS Code, Sublime Text and others read: JSON.
std::string textmate_grammar();
/// A syntax file of Vim.
std::string vim_syntax();

} // namespace memlane::cli
