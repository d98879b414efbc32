// Checks the account of latency: its bounds hold, and its predictions for more threads and more
// resident blocks are right.
#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"
#include "support/sanitized.hpp"

#include "memlane/count/hiding.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::test {
namespace {

constexpr std::uint64_t advised_programs = tried(300);

/// None if the program cannot run on the machine.
std::optional<Counts> counts_of(const std::string& text, const MachineSpec& machine) {
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code || !check_machine(*code, machine)) return std::nullopt;
  RunOptions options;
  options.verify = false;
  options.limits.steps = 2'000'000;
  const RunResult result = simulate_fast(*code, machine, options, sources);
  if (result.stop != Stop::none) return std::nullopt;
  return result.counts;
}

template <class F>
void each_unit(const Counts& counts, const MachineSpec& machine, F&& f) {
  for (std::size_t mp = 0; mp < counts.shared.size(); ++mp)
    f(counts.shared[mp], *machine.shared, mp);
  for (const UnitCounts& unit : counts.global) f(unit, *machine.global, SIZE_MAX);
}

const UnitCounts& unit_of(const Counts& counts, std::size_t mp) {
  return mp == SIZE_MAX ? counts.global[0] : counts.shared[mp];
}

void check_bounds(const Counts& counts, const MachineSpec& machine) {
  each_unit(counts, machine, [&](const UnitCounts& unit, const UnitSpec& spec, std::size_t) {
    CHECK(unit.latency_bound <= counts.time.value);
    CHECK(unit.service_bound <= counts.time.value);
    CHECK(unit.exposed <= unit.latency_bound);
    const std::int64_t idle =
        unit.idle_latency + unit.idle_barrier + unit.idle_drain + unit.idle_empty;
    if (spec.ports == 1) CHECK(unit.exposed <= idle);
    for (std::size_t k = 0; k < latency_doublings; ++k) {
      // Where larger blocks leave room for fewer of them, they may hide less.
      if (!machine.max_threads) CHECK(unit.exposed_with_threads[k] <= unit.exposed);
      CHECK(unit.exposed_with_blocks[k] <= unit.exposed);
    }
  });
}

/// Checks that more threads or blocks expose no more latency than predicted.
void check_foretold(const std::string& text, const MachineSpec& machine, const Counts& counts,
                    std::int64_t& done) {
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t times = std::int64_t{2} << k;
    for (const bool threads : {true, false}) {
      const auto foretold = [&](const UnitCounts& unit) {
        return threads ? unit.exposed_with_threads[k] : unit.exposed_with_blocks[k];
      };
      bool any = false;
      each_unit(counts, machine, [&](const UnitCounts& unit, const UnitSpec&, std::size_t) {
        any = any || foretold(unit) < unit.exposed;
      });
      if (!any) continue;
      MachineSpec more = machine;
      (threads ? more.threads : more.resident_blocks) *= times;
      // Beyond, what is foretold is of fewer threads.
      if (more.threads > more.max_threads.value_or(INT64_MAX)) continue;
      const auto after = counts_of(text, more);
      REQUIRE(after);
      INFO(text << "\n" << (threads ? "threads" : "blocks") << " times " << times);
      each_unit(counts, machine, [&](const UnitCounts& unit, const UnitSpec&, std::size_t mp) {
        if (foretold(unit) == unit.exposed) return;
        CHECK(unit_of(*after, mp).exposed <= foretold(unit));
        ++done;
      });
    }
  }
}

/// Loops of foralls of all sizes, with requests of some iterations only.
std::string forall_program(std::uint64_t seed) {
  const std::uint64_t n = 1 + seed * 7 % 90, m = 1 + seed * 5 % 40, rounds = 1 + seed % 4;
  return fmt::format(R"(memory a[100], b[100]: int = index
kernel k(t: int) {{
  forall i in 0..{} {{
    a[i] = a[i] + t
    if i % {} == 0 {{ a[i] += b[i] }}
    for j = 0 to i % {} {{ b[i] = a[i] }}
  }}
  forall i in 0..{} {{ b[i] = a[i] }}
  if lane == 0 {{ }}
}}
kernel single() {{ forall i in 0..1 {{ for j = 0 to 9 {{ a[j] = b[j] }} }} }}
kernel several() {{ forall i in 0..{} {{ a[block*10 + i] = b[block*10 + i] }} }}
main {{
  for t = 1 to {} {{ launch k(t) }}
  launch single()
  launch several() blocks={}
}}
verify {{ assert true }})",
                     n, 1 + seed % 9, 1 + seed % 3, m, 1 + seed % 10, rounds, 1 + seed % 9);
}

} // namespace

TEST_CASE("more threads and resident blocks expose no more latency than predicted") {
  std::int64_t done = 0;
  for (std::uint64_t seed = 1; seed <= advised_programs; ++seed) {
    MachineSpec machine = random_machine(seed);
    machine.block_schedule = BlockSchedule::static_;
    const std::string text =
        seed % 2 == 0 ? forall_program(seed) : race_free_program(seed, machine.shared.has_value());
    const auto counts = counts_of(text, machine);
    if (!counts) continue;
    INFO(text);
    check_bounds(*counts, machine);
    check_foretold(text, machine, *counts, done);
  }
  CHECK(done > static_cast<std::int64_t>(advised_programs / 2));
}

TEST_CASE(
    "one warp with requests among many exposes its latency, and the advice is not more threads") {
  const MachineSpec machine = umm(32, 400);
  const auto counts = counts_of(R"(memory a[1024], b[1024]: int
kernel k() { forall i in 0..32 { for j = 0 to 99 { a[i] = b[i] } } }
main { launch k() }
verify { assert true })",
                                machine);
  REQUIRE(counts);
  const LatencyHiding account = latency_hiding(machine, *counts);
  CHECK(account.global->latency == 200 * 400);
  CHECK(account.global->exposed == 200 * 400 - 200);
  CHECK(account.global->active == 32);
  CHECK(account.largest == Limitation::global_latency);
  CHECK(!account.global->threads);
  CHECK(!account.global->resident_blocks);
}

TEST_CASE("a warp's waiting time includes its request's own stages") {
  // One warp: each of its 10 requests takes 4 stages and l - 1 = 9 time units more.
  const MachineSpec machine = dmm(4, 10, 4);
  const auto counts = counts_of(R"(memory a[16]: int
kernel k() { forall i in 0..4 { for j = 1 to 10 { a[4*i] = j } } }
main { launch k() }
verify { assert true })",
                                machine);
  REQUIRE(counts);
  CHECK(counts->time == Cycles{130});
  const LatencyHiding account = latency_hiding(machine, *counts);
  CHECK(account.shared->latency == 130);
  CHECK(account.shared->exposed == 90);
  CHECK(account.shared->active == 4);
}

TEST_CASE("the account distinguishes intervals with requests of few warps from those with requests "
          "of all") {
  // 16 rounds of all 8 warps, w = 4, l = 10: 128 stages against 160 time units. Then 5 requests of
  // one warp.
  const MachineSpec machine = umm(4, 10, 32);
  const auto counts = counts_of(R"(memory a[512]: int
kernel k() {
  forall i in 0..512 { a[i] = i }
  forall i in 0..4 { for j = 0 to 4 { a[i] = j } }
}
main { launch k() }
verify { assert true })",
                                machine);
  REQUIRE(counts);
  const LatencyHiding account = latency_hiding(machine, *counts);
  CHECK(account.global->latency == 160 + 50);
  CHECK(account.global->exposed == 160 - 128 + 50 - 5);
  REQUIRE(account.global->threads);
  CHECK(account.global->threads->value == 64); // w l = 40 of them fill the pipeline
  CHECK(account.global->threads->exposed == 45);
}

} // namespace memlane::test
