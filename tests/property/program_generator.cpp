#include "program_generator.hpp"

#include "random_text.hpp"

namespace memlane::test {
namespace {

class Generator : RandomText {
public:
  Generator(std::uint64_t seed, bool shared) : RandomText(seed, 0), shared_(shared) {}

  std::string program() {
    std::string text = "param n: int = 24\nmemory a[n]: int" + layout() +
                       " = random(0, 99)\nmemory b[n]: int" + layout() + " = index\n" +
                       "memory c[2, 3, n]: int" + layout() + " = index % 7\nview d = c[" +
                       number(2) + "]\n" + shared_fns();
    text += "kernel k(X[size]: int, c: int) {\n";
    if (shared_)
      text += "  shared s[" + shared_extent("n") + "]: int" + layout() +
              "\n  forall i in 0..n { s[i] = i }\n";
    text += "  var r = c\n" + block(3, Place::kernel) + "}\n";
    text += "main { launch k(a[0..n], " + number(9) + ")" + blocks() + "  launch k(b[" + number(4) +
            "..n], 1) threads=" + std::to_string(1 + pick(8)) + "\n" + "  launch k(d[" + number(3) +
            "], 2)  launch k(c[1, " + number(3) + "], 0) }\n";
    return text + "verify { assert n == 24 }\n";
  }

private:
  enum class Place { kernel, forall, sync };

  std::string layout() {
    static const char* const layouts[] = {"",
                                          " layout padded(1)",
                                          " layout diagonal",
                                          " layout random_shift",
                                          " layout random_permute",
                                          " layout swizzle(2, 1, 3)",
                                          " layout bits(2, 1, 7, 12)"};
    return layouts[pick(7)];
  }

  std::string blocks() { return pick(3) == 0 ? " blocks=" + std::to_string(1 + pick(3)) : ""; }

  std::string array() {
    const std::int64_t which = pick(shared_ ? 4 : 3);
    return which == 0 ? "a" : which == 1 ? "b" : which == 2 ? "X" : "s";
  }

  std::string element(Place place, int depth) {
    const std::string name = array();
    const std::string size = name == "X" ? "size" : "n";
    return name + "[mod(" + expression(place, depth - 1) + ", " + size + ")]";
  }

  std::string expression(Place place, int depth) {
    switch (depth <= 0 ? pick(3) : pick(8)) {
    case 0: return number(30);
    case 1: return place == Place::kernel ? "thread" : "i";
    case 2: return "r";
    case 3: return "lane";
    case 4: return element(place, depth);
    case 5:
      return "(if " + condition(place, depth) + " then " + expression(place, depth - 1) + " else " +
             expression(place, depth - 1) + ")";
    default:
      return "(" + expression(place, depth - 1) + (pick(2) == 0 ? " + " : " * ") +
             expression(place, depth - 1) + ")";
    }
  }

  std::string condition(Place place, int depth) {
    const std::string left = expression(place, depth - 1), right = expression(place, depth - 1);
    const std::string first = left + (pick(2) == 0 ? " < " : " != ") + right;
    return pick(4) == 0 ? "(" + first + " and " + element(place, 1) + " > 3)" : "(" + first + ")";
  }

  std::string block(int statements, Place place) {
    std::string text;
    depth_ += 1;
    for (int s = 0; s <= static_cast<int>(pick(statements)); ++s) text += statement(place);
    depth_ -= 1;
    return text;
  }

  std::string statement(Place place) {
    const std::int64_t kind = depth_ > 3 ? pick(2) : pick(place == Place::sync ? 3 : 8);
    const std::string in = indent();
    switch (kind) {
    case 0:
      return in + element(place, 2) + (pick(3) == 0 ? " += " : " = ") + expression(place, 2) + "\n";
    case 1:
      if (place == Place::sync)
        return in + "let q" + fresh("") + " = " + expression(place, 2) + "\n";
      return in + "r = " + expression(place, 2) + "\n";
    case 2:
      return in + "if " + condition(place, 2) + " {\n" + block(2, place) + in + "} else {\n" +
             block(2, place) + in + "}\n";
    case 3: {
      const std::string v = "v" + fresh("");
      return in + "for " + v + " = 1 to " + number(4) + " {\n" +
             (pick(3) == 0 ? in + "  if " + condition(place, 1) + " { continue }\n" : "") +
             block(2, place) +
             (pick(2) == 0 ? in + "  if " + condition(place, 1) + " { break }\n" : "") + in + "}\n";
    }
    default: return place == Place::kernel ? parallel(kind) : statement_simple(place);
    }
  }

  std::string statement_simple(Place place) {
    return indent() + element(place, 1) + " = " + expression(place, 1) + "\n";
  }

  // Only in uniform control flow: outside ifs and loops.
  std::string parallel(std::int64_t kind) {
    if (depth_ > 1) return statement_simple(Place::kernel);
    const std::string in = indent();
    if (kind == 4) return in + "barrier\n";
    static const char* const forms[] = {"", "chunked ", "sync ", "grid "};
    const std::int64_t form = pick(4);
    const Place inside = form == 2 ? Place::sync : Place::forall;
    return in + "forall " + forms[form] + "i in " + number(4) + ".." +
           std::to_string(4 + pick(30)) + " {\n" + block(3, inside) + in + "}\n";
  }

  bool shared_;
};

} // namespace

std::string random_program(std::uint64_t seed, bool shared) {
  return Generator(seed, shared).program();
}

} // namespace memlane::test
