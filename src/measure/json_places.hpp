// Where the values of a JSON text stand: the parser that judges the text does not tell.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace memlane::measure {

struct JsonMember {
  std::string_view key; ///< as written between its quotes
  std::size_t key_begin = 0, key_end = 0;
  std::size_t begin = 0, end = 0; ///< of the value
};

/// The members of the object that begins at `at` (blanks before it allowed). Requires a text that a
/// parser has accepted; empty where the value is no object.
std::vector<JsonMember> members_at(std::string_view text, std::size_t at);
/// Begin of the item of this number in the array at `at`; none if there are not so many.
std::optional<JsonMember> item_at(std::string_view text, std::size_t at, std::size_t number);

} // namespace memlane::measure
