// A JSON tree as its difference from a similar one.
#pragma once

#include "json_tree.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memlane::sweep {

/// About how many bits tree_delta needs; stops counting above `most`. O(nodes), without memory.
std::int64_t delta_cost(const JsonTree& tree, const JsonTree& base, std::int64_t most);

/// Bytes from which `base` and patched() give the tree's text again; none if they would not.
/// Requires nodes in both.
std::optional<std::string> tree_delta(const JsonTree& tree, const JsonTree& base);

/// The tree of at most `size` characters; none if the bytes are damaged.
std::optional<JsonTree> patched(const JsonTree& base, std::string_view delta, std::uint64_t size);

} // namespace memlane::sweep
