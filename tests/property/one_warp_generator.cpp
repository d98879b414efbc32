#include "program_generator.hpp"
#include "random_text.hpp"

#include <utility>

namespace memlane::test {
namespace {

/// Many blocks of one warp: loops whose rounds depend on the block or on what it loads, barriers in
/// them, divergence, shared words.
class OneWarpBlocks : RandomText {
public:
  OneWarpBlocks(std::uint64_t seed, bool shared)
      : RandomText(seed, 29), of_block_(shared ? "" : "block, ") {}

  std::string program(std::int64_t width) {
    threads_ = pick(3) == 0 ? 1 + pick(width) : width;
    text_ = "const n = 256\nconst words = " + std::to_string(20 + pick(30)) + "\n";
    text_ += "memory a[n]: int" + layout() + " = index * 7 % 13\n";
    text_ += "memory r[n]: int = random(0, 9)\n";
    text_ += "memory c[64, 16]: long\nmemory out[64, 64]: double\n";
    const std::string arrays[] = {"s[" + rows() + "words]: int" + layout() + "\n",
                                  "t[" + rows() + "words]: long\n"};
    if (!of_block_.empty()) text_ += "memory " + arrays[0] + "memory " + arrays[1];
    text_ += "kernel k(q: int) {\n  var x = long(q) + block\n  var f = 0.5\n  var own[4]: long\n";
    if (of_block_.empty()) text_ += "  shared " + arrays[0] + "  shared " + arrays[1];
    text_ += "  forall i in 0..words { " + s("i") + " = r[(i + 3 * block) & (n - 1)]  " + t("i") +
             " = i }\n";
    if (pick(2) == 0) text_ += "  barrier\n";
    depth_ = 1;
    meets_ = true;
    statements(3);
    statements(3);
    text_ += "  out[block, thread] = x + f + own[1] + " + s("thread % words") + "\n}\nmain {\n";
    for (std::int64_t launches = 1 + pick(2); launches > 0; --launches)
      text_ += "  launch k(" + number(9) + ") blocks=" + std::to_string(2 + pick(50)) +
               " threads=" + std::to_string(threads_) + "\n";
    return text_ + "}\nverify { assert n > 0 }\n";
  }

private:
  /// An element of the block's own arrays.
  std::string s(const std::string& at) const { return "s[" + of_block_ + at + "]"; }
  std::string t(const std::string& at) const { return "t[" + of_block_ + at + "]"; }
  std::string rows() const { return of_block_.empty() ? "" : "64, "; }
  std::string layout() {
    static const char* const layouts[] = {"", "", "", " layout padded(1)", " layout diagonal"};
    return layouts[pick(5)];
  }
  std::string index() {
    static const char* const indices[] = {"thread", "block",     "2 * thread", "thread + 5 * block",
                                          "x",      "3 * x",     "thread / 2", "block * words",
                                          "q",      "lane xor 1"};
    return indices[pick(10)];
  }
  std::string load() {
    switch (pick(5)) {
    case 0: return "a[(" + index() + ") & (n - 1)]";
    case 1: return "r[(" + index() + " + " + number(50) + ") & (n - 1)]";
    case 2: return t("abs(" + index() + ") % words");
    case 3: return "own[(" + index() + ") & 3]";
    default: return s("abs(" + index() + ") % words");
    }
  }
  void line(const std::string& text) { text_ += indent() + text + "\n"; }

  void statements(int deep) {
    for (std::int64_t k = 0; k <= pick(3); ++k) statement(deep);
  }
  /// Statements in braces. `meets`: a warp reaches them with all its lanes, or with none.
  void block(const std::string& head, bool meets, int deep, const std::string& first = "") {
    const bool before = std::exchange(meets_, meets_ && meets);
    line(head + " {");
    ++depth_;
    if (!first.empty()) line(first);
    statements(deep - 1);
    --depth_;
    line("}");
    meets_ = before;
  }

  void statement(int deep) {
    switch (pick(deep > 0 ? 18 : 9)) {
    case 0: return line("x += " + load());
    case 1: return line("x = (x * 3 + " + index() + ") & 1023");
    case 2: return line("f = f * 0.5 + " + load());
    case 3: return line("own[(" + index() + ") & 3] = x");
    case 4: return line(s("abs(" + index() + ") % words") + " = int(x & 255)");
    case 5: return line(t("abs(" + index() + ") % words") + " = x & 255");
    case 6: return line("c[block, thread & 15] = x");
    case 7: return line("x += c[block, (" + index() + ") & 15]");
    case 8: return line(meets_ ? "barrier" : "x = x xor 5");
    case 9:
      return block("for " + fresh("j") + " = 0 to (block * " + number(5) + ") % 4", true, deep);
    case 10: { // as many rounds as the block's word says
      const std::string rounds = fresh("m");
      line("let " + rounds + " = r[(block + " + number(60) + ") & (n - 1)]");
      return block("for " + fresh("j") + " = 1 to " + rounds, true, deep);
    }
    case 11: return block("for " + fresh("j") + " = 0 to 20", true, deep);
    case 12: return block("if block % 3 == " + number(3), true, deep);
    case 13: {
      block("if block % 2 == 0", true, deep);
      text_.pop_back();
      text_ += " else {\n";
      ++depth_;
      statements(deep - 1);
      --depth_;
      return line("}");
    }
    case 14: return block("if lane < " + number(5), false, deep);
    case 15: {
      block("if (x + lane) % 3 == 0", false, deep);
      text_.pop_back();
      text_ += " else {\n";
      ++depth_;
      const bool before = std::exchange(meets_, false);
      statements(deep - 1);
      meets_ = before;
      --depth_;
      return line("}");
    }
    case 16: {
      const std::string z = fresh("z");
      line("var " + z + " = " + load());
      return block("while " + z + " > 0", false, deep, z + " = " + z + " / 2");
    }
    default: return forall();
    }
  }

  void forall() {
    if (!meets_) return line("x = x xor 3");
    const std::string i = fresh("i");
    const bool before = std::exchange(meets_, false);
    line("forall " + i + " in 0..words" + (pick(3) == 0 ? " - 1" : "") + " {");
    ++depth_;
    line((pick(2) == 0 ? s(i) : t(i)) + " = " + i + " + " + (pick(2) == 0 ? number(9) : "block"));
    if (pick(2) == 0) line("x += r[(" + i + " + block) & (n - 1)]");
    --depth_;
    line("}");
    meets_ = before;
  }

  std::string of_block_; ///< the first index of its arrays, which are not shared
  std::int64_t threads_ = 1;
  bool meets_ = true; ///< all lanes of a block come here together
  std::string text_;
};

} // namespace

std::string one_warp_program(std::uint64_t seed, std::int64_t width, bool shared) {
  return OneWarpBlocks(seed, shared).program(width);
}

} // namespace memlane::test
