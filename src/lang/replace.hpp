// Replacements of fns, types and layouts from the command line.
#pragma once

#include "memlane/lang/parse.hpp"

namespace memlane::lang {

/// The same declarations with one array each, in order.
std::vector<ArraysDecl> one_array_each(std::vector<ArraysDecl> declarations);

/// Applies all replacements; returns what is wrong with them. Whether their names are declared is
/// only judged if the program is `complete`.
Diagnostics replace_all(Program& program, const Sources& sources, const Replacements& replacements,
                        bool complete);

} // namespace memlane::lang
