// Help where a program uses a word of another language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memlane::lang {

/// Help for a word of another language where a statement is due; empty if the word is none.
std::vector<std::string> statement_suggestion(std::string_view word);
/// The same for the name of something called.
std::vector<std::string> call_suggestion(std::string_view word);
/// The same for the name of a value.
std::vector<std::string> name_suggestion(std::string_view word);
/// The same where a declaration is due.
std::vector<std::string> declaration_suggestion(std::string_view word);

} // namespace memlane::lang
