// From bytes to tokens.
#pragma once

#include "token.hpp"

#include "memlane/support/diagnostic.hpp"

namespace memlane::lang {

/// Reading stops after so many errors: more tell nothing new.
constexpr std::size_t most_errors = 100;

struct Lexed {
  std::vector<Token> tokens; ///< the last one is `end`
  std::vector<Comment> comments;
  Diagnostics errors;     ///< every one with a span
  Stop stop = Stop::none; ///< a limit of the sources ended it early
};

/// Never fails: what is not a token is reported and skipped, or replaced by what was meant (`and`
/// for `&&`), so that the parser can continue.
Lexed lex(const Sources& sources, std::int32_t file, std::uint32_t begin = 0);
/// The same of a part of a text.
Lexed lex(const Sources& sources, Span part);

/// `'text'`, shortened, so that a message stays one line.
std::string in_quotes(std::string_view text);

} // namespace memlane::lang
