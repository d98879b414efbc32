// From bytes to tokens.
#pragma once

#include "token.hpp"

#include "memlane/support/diagnostic.hpp"

namespace memlane::lang {

/// More errors than these tell nothing new; reading stops there.
constexpr std::size_t most_errors = 100;

struct Lexed {
  std::vector<Token> tokens; ///< the last one is `end`
  std::vector<Comment> comments;
  Diagnostics errors;     ///< every one with a span
  Stop stop = Stop::none; ///< a limit of the sources ended it early
};

/// Never fails: what is no token is complained about and left out, or taken for what was meant
/// (`&&` for `and`), so that the parser can go on.
Lexed lex(const Sources& sources, std::int32_t file, std::uint32_t begin = 0);

/// `'text'`, shortened: a word of any length may be written, a message stays a line.
std::string in_quotes(std::string_view text);

} // namespace memlane::lang
