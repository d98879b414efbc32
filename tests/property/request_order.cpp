// The order of a statement's requests (configs/README.md section 2), derived by hand.
#include "compiling.hpp"
#include "support/catch.hpp"

#include "memlane/engine/run.hpp"

#include <string>

namespace memlane::test {
namespace {

/// The arrays that the first thread accesses, in its order.
struct FirstThread : Observer, ExecutionObserver {
  static constexpr std::int64_t words = 16; ///< of each memory array
  static constexpr char names[] = "aqcxy";  ///< in the order of their addresses
  std::string order;

  ExecutionObserver* executions() override { return this; }
  void run_begins() override { order.clear(); }
  void accessed(const WarpAccess& access) override {
    const std::int64_t address = access.addresses[0];
    if (address < 0) return;
    order += access.unit == UnitId::shared ? 's' : names[address / words];
  }
};

struct OrderCase {
  const char* statements;
  const char* order;
};

constexpr OrderCase order_cases[] = {
    {"c[lane] = c[lane] + a[lane]", "cac"},
    {"c[q[lane]] = a[lane]", "aqc"},
    // The right side, the target's indices, the target, the write.
    {"c[lane] += a[lane]", "acc"},
    {"c[q[lane]] -= a[lane]", "aqcc"},
    {"c[q[lane]] *= a[q[lane + 1]] + a[lane]", "qaaqcc"},
    {"c[q[lane]] += if lane < 0 then a[lane] else q[lane]", "qqcc"},
    {"c[q[lane]] += get(lane)", "aqcc"},
    {"R[q[lane]].y += a[lane]", "aqyy"},
    {"s[lane] = 0  s[q[lane]] += a[lane]", "saqss"},
    {"s[lane] = 0  c[lane] += s[lane]", "sscc"},
    {"var r[4]: int  r[q[lane]] += a[lane]", "aq"},
    {"forall i in 0..4 { c[q[i]] += a[i] }", "aqcc"},
    {"forall sync i in 0..4 { c[q[i]] += a[i] }", "aqcc"},
};

std::string order_of(const std::string& statements) {
  const std::string text = "type pair = (x: int, y: int)\n"
                           "memory a[16], q[16], c[16]: int = index\n"
                           "memory R[16]: pair\n"
                           "fn get(i) = a[i]\n"
                           "kernel k() {\n  shared s[8]: int\n" +
                           statements +
                           "\n}\nmain { launch k() threads=4 }\n"
                           "verify { assert a[1] + q[1] + c[15] + R[0].x == 17 }\n";
  INFO(text);
  const MachineSpec machine = machine_of_8(Model::hmm);
  Sources sources;
  const auto code = compiled(sources, text, machine);
  REQUIRE(code);
  FirstThread reference, fast;
  REQUIRE(run_reference(*code, machine, {}, sources, reference).stop == Stop::none);
  REQUIRE(run_fast(*code, machine, {}, sources, fast));
  CHECK(fast.order == reference.order);
  return reference.order;
}

} // namespace

TEST_CASE("a statement's requests are made in the order of the definition") {
  for (const OrderCase& one : order_cases) {
    INFO(one.statements);
    CHECK(order_of(one.statements) == one.order);
  }
}

} // namespace memlane::test
