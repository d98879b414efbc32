#include "program_generator.hpp"
#include "random_text.hpp"

#include <vector>

namespace memlane::test {
namespace {

/// Tiles of two or three dimensions, most with rows shorter than a warp: copied to shared memory
/// and back, transposed, and modified between barriers, in a loop.
class Folded : RandomText {
public:
  Folded(std::uint64_t seed, bool shared) : RandomText(seed, 14), shared_(shared) {}

  std::string program() {
    static const std::int64_t extents[] = {1, 2, 2, 4, 4, 4, 8, 8, 16, 32, 3, 5, 6, 7, 12, 18};
    for (std::int64_t& extent : extents_) extent = extents[pick(16)];
    ranges_ = 2 + (extents_[1] * extents_[2] <= 64 ? pick(2) : 0);
    if (ranges_ == 2) extents_[0] = 1;
    const std::string of_a = type(), of_c = type();
    const std::string blocks = std::to_string(1 + pick(5)), rounds = std::to_string(1 + pick(9));
    std::string text =
        "const e = " + std::to_string(extents_[0]) + "\nconst m = " + std::to_string(extents_[1]) +
        "\nconst n = " + std::to_string(extents_[2]) + "\nconst g = " + blocks +
        "\nmemory a[g*e*m*n]: " + of_a + layout() + " = random(0, 50)\n" + "memory b[e*m, n]: int" +
        layout() + " = index % 19\n" + "memory c[g*e, m, n]: " + of_c + layout() + "\n";
    const std::string space = shared_ ? "  shared " : "memory ";
    const std::string arrays =
        space + "s[e, m, n]: int" + layout() + "\n" + space + "t[e, n, m]: int" + layout() + "\n";
    const std::string head = "kernel k(q: int) {\n";
    text += shared_ ? head + arrays : arrays + head;
    text += forall("s[h, i, j] = " + source()) + forall("t[h, j, i] = " + source());
    text += "  for r = 0 to " + rounds + " - 1 {\n";
    for (std::int64_t k = 0; k <= pick(3); ++k) text += phase();
    text += "  }\n" + forall("c[" + block() + "h, i, j] += " + of_c + "(s[h, i, j])");
    return text + "}\nmain { launch k(" + number(9) + ") blocks=" + (shared_ ? "g" : "1") +
           (pick(3) == 0 ? " threads=" + std::to_string(1 + pick(8)) : "") +
           " }\nverify { assert b[0, 0] == initial(b)[0, 0] }\n";
  }

private:
  std::string type() {
    static const char* const types[] = {"int", "int", "long", "double"};
    return types[pick(4)];
  }
  std::string layout() {
    static const char* const layouts[] = {"",
                                          "",
                                          "",
                                          " layout padded(1)",
                                          " layout padded(2)",
                                          " layout diagonal",
                                          " layout swizzle(1, 1, 2)",
                                          " layout bits(1, 2, 5, 10)"};
    return layouts[pick(8)];
  }
  std::string block() const { return shared_ ? "block*e + " : ""; }

  std::string forall(const std::string& body) {
    std::string ranges = ranges_ == 3 ? "h in 0..e, i in 0..m, j in 0..n" : "i in 0..m, j in 0..n";
    const std::string outer = ranges_ == 3 ? "" : "let h = 0  ";
    return "  forall " + ranges + " { " + outer + body + " }\n";
  }
  /// A word that any iteration may read.
  std::string source() {
    switch (pick(5)) {
    case 0: return "b[h*m + i, j] + " + number(9);
    case 1: return "b[(h*m + i + " + number(5) + ") % (e*m), (j + " + number(9) + ") % n]";
    case 2: return "int(a[" + block() + "h*m*n + i*n + j])";
    case 3: return "int(a[(i*n + j*" + number(5) + ") % (e*m*n)])";
    default: return "i*" + number(9) + " + j/2 + h";
    }
  }
  /// One of s or t, read at any iteration's words.
  std::string read(const std::string& array) {
    const std::string x = array == "s" ? "i" : "j", y = array == "s" ? "j" : "i";
    const std::string size = array == "s" ? "m" : "n", other = array == "s" ? "n" : "m";
    switch (pick(6)) {
    case 0: return array + "[h, " + x + ", z % " + other + "]";
    case 1: return array + "[h, z % " + size + ", " + y + "]";
    case 2: return array + "[h, (" + x + " + " + number(5) + ") % " + size + ", " + y + "]";
    case 3: return array + "[h, " + x + "/2, " + y + "/4]";
    case 4:
      return array + "[h, " + size + " - 1 - " + x + ", " + y + " & " + number(8) + " % " + other +
             "]";
    default: return array + "[h, " + x + ", " + y + "]";
    }
  }
  std::string guarded(const std::string& statement) {
    switch (pick(6)) {
    case 0: return "if j < " + number(9) + " { " + statement + " }";
    case 1: return "if i % 2 == " + number(2) + " { " + statement + " }";
    case 2: return "if (i*n + j)/4 < " + number(9) + " { " + statement + " }";
    default: return statement;
    }
  }
  /// Writes one of the two arrays, each iteration its own word.
  std::string phase() {
    const bool to_s = pick(2) == 0;
    const std::string own = to_s ? "s[h, i, j]" : "t[h, j, i]";
    const std::string other = to_s ? "t" : "s";
    std::string body;
    for (std::int64_t k = 0; k <= pick(2); ++k) {
      const std::string add = own + " = (" + own + " + " + read(other) + "*" + number(5) + ") % 97";
      body += pick(2) == 0 ? "for z = 0 to " + number(20) + " { " + guarded(add) + " }  "
                           : "let z" + std::to_string(k) + " = " + number(9) + "  " +
                                 guarded(plain(add, k)) + "  ";
    }
    return "  " + forall(body);
  }
  /// The statement with the name of a loop's variable replaced.
  static std::string plain(std::string text, std::int64_t k) {
    for (std::size_t at = text.find("z %"); at != std::string::npos; at = text.find("z %", at + 2))
      text.replace(at, 1, "z" + std::to_string(k));
    return text;
  }

  bool shared_;
  std::int64_t extents_[3] = {1, 1, 1};
  std::int64_t ranges_ = 2;
};

} // namespace

std::string folded_program(std::uint64_t seed, bool shared) {
  return Folded(seed, shared).program();
}

} // namespace memlane::test
