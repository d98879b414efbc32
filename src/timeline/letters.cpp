#include "letters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace memlane {
namespace {

struct StateLetter {
  char letter;
  std::string_view color; ///< SGR parameters (ECMA-48)
  std::string_view meaning;
};

/// By WarpState.
constexpr std::array<StateLetter, 7> state_letters = {{
    {'w', "33", "waits for the port"},
    {'S', "32", "its first stage enters"},
    {'X', "31", "a further stage of its request"},
    {'-', "36", "in the pipeline"},
    {'B', "35", "waits at a barrier (a forall ends with one)"},
    {'c', "34", "computes"},
    {'.', "2", "done"},
}};

} // namespace

char letter_of(WarpState state) { return state_letters[static_cast<std::size_t>(state)].letter; }

std::string colored(std::string_view letters) {
  std::string text;
  for (std::size_t begin = 0; begin < letters.size();) {
    const char letter = letters[begin];
    const std::size_t end = std::min(letters.find_first_not_of(letter, begin), letters.size());
    const auto state = std::find_if(state_letters.begin(), state_letters.end(),
                                    [&](const StateLetter& s) { return s.letter == letter; });
    const std::string_view run = letters.substr(begin, end - begin);
    text += state == state_letters.end() ? std::string(run)
                                         : fmt::format("\x1b[{}m{}\x1b[0m", state->color, run);
    begin = end;
  }
  return text;
}

std::string letters_legend(std::size_t columns) {
  std::vector<std::string> entries;
  for (const StateLetter& state : state_letters)
    entries.push_back(fmt::format("{} {}", state.letter, state.meaning));
  entries.emplace_back("~ a stretch like its neighbours");
  std::string text, line;
  for (const std::string& entry : entries) {
    if (!line.empty() && line.size() + 3 + entry.size() > columns) {
      text += line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : "   ") + entry;
  }
  return text + line + '\n';
}

} // namespace memlane
