// The walk goes through both trees at once. Where a number of the base is found a second time, it
// is most likely replaced by the same number again: counts of units and kernels are often equal.
#include "tree_delta.hpp"

#include "bit_coder.hpp"
#include "store_bytes.hpp"

#include <array>
#include <bit>
#include <memory>

namespace memlane::sweep {
namespace {

/// What a number of the base was last replaced by. Direct-mapped: a later number may displace it,
/// for the encoder and the decoder alike.
class Replacements {
public:
  struct Slot {
    std::int64_t from = 0, to = 0;
    bool used = false;
  };
  Slot& slot(std::int64_t from) {
    return slots_[(static_cast<std::uint64_t>(from) * 0x9e3779b97f4a7c15) >> 54];
  }
  bool knows(std::int64_t from) {
    const Slot& known = slot(from);
    return known.used && known.from == from;
  }

private:
  std::array<Slot, 1024> slots_;
};

/// Of two objects: at node x of one tree, at node y of the other.
bool same_keys(const JsonTree& a, std::size_t x, const JsonTree& b, std::size_t y) {
  const std::size_t end = a.nodes[x].end;
  if (a.nodes[x].value != b.nodes[y].value) return false;
  for (++x, ++y; x < end; x = a.nodes[x].end, y = b.nodes[y].end)
    if (a.key_of(a.nodes[x]) != b.key_of(b.nodes[y])) return false;
  return true;
}

/// The text of a value with all its parts. Requires `tree.text` to be that of its nodes.
std::string_view whole_text(const JsonTree& tree, std::size_t node) {
  const JsonNode& n = tree.nodes[node];
  return std::string_view(tree.text).substr(n.begin, n.size);
}

/// Encodes and decodes alike, so that both make the same decisions. The tree that is written is
/// built on the way; `now` is the one that is encoded, null when decoding.
template <class Coder>
class DeltaWalk {
public:
  DeltaWalk(Coder& coder, const JsonTree* now, const JsonTree& base, std::uint64_t most)
      : coder_(coder), now_(now), base_(base), most_(most) {
    out_.nodes.reserve(base.nodes.size());
    out_.text.reserve(base.text.size());
  }

  bool run() { return value(0, base_, 0) && out_.text.size() <= most_; }
  JsonTree& out() { return out_; }

private:
  const JsonNode* now(std::size_t x) const { return now_ ? &now_->nodes[x] : nullptr; }

  /// The value at node x as that at node y of a tree, which may be what is being written.
  bool value(std::size_t x, const JsonTree& base, std::size_t y) {
    if (out_.text.size() > most_) return false;
    const JsonNode old = base.nodes[y];
    const JsonNode* next = now(x);
    const bool alike = next && next->kind == old.kind &&
                       (old.kind != JsonNode::Kind::object || same_keys(*now_, x, base, y));
    if (!coder_.bit(alike_[static_cast<std::size_t>(old.kind)], alike)) return literal(x);
    switch (old.kind) {
    case JsonNode::Kind::object: return object(x, base, y);
    case JsonNode::Kind::array: return array(x, base, y);
    case JsonNode::Kind::integer: return integer(next, old);
    case JsonNode::Kind::text: return text(next, base, old);
    }
    return false;
  }

  bool object(std::size_t x, const JsonTree& base, std::size_t y) {
    const std::size_t node = open(JsonNode::Kind::object);
    const std::size_t end = base.nodes[y].end;
    std::size_t part = x + 1;
    for (std::size_t i = y + 1; i < end; i = base.nodes[i].end) {
      if (i != y + 1) out_.text += ',';
      const std::size_t written = out_.nodes.size(), begin = out_.text.size();
      const std::string key(base.key_of(base.nodes[i])); // base may be out_
      out_.text += key + ':';
      if (!value(part, base, i)) return false;
      out_.nodes[written].key_begin = static_cast<std::uint32_t>(begin);
      out_.nodes[written].key_size = static_cast<std::uint32_t>(key.size());
      ++out_.nodes[node].value;
      if (now_) part = now_->nodes[part].end;
    }
    return close(node);
  }

  /// A part that the base does not have is compared with the part before it.
  bool array(std::size_t x, const JsonTree& base, std::size_t y) {
    const std::size_t node = open(JsonNode::Kind::array);
    const std::size_t end = base.nodes[y].end;
    const std::int64_t before = base.nodes[y].value;
    const std::int64_t wanted = now_ ? now_->nodes[x].value : 0;
    std::int64_t size = before;
    if (coder_.bit(other_size_, wanted != before))
      size = static_cast<std::int64_t>(size_.code(coder_, static_cast<std::uint64_t>(wanted)));
    std::size_t part = x + 1, i = y + 1, last = 0;
    for (std::int64_t k = 0; k < size; ++k) {
      if (k != 0) out_.text += ',';
      const std::size_t written = out_.nodes.size();
      if (i < end) {
        if (!value(part, base, i)) return false;
        i = base.nodes[i].end;
      } else if (k != 0 ? !value(part, out_, last) : !literal(part)) {
        return false;
      }
      last = written;
      ++out_.nodes[node].value;
      if (now_) part = now_->nodes[part].end;
    }
    return close(node);
  }

  bool integer(const JsonNode* next, const JsonNode& old) {
    const std::int64_t wanted = next ? next->value : 0;
    const bool known = replaced_.knows(old.value);
    auto& slot = replaced_.slot(old.value);
    const std::int64_t expected = known ? slot.to : old.value;
    const std::size_t context = known ? (expected != old.value ? 2U : 1U) : 0U;
    std::int64_t number = expected;
    const bool other = coder_.bit(other_number_[context][history_], wanted != expected);
    if (other) {
      const std::uint64_t difference =
          static_cast<std::uint64_t>(wanted) - static_cast<std::uint64_t>(old.value);
      number = static_cast<std::int64_t>(
          static_cast<std::uint64_t>(old.value) +
          static_cast<std::uint64_t>(
              unfolded(number_.code(coder_, folded(static_cast<std::int64_t>(difference))))));
    }
    history_ = (history_ << 1 | (other ? 1U : 0U)) & 3;
    slot = {old.value, number, true};
    return scalar(JsonNode::Kind::integer, std::to_string(number), number);
  }

  bool text(const JsonNode* next, const JsonTree& base, const JsonNode& old) {
    const std::string before(base.text_of(old));
    const std::string wanted(next ? now_->text_of(*next) : std::string_view());
    const auto hash = static_cast<std::int64_t>(quick_hash(before));
    // Its replacement is a node that was written: the same text is not written twice.
    const bool known = replaced_texts_.knows(hash);
    auto& slot = replaced_texts_.slot(hash);
    const std::string expected =
        known ? std::string(out_.text_of(out_.nodes[static_cast<std::size_t>(slot.to)])) : before;
    const bool other = coder_.bit(other_text_[known ? 1 : 0], wanted != expected);
    slot = {hash, static_cast<std::int64_t>(out_.nodes.size()), true};
    return scalar(JsonNode::Kind::text, other ? text_.code(coder_, wanted, most_) : expected, 0);
  }

  bool literal(std::size_t x) {
    std::string written;
    if (now_) written = whole_text(*now_, x);
    written = text_.code(coder_, written, most_);
    std::size_t place = out_.text.size();
    out_.text += written;
    return append_nodes(out_, place) && place == out_.text.size();
  }

  bool scalar(JsonNode::Kind kind, const std::string& written, std::int64_t number) {
    JsonNode node;
    node.kind = kind;
    node.value = number;
    node.begin = static_cast<std::uint32_t>(out_.text.size());
    node.size = static_cast<std::uint32_t>(written.size());
    node.end = static_cast<std::uint32_t>(out_.nodes.size() + 1);
    out_.text += written;
    out_.nodes.push_back(node);
    return true;
  }

  std::size_t open(JsonNode::Kind kind) {
    JsonNode node;
    node.kind = kind;
    node.begin = static_cast<std::uint32_t>(out_.text.size());
    out_.nodes.push_back(node);
    out_.text += kind == JsonNode::Kind::object ? '{' : '[';
    return out_.nodes.size() - 1;
  }
  bool close(std::size_t node) {
    JsonNode& closed = out_.nodes[node];
    out_.text += closed.kind == JsonNode::Kind::object ? '}' : ']';
    closed.size = static_cast<std::uint32_t>(out_.text.size()) - closed.begin;
    closed.end = static_cast<std::uint32_t>(out_.nodes.size());
    return true;
  }

  Coder& coder_;
  const JsonTree* now_;
  const JsonTree& base_;
  std::uint64_t most_;
  JsonTree out_;
  Replacements replaced_, replaced_texts_;
  std::array<BitChance, 4> alike_;
  BitChance other_size_;
  std::array<std::array<BitChance, 4>, 3> other_number_; ///< by what is known, by the last two
  std::array<BitChance, 2> other_text_;
  unsigned history_ = 0;
  NumberChances size_, number_;
  TextChances text_;
};

/// Adds up what DeltaWalk would write, roughly.
class CostWalk {
public:
  CostWalk(const JsonTree& tree, const JsonTree& base, std::int64_t most)
      : tree_(tree), most_(most) {
    value(0, base, 0);
  }
  std::int64_t cost() const { return cost_; }

private:
  void value(std::size_t x, const JsonTree& base, std::size_t y) {
    const JsonNode &next = tree_.nodes[x], &old = base.nodes[y];
    if (cost_ > most_) return;
    if (next.kind != old.kind) return add_text(next);
    switch (old.kind) {
    case JsonNode::Kind::integer: return integer(next.value, old.value);
    case JsonNode::Kind::text:
      if (tree_.text_of(next) != base.text_of(old)) add_text(next);
      return;
    case JsonNode::Kind::object:
      if (!same_keys(tree_, x, base, y)) return add_text(next);
      break;
    case JsonNode::Kind::array:
      if (next.value != old.value) cost_ += 8;
    }
    std::size_t j = y + 1, last = 0;
    for (std::size_t i = x + 1; i < next.end && cost_ <= most_; i = tree_.nodes[i].end) {
      if (j < old.end) {
        value(i, base, j);
        j = base.nodes[j].end;
      } else if (last != 0) {
        value(i, tree_, last);
      } else {
        add_text(tree_.nodes[i]);
      }
      last = i;
    }
  }
  void add_text(const JsonNode& node) { cost_ += 8 + 5 * std::int64_t{node.size}; }
  void integer(std::int64_t next, std::int64_t old) {
    const bool known = replaced_->knows(old);
    auto& slot = replaced_->slot(old);
    if (next != (known ? slot.to : old)) {
      const auto difference = static_cast<std::uint64_t>(next) - static_cast<std::uint64_t>(old);
      cost_ +=
          4 + 2 * static_cast<int>(std::bit_width(folded(static_cast<std::int64_t>(difference))));
    } else if (next != old) {
      ++cost_;
    }
    slot = {old, next, true};
  }

  const JsonTree& tree_;
  std::int64_t most_, cost_ = 0;
  std::unique_ptr<Replacements> replaced_ = std::make_unique<Replacements>();
};

} // namespace

std::int64_t delta_cost(const JsonTree& tree, const JsonTree& base, std::int64_t most) {
  return CostWalk(tree, base, most).cost();
}

std::optional<std::string> tree_delta(const JsonTree& tree, const JsonTree& base) {
  BitEncoder coder;
  const auto walk = std::make_unique<DeltaWalk<BitEncoder>>(coder, &tree, base, tree.text.size());
  if (!walk->run() || walk->out().text != tree.text) return std::nullopt;
  return coder.bytes();
}

std::optional<JsonTree> patched(const JsonTree& base, std::string_view delta, std::uint64_t size) {
  BitDecoder coder(delta);
  const auto walk = std::make_unique<DeltaWalk<BitDecoder>>(coder, nullptr, base, size);
  if (!walk->run()) return std::nullopt;
  return std::move(walk->out());
}

} // namespace memlane::sweep
