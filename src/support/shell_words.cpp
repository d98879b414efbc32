#include "memlane/support/shell_words.hpp"

namespace memlane {

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789_@%+=:,./-";
  const bool bare = !word.empty() && word.find_first_not_of(plain) == std::string_view::npos;
  if (bare) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + '\'';
}

} // namespace memlane
