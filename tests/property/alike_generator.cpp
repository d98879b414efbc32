#include "program_generator.hpp"
#include "random_text.hpp"

namespace memlane::test {
namespace {

/// Many blocks that mostly differ by a shift of their addresses; some by more, and some leave their
/// arrays.
class Alike : RandomText {
public:
  explicit Alike(std::uint64_t seed) : RandomText(seed, 17) {}

  std::string program() {
    row_ = std::to_string(1 + pick(9));
    const std::string size = std::to_string(pick(6) == 0 ? 2048 : 16384);
    std::string text = "memory a[" + size + "], b[" + size + "]: int" +
                       (pick(5) == 0 ? " layout padded(1)" : "") +
                       "\nmemory r[200, w], sums[200]: int\n" +
                       "kernel k(q: int) {\n  shared s[64]: int\n  var e = 0\n";
    text += "  let row = block / " + row_ + " * w\n  let column = block % " + row_ + " * w\n";
    text += "  forall i in 0..64 { s[i] = " + read("i") + " }\n";
    depth_ = 1;
    for (std::int64_t k = 0; k <= pick(3); ++k) text += statement();
    if (pick(3) == 0) text += "  if thread == 0 { sums[block] = e }\n";
    if (pick(4) == 0) text += "  e += b[block / 2]\n";
    const std::string end = pick(4) == 0 ? "4096" : "8192"; // the latter is never reached
    text += "  forall i in 0..40 { if block * 64 + i < " + end + " { e += a[i] } }\n";
    text += "  barrier\n  if thread < w { r[block, thread] = e + s[thread] }\n";
    return text + "}\nmain { launch k(" + number(9) + ") blocks=" + std::to_string(4 + pick(120)) +
           " }\nverify { assert r[0, 0] == r[0, 0] }\n";
  }

private:
  /// An index that mostly moves by a multiple of w from block to block.
  std::string moved() {
    static const char* const parts[] = {"row",
                                        "column",
                                        "block * w",
                                        "row * 2 + column",
                                        "(blocks - 1 - block) * w",
                                        "block / 3 * w",
                                        "block * 64",
                                        "q",
                                        "0",
                                        "ceil_div(block, 2) * w"};
    static const char* const others[] = {"block",         "block * 3",     "(block xor 1) * w",
                                         "row / 2",       "-row",          "min(block, 5) * w",
                                         "block * w / 2", "(row - column)"};
    return pick(9) == 0 ? others[pick(8)] : parts[pick(10)];
  }
  std::string read(const std::string& lane) {
    static const char* const steps[] = {"", " * 2", " / 2", " * 33", " % 7", ""};
    std::string index = moved() + " + " + lane + steps[pick(6)];
    if (pick(3) == 0) index += " + " + moved();
    if (pick(4) == 0) index = "(" + index + ") & 1023";
    return std::string(pick(2) == 0 ? "a[" : "b[") + index + "]";
  }
  std::string condition() {
    switch (pick(11)) {
    case 8: return "block * w + thread < " + std::to_string(64 + pick(9) * 64);
    case 9: return "0 <= block * w + lane and block + thread < 4000";
    case 10: return "thread - block * w < " + std::to_string(1 + pick(40));
    case 0: return "block < " + std::to_string(pick(20));
    case 1: return "block % 2 == 0";
    case 2: return "row >= 0";
    case 3: return "block < 1000";
    case 4: return "q > " + number(9);
    default: return "thread < " + number(40);
    }
  }
  std::string statement() {
    switch (pick(6)) {
    case 0: return indent() + "barrier\n";
    case 1: {
      depth_ += 1;
      const std::string inside = pick(3) == 0 ? statement() : "  e = e + " + read("thread") + "\n";
      depth_ -= 1;
      return indent() + "if " + condition() + " {\n" +
             (inside.find("barrier") == std::string::npos ? inside : "") + indent() + "}\n";
    }
    case 2:
      return indent() + "for j = 0 to " + (pick(9) == 0 ? "block % 3" : number(40)) +
             " { e = e + " + read(pick(2) == 0 ? "j" : "thread") + " * s[(thread + j) & 63] }\n";
    case 3: return indent() + "e = e + s[(thread * " + number(5) + " + q) & 63]\n";
    default: return indent() + "e = e + " + read("thread") + "\n";
    }
  }

  std::string row_;
};

} // namespace

std::string alike_program(std::uint64_t seed) { return Alike(seed).program(); }

} // namespace memlane::test
