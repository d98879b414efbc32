#include "typed_commands.hpp"

#include "command.hpp"

namespace memlane::cli {
namespace {

constexpr std::string_view own_word = "memlane ";

/// Whether a command may begin there.
bool follows_a_break(std::string_view before) {
  if (before.empty()) return true;
  constexpr std::string_view breaks = "\n'`(";
  if (breaks.find(before.back()) != std::string_view::npos) return true;
  const std::size_t last = before.find_last_not_of(' ');
  if (before.back() != ' ') return false;
  if (last == std::string_view::npos) return true;
  before = before.substr(0, last + 1);
  constexpr std::string_view marks = "\n:,;";
  return marks.find(before.back()) != std::string_view::npos || before.ends_with(" or") ||
         before.ends_with(" and") || before.ends_with(" &&");
}

/// Whether the text begins with the word of a command. (`memlane runs …` is a sentence.)
bool begins_with_command(std::string_view text) {
  const std::string_view word =
      text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyzCOMAND-"));
  return word == "help" || word == "COMMAND" || find_command(word) != nullptr;
}

} // namespace

std::string with_typed_commands(std::string_view text, std::string_view program) {
  std::string typed;
  std::size_t done = 0;
  for (std::size_t at = 0; (at = text.find(own_word, at)) != std::string_view::npos;) {
    const std::size_t word = at + own_word.size();
    if (follows_a_break(text.substr(0, at)) && begins_with_command(text.substr(word))) {
      typed += text.substr(done, at - done);
      typed += program;
      done = word - 1;
    }
    at = word;
  }
  return typed += text.substr(done);
}

} // namespace memlane::cli
