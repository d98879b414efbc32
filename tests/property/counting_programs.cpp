#include "counting_programs.hpp"

#include "random_text.hpp"

#include <tuple>
#include <utility>

namespace memlane::test {
namespace {

// ---- The text ----

std::string text_of(const Tree& t) {
  const auto part = [&](std::size_t i) { return text_of(t.parts[i]); };
  std::string list;
  for (const Tree& p : t.parts) list += (list.empty() ? "" : ", ") + text_of(p);
  switch (t.form) {
  case Form::lane: return "lane";
  case Form::given: return "given";
  case Form::element: return t.text + "[" + list + "]";
  case Form::table: return "T[" + list + "]";
  case Form::unary: return "(" + t.text + part(0) + ")";
  case Form::negation: return "(not " + part(0) + ")";
  case Form::binary:
  case Form::logic: return "(" + part(0) + " " + t.text + " " + part(1) + ")";
  case Form::builtin:
  case Form::call: return t.text + "(" + list + ")";
  case Form::conversion: return "int(" + list + ")";
  case Form::conditional: return "(if " + part(0) + " then " + part(1) + " else " + part(2) + ")";
  case Form::chain: {
    std::string all = "(" + part(0);
    for (std::size_t i = 0; i < t.comparisons.size(); ++i)
      all += " " + t.comparisons[i] + " " + part(i + 1);
    return all + ")";
  }
  default: return t.text; // a number, a register, a field of one
  }
}

std::string text_of(const std::vector<Line>& body, const std::string& indent) {
  std::string all;
  for (const Line& s : body) {
    const auto value = [&] { return text_of(s.parts.back()); };
    all += indent;
    switch (s.act) {
    case Act::declare: all += (s.op.empty() ? "let " : "var ") + s.target + " = " + value(); break;
    case Act::assign: all += s.target + " " + s.op + "= " + value(); break;
    case Act::field: all += s.target + "." + s.op + " = " + value(); break;
    case Act::store:
      all += s.target + "[" + text_of(s.parts[0]) + "] " + s.op + "= " + value();
      break;
    case Act::record:
      all += "var " + s.target + " = two(" + text_of(s.parts[0]) + ", " + value() + ")";
      break;
    case Act::call: all += s.target + "(" + value() + ", " + s.array + ")"; break;
    case Act::branch:
      all += "if " + value() + " {\n" + text_of(s.then, indent + "  ") + indent + "} else {\n" +
             text_of(s.otherwise, indent + "  ") + indent + "}";
    }
    all += "\n";
  }
  return all;
}

// ---- Random programs ----

class CountingGenerator : RandomText {
public:
  explicit CountingGenerator(std::uint64_t seed) : RandomText(seed, 9) {
    for (int i = 0; i < 3; ++i) {
      begin({"x", "y"}, {"a", "s"});
      const Tree body = number_tree(2);
      program.fns.push_back({"f" + std::to_string(i), body});
    }
    for (int i = 0; i < 2; ++i) {
      begin({"v"}, {"a", "s", "X"});
      const std::vector<Line> body = lines(3, Place::proc);
      program.procs.push_back({"p" + std::to_string(i), body});
    }
    begin({}, {"a", "c", "s", "m0", "m1"});
    in_kernel_ = true;
    program.kernel = lines(14, Place::kernel);
  }

  CountingProgram program;

private:
  enum class Place { kernel, branch, proc };

  void begin(std::vector<std::string> names, std::vector<std::string> arrays) {
    names_ = std::move(names), arrays_ = std::move(arrays);
    records_.clear(), registers_.clear(), flags_.clear();
  }

  Tree index(int depth) {
    return {Form::binary, "&", {number_tree(depth - 1), {Form::number, "3"}}};
  }

  Tree number_tree(int depth) {
    const std::int64_t kind = depth <= 0 ? pick(5) : pick(14);
    const auto deeper = [&] { return number_tree(depth - 1); };
    switch (kind) {
    case 0: return {Form::number, number(9)};
    case 1: return {in_kernel_ && pick(2) == 0 ? Form::given : Form::lane, ""};
    case 2:
    case 3:
      if (!names_.empty()) return {Form::name, names_[index_of(names_)]};
      return {Form::lane, ""};
    case 4:
      if (!records_.empty())
        return {Form::field, records_[index_of(records_)] + (pick(2) == 0 ? ".x" : ".y")};
      return {Form::number, number(9)};
    case 5:
    case 6: return {Form::element, arrays_[index_of(arrays_)], {index(depth)}};
    case 7: return {Form::table, "", {index(depth)}};
    case 8: return {Form::unary, pick(2) == 0 ? "-" : "~", {deeper()}};
    case 9: {
      static const char* const known[] = {"min", "max", "abs"};
      Tree t{Form::builtin, known[pick(3)], {deeper()}};
      for (std::int64_t more = t.text == "abs" ? 0 : 1 + pick(3); more > 0; --more)
        t.parts.push_back(deeper());
      return t;
    }
    case 10:
      if (program.fns.empty()) return deeper();
      return {Form::call, program.fns[index_of(program.fns)].name, {deeper(), deeper()}};
    case 11: return {Form::conditional, "", {condition(depth - 1), deeper(), deeper()}};
    case 12: return {Form::conversion, "", {condition(depth - 1)}};
    default: {
      static const char* const known[] = {"+", "-", "*", "&", "|", "xor"};
      return {Form::binary, known[pick(6)], {deeper(), deeper()}};
    }
    }
  }

  Tree condition(int depth) {
    const std::int64_t kind = depth <= 0 ? 0 : pick(6);
    if (!flags_.empty() && pick(5) == 0) return {Form::name, flags_[index_of(flags_)]};
    if (kind == 1) return {Form::negation, "", {condition(depth - 1)}};
    if (kind == 2 || kind == 3)
      return {Form::logic, kind == 2 ? "and" : "or", {condition(depth - 1), condition(depth - 1)}};
    static const char* const known[] = {"<", "<=", ">", ">=", "==", "!="};
    Tree t{Form::chain, "", {number_tree(depth - 1)}};
    for (std::int64_t more = 1 + (pick(3) == 0 ? pick(3) : 0); more > 0; --more) {
      t.comparisons.emplace_back(known[pick(6)]);
      t.parts.push_back(number_tree(depth - 1));
    }
    return t;
  }

  std::vector<Line> lines(int most, Place place) {
    std::vector<Line> all;
    for (std::int64_t left = 1 + pick(most); left > 0; --left) all.push_back(line(place));
    return all;
  }

  Line line(Place place) {
    switch (pick(10)) {
    case 0:
    case 1: return declare(false);
    case 2: return declare(true);
    case 3:
      if (registers_.empty()) return declare(true);
      return {Act::assign, registers_[index_of(registers_)], operation(), {number_tree(2)}};
    case 4:
      if (records_.empty()) return record();
      return {Act::field, records_[index_of(records_)], pick(2) == 0 ? "x" : "y", {number_tree(2)}};
    case 5: {
      Line flag{Act::declare, fresh("g"), "", {condition(2)}};
      if (place == Place::kernel) flags_.push_back(flag.target);
      return flag;
    }
    case 6:
      if (place == Place::kernel) return call();
      break;
    case 7:
      if (place == Place::kernel) return branch();
      break;
    default: break;
    }
    std::vector<std::string> targets = arrays_;
    if (place == Place::branch) targets = {"m0", "m1"}; // lanes of an `if` may not meet in memory
    return {Act::store, targets[index_of(targets)], operation(), {index(2), number_tree(2)}};
  }

  std::string operation() {
    static const char* const known[] = {"", "", "+", "-", "*"};
    return known[pick(5)];
  }

  Line declare(bool assignable) {
    Line s{Act::declare, fresh("r"), assignable ? "var" : "", {number_tree(3)}};
    names_.push_back(s.target);
    if (assignable) registers_.push_back(s.target);
    return s;
  }

  Line record() {
    Line s{Act::record, fresh("R"), "", {number_tree(2), number_tree(2)}};
    records_.push_back(s.target);
    return s;
  }

  Line call() {
    static const char* const known[] = {"m0", "m1", "c"};
    Line s{Act::call, program.procs[index_of(program.procs)].name, "", {number_tree(2)}};
    s.array = known[pick(3)];
    return s;
  }

  /// Declarations inside are not visible after it.
  Line branch() {
    Line s{Act::branch, "", "", {condition(2)}};
    for (std::vector<Line>* body : {&s.then, &s.otherwise}) {
      const auto before = std::tuple(names_, records_, registers_, flags_);
      *body = lines(2, Place::branch);
      std::tie(names_, records_, registers_, flags_) = before;
    }
    return s;
  }

  template <class T>
  std::size_t index_of(const std::vector<T>& list) {
    return static_cast<std::size_t>(pick(static_cast<std::int64_t>(list.size())));
  }

  std::vector<std::string> names_, records_, registers_, flags_, arrays_;
  bool in_kernel_ = false;
};

// ---- Names for parts ----

/// Names only expressions that the statement always evaluates and that have the same count alone:
/// none in brackets, conditions, arms, the second operand of an `and`, or after the first
/// comparison.
class PartNamer : RandomText {
public:
  explicit PartNamer(std::uint64_t seed) : RandomText(seed, 10) {}

  std::vector<Line> lines(const std::vector<Line>& body) {
    std::vector<Line> all;
    for (Line s : body) {
      s.then = lines(s.then), s.otherwise = lines(s.otherwise);
      for (std::size_t i = s.act == Act::store ? 1 : 0; i < s.parts.size(); ++i)
        if (s.act != Act::branch) s.parts[i] = named(std::move(s.parts[i]), all);
      all.push_back(std::move(s));
    }
    return all;
  }

private:
  static std::size_t parts_to_name(const Tree& t) {
    switch (t.form) {
    case Form::unary:
    case Form::binary:
    case Form::builtin:
    case Form::negation:
    case Form::conversion:
    case Form::call: return t.parts.size();
    case Form::chain: return 2;
    case Form::logic: return 1;
    default: return 0;
    }
  }

  Tree named(Tree t, std::vector<Line>& before) {
    for (std::size_t i = 0; i < parts_to_name(t); ++i)
      t.parts[i] = named(std::move(t.parts[i]), before);
    if (pick(2) == 0) return t;
    const std::string name = fresh("n");
    before.push_back({Act::declare, name, "", {std::move(t)}});
    return {Form::name, name};
  }
};

} // namespace

CountingProgram random_counting_program(std::uint64_t seed) {
  return CountingGenerator(seed).program;
}

CountingProgram with_names(const CountingProgram& program, std::uint64_t seed) {
  PartNamer namer(seed);
  CountingProgram more = program;
  for (Proc& proc : more.procs) proc.body = namer.lines(proc.body);
  more.kernel = namer.lines(program.kernel);
  return more;
}

std::string text_of(const CountingProgram& program) {
  std::string text = "type two = (x: int, y: int)\nconst T[4] = [5, 6, 7, 8]\n"
                     "memory a[4]: int = index\nmemory c[4]: int\nshared s[4]: int\n";
  for (const Fn& fn : program.fns) text += "fn " + fn.name + "(x, y) = " + text_of(fn.body) + "\n";
  for (const Proc& proc : program.procs)
    text += "proc " + proc.name + "(v: int, X[_]: int) {\n" + text_of(proc.body, "  ") + "}\n";
  return text + "kernel k(given: int) {\n  s[lane] = 0\n  var m0[4]: int\n  var m1[4]: int\n" +
         text_of(program.kernel, "  ") + "}\nmain { launch k(a[3]) }\nverify { assert true }\n";
}

} // namespace memlane::test
