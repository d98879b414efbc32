// Compares the counted operators of random programs with an independent count, which follows
// configs/README.md section 6 on the generator's trees, with procs inlined.
#include "counting.hpp"
#include "counting_programs.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace memlane::test {
namespace {

constexpr std::size_t lanes = 4;
using Numbers = std::array<std::int32_t, lanes>; ///< one a lane; of a condition 0 and 1
using Active = std::array<bool, lanes>;

bool any(const Active& active) {
  return std::find(active.begin(), active.end(), true) != active.end();
}

std::int32_t wrapped(std::uint32_t value) { return static_cast<std::int32_t>(value); }

std::int32_t computed(const std::string& op, std::int32_t a, std::int32_t b) {
  const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
  if (op == "+") return wrapped(x + y);
  if (op == "-") return wrapped(x - y);
  if (op == "*") return wrapped(x * y);
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "xor") return a ^ b;
  if (op == "min") return std::min(a, b);
  if (op == "max") return std::max(a, b);
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  return a != b;
}

/// A statement with renamed variables.
class Renaming {
public:
  std::map<std::string, std::string> names;

  Tree tree(Tree t) const {
    const std::size_t dot = t.text.find('.');
    const auto found = names.find(t.text.substr(0, dot));
    const bool named = t.form == Form::name || t.form == Form::field || t.form == Form::element;
    if (named && found != names.end())
      t.text = found->second + (dot == std::string::npos ? "" : t.text.substr(dot));
    for (Tree& part : t.parts) part = tree(std::move(part));
    return t;
  }
  std::vector<Line> lines(std::vector<Line> body) const {
    for (Line& s : body) {
      for (Tree& part : s.parts) part = tree(std::move(part));
      if (const auto found = names.find(s.target); found != names.end()) s.target = found->second;
    }
    return body;
  }
};

/// The scope of a fn's body: its arguments.
struct Frame {
  std::map<std::string, Numbers> values;
  std::map<std::string, bool> data;
};

class CountingModel {
public:
  explicit CountingModel(const CountingProgram& program) : program_(program) {
    const std::vector<Line> body = inlined(program.kernel);
    do { // an assignment counts wherever in the text it stands
      changed_ = false;
      spread(body);
    } while (changed_);
    for (std::int32_t i = 0; i < 4; ++i) memory_["a"][std::size_t(i)] = i;
    memory_["c"], memory_["s"];
    run(body, {true, true, true, true});
  }

  std::int64_t operators = 0;

private:
  std::vector<Line> inlined(const std::vector<Line>& body) {
    std::vector<Line> all;
    for (Line s : body) {
      if (s.act != Act::call) {
        all.push_back(std::move(s));
        continue;
      }
      const auto proc = std::find_if(program_.procs.begin(), program_.procs.end(),
                                     [&](const Proc& p) { return p.name == s.target; });
      const std::string mark = "'" + std::to_string(++calls_);
      Renaming renaming{{{"X", s.array}, {"v", "v" + mark}}};
      for (const Line& inner : proc->body)
        if (inner.act == Act::declare || inner.act == Act::record)
          renaming.names[inner.target] = inner.target + mark;
      all.push_back({Act::declare, "v" + mark, "", s.parts});
      for (Line& inner : renaming.lines(proc->body)) all.push_back(std::move(inner));
    }
    return all;
  }

  static bool is_memory(const std::string& array) {
    return array == "a" || array == "c" || array == "s";
  }
  const Fn& fn(const Tree& call) const { return program_.fns[std::size_t(call.text.back() - '0')]; }

  // ---- Data ----

  bool is_data(const Tree& t, const Frame* frame) const {
    switch (t.form) {
    case Form::number:
    case Form::lane:
    case Form::given:
    case Form::table: return false;
    case Form::name: return frame ? frame->data.at(t.text) : data_.count(t.text) > 0;
    case Form::field: return data_.count(t.text.substr(0, t.text.find('.'))) > 0;
    case Form::element: return is_memory(t.text) || data_.count(t.text) > 0;
    case Form::call: {
      const Frame inner = frame_of(t, frame);
      return inner.data.at("x") || inner.data.at("y") || is_data(fn(t).body, &inner);
    }
    default: return has_data(t.parts, frame);
    }
  }
  bool has_data(const std::vector<Tree>& parts, const Frame* frame) const {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Tree& part) { return is_data(part, frame); });
  }
  Frame frame_of(const Tree& call, const Frame* frame) const {
    return {{}, {{"x", is_data(call.parts[0], frame)}, {"y", is_data(call.parts[1], frame)}}};
  }

  void spread(const std::vector<Line>& body) {
    for (const Line& s : body) {
      spread(s.then), spread(s.otherwise);
      if (s.act == Act::branch) continue;
      std::vector<Tree> values = s.parts;
      if (s.act == Act::store) values.erase(values.begin());
      const bool target = is_memory(s.target) || data_.count(s.target) > 0;
      if (target || !has_data(values, nullptr)) continue;
      data_.insert(s.target);
      changed_ = true;
    }
  }

  // ---- Operators ----

  /// Whether a fn's expression has a counted operator.
  bool holds_counting(const Tree& t, const Frame& frame) const {
    if (t.form == Form::element || t.form == Form::table) return false;
    std::size_t first = t.form == Form::conditional ? 1 : 0;
    for (; first < t.parts.size(); ++first)
      if (holds_counting(t.parts[first], frame)) return true;
    switch (t.form) {
    case Form::unary:
    case Form::binary:
    case Form::builtin:
    case Form::logic:
    case Form::negation: return has_data(t.parts, &frame);
    case Form::chain: return has_data(t.parts, &frame); // in one of its comparisons, then
    case Form::call: return holds_counting(fn(t).body, frame_of(t, &frame));
    default: return false;
    }
  }

  void count(bool counts, const Active& active) { operators += counts && any(active) ? 1 : 0; }

  Numbers value(const Tree& t, const Active& active, const Frame* frame, bool counting) {
    Numbers result{};
    std::vector<Numbers> parts;
    const auto all_parts = [&] {
      for (const Tree& part : t.parts) parts.push_back(value(part, active, frame, counting));
    };
    const auto each = [&](auto number) {
      for (std::size_t i = 0; i < lanes; ++i)
        if (active[i]) result[i] = number(i);
    };
    switch (t.form) {
    case Form::number: each([&](std::size_t) { return std::stoi(t.text); }); break;
    case Form::lane: each([](std::size_t i) { return std::int32_t(i); }); break;
    case Form::given: each([](std::size_t) { return 3; }); break;
    case Form::name:
    case Form::field: return frame ? frame->values.at(t.text) : registers_[t.text];
    case Form::element:
    case Form::table: {
      const Numbers at = value(t.parts[0], active, frame, false);
      each([&](std::size_t i) { return word(t.text, std::size_t(at[i]), i); });
      break;
    }
    case Form::unary:
      all_parts();
      each([&](std::size_t i) { return computed("-", t.text == "-" ? 0 : -1, parts[0][i]); });
      break;
    case Form::negation:
      all_parts();
      each([&](std::size_t i) { return 1 - parts[0][i]; });
      break;
    case Form::binary:
      all_parts();
      each([&](std::size_t i) { return computed(t.text, parts[0][i], parts[1][i]); });
      break;
    case Form::builtin:
      all_parts();
      if (t.text == "abs")
        parts.push_back(value({Form::unary, "-", t.parts}, active, frame, false));
      result = parts[0];
      for (const Numbers& part : parts)
        each([&](std::size_t i) {
          return computed(t.text == "abs" ? "max" : t.text, result[i], part[i]);
        });
      break;
    case Form::chain: return chain(t, active, frame, counting);
    case Form::logic: return logic(t, active, frame, counting);
    case Form::conditional: return conditional(t, active, frame, counting);
    case Form::conversion: return value(t.parts[0], active, frame, counting);
    case Form::call: {
      all_parts();
      Frame inner = frame_of(t, frame);
      inner.values = {{"x", parts[0]}, {"y", parts[1]}};
      count(counting && holds_counting(fn(t).body, inner), active);
      return value(fn(t).body, active, &inner, false);
    }
    }
    const bool is_operator = t.form == Form::unary || t.form == Form::negation ||
                             t.form == Form::binary || t.form == Form::builtin;
    count(counting && is_operator && has_data(t.parts, frame), active);
    return result;
  }

  std::int32_t word(const std::string& array, std::size_t at, std::size_t lane) {
    if (array.empty()) return std::int32_t(at) + 5; // the table
    return is_memory(array) ? memory_[array][at] : locals_[array][at][lane];
  }

  Numbers chain(const Tree& t, Active active, const Frame* frame, bool counting) {
    Numbers holds{};
    Numbers left = value(t.parts[0], active, frame, counting);
    for (std::size_t k = 0; k < t.comparisons.size(); ++k) {
      const Numbers right = value(t.parts[k + 1], active, frame, counting);
      count(counting && (is_data(t.parts[k], frame) || is_data(t.parts[k + 1], frame)), active);
      for (std::size_t i = 0; i < lanes; ++i) {
        holds[i] = active[i] && computed(t.comparisons[k], left[i], right[i]) != 0 ? 1 : 0;
        active[i] = holds[i] != 0;
      }
      left = right;
    }
    return holds;
  }

  void take(Numbers& result, const Numbers& more, const Active& active) {
    for (std::size_t i = 0; i < lanes; ++i)
      if (active[i]) result[i] = more[i];
  }

  static Active those(const Active& active, const Numbers& condition, bool wanted) {
    Active some{};
    for (std::size_t i = 0; i < lanes; ++i) some[i] = active[i] && (condition[i] != 0) == wanted;
    return some;
  }

  Numbers logic(const Tree& t, const Active& active, const Frame* frame, bool counting) {
    Numbers result = value(t.parts[0], active, frame, counting);
    count(counting && has_data(t.parts, frame), active);
    const Active open = those(active, result, t.text == "and");
    take(result, value(t.parts[1], open, frame, counting), open);
    return result;
  }

  Numbers conditional(const Tree& t, const Active& active, const Frame* frame, bool counting) {
    const Numbers condition = value(t.parts[0], active, frame, false);
    Numbers result{};
    for (const std::size_t arm : {1U, 2U}) {
      const Active open = those(active, condition, arm == 1);
      take(result, value(t.parts[arm], open, frame, counting), open);
    }
    return result;
  }

  // ---- Statements ----

  void run(const std::vector<Line>& body, const Active& active) {
    for (const Line& s : body) {
      if (s.act == Act::branch) {
        const Numbers condition = value(s.parts[0], active, nullptr, false);
        run(s.then, those(active, condition, true));
        run(s.otherwise, those(active, condition, false));
      } else if (s.act == Act::store) {
        store(s, active);
      } else if (s.act == Act::record) {
        take(registers_[s.target + ".x"], value(s.parts[0], active, nullptr, true), active);
        take(registers_[s.target + ".y"], value(s.parts[1], active, nullptr, true), active);
      } else if (s.act == Act::field) {
        take(registers_[s.target + "." + s.op], value(s.parts[0], active, nullptr, true), active);
      } else {
        assign(s, active);
      }
    }
  }

  void assign(const Line& s, const Active& active) {
    Numbers now = value(s.parts[0], active, nullptr, true);
    if (s.act == Act::assign && !s.op.empty()) {
      count(data_.count(s.target) > 0, active); // with data in `now` it is data, too
      for (std::size_t i = 0; i < lanes; ++i)
        now[i] = computed(s.op, registers_[s.target][i], now[i]);
    }
    take(registers_[s.target], now, active);
  }

  void store(const Line& s, const Active& active) {
    Numbers now = value(s.parts[1], active, nullptr, true);
    const Numbers at = value(s.parts[0], active, nullptr, false);
    const bool memory = is_memory(s.target);
    if (!s.op.empty()) count(memory || data_.count(s.target) > 0, active);
    const Words before = memory_[s.target];
    for (std::size_t i = 0; i < lanes; ++i) {
      if (!active[i]) continue;
      const auto k = std::size_t(at[i]);
      const std::int32_t old = memory ? before[k] : locals_[s.target][k][i];
      if (!s.op.empty()) now[i] = computed(s.op, old, now[i]);
      (memory ? memory_[s.target][k] : locals_[s.target][k][i]) = now[i];
    }
  }

  using Words = std::array<std::int32_t, 4>;
  const CountingProgram& program_;
  int calls_ = 0;
  bool changed_ = false;
  std::set<std::string> data_; ///< registers and arrays of registers
  std::map<std::string, Numbers> registers_;
  std::map<std::string, Words> memory_;
  std::map<std::string, std::array<Numbers, 4>> locals_;
};

} // namespace

TEST_CASE("counted operators of random programs equal those of the independent model") {
  constexpr std::uint64_t programs_counted = MEMLANE_PROPERTY_PROGRAMS / 5;
  std::int64_t most = 0, named_parts = 0, fast_programs = 0;
  bool fast = false;
  for (std::uint64_t seed = 1; seed <= programs_counted; ++seed) {
    const CountingProgram program = random_counting_program(seed);
    const std::int64_t expected = CountingModel(program).operators;
    INFO("program " << seed << "\n" << text_of(program));
    REQUIRE(counts_by_all_engines(text_of(program), fast).instructions == expected);
    const CountingProgram named = with_names(program, seed);
    INFO("with names\n" << text_of(named));
    REQUIRE(counts_by_all_engines(text_of(named), fast).instructions == expected);
    named_parts += static_cast<std::int64_t>(named.kernel.size() - program.kernel.size());
    most = std::max(most, expected);
    fast_programs += fast ? 1 : 0;
  }
  if (programs_counted >= 200) CHECK(most > 20);
  CHECK(fast_programs > static_cast<std::int64_t>(programs_counted) * 9 / 10);
  CHECK(named_parts > static_cast<std::int64_t>(programs_counted));
}

} // namespace memlane::test
