// A program's text, its claims, and a run made by hand.
#pragma once

#include "support/catch.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/parse.hpp"

#include <string>

namespace memlane {

struct ClaimFixture {
  Sources sources;
  Result<lang::Checked> checked = Diagnostics();
  ir::Program compiled;
  MachineSpec machine;
  RunResult run;

  /// w 4, p 8, l 5, a UMM; a run of 61 time units, 15 requests, 20 stages.
  explicit ClaimFixture(const std::string& text) {
    const std::int32_t file = sources.add("test.lane", text + "\nmain { }\nverify { }\n");
    auto parsed = lang::parse_text(sources, file);
    if (!parsed) FAIL(render(parsed.errors(), sources));
    checked = lang::check(sources, std::move(*parsed), claim_counts());
    machine.width = 4;
    machine.threads = 8;
    machine.global = UnitSpec{};
    machine.global->kind = UnitKind::unified;
    machine.global->latency = Cycles{5};
    run.counts.time = Cycles{61};
    run.counts.launches = 1;
    UnitCounts unit;
    unit.requests = 15;
    unit.stages = 20;
    unit.reads = 10;
    unit.writes = 5;
    unit.busy = 20;
    unit.idle_latency = 41;
    run.counts.global = {unit};
    run.global_words = 32;
    run.host_words = 7;
  }

  void constant(const std::string& name, std::int64_t value) {
    compiled.constants.push_back({name, ir::Scalar::int32, ir::Value::of(value), true});
  }

  ClaimInputs inputs() const { return {&compiled, &machine, &run}; }

  ClaimOutcome evaluate(std::size_t claim = 0) const {
    if (!checked) FAIL(render(checked.errors(), sources));
    return evaluate_claim(*checked, claim, sources, inputs());
  }
};

/// The exact value of an expression over n = 16, as a claim's right side.
inline ClaimOutcome value_of(const std::string& expression, const std::string& kind = "==") {
  const std::string claim = kind == "==" || kind == "~" ? "time " + kind + " (" + expression + ")"
                                                        : "time = " + kind + "(" + expression + ")";
  ClaimFixture fixture("param n: int = 16\nconst table[3] = [10, 20, 30]\n"
                       "fn half(x) = x / 2\nfn tile = half(n) + 1\n"
                       "claim " +
                       claim + " \"test\"\n");
  fixture.constant("n", 16);
  return fixture.evaluate();
}

inline std::string exact(const std::string& expression) {
  const ClaimOutcome outcome = value_of(expression);
  return outcome.right.text.empty() ? outcome.reason : outcome.right.text;
}

} // namespace memlane
