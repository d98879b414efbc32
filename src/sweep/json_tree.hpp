// JSON text as a flat list of nodes that keeps every character: for differences between results.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::sweep {

/// A value. Its parts follow it in the list.
struct JsonNode {
  enum class Kind : std::uint8_t {
    object,
    array,
    integer, ///< that a 64-bit number writes in the same way
    text,    ///< any other scalar, as it is written: "name", 1.5, null
  };
  Kind kind = Kind::text;
  std::int64_t value = 0;            ///< of an integer; of an object or array: how many parts
  std::uint32_t begin = 0, size = 0; ///< of its text
  std::uint32_t key_begin = 0, key_size = 0; ///< in an object: with quotes
  std::uint32_t end = 0;                     ///< the node behind it and its parts
};

/// Text without blanks between its tokens, and its nodes, the root first.
struct JsonTree {
  std::string text;
  std::vector<JsonNode> nodes;

  std::string_view text_of(const JsonNode& node) const {
    return std::string_view(text).substr(node.begin, node.size);
  }
  std::string_view key_of(const JsonNode& node) const {
    return std::string_view(text).substr(node.key_begin, node.key_size);
  }
};

/// Appends the value at `place` of tree.text; `place` is behind it then. False if it is no JSON
/// without blanks, or too deep. O(size).
bool append_nodes(JsonTree& tree, std::size_t& place);
/// A tree of the whole text; without nodes if append_nodes cannot read it.
JsonTree json_tree(std::string text);
/// The same for texts whose objects have the same keys outside of arrays: results of one program.
std::uint64_t shape_of(const JsonTree& tree);

} // namespace memlane::sweep
