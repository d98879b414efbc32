#include "claim_fixture.hpp"

#include <cmath>

using namespace memlane;

TEST_CASE("claims are exact rational arithmetic") {
  CHECK(exact("127/2") == "127/2");
  CHECK(exact("n/3*3") == "16");
  CHECK(exact("1/3 + 1/6") == "1/2");
  CHECK(exact("0.1 + 0.2") == "3/10");
  CHECK(exact("3.53294") == "176647/50000");
  CHECK(exact("0.5") == "1/2");
  CHECK(exact("-n/4") == "-4");
  CHECK(exact("7 - 9") == "-2");
  CHECK(exact("2^100") == "1267650600228229401496703205376");
  CHECK(exact("(2^200 + 1) % 2^100") == "1");
  CHECK(exact("(1/2)^3") == "1/8");
  CHECK(exact("2^-2") == "1/4");
  CHECK(exact("0^0") == "1");
  CHECK(exact("27^(2/3)") == "9");
  CHECK(exact("n^(1/2)") == "4");
  CHECK(exact("(-1)^(2^80 + 1)") == "-1");
}

TEST_CASE("every function of claims") {
  CHECK(exact("min(3, 1/2, 2)") == "1/2");
  CHECK(exact("max(3, 7/2, 2)") == "7/2");
  CHECK(exact("abs(-5/2)") == "5/2");
  CHECK(exact("log2(n)") == "4");
  CHECK(exact("log2(1/8)") == "-3");
  CHECK(exact("log2(2^500)") == "500");
  CHECK(exact("sqrt(n)") == "4");
  CHECK(exact("sqrt(9/4)") == "3/2");
  CHECK(exact("floor(-7/2)") == "-4");
  CHECK(exact("ceil(-7/2)") == "-3");
  CHECK(exact("ceil(7)") == "7");
  CHECK(exact("ceil_div(7, 2)") == "4");
  CHECK(exact("mod(-7, 4)") == "1");
  CHECK(exact("-7 % 4") == "-3");
  CHECK(exact("15/2 % 2") == "3/2");
  CHECK(exact("mulmod(2^100, 3, 7)") == "6");
  CHECK(exact("int(-7/2)") == "-3");
  CHECK(exact("double(7/2)") == "7/2");
  CHECK(exact("if is_pow2(n) then 1 else 2") == "1");
  CHECK(exact("if is_pow2(n/32) then 1 else 2") == "2");
  CHECK(exact("if is_pow2(0) then 1 else 2") == "2");
  CHECK(exact("(n | 1) - (n & 24) + (n xor 3)") == "20");
  CHECK(exact("(n << 2) + (n >> 3) + ~n") == "49");
}

TEST_CASE("fns, tables, letters and counts") {
  CHECK(exact("tile") == "9");
  CHECK(exact("half(half(3))") == "3/4");
  CHECK(exact("table[1] + table[n - 14]") == "50");
  CHECK(exact("table[3]") == "index 3 of 'table' is out of range");
  CHECK(exact("table[1/2]") == "index 1/2 of 'table' is out of range");
  CHECK(exact("w + 10*p + 100*l") == "584");
  CHECK(exact("width*d + mps") == "5");
  CHECK(exact("requests + stages + conflicts") == "40");
  CHECK(exact("global_requests + global_reads*writes") == "65");
  CHECK(exact("busy + idle_latency + idle_barrier + idle_drain + idle_empty") == "61");
  CHECK(exact("host_words + global_words") == "39");
  CHECK(exact("launches + barriers + instructions + concurrent_writes + shared_words") == "1");
}

TEST_CASE("counts of a PRAM are those of a run that was asked for them") {
  ClaimFixture fixture("kernel k() { }\n"
                       "claim pram_work/pram_steps == 20 \"a\"\nclaim k.pram_work == 40 \"b\"");
  CHECK(fixture.evaluate().verdict == ClaimVerdict::not_applicable);
  fixture.run.counts.pram = PramCounts{3, 60, PramClass::crew, {}, ""};
  CHECK(fixture.evaluate().verdict == ClaimVerdict::holds);
  Counts of_kernel;
  of_kernel.launches = 1;
  of_kernel.pram = PramCounts{2, 40, PramClass::erew, {}, ""};
  fixture.run.kernels.emplace("k", of_kernel);
  CHECK(fixture.evaluate(1).verdict == ClaimVerdict::holds);
}

TEST_CASE("a run is asked for the counts that claims about its machine name") {
  const auto asks = [](const std::string& claim) {
    const ClaimFixture fixture("kernel k() { }\nclaim " + claim + " \"test\"");
    REQUIRE(fixture.checked);
    RunOptions options;
    ask_for_counts(*fixture.checked, fixture.machine, options);
    return options.pram;
  };
  CHECK(asks("pram_steps == 1"));
  CHECK(asks("time = O(l + pram_work)"));
  CHECK(asks("k.pram_steps <= w on dmm, umm"));
  CHECK(asks("time == 1 when pram_steps == 1"));
  CHECK(!asks("pram_steps == 1 on hmm"));
  CHECK(!asks("mmm_work == 1"));
  CHECK(!asks("time == 1"));
}

TEST_CASE("conditions are lazy and chain") {
  CHECK(exact("if 0 < n <= 16 then 1 else 2") == "1");
  CHECK(exact("if 0 < n < 16 then 1 else 2") == "2");
  CHECK(exact("if n == 0 or n/0 == 1 then 1 else 2") == "division by zero");
  CHECK(exact("if n == 16 or n/0 == 1 then 1 else 2") == "1");
  CHECK(exact("if n == 0 and n/0 == 1 then 1 else 2") == "2");
  CHECK(exact("if not n > 3 then log2(3) else 5") == "5");
  CHECK(exact("if true != (n > 3) then 1 else 2") == "2");
}

namespace {

/// The verdict on `time KIND expression` for a time of 61.
ClaimVerdict of(const std::string& kind, const std::string& expression) {
  ClaimFixture fixture("claim time " + kind + " " + expression + " \"test\"");
  return fixture.evaluate().verdict;
}

} // namespace

TEST_CASE("bounds with irrational numbers are decided exactly") {
  const auto holds = ClaimVerdict::holds, fails = ClaimVerdict::fails;
  CHECK(of(">=", "log2(3)") == holds);
  CHECK(of("<=", "log2(3)") == fails);
  CHECK(of("<=", "38.5*log2(3)") == holds); // 61.02
  CHECK(of("<=", "38.4*log2(3)") == fails); // 60.86
  // Each side of 61 by less than a double tells.
  CHECK(of("<=", "60 + log2(2 + 1/2^70)") == holds);
  CHECK(of(">=", "60 + log2(2 + 1/2^70)") == fails);
  CHECK(of("<=", "62 - log2(2 + 1/2^70)") == fails);
  CHECK(of(">=", "62 - log2(2 + 1/2^70)") == holds);
  CHECK(of(">=", "60 + sqrt(1 + 1/2^90)") == fails);
  CHECK(of("<=", "60 + (1 + 1/2^90)^(1/3)") == holds);
  // 2^60*log2(3) is between these two integers, 2^53 apart from which no double is.
  CHECK(of("<=", "61 + 2^60*log2(3) - 1827337351076866169") == holds);
  CHECK(of("<=", "61 + 2^60*log2(3) - 1827337351076866170") == fails);
}

TEST_CASE("irrational numbers that are equal are known to be", "[release]") {
  for (const char* expression :
       {"60 + log2(6) - log2(3)", "60 + log2(15)/(log2(3) + log2(5))", "59 + log2(9)/log2(3)",
        "55 + sqrt(12)*sqrt(3)", "61 + sqrt(6) - sqrt(2)*sqrt(3)", "34 + 8^log2(3)",
        "60 + 1/(sqrt(2) - 1) - sqrt(2)", "61*log2(10)^2/(log2(10)*(1 + log2(5)))",
        "61 + log2(10403) - log2(101) - log2(103)", "58 + 3^(1/2)*3^(1/2)",
        "61 + log2(log2(20)) - log2(2 + log2(5))"}) {
    INFO(expression);
    for (const char* kind : {"<=", ">=", "=="}) CHECK(of(kind, expression) == ClaimVerdict::holds);
  }
  CHECK(exact("floor(2^60*log2(3))") == "1827337351076866169");
  CHECK(exact("ceil(-2^60*log2(3))") == "-1827337351076866169");
  CHECK(exact("if log2(2 + 1/2^70) > 1 then 1 else 2") == "1");
  CHECK(exact("if max(log2(3), sqrt(2)) == log2(3) then 1 else 2") == "1");
  CHECK(exact("mod(log2(12), log2(3)) - 2 + log2(3)") == "0");
  // Nothing shows that these are equal, and no precision that they are not.
  const ClaimOutcome open = value_of("2^(1/3)*2^(2/3) + 59", "==");
  CHECK(open.verdict == ClaimVerdict::not_evaluated);
  CHECK(open.reason == "two irrational numbers agree to 2048 bits and may be equal");
}

TEST_CASE("what is irrational ends an equation and not a bound") {
  const ClaimOutcome outcome = value_of("log2(3)");
  CHECK(outcome.verdict == ClaimVerdict::not_applicable);
  CHECK(outcome.reason == "log2(3) is irrational");
  CHECK(value_of("sqrt(2)").reason == "sqrt(2) is irrational");
  CHECK(value_of("2^(1/2)").reason == "2^(1/2) is irrational");
  CHECK(exact("ceil(log2(100))") == "7");
  CHECK(exact("floor(log2(100))") == "6");
  CHECK(exact("floor(log2(1/3))") == "-2");
  CHECK(exact("ceil(log2(1/3))") == "-1");
  CHECK(exact("ceil(log2(64))") == "6");
  CHECK(exact("ceil(log2(2^300 + 1))") == "301");
  const ClaimOutcome bound = value_of("log2(48)", "O");
  CHECK(bound.verdict == ClaimVerdict::ratio_only);
  CHECK(bound.right.value == Approx(std::log2(48)));
  CHECK(bound.ratio == Approx(61 / std::log2(48)));
  CHECK(value_of("2^600 * log2(2^600 + 1) / 2^600", "Theta").right.value == Approx(600));
  CHECK(value_of("log2(3)", "~").right.value == Approx(std::log2(3)));
}

TEST_CASE("what has no value is never a pass") {
  for (const char* expression :
       {"1/0", "1 % 0", "mod(1, 0)", "ceil_div(1, 0)", "log2(0)", "log2(-1)", "sqrt(-1)", "0^-1",
        "(-8)^(1/3)", "2^(2^40)", "3^100000", "(1/2 | 1)", "~(1/2)", "1 << 70000", "work", "steps"})
    for (const char* kind : {"==", "O", "~"}) {
      const ClaimOutcome outcome = value_of(expression, kind);
      INFO(expression);
      CHECK(outcome.verdict == ClaimVerdict::not_evaluated);
      CHECK(!outcome.reason.empty());
    }
  CHECK(value_of("work").reason == "models count work differently: write mmm_work or pram_work");
  CHECK(value_of("steps").reason == "models count steps differently: write pram_steps");
  CHECK(value_of("pram_steps").reason == "only verify and run --pram count pram_steps");
  CHECK(value_of("L").reason == "the machine has no L");
  CHECK(value_of("shared_stages").reason == "the machine has no shared memory");
  CHECK(value_of("multiplicity").reason == "no shared memory is used");
  CHECK(value_of("L").verdict == ClaimVerdict::not_applicable);
}

TEST_CASE("verdicts of one run") {
  CHECK(value_of("61").verdict == ClaimVerdict::holds);
  CHECK(value_of("122/2").verdict == ClaimVerdict::holds);
  CHECK(value_of("61 + 1/2^200").verdict == ClaimVerdict::fails);
  CHECK(value_of("61", "O").verdict == ClaimVerdict::ratio_only);
  CHECK(value_of("61", "~").ratio == 1);
  CHECK(std::isinf(value_of("0", "O").ratio));

  ClaimFixture fixture("claim time <= 61 \"a\" claim time <= 60 \"b\"\n"
                       "claim time >= 61 \"c\" claim time >= 123/2 \"d\"");
  const auto outcomes = evaluate_claims(*fixture.checked, fixture.sources, fixture.inputs());
  REQUIRE(outcomes.size() == 4);
  CHECK(outcomes[0].verdict == ClaimVerdict::holds);
  CHECK(outcomes[1].verdict == ClaimVerdict::fails);
  CHECK(outcomes[2].verdict == ClaimVerdict::holds);
  CHECK(outcomes[3].verdict == ClaimVerdict::fails);
  CHECK(outcomes[3].right.text == "123/2");
  CHECK(outcomes[3].source == "d");
}

TEST_CASE("a layout's name in a claim is the program's own fn, if it has one of that name") {
  ClaimFixture fixture("memory a[8]: int layout swizzle(1, 0, 1)\nmemory c[8]: int layout swizzle\n"
                       "fn swizzle(i) = i xor 1\n"
                       "claim time == 61 when c.layout == swizzle \"0\"\n"
                       "claim time == 61 when a.layout == swizzle \"1\"\n"
                       "claim time == 61 when a.layout != swizzle \"2\"\n");
  for (const auto& [name, layout] :
       {std::pair("a", LayoutKind::swizzle), std::pair("c", LayoutKind::function)}) {
    ir::Array array;
    array.name = name;
    array.layout = layout;
    array.layout_name = "swizzle";
    fixture.compiled.arrays.push_back(array);
  }
  CHECK(fixture.checked.ok());
  CHECK(fixture.evaluate(0).verdict == ClaimVerdict::holds);
  CHECK(fixture.evaluate(1).verdict == ClaimVerdict::not_applicable);
  CHECK(fixture.evaluate(2).verdict == ClaimVerdict::holds);
  ClaimFixture built_in("memory a[8]: int layout swizzle(1, 0, 1)\n"
                        "claim time == 61 when a.layout == swizzle \"0\"\n");
  ir::Array a;
  a.name = "a";
  a.layout = LayoutKind::swizzle;
  a.layout_name = "swizzle";
  built_in.compiled.arrays.push_back(a);
  CHECK(built_in.evaluate(0).verdict == ClaimVerdict::holds);
}

TEST_CASE("the text of a claim is one line without its source") {
  ClaimFixture fixture("claim time   = O(1) // as printed\n   on dmm,\n umm \"Theorem 1\"");
  CHECK(fixture.evaluate().text == "time = O(1) on dmm, umm");
}

TEST_CASE("on, when, lockstep, volatile and layouts say where a claim applies") {
  ClaimFixture fixture(
      "memory a[8]: int layout padded(1)\nmemory c[8]: int\n"
      "claim time == 61 on dmm \"0\"\n"
      "claim time == 61 when lockstep \"1\"\n"
      "claim time == 61 when not lockstep and volatile and p == 2*w on dmm, umm \"2\"\n"
      "claim time == 61 when a.layout == rows \"3\"\n"
      "claim time == 61 when padded == a.layout \"4\"\n"
      "claim time == 61 when a.layout != random_shift \"5\"\n"
      "claim time == 61 when c.layout == rows \"6\"\n"
      "claim time == 61 when p > log2(3) and log2(2 + 1/2^70) > 1 \"7\"\n"
      "claim time == 61 when a.padding == 3 \"8\"\n"
      "claim time == 61 when a.padding <= 1 \"9\"\n"
      "claim time == 61 when c.padding == 0 \"10\"\n");
  ir::Array a;
  a.name = "a";
  a.layout = LayoutKind::padded;
  a.layout_name = "padded";
  a.padding = 3;
  fixture.compiled.arrays.push_back(a);
  CHECK(fixture.checked.ok());
  CHECK(fixture.evaluate(0).reason == "only on dmm");
  CHECK(fixture.evaluate(1).reason == "its `when` does not hold");
  CHECK(fixture.evaluate(2).verdict == ClaimVerdict::holds);
  CHECK(fixture.evaluate(3).verdict == ClaimVerdict::not_applicable);
  CHECK(fixture.evaluate(4).verdict == ClaimVerdict::holds);
  CHECK(fixture.evaluate(5).verdict == ClaimVerdict::holds);
  CHECK(fixture.evaluate(6).reason == "array 'c' is not used");
  CHECK(fixture.evaluate(7).verdict == ClaimVerdict::holds);
  CHECK(fixture.evaluate(8).verdict == ClaimVerdict::holds);
  CHECK(fixture.evaluate(9).reason == "its `when` does not hold");
  CHECK(fixture.evaluate(10).reason == "array 'c' is not used");

  ClaimInputs before = fixture.inputs();
  before.run = nullptr;
  CHECK(!may_apply(*fixture.checked, 0, before));
  CHECK(may_apply(*fixture.checked, 8, before));
  CHECK(!may_apply(*fixture.checked, 9, before));
  CHECK(may_apply(*fixture.checked, 2, before));
  CHECK(evaluate_claim(*fixture.checked, 2, fixture.sources, before).verdict ==
        ClaimVerdict::not_evaluated);
}

TEST_CASE("claims about time are about machines where only memory costs") {
  ClaimFixture fixture("kernel k() { }\nclaim time == 61 \"0\" claim stages == 20 \"1\"\n"
                       "claim time == 61 when barrier_cost >= 0 \"2\"\n"
                       "claim time = O(1) \"3\" fn t = time claim 61 == t \"4\"");
  fixture.machine.barrier_cost = Cycles{3};
  CHECK(fixture.evaluate(0).reason == "the machine has barrier_cost 3");
  CHECK(fixture.evaluate(1).verdict == ClaimVerdict::holds);
  CHECK(fixture.evaluate(2).verdict == ClaimVerdict::holds);
  CHECK(fixture.evaluate(3).verdict == ClaimVerdict::ratio_only);
  CHECK(fixture.evaluate(4).verdict == ClaimVerdict::not_applicable);
  fixture.machine.barrier_cost = Cycles{0};
  fixture.machine.global->ports = 2;
  CHECK(fixture.evaluate(0).reason == "the machine takes 2 stages a time unit");
  CHECK(fixture.evaluate(1).verdict == ClaimVerdict::holds);
  fixture.machine.global->ports = 1;
  fixture.machine.global->group = 1;
  for (const std::size_t claim : {0U, 1U, 2U})
    CHECK(fixture.evaluate(claim).reason ==
          "stages of the machine's global memory are groups of 1");
  CHECK(fixture.evaluate(3).verdict == ClaimVerdict::ratio_only);
}

TEST_CASE("claims about stages or time are about machines where atomics cost what writes cost") {
  ClaimFixture fixture("claim time == 61 \"0\" claim stages == 20 \"1\"\n"
                       "claim global_words == 32 \"2\"");
  MachineSpec& machine = fixture.machine;
  machine.model = Model::hmm;
  machine.shared = UnitSpec{};
  fixture.run.counts.shared = {UnitCounts{}};
  machine.shared->atomic_stages = *decimal_of("2.5");
  machine.global->atomic_service = Cycles{3};
  CHECK(fixture.evaluate(0).verdict == ClaimVerdict::holds); // the program has no atomics
  ir::Function& kernel = fixture.compiled.functions.emplace_back();
  kernel.code.emplace_back().op = ir::Opcode::atomic_add;
  fixture.compiled.arrays.emplace_back().space = ir::Space::shared;
  for (const std::size_t claim : {0U, 1U})
    CHECK(fixture.evaluate(claim).reason == "the machine has shared.atomic_cost 2.5");
  CHECK(fixture.evaluate(2).verdict == ClaimVerdict::holds);
  fixture.compiled.arrays[0].space = ir::Space::memory;
  CHECK(fixture.evaluate(0).reason == "the machine has global.atomic_cost 3");
  CHECK(fixture.evaluate(1).verdict == ClaimVerdict::holds);
}

TEST_CASE("claims about words are about machines with elements of one word") {
  ClaimFixture fixture("kernel k() { } claim global_words == 32 \"0\" claim io == 0 \"1\"\n"
                       "claim k.shared_words == 0 \"2\" claim global_concurrent_writes == 0 \"3\"\n"
                       "claim requests == 15 \"4\"");
  fixture.machine.word_bytes = 4;
  for (const std::size_t claim : {0U, 1U, 2U, 3U})
    CHECK(fixture.evaluate(claim).reason ==
          "elements of the machine's arrays may have several words");
  CHECK(fixture.evaluate(4).verdict == ClaimVerdict::holds);
}

TEST_CASE("counts of kernels and fns, multiplicity") {
  ClaimFixture fixture("kernel k() { }\nkernel idle() { }\nfn f(x) = x\n"
                       "claim k.time + k.global_stages == 12 \"0\"\n"
                       "claim idle.stages == idle.requests \"1\"\n"
                       "claim f.calls - f.steps == 3 \"2\"\n"
                       "claim multiplicity == 100/48 \"3\"\n");
  Counts counts;
  counts.launches = 2;
  counts.time = Cycles{9};
  UnitCounts unit;
  unit.stages = 3;
  counts.global = {unit};
  fixture.run.kernels["k"] = counts;
  fixture.run.fns["f"] = {5, 2};
  fixture.run.counts.shared_words = 48;
  fixture.machine.shared = UnitSpec{};
  fixture.machine.shared->capacity = 100;
  CHECK(fixture.evaluate(0).verdict == ClaimVerdict::holds);
  CHECK(fixture.evaluate(1).reason == "kernel 'idle' was not launched");
  CHECK(fixture.evaluate(2).verdict == ClaimVerdict::holds);
  CHECK(fixture.evaluate(3).verdict == ClaimVerdict::holds);
  CHECK(fixture.evaluate(3).left.text == "25/12");
}

TEST_CASE("what the program declares hides letters and counts") {
  ClaimFixture fixture("param l: int = 3\nparam busy: int = 4\nparam x: double = 0.5\n"
                       "param yes: bool = true\nclaim 61 == l + busy + x when yes \"0\"");
  fixture.constant("l", 3);
  fixture.constant("busy", 4);
  fixture.compiled.constants.push_back({"x", ir::Scalar::float64, ir::Value::of(0.5), true});
  fixture.compiled.constants.push_back({"yes", ir::Scalar::boolean, ir::Value::of(true), true});
  CHECK(fixture.checked.ok());
  CHECK(fixture.evaluate().right.text == "15/2");
}

TEST_CASE("fns that explode or recur end with a reason") {
  std::string text = "fn f0 = n\nparam n: int = 1\n";
  for (int k = 1; k <= 60; ++k)
    text += "fn f" + std::to_string(k) + " = f" + std::to_string(k - 1) + " + f" +
            std::to_string(k - 1) + "\n";
  const ClaimFixture wide(text + "claim time == f60 \"0\"");
  CHECK(render(wide.checked.errors(), wide.sources)
            .find("more than 100000 calls of fns, counted after inlining them") !=
        std::string::npos);
  const ClaimFixture recursive("fn f(x) = f(x + 1)\nclaim time == f(1) \"0\"");
  CHECK(render(recursive.checked.errors(), recursive.sources)
            .find("fns are inlined and cannot be recursive") != std::string::npos);
  const ClaimFixture endless("fn f(x) { while true { } return x }\nclaim time == f(1) \"0\"");
  CHECK(endless.evaluate().reason ==
        "more than 1000000 steps: does every loop of its fns end, where '/' is exact?");
}

TEST_CASE("the formula of a claim has a value before there is a run") {
  ClaimFixture fixture("param n: int = 16\n"
                       "claim time = O(n/w + sqrt(n)/l) on umm \"test\"\n"
                       "claim time == 3*n/8 when n <= 16 \"test\"\n"
                       "claim time == 2*requests \"test\"\n"
                       "claim time == n on dmm \"test\"\n");
  fixture.constant("n", 100);
  const auto formula = [&](std::size_t claim) {
    return evaluate_formula(*fixture.checked, claim, fixture.inputs());
  };
  CHECK(formula(0).value == 27.0); // 100/4 + 10/5
  CHECK(!formula(1).value);
  CHECK(formula(1).reason == "its `when` does not hold");
  CHECK(!formula(2).value); // also where the inputs have a run
  CHECK(formula(2).reason == "there is no run yet");
  CHECK(formula(3).reason == "only on dmm");
}
