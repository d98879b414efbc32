// The words that the language gives a meaning: the one table of `memlane explain word`, of editors'
// colours, and of what the playground says about a word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::lang {

enum class WordKind : std::uint8_t {
  reserved, ///< of declarations, statements and expressions
  type,
  thread, ///< numbers of a thread, its warp and its block; the number of an element
  builtin,
  layout,
  machine ///< quantities of a machine
};
/// `reserved`, `type`, ….
std::string_view name_of(WordKind kind);

struct Word {
  WordKind kind;
  std::string name;
  std::string usage;   ///< how it is written: `param NAME: TYPE = VALUE where CONDITION`
  std::string meaning; ///< a sentence without its full stop
};

/// All of them, by kind, in the order of their tables. A word may be of two kinds: `min`.
const std::vector<Word>& words();

} // namespace memlane::lang
