// --timing-only with code whose execution depends on data: allowed if neither time nor counts
// depend on the lanes that execute it, otherwise an error.
#include "compiling.hpp"
#include "difference.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include "memlane/ir/without_data.hpp"

#include <fmt/format.h>

namespace memlane::test {
namespace {

MachineSpec one_in_flight() {
  MachineSpec machine = umm(4, 5, 8);
  machine.instruction_cost = {2};
  return machine;
}

MachineSpec several_in_flight() {
  MachineSpec machine = umm(4, 5, 8);
  machine.requests_in_flight = 3;
  return machine;
}

/// A kernel with the statement in a loop, which stores its variables after the loop.
std::string looping_program(const std::string& statement) {
  return fmt::format(R"(memory a[8, 16], c[8, 4]: int = (index*7 + 3) % 23
kernel k() {{
  var best = -1  var at = 0  var k = 0
  var own[4]: int
  for j = 0 to 15 {{
    let x = a[thread, j]
    {}
  }}
  c[thread, 0] = best  c[thread, 1] = at  c[thread, 2] = k  c[thread, 3] = own[1]
}}
main {{ launch k() }}
verify {{ assert true }})",
                     statement);
}

/// The difference of time and counts from those of the whole run, or the error.
std::string outcome(const std::string& text, const MachineSpec& machine = one_in_flight()) {
  Sources sources;
  const auto code = compiled(sources, text, machine);
  REQUIRE(code);
  const auto rest = ir::without_data(*code);
  if (!rest) return rest.errors().front().message;
  RunOptions options;
  Observer observer;
  const RunResult whole = simulate(*code, machine, options, sources, observer);
  REQUIRE(whole.stop == Stop::none);
  const RunResult timing = simulate_timing(*rest, machine, options, sources);
  if (timing.stop == Stop::error) return timing.errors.front().message;
  Difference d;
  d.compare("stop", static_cast<int>(timing.stop), 0);
  d.compare("run", timing.counts, whole.counts);
  for (const auto& [name, counts] : whole.kernels) d.compare(name, timing.kernels.at(name), counts);
  for (const auto& [name, fn] : whole.fns) d.compare(name, timing.fns.at(name).calls, fn.calls);
  return d.text();
}

} // namespace

TEST_CASE("if data affects registers only, --timing-only gives the time of the whole run") {
  for (const char* statement : {
           "if x > best { best = x  at = j }",
           "if x > best { best = x  at = j } else { k = j }",
           "if x > 3 { if x > 9 { best = x } else { at = j } }",
           "if x > 3 { own[x % 4] = j }",
           "if x > 3 { for i = 0 to 3 { own[i] = j } }",
           "for i = 0 to 3 { if x > 3 { break }  k = i }",
           "if x > 3 { while k < j { k = j } }",
           "for i = 0 to 3 { if x > i { continue }  k = i }",
           "for i = 0 to 3 { if i == 2 { continue }  if x > 3 { break }  k = i }", // out of both
           "if x > 3 { print \"large\" }",
           "best = own[x % 4]",
       }) {
    INFO(statement);
    CHECK(outcome(looping_program(statement)) == "");
    // Whether a lane comes to the condition of a loop that is left is not followed.
    const std::string text = statement;
    if (text.find("break") != std::string::npos || text.find("continue") != std::string::npos)
      continue;
    CHECK(outcome(looping_program(text), several_in_flight()) == "");
  }
}

TEST_CASE("if data decides what a later step waits for, --timing-only is an error") {
  const auto waits = [](const std::string& statements) {
    const std::string text = looping_program("let y = a[thread, 0]  " + statements);
    CHECK(outcome(text) == "");
    return outcome(text, several_in_flight());
  };
  for (const char* statements :
       {"if x > 3 { best = y }", "if x > 3 { own[1] = y }", "k = y  if x > 3 { k = 1 }",
        "own[1] = y  k = own[x % 4]", "own[x % 4] = y",
        "for i = 0 to 3 { if x > 3 { break }  k = i }"}) {
    INFO(statements);
    CHECK(waits(statements) == "data decides here which reads later steps wait for: the time of "
                               "this run depends on it");
  }
  for (const char* statements :
       {"k = y + 1  if x > 3 { best = y }", "if y > x { best = y }", "own[1] = y  k = own[j % 4]",
        "own[j % 4] = y  k = own[1] + x", "if x > 3 { best = j } k = y"}) {
    INFO(statements);
    CHECK(waits(statements) == "");
  }
}

TEST_CASE("if data affects requests or counts, --timing-only is an error") {
  const std::string executed = "what is executed here depends on data: the time of this run "
                               "depends on it";
  for (const char* statement : {
           "if x > 3 { best = a[thread, 0] }",                           // a request
           "if x > 3 { c[thread, 0] = 1 }",                              //
           "if x > 3 { best = x + 1 }",                                  // a counted operator
           "if x > best { best = x  k = a[thread, j] }",                 //
           "for i = 0 to 3 { if x > i { break }  best = a[thread, i] }", // requests of a loop
           "for i = 0 to 3 { best = a[thread, i]  if x > i { break } }",
           "for i = 0 to 3 { if x > i { if x > 9 { break } }  best = a[thread, i] }",
           "for i = 0 to 3 { if x > i { continue }  best = a[thread, i] }",
           "for i = 0 to 3 { if i == 2 { continue }  if x > i { break }  best = a[thread, i] }",
       }) {
    INFO(statement);
    CHECK(outcome(looping_program(statement)) == executed);
  }
  CHECK(outcome(looping_program("while best < x { best = best + x }")).find("how often") == 0);
}

TEST_CASE("a variable assigned under a condition on data is data") {
  const std::string index = "an index of a is data: the time of this run depends on it";
  CHECK(outcome(looping_program("if x > best { best = x  at = j }  k = a[0, at]")) == index);
  CHECK(
      outcome(looping_program("if x > 3 { at = 1 }  if at == 1 { k = a[0, 0] }")).find("what is") ==
      0);
  CHECK(outcome(looping_program("if x > 3 { own[0] = 1 }  k = a[0, own[0]]")) == index);
  CHECK(outcome(looping_program("for i = 0 to 3 { if x > 3 { break }  at = i }  k = a[0, at]")) ==
        index);
  CHECK(outcome(looping_program(
            "for i = 0 to 3 { if x > 3 { continue }  at = i }  k = a[0, at]")) == index);
  CHECK(outcome(
            looping_program("if x > 3 { at = 1 } else { at = 2 }  for i = 0 to at { k = a[0, i] }"))
            .find("how often") == 0);
}

// A lane that has returned comes to the block's end by its return alone: what a register held
// before the call is not its result.
TEST_CASE("what a fn with an early return makes of no data is none") {
  const auto of = [](const std::string& index) {
    return outcome("memory a[64]: int = index\nmemory c[64]: int\n"
                   "fn next(x, y) {\n  if x == y/4 { return x*y }\n  return x + y\n}\n"
                   "fn root(x) {\n  var y = 0\n  while true {\n    if y*y >= x { return y }\n"
                   "    y += 1\n  }\n}\n"
                   "kernel k() {\n  forall i in 0..64 {\n    c[i] = a[i]*a[i] + 3*a[i]\n"
                   "    c[i] = a[" +
                   index +
                   " % 64]\n  }\n}\nmain { launch k() }\n"
                   "verify { assert c[0] == a[0] }\n");
  };
  CHECK(of("next(i, 2)") == "");
  CHECK(of("next(i, next(3, i))") == "");
  CHECK(of("root(i)") == "");
  CHECK(of("next(i, a[i])") ==
        "what is executed here depends on data: the time of this run depends "
        "on it");
}

} // namespace memlane::test
