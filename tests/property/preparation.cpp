// Preparation of a run takes time linear in the program and respects limits. Work is measured in
// steps of a Watch, which calls its check every 256 steps, not by a clock.
#include "compiling.hpp"
#include "engine/fast/vectors.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include "memlane/count/simulate.hpp"
#include "memlane/ir/flow.hpp"
#include "memlane/ir/without_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace memlane::test {

namespace {

using Line = std::function<std::string(int)>;

std::string lines(int count, const Line& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line(i) + "\n";
  return text;
}

std::string numbered(const std::string& name, int i) { return name + std::to_string(i); }

std::string program(const std::string& kernel, const std::string& top = "") {
  return "memory a[8]: int\n" + top + "kernel k() {\n" + kernel +
         "}\nmain { launch k() }\nverify { assert true }\n";
}

struct Shape {
  const char* name;
  std::string (*text)(int count);
};

const Shape shapes[] = {
    {"lets",
     [](int n) {
       return program(lines(n, [](int i) { return "let x" + numbered("", i) + " = thread"; }));
     }},
    {"lets of the one before",
     [](int n) {
       return program("let x0 = thread\n" + lines(n, [](int i) {
                        return "let " + numbered("x", i + 1) + " = " + numbered("x", i) + " + 1";
                      }));
     }},
    {"ifs",
     [](int n) {
       return program(lines(n, [](int i) {
         return "if thread == " + numbered("", i) + " { let y = a[" + numbered("", i % 8) + "] }";
       }));
     }},
    {"variables that rise from the last to the first",
     [](int n) {
       return program(
           lines(n, [](int i) { return numbered("var x", i) + " = 0"; }) + numbered("x", n - 1) +
           " = thread\nfor t = 0 to 1 {\n" +
           lines(n - 1, [](int i) { return numbered("x", i) + numbered(" = x", i + 1); }) + "}\n");
     }},
    {"loops",
     [](int n) {
       return program(lines(
           n, [](int i) { return "for i = 0 to 1 { let y = a[i] + " + numbered("", i) + " }"; }));
     }},
    {"whiles with breaks",
     [](int n) {
       return program(lines(n, [](int i) {
         const std::string v = numbered("v", i);
         return "var " + v + " = 0 while " + v + " < 2 { " + v + " += 1 if " + v +
                " == 1 { break } }";
       }));
     }},
    {"foralls",
     [](int n) {
       return program(
           lines(n, [](int i) { return "forall i in 0..8 { a[i] = " + numbered("", i) + " }"; }));
     }},
    {"a block with many variables in a forall",
     [](int n) {
       return program(
           "forall i in 0..8 {\n" +
           lines(n,
                 [](int i) { return "let " + numbered("x", i) + " = a[i] + " + numbered("", i); }) +
           "}\n");
     }},
    {"procs",
     [](int n) {
       return program(lines(n, [](int i) { return numbered("p", i) + "()"; }), lines(n, [](int i) {
                        return "proc " + numbered("p", i) + "() { let y = a[" +
                               numbered("", i % 8) + "] }";
                      }));
     }},
    {"calls with arguments",
     [](int n) {
       return program(lines(n, [](int i) { return "p(thread + " + numbered("", i) + ", a)"; }),
                      "proc p(x: int, y[_]: int) { let z = y[0] + x }\n");
     }},
    {"fns",
     [](int n) {
       return program(
           lines(n, [](int i) { return "let " + numbered("x", i) + numbered(" = f", i) + "(1)"; }),
           lines(n, [](int i) { return numbered("fn f", i) + "(x) = x + 1"; }));
     }},
};

/// Steps of each stage, in units of 256.
struct Work {
  std::int64_t language = 0, liveness = 0, data = 0;
};

Work work_of(const std::string& text) {
  std::int64_t asked = 0;
  Limits limits;
  limits.check = [&] {
    ++asked;
    return Stop::none;
  };
  Sources sources;
  sources.set_limits(limits);
  const auto code = compiled(sources, text, umm(4, 5, 8));
  REQUIRE(code);
  Work work;
  work.language = std::exchange(asked, 0);
  Watch watch(limits);
  for (const std::int32_t kernel : code->kernels)
    fast::analyse(*code, code->functions[static_cast<std::size_t>(kernel)], watch);
  work.liveness = std::exchange(asked, 0);
  CHECK(ir::without_data(*code, limits));
  work.data = asked;
  return work;
}

} // namespace

TEST_CASE("preparation is linear in the program for every shape") {
  constexpr int few = 500, times = 4;
  for (const Shape& shape : shapes) {
    const Work small = work_of(shape.text(few)), large = work_of(shape.text(times * few));
    INFO(shape.name << ": " << small.language << " " << small.liveness << " " << small.data
                    << " and then " << large.language << " " << large.liveness << " "
                    << large.data);
    CHECK(small.language > few / 256);
    // Twice the linear growth; quadratic work would take four times as much.
    CHECK(large.language < 2 * times * small.language);
    // The analysis follows 64 live registers at a time.
    CHECK(large.liveness < times * times * small.liveness);
    CHECK(large.data < 2 * times * small.data);
  }
}

TEST_CASE("limits stop parsing, checking, lowering and data-flow analysis") {
  const std::string text = shapes[0].text(2000);
  std::int64_t whole = 0, left = INT64_MAX;
  Limits limits;
  limits.check = [&] {
    ++whole;
    return --left < 0 ? Stop::interrupted : Stop::none;
  };
  const auto run = [&](std::int64_t most) {
    whole = 0;
    left = most;
    Sources sources;
    sources.set_limits(limits);
    const auto code = compiled(sources, text, umm(4, 5, 8));
    if (!code) return code.errors();
    const auto rest = ir::without_data(*code, limits);
    return rest ? Diagnostics{} : rest.errors();
  };
  REQUIRE(run(INT64_MAX).empty());
  const std::int64_t all = whole;
  std::set<std::string> doing;
  for (std::int64_t most = 0; most < all; most += 1 + all / 100) {
    const Diagnostics errors = run(most);
    REQUIRE(errors.size() == 1);
    CHECK(stop_of(errors) == Stop::interrupted);
    CHECK(whole <= most + 5); // a stage more may ask once
    doing.insert(errors.front().message);
  }
  CHECK(doing == std::set<std::string>{"stopped while parsing", "stopped while checking",
                                       "stopped while translating the program",
                                       "stopped while following data"});
}

TEST_CASE("the syntax tree counts against the memory limit") {
  Sources sources;
  Limits limits;
  limits.memory = 1 << 20;
  sources.set_limits(limits);
  const auto code = compiled(sources, shapes[0].text(32000), umm(4, 5, 8));
  REQUIRE(!code);
  CHECK(stop_of(code.errors()) == Stop::memory);
}

namespace {

/// Textbook liveness: iterates sets of live registers before each instruction to a fixed point.
std::vector<std::vector<bool>> textbook_liveness(const ir::Function& function) {
  const ir::FlowGraph flow(function);
  std::vector<std::vector<bool>> in(
      function.code.size() + 1, std::vector<bool>(static_cast<std::size_t>(function.registers)));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t at = function.code.size(); at-- > 0;) {
      std::vector<bool> live(static_cast<std::size_t>(function.registers));
      for (const std::size_t next : flow.after(at))
        for (std::size_t r = 0; r < live.size(); ++r)
          if (in[next][r]) live[r] = true;
      const ir::Instruction& i = function.code[at];
      if (ir::has_operand(i, 'd') && i.d >= 0) live[static_cast<std::size_t>(i.d)] = false;
      for (const auto& [letter, r] : {std::pair{'a', i.a}, {'b', i.b}, {'c', i.c}})
        if (ir::has_operand(i, letter) && r >= 0) live[static_cast<std::size_t>(r)] = true;
      changed = changed || live != in[at];
      in[at] = std::move(live);
    }
  }
  return in;
}

/// Registers that only the function's first instructions write, with constants.
std::vector<bool> constants_of(const ir::Function& function) {
  std::vector<int> writes(static_cast<std::size_t>(function.registers));
  for (const ir::Instruction& in : function.code)
    if (ir::has_operand(in, 'd') && in.d >= 0) ++writes[static_cast<std::size_t>(in.d)];
  std::vector<bool> constant(writes.size());
  for (const ir::Instruction& in : function.code) {
    if (in.op != ir::Opcode::constant && in.op != ir::Opcode::special) break;
    const auto d = static_cast<std::size_t>(in.d);
    constant[d] = in.op == ir::Opcode::constant && writes[d] == 1;
  }
  return constant;
}

int compare_with_textbook(const ir::Program& program) {
  int barriers = 0;
  const Limits limits;
  for (const std::int32_t kernel : program.kernels) {
    const ir::Function& function = program.functions[static_cast<std::size_t>(kernel)];
    const auto live = textbook_liveness(function);
    const std::vector<bool> constant = constants_of(function);
    Watch watch(limits);
    const fast::Analysis facts = fast::analyse(program, function, watch);
    for (std::size_t at = 0; at < function.code.size(); ++at) {
      const ir::Instruction& in = function.code[at];
      if (in.op != ir::Opcode::barrier && in.op != ir::Opcode::again) continue;
      ++barriers;
      const std::size_t behind =
          in.op == ir::Opcode::again ? static_cast<std::size_t>(in.immediate) : at + 1;
      std::vector<ir::Register> expected, found = facts.live_behind[at];
      for (ir::Register r = 0; r < function.registers; ++r)
        if (live[behind][static_cast<std::size_t>(r)] && !constant[static_cast<std::size_t>(r)])
          expected.push_back(r);
      std::sort(found.begin(), found.end());
      // The result may contain dead registers, but lacks no live one.
      CHECK(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
      CHECK(found.size() <= expected.size() + 2);
    }
  }
  return barriers;
}

} // namespace

TEST_CASE("liveness of 64 registers at a time equals the textbook algorithm") {
  int barriers = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    for (const std::string& text : {random_program(seed, false), regular_program(seed, false)}) {
      Sources sources;
      const auto code = compiled(sources, text, umm(4, 5, 8));
      if (!code) continue;
      INFO(text);
      barriers += compare_with_textbook(*code);
    }
  }
  CHECK(barriers > 500);
}

TEST_CASE("initial values ask whether to stop every few thousand, whatever they take") {
  constexpr std::int64_t numbers = std::int64_t{1} << 21, between = std::int64_t{1} << 16;
  Sources sources;
  const auto code = compiled(sources,
                             fmt::format("memory a[{}]: int = random(0, 9)\n"
                                         "kernel k() {{ a[thread] = 1 }}\n"
                                         "main {{ launch k() }}\nverify {{ assert true }}\n",
                                         numbers),
                             umm(4, 5, 8));
  REQUIRE(code);
  std::int64_t asked = 0;
  RunOptions options;
  options.limits.check = [&] { return ++asked < 20 ? Stop::none : Stop::wall_clock; };
  const RunResult stopped = simulate_fast(*code, umm(4, 5, 8), options, sources, nullptr);
  CHECK(stopped.stop == Stop::wall_clock);
  CHECK(stopped.reached.find("initial values") != std::string::npos);
  asked = INT64_MIN; // is never enough
  CHECK(simulate_fast(*code, umm(4, 5, 8), options, sources, nullptr).stop == Stop::none);
  CHECK(asked - INT64_MIN >= numbers / between);
}

} // namespace memlane::test
