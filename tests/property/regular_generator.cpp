#include "program_generator.hpp"
#include "random_text.hpp"

#include <vector>

namespace memlane::test {
namespace {

/// Nested loops around accesses. Indices and conditions depend on loop indices and on variables
/// that grow by constants, never on data. A few accesses are writes, which may race.
class Regular : RandomText {
public:
  Regular(std::uint64_t seed, bool shared) : RandomText(seed, 11), shared_(shared) {}

  std::string program() {
    std::string text =
        "const n = " + std::to_string(64 << pick(3)) + "\nconst size[3] = [1, 2, 5]\n";
    text += "memory a[n]: " + std::string(pick(2) == 0 ? "int" : "double") + layout() + "\n";
    text += "memory b[n/8, 8]: int" + layout() + "\n";
    text += shared_fns() + "kernel k(q: int) {\n";
    if (shared_)
      text += "  shared s[" + shared_extent("n") + "]: int" + layout() +
              "\n  forall i in 0..n { s[i] = i }\n";
    depth_ = 1;
    text += "  var r = q\n  var e = 0\n";
    indices_ = {"r", "q"};
    for (std::int64_t s = 0; s <= 1 + pick(3); ++s) text += outer();
    const std::string blocks = pick(3) == 0 ? " blocks=" + std::to_string(1 + pick(5)) : "";
    return text + "}\nmain { launch k(" + number(9) + ")" + blocks +
           " }\nverify { assert n > 0 }\n";
  }

private:
  std::string layout() {
    static const char* const layouts[] = {"",
                                          "",
                                          "",
                                          " layout padded(1)",
                                          " layout padded(4)",
                                          " layout diagonal",
                                          " layout random_permute",
                                          " layout swizzle(2, 0, 2)",
                                          " layout bits(1, 2, 5, 10)"};
    return layouts[pick(9)];
  }

  /// Something that is no data.
  std::string index(int depth) {
    const auto any = [&] {
      return indices_[static_cast<std::size_t>(pick(static_cast<std::int64_t>(indices_.size())))];
    };
    switch (depth <= 0 ? pick(4) : pick(16)) {
    case 0: return number(40);
    case 1: return pick(2) == 0 ? "thread" : "lane";
    case 2:
    case 3: return any();
    case 4: return "(" + index(depth - 1) + " * " + number(9) + ")";
    case 5: return "(" + index(depth - 1) + " * " + index(depth - 1) + ")";
    case 6: return "(" + index(depth - 1) + " / " + std::to_string(1 + pick(8)) + ")";
    case 7: return "(" + index(depth - 1) + " & " + std::to_string((1 << pick(6)) - 1) + ")";
    case 8: return "min(" + index(depth - 1) + ", " + number(200) + ")";
    case 9: return "max(" + index(depth - 1) + ", " + index(depth - 1) + ")";
    case 10:
      return "(if " + condition(depth - 1) + " then " + index(depth - 1) + " else " + any() + ")";
    case 11: return "size[mod(" + index(depth - 1) + ", 3)]";
    case 12:
      return "(" + index(depth - 1) + " xor " + std::to_string((1 << pick(9)) - pick(2)) + ")";
    case 13: return "(" + index(depth - 1) + " % " + std::to_string(60 + pick(400)) + ")";
    default:
      return "(" + index(depth - 1) + (pick(3) == 0 ? " - " : " + ") + index(depth - 1) + ")";
    }
  }

  std::string condition(int depth) {
    static const char* const comparisons[] = {" < ", " <= ", " == ", " != ", " > "};
    return "(" + index(depth) + comparisons[pick(5)] + index(depth) + ")";
  }

  std::string element() {
    if (pick(3) == 0) return "b[mod(" + index(2) + ", n/8), mod(" + index(1) + ", 8)]";
    const char* array = shared_ && pick(2) == 0 ? "s" : "a";
    if (!loops_.empty() && pick(3) == 0) // a plain walk, as far as it goes
      return std::string(array) + "[min(n - 1, max(0, " + loops_.back() + " + " + number(8) + "))]";
    if (!loops_.empty() && pick(5) == 0) // a step every few rounds
      return std::string(array) + "[min(n - 1, max(0, " + loops_.back() + " / " +
             std::to_string(1 + pick(4)) + " + lane))]";
    return std::string(array) + "[mod(" + index(2) + ", n)]";
  }

  std::string statement() {
    const std::string in = indent();
    switch (pick(depth_ > 3 ? 3 : 7)) {
    case 0: return in + "e = e + int(" + element() + ")\n";
    case 1:
      if (pick(8) > 0) return in + "e = max(e, int(" + element() + "))\n";
      return in + element() + " = " + (pick(2) == 0 ? "1" : "2") + "\n";
    case 2:
      if (pick(3) == 0) return in + "r = mod(" + index(2) + ", 1000)\n";
      return in + "r = r + " + number(5) + "\n";
    case 3: {
      std::string text = in + "if " + condition(1) + " {\n" + nested(1);
      if (pick(2) == 0) text += in + "} else {\n" + nested(1);
      return text + in + "}\n";
    }
    default: return loop(false);
    }
  }

  std::string block(std::int64_t most) {
    std::string text;
    for (std::int64_t s = 0; s <= pick(most + 1); ++s) text += statement();
    return text;
  }

  std::string nested(std::int64_t most) {
    ++depth_;
    const std::size_t known = indices_.size();
    const std::string text = block(most);
    indices_.resize(known);
    --depth_;
    return text;
  }

  std::string body(const std::string& variable) {
    indices_.push_back(variable);
    loops_.push_back(variable);
    const std::string text = nested(2);
    loops_.pop_back();
    indices_.pop_back();
    return text;
  }

  /// Rounds: many in an inner loop, few in an outer one.
  std::string rounds(bool outermost) {
    return std::to_string(outermost ? 3 + pick(40) : 2 + pick(20));
  }

  std::string loop(bool outermost) {
    const std::string in = indent(), v = fresh("v");
    switch (pick(3)) {
    case 0: {
      std::string text =
          in + "for " + v + " = " + number(9) + " to " + rounds(outermost) + " {\n" + body(v);
      if (pick(4) == 0) text += in + "  if " + condition(1) + " { break }\n";
      return text + in + "}\n";
    }
    case 1:
      return in + "for " + v + " = " + rounds(outermost) + " downto " + number(5) + " {\n" +
             body(v) + in + "}\n";
    default: {
      const std::string start = pick(2) == 0 ? "thread" : number(4);
      const std::string by =
          start == "thread" && pick(2) == 0 ? "threads" : std::to_string(1 + pick(7));
      std::string text = in + "var " + v + " = " + start + "\n" + in + "while " + v + " < " +
                         std::to_string(20 + pick(200)) + " {\n" + body(v);
      return text + in + "  " + v + " = " + v + " + " + by + "\n" + in + "}\n";
    }
    }
  }

  std::string outer() {
    const std::string in = indent();
    switch (pick(4)) {
    case 0: {
      const std::string v = fresh("t");
      std::string text = in + "for " + v + " = 1 to " + std::to_string(2 + pick(5)) + " {\n";
      indices_.push_back(v);
      ++depth_;
      text += forall();
      --depth_;
      indices_.pop_back();
      return text + in + "}\n";
    }
    case 1: return loop(true) + in + "barrier\n";
    default: return forall();
    }
  }

  std::string forall() {
    static const char* const sizes[] = {"n", "n/2", "n - 3", "4*n"};
    const std::string i = fresh("i");
    if (pick(3) == 0) { // through rows of any length
      const std::string j = fresh("j");
      std::string text = indent() + "forall " + i + " in " + (pick(3) == 0 ? number(3) : "0") +
                         ".." + std::to_string(3 + pick(40)) + ", " + j + " in 0.." +
                         std::to_string(1 + pick(70)) + " {\n";
      indices_.push_back(j);
      text += body(i) + indent() + "}\n";
      indices_.pop_back();
      return text;
    }
    std::string text = indent() + "forall " + (pick(4) == 0 ? "chunked " : "") + i + " in " +
                       (pick(3) == 0 ? number(5) : "0") + ".." + sizes[pick(4)] + " {\n";
    return text + body(i) + indent() + "}\n";
  }

  bool shared_;
  std::vector<std::string> indices_, loops_;
};

} // namespace

std::string regular_program(std::uint64_t seed, bool shared) {
  return Regular(seed, shared).program();
}

} // namespace memlane::test
