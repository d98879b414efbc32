#include "program_generator.hpp"
#include "random_text.hpp"

#include <vector>

namespace memlane::test {
namespace {

/// An array that the current kernel may access.
struct Usable {
  std::string name;
  std::string size; ///< elements that may be touched
  std::string base; ///< of this block's part, where only that may be touched; else empty
  std::string type;
  bool written = false; ///< by this kernel
};

/// Phases between barriers: in each phase, every iteration writes its own word of one array and
/// reads any word of the others. A few statements break this rule and cause races.
class RaceFree : RandomText {
public:
  RaceFree(std::uint64_t seed, bool shared) : RandomText(seed, 7), shared_(shared) {}

  std::string program() {
    size_ = std::int64_t{4} << pick(4); // of a block's part
    blocks_ = pick(3) == 0 ? 1 + pick(4) : 1;
    std::string text =
        "const m = " + std::to_string(size_) + "\nconst g = " + std::to_string(blocks_) +
        "\nconst weight[4] = [3, -1, 7, 2]\n" +
        "type pair = (u: int, v: int)\nfn mix(x, y) = x*3 + y\n" + fn_with_block() + shared_fns();
    text += "memory a[m*g]: " + type(0) + layout() + " = " + initial() + "\n";
    text += "memory b[m*g]: " + type(1) + layout() + " = " + initial() + "\n";
    text += "memory c[g, m]: " + type(2) + layout() + " = " + initial() + "\n";
    text += "memory z[m*g]: pair" + layout() + "\n";
    text += "memory order[m]: int = (index*" + std::to_string(2 * pick(8) + 1) + " + " + number(9) +
            ") % m\n";
    if (pick(2) == 0)
      text += "view d = c[" + std::to_string(pick(blocks_)) + (pick(2) == 0 ? ", 0..m]\n" : "]\n");
    text += kernel("first") + kernel("second");
    text += "main {\n  launch first(" + number(20) + ") blocks=g" + threads() + "\n";
    if (pick(2) == 0) text += "  a[0] = a[0] + 1\n";
    text += "  launch second(" + number(20) + ") blocks=g" + threads() + "\n}\n";
    return text + "verify { assert order[0] == initial(order)[0] }\n";
  }

private:
  /// Reads a table and an array that nothing writes; lanes leave it at different times.
  std::string fn_with_block() {
    std::string text = "fn far(x, y) {\n  var sum = x\n  for i = y to y + " + number(5) + " {\n";
    if (pick(2) == 0) text += "    if mod(sum, 3) == 1 { sum += i  continue }\n";
    text += "    if order[mod(sum + i, m)] == " + number(6) + " { return sum - i }\n";
    if (pick(2) == 0) text += "    if sum > " + number(90) + " { break }\n";
    return text + "    sum += weight[mod(i, 4)]\n  }\n  return sum\n}\n";
  }
  std::string type(std::size_t array) {
    static const char* const types[] = {"int", "int", "long", "float", "double"};
    types_[array] = types[pick(5)];
    return types_[array];
  }
  std::string initial() { return pick(2) == 0 ? "random(0, 50)" : "index % 17"; }
  std::string layout() {
    static const char* const layouts[] = {"",
                                          "",
                                          " layout padded(1)",
                                          " layout padded(3)",
                                          " layout diagonal",
                                          " layout random_shift",
                                          " layout random_permute",
                                          " layout swizzle(1, 0, 2)",
                                          " layout swizzle(2, 0, 2)",
                                          " layout bits(1, 6, 5)"};
    return layouts[pick(10)];
  }
  std::string threads() { return pick(2) == 0 ? " threads=" + std::to_string(1 + pick(8)) : ""; }

  std::string kernel(const std::string& name) {
    arrays_ = {{"a", "m*g", "", types_[0]},
               {"b", "m*g", "", types_[1]},
               {"z.u", "m*g", "", "int"},
               {"z.v", "m*g", "", "int"}};
    for (Usable& array : arrays_) array.written = pick(3) > 0;
    for (Usable& array : arrays_)
      if (array.written && blocks_ > 1) array.base = "block*m", array.size = "m";
    if (shared_) arrays_.push_back({"s", "m", "", "int", true});
    std::string text = "kernel " + name + "(q: int) {\n";
    depth_ = 1;
    if (shared_)
      text += "  shared s[" + shared_extent("m") + "]: int" + layout() +
              "\n  forall i in 0..m { s[i] = i*q + block }\n";
    text += "  var r = q\n  var x[4]: int = index * 3\n";
    for (std::int64_t phase = 0; phase <= pick(4); ++phase) text += this->phase();
    return text + "}\n";
  }

  std::string phase() {
    std::vector<std::size_t> targets;
    for (std::size_t k = 0; k < arrays_.size(); ++k)
      if (arrays_[k].written) targets.push_back(k);
    target_ =
        targets.empty()
            ? arrays_.size()
            : targets[static_cast<std::size_t>(pick(static_cast<std::int64_t>(targets.size())))];
    const std::int64_t kind = pick(8);
    if (kind == 0) { // uniform control around a phase
      const std::string v = fresh("t");
      loops_.push_back(v);
      const std::string head = indent() + "for " + v + " = 0 to " + number(3) + " {\n";
      ++depth_;
      const std::string inner = one_phase();
      --depth_;
      loops_.pop_back();
      return head + inner + indent() + "}\n";
    }
    return one_phase();
  }

  std::string one_phase() {
    const std::int64_t kind = pick(9);
    if (kind == 8) return by_thread();
    static const char* const forms[] = {"", "", "", "chunked ", "sync "};
    const std::int64_t form = pick(5);
    sync_ = form == 4;
    if (kind == 7) {
      // Of two indices: the iteration's number is i*k + j.
      const std::int64_t k = std::int64_t{1} << pick(3);
      index_ = "(i*" + std::to_string(k) + " + j)";
      return indent() + "forall " + forms[form] + "i in 0.." + std::to_string(size_ / k) +
             ", j in 0.." + std::to_string(k) + body();
    }
    index_ = "i";
    const std::string low = pick(3) == 0 ? number(4) : "0";
    const std::string high = pick(3) == 0 ? std::to_string(size_ - pick(4)) : "m";
    return indent() + "forall " + forms[form] + "i in " + low + ".." + high + body();
  }

  std::string by_thread() {
    sync_ = false;
    index_ = "thread";
    const std::string head = indent() + "if thread < m {\n";
    ++depth_;
    own_ = own_index();
    const std::string inner = block(2);
    --depth_;
    return head + inner + indent() + "}\n" + indent() + "barrier\n";
  }

  std::string body() {
    own_ = own_index();
    ++depth_;
    const std::string inner = block(3);
    --depth_;
    return " {\n" + inner + indent() + "}\n";
  }

  /// The index of an iteration's own word.
  std::string own_index() {
    switch (pick(6)) {
    case 0: return "m - 1 - " + index_;
    case 1: return "(" + index_ + " xor 1)";
    case 2: return "(" + index_ + "*5 + 1) % m";
    case 3: return target_ < arrays_.size() ? "order[" + index_ + "]" : index_;
    default: return index_;
    }
  }

  std::string element(const Usable& array, const std::string& index) {
    const std::string at = array.base.empty() ? index : array.base + " + " + index;
    const std::size_t dot = array.name.find('.');
    if (dot == std::string::npos) return array.name + "[" + at + "]";
    return array.name.substr(0, dot) + "[" + at + "]" + array.name.substr(dot);
  }

  std::string own() { return element(arrays_[target_], own_); }

  std::string read(int depth) {
    const auto k = static_cast<std::size_t>(pick(static_cast<std::int64_t>(arrays_.size()) + 1));
    if (k == arrays_.size()) return "order[mod(" + expression(depth - 1) + ", m)]";
    const Usable& array = arrays_[k];
    const bool breaks_rule = pick(60) == 0;
    if (k == target_ && !breaks_rule) return "int(" + own() + ")";
    const std::string index = pick(2) == 0 && array.base.empty() == (array.size == "m*g")
                                  ? "(" + index_ + " + " + number(4) + ") % m"
                                  : "mod(" + expression(depth - 1) + ", " + array.size + ")";
    return "int(" + element(array, index) + ")";
  }

  std::string expression(int depth) {
    switch (depth <= 0 ? pick(4) : pick(14)) {
    case 0: return number(30);
    case 1: return index_;
    case 2: return sync_ ? "q" : "r";
    case 3: return loops_.empty() ? "lane" : loops_.back();
    case 4:
    case 5: return read(depth);
    case 6:
      return "(if " + condition(depth) + " then " + expression(depth - 1) + " else " +
             expression(depth - 1) + ")";
    case 7: return "x[mod(" + expression(depth - 1) + ", 4)]";
    case 8: return "weight[mod(" + expression(depth - 1) + ", 4)]";
    case 9: return "mix(" + expression(depth - 1) + ", " + expression(depth - 1) + ")";
    case 13: return "far(" + expression(depth - 1) + " % 50, " + number(9) + ")";
    case 10: return "(" + expression(depth - 1) + " / " + std::to_string(1 + pick(9)) + ")";
    default: {
      static const char* const operators[] = {" + ", " - ", " * ", " & ", " | ", " xor "};
      return "(" + expression(depth - 1) + operators[pick(6)] + expression(depth - 1) + ")";
    }
    }
  }

  std::string condition(int depth) {
    static const char* const comparisons[] = {" < ", " <= ", " == ", " != "};
    const std::string first = expression(depth - 1) + comparisons[pick(4)] + expression(depth - 1);
    return pick(4) == 0 ? "(" + first + " and " + read(1) + " > 3)" : "(" + first + ")";
  }

  std::string block(std::int64_t statements) {
    std::string text;
    for (std::int64_t s = 0; s <= pick(statements); ++s) text += statement();
    return text;
  }

  std::string nested(std::int64_t statements) {
    ++depth_;
    std::string text = block(statements);
    --depth_;
    return text;
  }

  std::string statement() {
    const std::int64_t kind = depth_ > 4 ? pick(4) : pick(sync_ ? 5 : 8);
    const std::string in = indent();
    switch (kind) {
    case 0:
    case 1: return assignment();
    case 2:
      if (sync_) return in + "let " + fresh("q") + " = " + expression(2) + "\n";
      return in + "r = " + expression(2) + "\n";
    case 3:
      if (sync_) return assignment();
      return in + "x[mod(" + expression(1) + ", 4)] = " + expression(1) + "\n";
    case 4: {
      std::string text = in + "if " + condition(2) + " {\n" + nested(2);
      if (pick(2) == 0) text += in + "} else {\n" + nested(2);
      return text + in + "}\n";
    }
    case 5: {
      const std::string w = fresh("w");
      std::string text = in + "var " + w + " = mod(" + expression(1) + ", 5)\n" + in + "while " +
                         w + " > 0 {\n" + nested(2) + in + "  " + w + " = " + w + " - 1\n";
      return text + in + "}\n";
    }
    default: {
      const std::string v = fresh("v");
      loops_.push_back(v);
      std::string text = in + "for " + v + " = 1 to " + number(4) + " {\n";
      if (pick(3) == 0) text += in + "  if " + condition(1) + " { continue }\n";
      text += nested(2);
      if (pick(2) == 0) text += in + "  if " + condition(1) + " { break }\n";
      loops_.pop_back();
      return text + in + "}\n";
    }
    }
  }

  std::string assignment() {
    const std::string in = indent();
    if (target_ == arrays_.size()) return in + "let " + fresh("q") + " = " + expression(1) + "\n";
    const Usable& array = arrays_[target_];
    if (pick(80) == 0)
      return in + element(array, "mod(" + expression(1) + ", " + array.size + ")") + " = " +
             array.type + "(" + expression(1) + ")\n";
    const std::string value = array.type + "(" + expression(3) + ")";
    switch (pick(5)) {
    case 0: return in + own() + " += " + value + "\n";
    case 1: return in + own() + " = max(" + own() + ", " + value + ")\n";
    case 2: return in + own() + " = " + own() + " * " + value + "\n";
    default: return in + own() + " = " + value + "\n";
    }
  }

  bool shared_;
  std::int64_t size_ = 4, blocks_ = 1;
  std::string types_[3];
  std::vector<Usable> arrays_;
  std::size_t target_ = 0; ///< of the phase; arrays_.size(): none
  std::string index_, own_;
  bool sync_ = false;
  std::vector<std::string> loops_; ///< indices of the loops around
};

} // namespace

std::string race_free_program(std::uint64_t seed, bool shared) {
  return RaceFree(seed, shared).program();
}

} // namespace memlane::test
