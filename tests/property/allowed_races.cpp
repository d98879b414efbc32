// Races of one array that a program allows: they are counted, all others are errors, and nothing
// else changes.
#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include <fmt/format.h>

namespace memlane::test {
namespace {

constexpr std::uint64_t raced_programs = tried(400);

RunResult run_reference_on(const ir::Program& code, const MachineSpec& machine,
                           const RunOptions& options, const Sources& sources) {
  Observer nothing;
  return simulate(code, machine, options, sources, nothing);
}

RunOptions whole(const ir::Program& code) {
  RunOptions options;
  options.limits.steps = 500'000;
  for (const ir::Array& array : code.arrays)
    if (array.space == ir::Space::memory) options.outputs.push_back(array.name);
  return options;
}

bool is_race_of(const RunResult& run, const std::string& array) {
  return !run.errors.empty() &&
         run.errors.front().message.rfind(fmt::format("race at {}[", array), 0) == 0;
}

/// True: races of the array were found, or others beside it.
struct Seen {
  bool allowed = false, others = false;
};

Seen check_allowed(const std::string& text, const MachineSpec& machine) {
  Sources sources;
  const auto plain = compiled(sources, text, machine);
  const auto code = compiled(sources, "races allowed a \"a test\"\n" + text, machine);
  REQUIRE(plain.ok() == code.ok());
  if (!code || !check_machine(*code, machine)) return {};
  const RunOptions options = whole(*code);
  const RunResult strict = run_reference_on(*plain, machine, options, sources);
  const RunResult allowed = run_reference_on(*code, machine, options, sources);
  CHECK_FALSE(is_race_of(allowed, "a"));
  std::int64_t races = 0;
  for (const RacePair& pair : allowed.races.pairs) {
    races += pair.races;
    CHECK(pair.array == "a");
    CHECK(pair.allowed == "a test");
  }
  CHECK(races == allowed.races.races);
  if (is_race_of(strict, "a")) CHECK(races > 0);
  if (strict.stop == Stop::none) {
    CHECK(races == 0);
    CHECK(allowed.time == strict.time);
    CHECK(allowed.outputs == strict.outputs);
  }
  RunOptions all = options;
  all.allow_races = true;
  const RunResult any = run_reference_on(*plain, machine, all, sources);
  if (allowed.stop == Stop::none) { // the order of dispatch decides in both
    CHECK(any.races.races == races);
    CHECK(any.outputs == allowed.outputs);
  }
  RunOptions none = options;
  none.heed_racy_text = false;
  const RunResult unheeded = run_reference_on(*code, machine, none, sources);
  CHECK(unheeded.errors.empty() == strict.errors.empty());
  const RunResult fast = simulate_fast(*code, machine, options, sources);
  CHECK(fast.stop == allowed.stop);
  CHECK(fast.outputs == allowed.outputs);
  CHECK(fast.races.races == races);
  CHECK(render(fast.errors, sources) == render(allowed.errors, sources));
  return {races > 0, any.races.races > races};
}

} // namespace

TEST_CASE("of random programs, the races of one array are allowed and no others") {
  std::int64_t allowed = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= raced_programs; ++seed) {
    const MachineSpec machine = random_machine(seed);
    const bool shared = machine.shared.has_value();
    const std::string text =
        seed % 2 == 0 ? random_program(seed, shared) : race_free_program(seed, shared);
    INFO(text);
    const Seen seen = check_allowed(text, machine);
    allowed += seen.allowed ? 1 : 0;
    others += seen.others ? 1 : 0;
  }
  CHECK(allowed > static_cast<std::int64_t>(raced_programs / 20));
  CHECK(others > static_cast<std::int64_t>(raced_programs / 20));
}

// An ordered pair of a plain and a racy access must not hide the plain one from other threads.
TEST_CASE("a race needs `racy` at both accesses") {
  const auto run = [](const std::string& body) {
    Sources sources;
    const MachineSpec machine = machine_of_8(Model::hmm, 16);
    const auto code = compiled(sources,
                               "memory a[4]: int\nmemory b[4]: int\nkernel k() {\n" + body +
                                   "\n}\nmain { launch k() }\nverify { assert true }\n",
                               machine);
    REQUIRE(code);
    const RunResult result = run_reference_on(*code, machine, {}, sources);
    return result.errors.empty() ? fmt::format("{}", result.races.races)
                                 : result.errors.front().message;
  };
  CHECK(run("racy a[0] = 1") == "8");
  CHECK(run("racy a[0] += 1") == "16");
  CHECK(run("if thread == 0 { a[1] = 1 }\nracy a[0] = 1") == "8");
  CHECK(run("if thread == 0 { a[0] = 1 }\nracy let x = a[0]") ==
        "race at a[0]: thread 8 of block 0 reads what thread 0 of block 0 wrote");
  CHECK(run("if thread == 0 { a[0] = 1  racy a[0] = 2 }\nif thread == 8 { racy a[0] = 3 }") ==
        "race at a[0]: thread 8 of block 0 writes what thread 0 of block 0 wrote");
  CHECK(run("racy let x = a[0]\nif thread == 8 { racy a[0] = x }") == "1");
  CHECK(run("if lane == 0 { racy a[0] = 1 } else { racy a[0] = 2 }").find("on the two paths") ==
        std::string::npos);
  CHECK(run("if thread == 0 { racy a[0] = 1 } else { if thread == 1 { a[0] = 2 } }") ==
        "race at a[0]: thread 1 of block 0 writes what thread 0 of block 0 wrote, on the two paths "
        "of one if");
  CHECK(run("forall sync i in 0..16 { racy b[i % 4] = a[i % 4] }") == "8");
}

} // namespace memlane::test
