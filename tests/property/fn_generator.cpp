#include "program_generator.hpp"
#include "random_text.hpp"

#include <vector>

namespace memlane::test {
namespace {

/// fns of two integers with loops that terminate. Every assignment is modulo a small prime, so that
/// no number wraps and claims compute the same values exactly.
class Fns : RandomText {
public:
  explicit Fns(std::uint64_t seed) : RandomText(seed, 11) {}

  std::string program() {
    std::string text = "const n = 24\nmemory a[n]: int = index*7 % 11\n";
    for (const char* name : {"f", "g", "h"}) text += fn(name);
    // Computes the same values as constants, in initial values, by threads and by the host.
    text += "const table[n] = [";
    for (int i = 0; i < 24; ++i)
      text += (i > 0 ? ", h(" : "h(") + std::to_string(i) + ", " + std::to_string(i % 5) + ")";
    text += "]\nmemory b[n]: int = h(index, index % 5)\nmemory c[n]: int\nmemory d[n]: int\n";
    text += "fn looks(x) {\n  var k = x\n  while k < 2*n {\n    k += 1\n    if a[k % n] < x % 4 { "
            "continue }\n    if a[k % n] == x % 9 { return k }\n  }\n  return -1\n}\n";
    text += "kernel work() {\n  forall i in 0..n {\n    c[i] = h(i, i % 5)\n"
            "    if i % 3 > 0 { d[i] = looks(i) } else { d[i] = f(looks(i), h(i, 2)) }\n  }\n}\n";
    text += "main { launch work() threads=" + std::to_string(1 + pick(8)) + " }\n";
    text +=
        "verify {\n  for i = 0 to n - 1 {\n    assert b[i] == table[i] and c[i] == table[i] and "
        "h(i, i % 5) == table[i]\n    assert d[i] == (if i % 3 > 0 then looks(i) else "
        "f(looks(i), h(i, 2)))\n  }\n}\n";
    for (const char* at : {"5", "17", "23"})
      text += std::string("claim h(") + at + ", " + at + " % 5) == table[" + at + "] \"exactly\"\n";
    return text;
  }

private:
  std::string fn(const std::string& name) {
    names_ = {"x", "y", "r"};
    std::string text = "fn " + name + "(x, y) {\n  var r = x + 2*y\n";
    depth_ = 1;
    text += block(4, 0);
    known_fns_.push_back(name);
    return text + "  return r\n}\n";
  }

  std::string small(const std::string& value) { return "(" + value + ") % 997"; }

  std::string expression(int depth) {
    switch (depth <= 0 ? pick(2) : pick(8)) {
    case 0: return number(30);
    case 1: return names_[static_cast<std::size_t>(pick(static_cast<std::int64_t>(names_.size())))];
    case 2: return "(" + expression(depth - 1) + " - " + expression(depth - 1) + ")";
    case 3: return "(" + small(expression(0) + " * " + expression(0)) + ")";
    case 4:
      return "(if " + condition() + " then " + expression(depth - 1) + " else " +
             expression(depth - 1) + ")";
    case 5: return "max(" + expression(depth - 1) + ", " + expression(depth - 1) + ")";
    case 6:
      if (!known_fns_.empty() && calls_++ < 4)
        return known_fns_.back() + "(" + expression(depth - 1) + ", " + expression(0) + ")";
      [[fallthrough]];
    default: return "(" + expression(depth - 1) + " + " + expression(depth - 1) + ")";
    }
  }

  std::string condition() {
    static const char* const comparisons[] = {" < ", " >= ", " == ", " != "};
    return expression(1) + " % 5" + comparisons[pick(4)] + expression(0) + " % 5";
  }

  std::string block(std::int64_t statements, int loops) {
    const std::size_t names = names_.size();
    std::string text;
    for (std::int64_t s = 0; s <= pick(statements); ++s) text += statement(loops);
    names_.resize(names);
    return text;
  }

  std::string nested(std::int64_t statements, int loops) {
    ++depth_;
    std::string text = block(statements, loops);
    --depth_;
    return text;
  }

  std::string statement(int loops) {
    const std::string in = indent();
    switch (depth_ > 4 ? pick(4) : pick(8)) {
    case 0: {
      const std::string q = fresh("q"),
                        text = in + "let " + q + " = " + small(expression(2)) + "\n";
      names_.push_back(q);
      return text;
    }
    case 1: return in + "r = " + small(expression(2)) + "\n";
    case 2: return in + "if " + condition() + " { " + leave(loops) + " }\n";
    case 3: return in + "r += " + small(expression(1)) + "  r = r % 997\n";
    case 4: {
      std::string text = in + "if " + condition() + " {\n" + nested(2, loops);
      if (pick(2) == 0) text += in + "} else {\n" + nested(2, loops);
      return text + in + "}\n";
    }
    case 5: {
      const std::string w = fresh("w");
      const std::string endless = pick(3) == 0 ? "true" : w + " > 0";
      return in + "var " + w + " = abs(" + expression(1) + ") % 5\n" + in + "while " + endless +
             " {\n" + in + "  " + w + " -= 1\n" +
             (endless == "true" ? in + "  if " + w + " < 0 { break }\n" : "") +
             nested(2, loops + 1) + in + "}\n";
    }
    default: {
      const std::string v = fresh("v");
      static const char* const bounds[] = {" = 0 to 3", " = 4 downto 1", " = 1 to 20 step *3",
                                           " = 9 downto 2 step /2", " = 0 to 8 step 3"};
      std::string text = in + "for " + v + bounds[pick(5)] + " {\n";
      names_.push_back(v);
      text += nested(3, loops + 1);
      names_.pop_back();
      return text + in + "}\n";
    }
    }
  }

  std::string leave(int loops) {
    const std::int64_t how = pick(loops > 0 ? 4 : 1);
    if (how == 0) return "return " + small(expression(1));
    return how == 1 ? "break" : "continue";
  }

  std::vector<std::string> names_, known_fns_;
  int calls_ = 0;
};

} // namespace

std::string fn_program(std::uint64_t seed) { return Fns(seed).program(); }

} // namespace memlane::test
