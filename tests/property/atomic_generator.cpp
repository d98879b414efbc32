#include "program_generator.hpp"
#include "random_text.hpp"

namespace memlane::test {
namespace {

/// Intervals between barriers: in each of them, an array is updated by atomics only, by any lane at
/// any word, and other arrays are read; old values go into words of the thread's own.
class Atomics : RandomText {
public:
  /// `ordered`: results may depend on the order of the atomics.
  Atomics(std::uint64_t seed, bool shared, bool ordered)
      : RandomText(seed, 23), shared_(shared), ordered_(ordered) {}

  std::string program() {
    static const char* const types[] = {"int", "int", "long", "float", "double"};
    reals_ = ordered_ && pick(3) == 0;
    const std::string type = types[reals_ ? 3 + pick(2) : pick(3)];
    std::string text = "const m = " + std::to_string(std::int64_t{4} << pick(4)) + "\n" +
                       "const t = " + std::to_string(1 + pick(40)) + "\n" +
                       "const g = " + std::to_string(1 + pick(4)) + "\n" + "memory a[m]: " + type +
                       " = random(0, 50)\n" + "memory c[m]: int = random(0, 50)\n" +
                       "memory order[m]: int = (index*5 + 3) % m\n" + "memory old[t*g]: " + type +
                       "\nkernel change(q: int) {\n";
    depth_ = 1;
    if (shared_) text += "  shared s[m]: int\n  forall i in 0..m { s[i] = i }\n";
    text += "  var r = q + thread\n";
    for (std::int64_t k = 0; k <= pick(3); ++k) text += interval();
    text += "}\nmain { launch change(" + number(20) + ") blocks=g threads=min(t, p)\n";
    if (pick(2) == 0) text += "  launch change(" + number(9) + ") threads=min(t, p)\n";
    return text + "}\nverify { assert order[0] == initial(order)[0] }\n";
  }

private:
  std::string interval() {
    const std::int64_t kind = pick(4);
    const std::string head = kind == 0   ? "  forall i in 0..m {\n"
                             : kind == 1 ? "  forall chunked i in 0..2*m {\n"
                             : kind == 2 ? "  forall grid i in 0..3*m {\n"
                                         : "  {\n";
    index_ = kind == 3 ? "thread" : "i";
    std::string text = kind == 3 ? "" : head;
    depth_ = kind == 3 ? 1 : 2;
    sign_ = pick(7);
    for (std::int64_t k = 0; k <= pick(3); ++k) text += statement(2);
    depth_ = 1;
    if (kind != 3) text += "  }\n";
    return text + "  barrier\n";
  }

  std::string value() {
    switch (pick(7)) {
    case 0: return number(30);
    case 1: return "r";
    case 2: return "order[mod(r, m)]";
    case 3: return "r*3 - " + index_;
    case 4: return "warp_sum(r)";
    case 5: return "int(any(r % 3 == 0))";
    default: return index_;
    }
  }

  std::string target() {
    const std::string at = "[mod(" + value() + ", m)]";
    target_ = pick(3);
    if (target_ == 2 && !shared_) target_ = 0;
    return (target_ == 0 ? "a" : target_ == 1 ? "c" : "s") + at;
  }

  std::string atomic() {
    static const char* const signs[] = {"+=", "-=", "min=", "max=", "&=", "|=", "xor="};
    const std::string element = target();
    const bool bits = target_ != 0 || !reals_;
    if (!ordered_) return "atomic " + element + " " + signs[sign_] + " " + value();
    switch (pick(5)) {
    case 0: return "exchange(" + element + ", " + value() + ")";
    case 1: return "cas(" + element + ", " + number(50) + ", " + value() + ")";
    default: return "atomic " + element + " " + signs[pick(bits ? 7 : 4)] + " " + value();
    }
  }

  std::string statement(int depth) {
    const std::string in = indent();
    switch (depth > 0 ? pick(8) : pick(6)) {
    case 0: return in + "r += " + value() + "\n";
    case 1: {
      if (!ordered_) return in + atomic() + "\n";
      const std::string name = fresh("o");
      const std::string text = in + "let " + name + " = " + atomic() + "\n";
      return text + (pick(2) == 0 ? in + "r += int(" + name + ") % 7\n" : "");
    }
    case 2: return in + "r = shuffle_xor(r, 0)\n";
    case 6: {
      std::string text = in + "if r % " + std::to_string(2 + pick(3)) + " == 0 {\n";
      ++depth_;
      text += statement(depth - 1);
      --depth_;
      return text + in + "}\n";
    }
    case 7: {
      const std::string v = fresh("k");
      std::string text = in + "for " + v + " = 0 to mod(r, 4) {\n";
      ++depth_;
      text += statement(depth - 1);
      --depth_;
      return text + in + "}\n";
    }
    default: return in + atomic() + "\n";
    }
  }

  bool shared_;
  bool ordered_;
  bool reals_ = false;
  std::int64_t sign_ = 0; ///< of an interval's atomics, whose order then does not matter
  std::int64_t target_ = 0;
  std::string index_;
};

} // namespace

std::string atomic_program(std::uint64_t seed, bool shared, bool ordered) {
  return Atomics(seed, shared, ordered).program();
}

} // namespace memlane::test
