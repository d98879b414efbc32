// What --try names: by name alone, by its kind, or an error that says what it could be. And what
// one request's addresses are.
#include "support/checked_text.hpp"

#include "memlane/points/change.hpp"
#include "memlane/study/explain/access_pattern.hpp"

#include <string>

namespace memlane::sweep {
namespace {

constexpr const char* changed_text = "param n: int = 8\nparam ports: int = 2\ntype value = int\n"
                                     "fn f(x) = x + 1\nmemory a[n]: value\n"
                                     "kernel k() { forall i in 0..n { a[i] = f(i) } }\n"
                                     "main { launch k() }\nverify { assert true }\n";

struct Changeable {
  Sources sources;
  CheckedProgram program;
  ir::Program code;
  MachineSpec machine;

  Changeable() {
    program = test::checked_text(sources, "changed.lane", changed_text);
    machine.model = Model::umm;
    machine.width = 4;
    machine.threads = 8;
    machine.global = UnitSpec{UnitKind::unified, Cycles{5}, 1, {}};
    Point point;
    point.program = &program;
    point.machine = machine;
    auto bound = bind_point(point, sources);
    REQUIRE(bound);
    code = std::move(*bound);
  }

  std::string read(const std::string& text) const {
    const auto changes = read_changes(text, program, code, machine.model);
    if (changes) return changes_text(*changes);
    std::string errors;
    for (const Diagnostic& error : changes.errors()) {
      errors += error.message;
      for (const std::string& help : error.help) errors += " | " + help;
    }
    return errors;
  }
};

} // namespace

TEST_CASE("a change is what its name says: parameter, key, letter, array, type, fn") {
  const Changeable given;
  CHECK(given.read("n=16") == "n=16");
  CHECK(given.read(" n = 2^4 ") == "n=2^4");
  CHECK(given.read("threads=16") == "threads=16");
  CHECK(given.read("p=16") == "threads=16");
  CHECK(given.read("l=9") == "latency=9");
  CHECK(given.read("a=padded(1)") == "layout a=padded(1)");
  CHECK(given.read("layout a=padded(1)") == "layout a=padded(1)");
  CHECK(given.read("value=long") == "type value=long");
  CHECK(given.read("f(x) = x == 2") == "fn f(x) = x == 2");
  CHECK(given.read("fn f(x) = 2*x") == "fn f(x) = 2*x");
  CHECK(given.read("param ports=4") == "ports=4");
  CHECK(given.read("set ports=4; n=4") == "ports=4; n=4");
}

TEST_CASE("a change that could be several things, or none, says so") {
  const Changeable given;
  CHECK(given.read("ports=4") == "'ports=4': 'ports' could be several things | "
                                 "the parameter: --try 'param ports=4' | "
                                 "the key of this machine: --try 'set ports=4'");
  CHECK(given.read("treads=4") == "'treads=4': no parameter, key of this machine, array, fn or "
                                  "type is called 'treads' | did you mean 'threads'?");
  CHECK(given.read("set n=4").find("no key of this machine is called 'n'") != std::string::npos);
  CHECK(given.read("g(x) = x") == "'g(x) = x': no fn is called 'g' | it can be: f");
  for (const char* text : {"", ";", "n", "n=", "=4", "n=4;", "layout"})
    CHECK(given.read(text).find("is not WHAT=VALUE") != std::string::npos);
  CHECK(given.read("threads=4; p=8") ==
        "'threads=4; p=8': changes threads twice | give each value a --try of its own: they are "
        "compared");
}

TEST_CASE("a request's addresses have a stride, banks and address groups") {
  UnitSpec unit{UnitKind::discrete, Cycles{1}, 1, {}};
  const AccessPattern column = pattern_of(unit, 4, {0, 4, 8, 12});
  CHECK(column.stride == 4);
  CHECK(column.banks == 1);
  CHECK(column.groups == 4);
  CHECK(column.stages == 4);
  const AccessPattern backwards = pattern_of(unit, 4, {7, 6, 5, 4});
  CHECK(backwards.stride == -1);
  CHECK(backwards.stages == 1);
  const AccessPattern scattered = pattern_of(unit, 4, {0, 5, -1, 4});
  CHECK(!scattered.stride);
  CHECK(scattered.lanes == 3);
  CHECK(scattered.banks == 2);
  CHECK(scattered.stages == 2);
  const AccessPattern wide = pattern_of(unit, 4, {0, 4, 8, 12}, 2);
  CHECK(wide.stride == 4);
  CHECK(wide.lanes == 4);
  CHECK(wide.words == 8);
  CHECK(wide.banks == 2);
  CHECK(wide.stages == 4);
  unit.kind = UnitKind::unified;
  const AccessPattern one = pattern_of(unit, 4, {9, 9, 9, 9});
  CHECK(one.words == 1);
  CHECK(one.stride == 0);
  CHECK(one.stages == 1);
  CHECK(pattern_of(unit, 4, {-1, -1, 3, -1}).lanes == 1);
}

} // namespace memlane::sweep
