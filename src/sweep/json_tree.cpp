#include "json_tree.hpp"

#include "store_bytes.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace memlane::sweep {
namespace {

constexpr int most_depth = 200;

class NodeReader {
public:
  NodeReader(JsonTree& tree, std::size_t place) : tree_(tree), place_(place) {}

  std::size_t place() const { return place_; }

  bool value(int depth) {
    if (place_ >= tree_.text.size() || depth > most_depth) return false;
    const char c = tree_.text[place_];
    return c == '{' || c == '[' ? parts(c, depth) : scalar();
  }

private:
  bool take(char c) {
    if (place_ >= tree_.text.size() || tree_.text[place_] != c) return false;
    ++place_;
    return true;
  }

  bool quoted() {
    if (!take('"')) return false;
    for (; place_ < tree_.text.size(); ++place_) {
      if (tree_.text[place_] == '\\')
        ++place_;
      else if (tree_.text[place_] == '"')
        return ++place_, true;
    }
    return false;
  }

  bool parts(char open, int depth) {
    const std::size_t node = tree_.nodes.size();
    tree_.nodes.emplace_back();
    const std::size_t begin = place_;
    tree_.nodes[node].kind = open == '{' ? JsonNode::Kind::object : JsonNode::Kind::array;
    tree_.nodes[node].begin = static_cast<std::uint32_t>(begin);
    const char close = open == '{' ? '}' : ']';
    ++place_;
    if (!take(close)) {
      do {
        const std::size_t key = place_, part = tree_.nodes.size();
        if (open == '{' && !(quoted() && take(':'))) return false;
        const std::size_t key_size = open == '{' ? place_ - 1 - key : 0;
        if (!value(depth + 1)) return false;
        tree_.nodes[part].key_begin = static_cast<std::uint32_t>(key);
        tree_.nodes[part].key_size = static_cast<std::uint32_t>(key_size);
        ++tree_.nodes[node].value;
      } while (take(','));
      if (!take(close)) return false;
    }
    tree_.nodes[node].size = static_cast<std::uint32_t>(place_ - begin);
    tree_.nodes[node].end = static_cast<std::uint32_t>(tree_.nodes.size());
    return true;
  }

  bool scalar() {
    const std::size_t begin = place_;
    if (tree_.text[place_] == '"') {
      if (!quoted()) return false;
    } else {
      place_ = std::min(tree_.text.find_first_of(",]}", place_), tree_.text.size());
    }
    if (place_ == begin) return false;
    JsonNode node;
    node.begin = static_cast<std::uint32_t>(begin);
    node.size = static_cast<std::uint32_t>(place_ - begin);
    const std::string_view text = tree_.text_of(node);
    const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), node.value);
    const bool is_integer = error == std::errc() && last == text.data() + text.size() &&
                            (text == "0" || (text[0] != '0' && text.substr(0, 2) != "-0"));
    node.kind = is_integer ? JsonNode::Kind::integer : JsonNode::Kind::text;
    if (!is_integer) node.value = 0;
    node.end = static_cast<std::uint32_t>(tree_.nodes.size() + 1);
    tree_.nodes.push_back(node);
    return true;
  }

  JsonTree& tree_;
  std::size_t place_;
};

} // namespace

bool append_nodes(JsonTree& tree, std::size_t& place) {
  NodeReader reader(tree, place);
  const bool read = reader.value(0);
  place = reader.place();
  return read;
}

JsonTree json_tree(std::string text) {
  JsonTree tree{std::move(text), {}};
  tree.nodes.reserve(tree.text.size() / 16);
  std::size_t place = 0;
  const bool fits = tree.text.size() < std::numeric_limits<std::uint32_t>::max();
  if (!fits || !append_nodes(tree, place) || place != tree.text.size()) tree.nodes.clear();
  return tree;
}

std::uint64_t shape_of(const JsonTree& tree) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const JsonNode& node = tree.nodes[i];
    hash = quick_hash(tree.key_of(node), hash);
    if (node.kind == JsonNode::Kind::array) i = node.end - 1;
  }
  return hash;
}

} // namespace memlane::sweep
