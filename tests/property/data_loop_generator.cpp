#include "program_generator.hpp"
#include "random_text.hpp"

#include <utility>
#include <vector>

namespace memlane::test {
namespace {

/// Loops of some ten to a hundred rounds. Each round combines what it loads with the variables
/// x (a vector of data), u (mostly the same in all threads) and f, and with indices.
class DataLoops : RandomText {
public:
  DataLoops(std::uint64_t seed, bool shared) : RandomText(seed, 17), shared_(shared) {}

  std::string program() {
    std::string text = "const n = 1024\nconst size[3] = [1, 2, 5]\n";
    text += "memory a[n]: int" + layout() + " = index * 7 % 13\n";
    text += "memory one[n]: int = 1\nmemory d[n]: double = 0.5\n";
    text += "memory b[4, n]: long\nmemory out[8, n]: double\n";
    text += "kernel k(q: int) {\n  var x = long(q)\n  var u = 1\n  var f = 0.0\n  var e = "
            "long(0)\n  var r = long(3)\n  var v = long(5)\n";
    text += "  var own[4]: long\n  var held = (thread ^ 5) & 7\n  var often = thread % 3 < 2\n";
    if (shared_)
      text += "  shared s[n]: int" + layout() + "\n  forall i in 0..n { s[i] = 3 * i % 11 }\n";
    depth_ = 1;
    for (std::int64_t s = 0; s <= pick(3); ++s) text += loop();
    const std::string blocks = pick(3) == 0 ? " blocks=" + std::to_string(1 + pick(4)) : "";
    return text + "  out[block, thread] = x + u + f + e + r + v + own[1]\n}\nmain { launch k(" +
           number(9) + ")" + blocks + " }\nverify { assert n > 0 }\n";
  }

private:
  std::string layout() {
    static const char* const layouts[] = {"", "", "", " layout padded(1)", " layout diagonal"};
    return layouts[pick(5)];
  }

  std::string index() {
    const auto any = [&] {
      return indices_.empty() ? std::string("thread")
                              : indices_[static_cast<std::size_t>(
                                    pick(static_cast<std::int64_t>(indices_.size())))];
    };
    switch (pick(10)) {
    case 0: return number(20);
    case 1: return "thread";
    case 2: return any() + " * 2";
    case 3: return any() + " / 3";
    case 4: return "n - 1 - " + any();
    case 5: return any() + " + held";
    case 6: return any() + " + thread";
    default: return any();
    }
  }
  /// Never outside an array of n words.
  std::string element() { return "(" + index() + ") & (n - 1)"; }
  std::string load() {
    static const char* const arrays[] = {"a", "a", "one", "s"};
    return std::string(arrays[pick(shared_ ? 4 : 3)]) + "[" + element() + "]";
  }

  std::string statement(int depth) {
    switch (pick(depth > 0 ? 19 : 15)) {
    case 0:
    case 1: return indent() + "x += " + load() + "\n";
    case 2: return indent() + "x = x * 3 + " + index() + "\n";
    case 3: return indent() + "u = u + one[" + (pick(2) == 0 ? number(9) : element()) + "]\n";
    case 4: return indent() + "f = f * 0.5 + d[" + element() + "]\n";
    case 5: return indent() + "x = min(x, " + load() + " + 40)\n";
    case 6: { // grows by no constant
      const std::string y = fresh("y");
      return indent() + "var " + y + " = " + index() + "\n" + indent() + "e = e ^ (" + y + " * " +
             y + ")\n";
    }
    case 7: return indent() + "own[(" + index() + ") & 3] = x\n";
    case 8: return indent() + "x = x ^ own[(" + index() + ") & 3]\n";
    case 9: return whole_ ? indent() + "x += shuffle_xor(x, 1)\n" : "";
    case 10: return indent() + "e += size[(" + index() + ") % 3]\n";
    case 11: { // a register that begins anew in each round
      const std::string z = fresh("z");
      return indent() + "var " + z + " = " + number(3) + "\n" + indent() + z + " += " + load() +
             "\n" + indent() + "x += " + z + "\n" + indent() + z + " = thread\n" + indent() +
             "x += " + z + "\n";
    }
    case 12: return store_;
    case 13: // one that each round leaves as it was, and one that is read behind the loop, too
      return indent() + "x += r\n" + indent() + "r = thread\n" + indent() + "x += r\n" + indent() +
             "r = 3\n";
    case 14:
      return indent() + "v = thread + " + number(9) + "\n" + indent() + "x += v\n" + indent() +
             "v = 5\n";
    case 15:
    case 16: return branch(depth);
    default: return inner(depth);
    }
  }
  std::string statements(int depth) {
    std::string text;
    ++depth_;
    for (std::int64_t s = 0; s <= pick(3); ++s) text += statement(depth);
    --depth_;
    return text;
  }

  std::string branch(int depth) {
    static const char* const conditions[] = {"often", "lane % 2 == 0", "thread < 5", "x % 2 == 0"};
    const std::int64_t which = pick(12);
    const bool whole = std::exchange(whole_, false);
    const std::string condition =
        which < 4 ? conditions[which] : "(" + index() + ") % 8 < " + number(9);
    std::string text =
        indent() + "if " + condition + " {\n" + statements(depth - 1) + indent() + "}";
    if (pick(2) == 0) text += " else {\n" + statements(depth - 1) + indent() + "}";
    whole_ = whole;
    return text + "\n";
  }

  std::string inner(int depth) {
    const std::string j = fresh("j");
    const bool whole = std::exchange(whole_, false);
    std::string text = indent() + "for " + j + " = 0 to " + number(5) + " {\n";
    indices_.push_back(j);
    text += statements(depth - 1);
    indices_.pop_back();
    whole_ = whole;
    return text + indent() + "}\n";
  }

  std::string forall() {
    const std::string i = fresh("i");
    const std::string row = std::to_string(rows_++ & 3);
    const bool whole = std::exchange(whole_, false);
    std::string text =
        indent() + "forall " + i + " in 0.." + (pick(2) == 0 ? "n" : "n - 3") + " {\n";
    indices_.push_back(i);
    store_ = "";
    if (pick(2) == 0)
      store_ = std::string(static_cast<std::size_t>(2 * depth_ + 2), ' ') + "if block == 0 { b[" +
               row + ", " + i + "] = x + " + load() + " }\n";
    text += statements(2) + store_;
    store_ = "";
    indices_.pop_back();
    whole_ = whole;
    return text + indent() + "}\n";
  }

  std::string loop() {
    if (pick(2) == 0) return forall();
    const std::string j = fresh("j");
    const std::string rounds = std::to_string(12 + pick(60));
    std::string text =
        indent() + "for " + j + " = 0 to " + rounds + (pick(3) == 0 ? " step 2" : "") + " {\n";
    indices_.push_back(j);
    text += statements(2);
    if (pick(4) == 0) {
      ++depth_;
      text += forall();
      --depth_;
    }
    if (shared_ && pick(6) == 0) text += indent() + "  barrier\n";
    indices_.pop_back();
    return text + indent() + "}\n";
  }

  bool shared_;
  bool whole_ = true; ///< all lanes are active
  int rows_ = 0;
  std::string store_; ///< a statement for the present forall
  std::vector<std::string> indices_;
};

} // namespace

std::string data_loop_program(std::uint64_t seed, bool shared) {
  return DataLoops(seed, shared).program();
}

} // namespace memlane::test
