// Atomics and operations of a warp: both engines agree, in every order; the values are those of a
// plain loop over blocks, warps and lanes.
#include "compiling.hpp"
#include "difference.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"
#include "support/sanitized.hpp"

#include "memlane/support/diagnostic.hpp"

#include <fmt/format.h>

namespace memlane::test {
namespace {

constexpr std::uint64_t atomic_programs = sanitized ? 40 : 400;

RunOptions with_arrays(const ir::Program& code, ExecutionOrder order) {
  RunOptions options;
  options.atomics = order;
  options.limits.steps = 500'000;
  for (const ir::Array& array : code.arrays)
    if (array.space == ir::Space::memory) options.outputs.push_back(array.name);
  return options;
}

std::vector<std::int64_t> integers(const RunResult& run, const std::string& array) {
  std::vector<std::int64_t> values;
  for (const ir::Value value : run.outputs.at(array)) values.push_back(value.integer());
  return values;
}

/// On the reference engine; the fast one must agree.
RunResult run_both(const std::string& text, const MachineSpec& machine,
                   ExecutionOrder order = ExecutionOrder::rising) {
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code) FAIL(render(code.errors(), sources) << text);
  const RunOptions options = with_arrays(*code, order);
  const TalliedRun reference = tallied_reference(*code, machine, options, sources);
  const auto fast = tallied_fast(*code, machine, options, sources);
  if (reference.result.stop == Stop::none) {
    INFO(text);
    // Races that are allowed are listed, which the fast engine leaves to the reference engine.
    if (reference.result.races.races > 0) return reference.result;
    REQUIRE(fast);
    Difference difference;
    difference.compare_runs(*fast, reference);
    CHECK(difference.text() == "");
    CHECK(fast->result.outputs == reference.result.outputs);
  }
  return reference.result;
}

} // namespace

TEST_CASE("both engines agree on random programs with atomics, in every order") {
  std::int64_t whole = 0;
  for (std::uint64_t seed = 1; seed <= atomic_programs; ++seed) {
    const MachineSpec machine = seed % 2 == 0 ? random_machine(seed) : random_gpu(seed);
    const auto order = static_cast<ExecutionOrder>(seed % 3);
    const RunResult run =
        run_both(atomic_program(seed, machine.shared.has_value()), machine, order);
    whole += run.stop == Stop::none ? 1 : 0;
  }
  CHECK(whole > static_cast<std::int64_t>(atomic_programs / 2));
}

TEST_CASE("old values follow the order of blocks, warps and lanes") {
  const char* const text = "memory next[1]: int\n"
                           "memory got[16]: int\n"
                           "kernel k() {\n"
                           "  let old = atomic next[0] += 1\n"
                           "  got[block*8 + thread] = old\n"
                           "}\n"
                           "main { launch k() blocks=2 threads=8 }\n"
                           "verify { assert next[0] == 16 }\n";
  const MachineSpec machine = hmm(2, 4, 8, 5);
  std::vector<std::int64_t> rising, falling;
  for (std::int64_t k = 0; k < 16; ++k) rising.push_back(k), falling.push_back(15 - k);
  CHECK(integers(run_both(text, machine), "got") == rising);
  CHECK(integers(run_both(text, machine, ExecutionOrder::reversed), "got") == falling);
  const RunResult random = run_both(text, machine, ExecutionOrder::random);
  auto numbers = integers(random, "got");
  CHECK(numbers != rising);
  CHECK(numbers != falling);
  std::sort(numbers.begin(), numbers.end());
  CHECK(numbers == rising);
  CHECK(integers(run_both(text, machine, ExecutionOrder::random), "got") ==
        integers(random, "got"));
}

TEST_CASE("an atomic of a program costs what the definition says, and its operator no time") {
  const auto time = [](const char* atomic, const MachineSpec& machine) {
    return run_both(fmt::format("memory a[8]: int\nconst at[4] = [0, 0, 0, 4]\n"
                                "kernel k() {{ {} }}\nmain {{ launch k() threads=4 }}\n"
                                "verify {{ assert a[1] == 0 }}\n",
                                atomic),
                    machine)
        .time;
  };
  MachineSpec dmm;
  dmm.model = Model::dmm;
  dmm.width = 4;
  dmm.threads = 4;
  dmm.shared = UnitSpec{UnitKind::discrete, Cycles{4}, 1, std::nullopt};
  dmm.instruction_cost = Cycles{10};
  // The words 0, 0, 0 and 4 are in one bank: four stages that a write would not have.
  CHECK(time("atomic a[at[lane]] += 1", dmm).value == 7);
  CHECK(time("a[at[lane]] = 1", dmm).value == 5);
}

TEST_CASE("races of an atomic and another access") {
  const auto races = [](const std::string& body) {
    const RunResult run = run_both("memory a[4]: int\nmemory b[64]: int\nkernel k() {\n" + body +
                                       "}\nmain { launch k() threads=8 }\n"
                                       "verify { assert b[63] == 0 }\n",
                                   hmm(1, 4, 8, 5));
    return run.stop == Stop::error;
  };
  CHECK_FALSE(races("atomic a[0] += 1\natomic a[0] max= thread\n"));
  CHECK(races("atomic a[0] += 1\nb[thread] = a[0]\n"));
  CHECK(races("if thread == 0 { a[0] = 1 }\natomic a[0] += 1\n"));
  CHECK_FALSE(races("atomic a[0] += 1\nbarrier\nb[thread] = a[0]\n"));
  CHECK(races("if lane < 2 { atomic a[0] += 1 } else { b[thread] = a[0] }\n"));
  CHECK_FALSE(races("if lane < 2 { atomic a[0] += 1 } else { atomic a[0] -= 1 }\n"));
  // A racy statement needs a racy partner.
  CHECK(races("atomic a[0] += 1\nracy b[thread] = a[0]\n"));
  CHECK_FALSE(races("racy atomic a[0] += 1\nracy b[thread] = a[0]\n"));
}

TEST_CASE("operations of a warp see the active lanes") {
  const auto run = [](const std::string& body, std::int64_t threads = 8) {
    return run_both(fmt::format("memory a[8]: long\nmemory x[8]: int = [5, 3, 5, 7, 1, 1, 2, 1]\n"
                                "kernel k() {{\n  let v = x[thread]\n  {}\n}}\n"
                                "main {{ launch k() threads={} }}\nverify {{ assert x[0] == 5 }}\n",
                                body, threads),
                    hmm(1, 4, 8, 5));
  };
  using Words = std::vector<std::int64_t>;
  const auto words = [&](const std::string& value) {
    return integers(run("a[thread] = " + value), "a");
  };
  CHECK(words("shuffle(v, 3 - lane)") == Words{7, 5, 3, 5, 1, 2, 1, 1});
  CHECK(words("shuffle_up(v, 1)") == Words{5, 5, 3, 5, 1, 1, 1, 2});
  CHECK(words("shuffle_down(v, 2)") == Words{5, 7, 5, 7, 2, 1, 2, 1});
  CHECK(words("shuffle_xor(v, 1)") == Words{3, 5, 7, 5, 1, 1, 1, 2});
  CHECK(words("ballot(v == 5)") == Words{5, 5, 5, 5, 0, 0, 0, 0});
  CHECK(words("int(any(v == 7)) + 2*int(all(v < 3))") == Words{1, 1, 1, 1, 2, 2, 2, 2});
  CHECK(words("warp_sum(v)") == Words{20, 20, 20, 20, 5, 5, 5, 5});
  CHECK(words("warp_min(v)") == Words{3, 3, 3, 3, 1, 1, 1, 1});
  CHECK(words("warp_max(v)") == Words{7, 7, 7, 7, 2, 2, 2, 2});
  CHECK(words("match(v)") == Words{5, 2, 5, 8, 11, 11, 4, 11});
  CHECK(integers(run("if lane != 1 { a[thread] = warp_sum(v) }"), "a") ==
        Words{17, 0, 17, 17, 4, 0, 4, 4});
  CHECK(integers(run("a[thread] = warp_sum(v)", 6), "a") == Words{20, 20, 20, 20, 2, 2, 0, 0});
}

TEST_CASE("a value of a lane that is not there is an error with line, block and thread") {
  const auto error = [](const std::string& body) {
    const RunResult run = run_both("memory a[8]: int\nkernel k() {\n" + body +
                                       "\n}\nmain { launch k() threads=6 }\n"
                                       "verify { assert a[7] == 0 }\n",
                                   hmm(1, 4, 8, 5));
    return run.errors.empty() ? "" : run.errors.front().message;
  };
  CHECK(error("a[thread] = shuffle(lane, 4)") ==
        "there is no lane 4: lane 0 of a warp of 4 asks for its value in thread 0 of block 0, "
        "kernel k");
  CHECK(error("a[thread] = shuffle(lane, 2)") ==
        "lane 2 is not active here: lane 0 of its warp asks for its value in thread 4 of block 0, "
        "kernel k");
  CHECK(error("if lane < 3 { a[thread] = shuffle(lane, 3) }") ==
        "lane 3 is not active here: lane 0 of its warp asks for its value in thread 0 of block 0, "
        "kernel k");
  CHECK(error("a[thread] = shuffle_up(lane, 1)").empty());
}

TEST_CASE("a sum of a warp counts as many operators as a tree has levels") {
  const auto operators = [](const std::string& value) {
    const RunResult run =
        run_both("memory a[8]: int\nmemory x[8]: int\nkernel k() { a[thread] = " + value +
                     " }\nmain { launch k() threads=8 }\n"
                     "verify { assert a[7] == 0 }\n",
                 hmm(1, 8, 8, 5));
    return run.counts.instructions;
  };
  CHECK(operators("x[thread]") == 0);
  CHECK(operators("warp_sum(x[thread])") == 3);
  CHECK(operators("shuffle(x[thread], 0)") == 1);
  CHECK(operators("int(any(x[thread] == 1))") == 2);
}

TEST_CASE("a forall over rows of different lengths") {
  const auto run = [](const std::string& ranges, const std::string& value, std::int64_t most) {
    const RunResult result = run_both(
        fmt::format("memory a[{}]: int\nconst n = 7\nkernel k() {{ forall {} {{ a[{}] = 1 }} }}\n"
                    "main {{ launch k() blocks=1 }}\nverify {{ assert a[0] < 2 }}\n",
                    most, ranges, value),
        hmm(1, 4, 8, 5));
    std::int64_t ones = 0;
    for (const std::int64_t word : integers(result, "a")) ones += word;
    return ones;
  };
  CHECK(run("i in 0..n, j in i..n", "i*n + j", 49) == 28);
  CHECK(run("i in 0..n, j in 0..i", "i*n + j", 49) == 21);
  CHECK(run("i in 0..n, j in 2*i - 3..n - 1", "i*n + max(j, 0)", 49) > 0);
  CHECK(run("chunked i in 0..n, j in i..n", "i*n + j", 49) == 28);
  CHECK(run("grid i in 0..n, j in i + 1..n", "i*n + j", 49) == 21);
  CHECK(run("sync i in 0..n, j in i..n", "i*n + j", 49) == 28);
  CHECK(run("i in 0..n, j in i..n, k in j..n", "(i*n + j)*n + k", 343) == 84);
  CHECK(run("i in 0..0, j in i..n", "i*n + j", 49) == 0);
}

TEST_CASE("iterations of rows are dealt in the order of the rows") {
  const RunResult result = run_both("memory a[16]: int\nkernel k() { forall i in 0..4, j in i..4 "
                                    "{ a[i*4 + j] = thread + 1 } }\nmain { launch k() threads=4 }\n"
                                    "verify { assert a[4] == 0 }\n",
                                    hmm(1, 4, 8, 5));
  CHECK(integers(result, "a") ==
        std::vector<std::int64_t>{1, 2, 3, 4, 0, 1, 2, 3, 0, 0, 4, 1, 0, 0, 0, 2});
}

} // namespace memlane::test
