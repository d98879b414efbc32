#include "program_generator.hpp"
#include "random_text.hpp"

#include <vector>

namespace memlane::test {
namespace {

/// A variable or element that is in scope, and its type.
struct Named {
  std::string text, type;
};

/// Loops, branches and jumps over arrays of the machine and of the host, in all types; procs,
/// launches and random numbers. A few statements fail: an index outside, a division by zero, an
/// assertion, a conversion, a store in verify.
class HostCode : RandomText {
public:
  explicit HostCode(std::uint64_t seed) : RandomText(seed, 11) {}

  std::string program() {
    failing_ = pick(3) == 0;
    const std::string types[] = {type(), type()};
    std::string text = "param n: int = " + std::to_string(4 + pick(20)) +
                       "\nconst weight[4] = [3, -1, 7, 2]\nfn mix(x, y) = x*3 + y\n";
    text += "memory a[n]: " + types[0] + " = index % 7\n";
    text += "memory b[n]: " + types[1] + "\nmemory c[n, 3]: int = random(0, 9)\n";
    text += "kernel twice(q: int) { forall i in 0..n { c[i, 1] = c[i, 1]*2 + q } }\n";
    arrays_ = {{"a", types[0]}, {"b", types[1]}};
    text += "proc fill(X[size]: int, q: int) {\n";
    text += "  for i = 0 to size - 1 { X[i] = X[i] + i*q }\n  var s = 0\n";
    text += "  for t = size - 1 downto 0 step 2 { s = max(s, X[t]) }\n";
    text += "  if size > 0 { X[0] = s }\n}\n";
    depth_ = 1;
    text += "main {\n" + variables();
    text += block(5);
    if (pick(2) == 0) text += "  launch twice(" + number(5) + ")\n" + block(3);
    text += "}\nverify {\n";
    verifying_ = true;
    text += "  var t = 0\n  var z[n]: int\n";
    named_.push_back({"t", "int"});
    arrays_.push_back({"z", "int"});
    text += block(4) + "  assert c[0, 0] == initial(c)[0, 0]";
    return text + (pick(4) == 0 ? " and " + condition(1) : "") + "\n}\n";
  }

private:
  std::string type() {
    static const char* const types[] = {"int", "int", "long", "float", "double"};
    return types[pick(5)];
  }
  bool fails() { return failing_ && pick(40) == 0; }

  std::string variables() {
    std::string text;
    for (int k = 0; k < 4; ++k) {
      const Named made{fresh("r"), type()};
      text += "  var " + made.text + ": " + made.type + " = " + made.type + "(" + number(9) + ")\n";
      named_.push_back(made);
    }
    for (const char* own : {"x", "y"}) {
      const std::string of = type();
      text += std::string("  var ") + own + "[n]: " + of + "\n";
      arrays_.push_back({own, of});
    }
    return text + "  var flag = " + (pick(2) == 0 ? "true" : "false") + "\n";
  }

  std::string index() {
    const std::string at = fails() ? expression(1) : "mod(" + expression(1) + ", n)";
    return "[" + at + "]";
  }
  const Named& array() {
    return arrays_[static_cast<std::size_t>(pick(static_cast<std::int64_t>(arrays_.size())))];
  }
  const Named& variable() {
    return named_[static_cast<std::size_t>(pick(static_cast<std::int64_t>(named_.size())))];
  }

  /// An int.
  std::string expression(int depth) {
    switch (depth <= 0 ? pick(3) : pick(14)) {
    case 0: return number(30);
    case 1:
      return loops_.empty()
                 ? "n"
                 : loops_[static_cast<std::size_t>(pick(static_cast<std::int64_t>(loops_.size())))];
    case 2: return as_int(variable().text);
    case 3:
      return as_int(array().text + "[" + (depth > 1 ? "mod(" + expression(0) + ", n)" : "0") + "]");
    case 4: return "c[mod(" + expression(depth - 1) + ", n), " + number(3) + "]";
    case 5: return "weight[mod(" + expression(depth - 1) + ", 4)]";
    case 6: return "mix(" + expression(depth - 1) + ", " + expression(depth - 1) + ")";
    case 7:
      return "(if " + condition(depth - 1) + " then " + expression(depth - 1) + " else " +
             expression(depth - 1) + ")";
    case 8:
      return "(" + expression(depth - 1) + (pick(2) == 0 ? " / " : " % ") +
             (fails() ? expression(0) : std::to_string(1 + pick(9))) + ")";
    case 9:
      return pick(2) == 0 ? "abs(" + expression(depth - 1) + ")" : "random(0, " + number(9) + ")";
    case 10:
      return (pick(2) == 0 ? "min(" : "max(") + expression(depth - 1) + ", " +
             expression(depth - 1) + ")";
    default: {
      static const char* const operators[] = {" + ", " - ", " * ", " & ", " | ", " xor "};
      return "(" + expression(depth - 1) + operators[pick(6)] + expression(depth - 1) + ")";
    }
    }
  }
  /// Of any type; what an int cannot hold is rare.
  std::string as_int(const std::string& value) {
    return "int(min(max(" + value + ", -1000000), 1000000))";
  }

  std::string condition(int depth) {
    static const char* const comparisons[] = {" < ", " <= ", " == ", " != "};
    const std::string first = expression(depth - 1) + comparisons[pick(4)] + expression(depth - 1);
    switch (pick(5)) {
    case 0: return "(" + first + " and " + expression(0) + " > 3)";
    case 1: return "(not (" + first + ") or " + variable().text + " > " + number(5) + ")";
    case 2: return verifying_ ? "(" + first + ")" : "(flag or not " + first + ")";
    default: return "(" + first + ")";
    }
  }

  std::string block(std::int64_t statements) {
    const std::size_t known = named_.size();
    std::string text;
    for (std::int64_t s = 0; s <= pick(statements); ++s) text += statement();
    named_.resize(known);
    return text;
  }
  std::string nested(std::int64_t statements) {
    ++depth_;
    std::string text = block(statements);
    --depth_;
    return text;
  }

  /// A value of the type, by way of its own operations.
  std::string value(const std::string& of) {
    const std::string one = of + "(" + expression(2) + ")";
    if (of == "int" || of == "long") return one;
    switch (pick(4)) {
    case 0: return one + " * " + of + "(0.5) - " + of + "(" + expression(1) + ")";
    case 1: return "sqrt(abs(" + one + "))";
    case 2: return one + " / " + of + "(" + std::to_string(1 + pick(5)) + ")";
    default: return "max(" + one + ", " + of + "(" + expression(1) + "))";
    }
  }

  std::string statement() {
    const std::string in = indent();
    const std::int64_t kind = depth_ > 4 ? pick(5) : pick(13);
    if (verifying_ && kind < 3) // to what is verify's own
      return in + (pick(2) == 0 ? "z" + index() : std::string("t")) + " = " + expression(2) + "\n";
    switch (kind) {
    case 0:
    case 1: {
      const Named to = array();
      return in + to.text + index() + " = " + value(to.type) + "\n";
    }
    case 2: {
      const Named to = variable();
      return in + to.text + " = " + value(to.type) + "\n";
    }
    case 3: {
      const Named made{fresh("q"), type()};
      const std::string text =
          in + "var " + made.text + ": " + made.type + " = " + value(made.type) + "\n";
      named_.push_back(made);
      return text;
    }
    case 4: return in + "assert " + (fails() ? condition(2) : "n > 0") + "\n";
    case 5: {
      std::string text = in + "if " + condition(2) + " {\n" + nested(3);
      if (pick(2) == 0) text += in + "} else {\n" + nested(3);
      return text + in + "}\n";
    }
    case 6: {
      const std::string w = fresh("w");
      std::string text = in + "var " + w + " = mod(" + expression(1) + ", 9)\n" + in + "while " +
                         w + " > 0 {\n" + nested(2) + in + "  " + w + " = " + w + " - 1\n";
      if (pick(3) == 0) text += in + "  if " + condition(1) + " { break }\n";
      return text + in + "}\n";
    }
    case 7:
      if (verifying_) return in + "assert n >= " + number(4) + "\n";
      return in + "flag = " + condition(2) + "\n";
    case 8:
      if (verifying_) return in + "assert n != 0\n";
      return in + "fill(" + (pick(2) == 0 ? "c[" + number(4) + ", 0..2]" : "c[1, 1..3]") + ", " +
             expression(1) + ")\n";
    default: {
      const std::string v = fresh("v");
      loops_.push_back(v);
      const std::string last = depth_ == 1 && pick(6) == 0 ? "9000" : number(12);
      std::string text =
          in + "for " + v + " = 0 to " + last + " {\n" + nested(last == "9000" ? 1 : 3);
      if (pick(3) == 0) text += in + "  if " + condition(1) + " { break }\n";
      loops_.pop_back();
      return text + in + "}\n";
    }
    }
  }

  bool failing_ = false, verifying_ = false;
  std::vector<Named> named_, arrays_;
  std::vector<std::string> loops_; ///< indices of the loops around
};

} // namespace

std::string host_program(std::uint64_t seed) { return HostCode(seed).program(); }

} // namespace memlane::test
