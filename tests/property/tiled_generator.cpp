#include "program_generator.hpp"
#include "random_text.hpp"

namespace memlane::test {
namespace {

/// Blocks that alternate between global memory and long loops over their own tile, with different
/// work for different warps.
class Tiled : RandomText {
public:
  explicit Tiled(std::uint64_t seed) : RandomText(seed, 12) {}

  std::string program() {
    const std::string blocks = std::to_string(1 + pick(9));
    std::string text = "memory a[512]: int\nmemory r[" + blocks +
                       " * p]: int\n"
                       "kernel k(q: int) {\n  shared s[" +
                       (pick(3) == 0 ? "64 + threads" : "64") + "]: int\n  var e = 0\n";
    text += "  for t = 1 to " + std::to_string(1 + pick(3)) + " {\n";
    text += "    forall i in 0..64 { s[i] = a[" +
            sum({"i * " + number(9), "block * " + number(70), "t"}) + " & 511] }\n";
    for (std::int64_t k = 0; k <= pick(2); ++k) text += phase();
    if (pick(3) == 0)
      text += "    e = e + a[" + sum({"thread * " + number(5), "block"}) + " & 511]\n";
    text += "    barrier\n";
    return text + "  }\n  r[block * threads + thread] = e\n}\nmain { launch k(" + number(9) +
           ") blocks=" + blocks + " }\nverify { assert r[0] == r[0] }\n";
  }

private:
  static std::string sum(std::initializer_list<std::string> parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "(" : " + ") + part;
    return text + ")";
  }

  std::string read() {
    return "s[" + sum({"thread * " + number(6), "j * " + number(6), number(9)}) + " & 63]";
  }

  std::string statement() {
    switch (pick(7)) {
    case 0: return "if thread < " + std::to_string(pick(20)) + " { e = e + " + read() + " } ";
    case 1:
      return "if warp % 2 == " + number(2) + " { e = max(e, " + read() + ") } else { e = e + 1 } ";
    case 2: return "e = e * 3 + j ";
    case 3:
      if (pick(2) == 0) return "e = e + a[" + sum({"thread * " + number(3), "j"}) + " & 511] ";
      return "if j % 16 == thread { e = e + a[block] } ";
    default: return "e = e + " + read() + " ";
    }
  }

  std::string phase() {
    static const char* const ends[] = {"", " + thread / 4", " - warp * 3", ""};
    std::string text = "    barrier\n";
    const bool some = pick(4) == 0;
    if (some) text += "    if thread >= " + number(8) + " {\n";
    text += "    for j = 0 to " + std::to_string(30 + pick(90)) + ends[pick(4)] + " { ";
    for (std::int64_t k = 0; k <= pick(4); ++k) text += statement();
    return text + "}\n" + (some ? "    }\n" : "");
  }
};

} // namespace

std::string tiled_program(std::uint64_t seed) { return Tiled(seed).program(); }

} // namespace memlane::test
