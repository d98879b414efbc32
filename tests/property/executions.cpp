// What an observer is told of executions: the same by both engines, and as much as the tallies sum.
#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include "memlane/engine/run.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace memlane::test {
namespace {

/// All that each warp of each launch executes and accesses, in its order.
struct Executions : Observer, ExecutionObserver {
  struct Event {
    std::size_t instruction = 0;
    std::vector<std::uint8_t> active;    ///< of an execution
    std::vector<std::int64_t> addresses; ///< of an access
    bool operator==(const Event&) const = default;
  };
  using Warp = std::tuple<std::int64_t, std::int64_t, std::int64_t>; ///< launch, block, warp
  std::map<Warp, std::vector<Event>> warps;
  std::int64_t launch = 0;
  std::vector<std::int64_t> summed; ///< active threads, by launch: as the tally has them

  ExecutionObserver* executions() override { return this; }
  void run_begins() override {
    warps.clear();
    summed.clear();
  }
  void launch_begins(std::int64_t number, const LaunchShape&, std::string_view) override {
    launch = number;
  }
  void launch_ends(std::int64_t, const LaunchTally& tally) override {
    std::int64_t& sum = summed.emplace_back(0);
    for (const Tally& mp : tally.multiprocessors)
      for (const auto& of : mp.executed) sum += of.threads;
  }
  void executed(const Execution& e) override {
    warps[{launch, e.warp.block, e.warp.warp}].push_back(
        {e.instruction, {e.active.begin(), e.active.end()}, {}});
  }
  void accessed(const WarpAccess& a) override {
    warps[{launch, a.warp.block, a.warp.warp}].push_back(
        {a.site->instruction, {}, {a.addresses.begin(), a.addresses.end()}});
  }
  /// Of one launch.
  std::int64_t threads(std::int64_t of) const {
    std::int64_t sum = 0;
    for (const auto& [warp, events] : warps)
      for (const Event& event : events)
        if (std::get<0>(warp) == of)
          sum += std::count(event.active.begin(), event.active.end(), std::uint8_t{1});
    return sum;
  }
};

/// 1 if the fast engine ran the program, and it told what the reference engine tells.
int compare(const std::string& text, const MachineSpec& machine, int tile_lanes = 0) {
  INFO(text);
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code || !check_machine(*code, machine)) return 0;
  RunOptions options;
  options.limits.steps = 20'000;
  options.verify = false;
  Executions reference, fast;
  const RunOutcome whole = run_reference(*code, machine, options, sources, reference);
  if (whole.stop != Stop::none) return 0;
  for (std::size_t k = 0; k < reference.summed.size(); ++k)
    CHECK(reference.threads(static_cast<std::int64_t>(k)) == reference.summed[k]);
  if (!run_fast(*code, machine, options, sources, fast, tile_lanes)) return 0;
  CHECK(fast.summed == reference.summed);
  CHECK((fast.warps == reference.warps)); // too long to be shown
  return 1;
}

} // namespace

TEST_CASE("both engines tell an observer of the same executions and accesses") {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < tried(60); ++seed) {
    const MachineSpec machine = random_machine(seed);
    const bool shared = machine.model == Model::hmm;
    const int tile_lanes = seed % 3 == 0 ? static_cast<int>(machine.width) : 0;
    compared += compare(race_free_program(seed, shared), machine, tile_lanes);
    compared += compare(regular_program(seed, shared), machine, tile_lanes);
    if (shared) compared += compare(tiled_program(seed), machine_of_8(Model::hmm));
  }
  CHECK(compared > (sanitized ? 0 : 50));
}

TEST_CASE("what a thread executes and accesses at most can be found by an observer") {
  const std::string text = "memory a[8]: int = index\n"
                           "kernel k() { var x = a[lane]  for j = 1 to lane { x += 1 }\n"
                           "  a[lane] = x }\n"
                           "main { launch k() threads=8 }\nverify { assert true }\n";
  Sources sources;
  const MachineSpec machine = machine_of_8(Model::dmm);
  const auto code = compiled(sources, text, machine);
  REQUIRE(code);
  Executions told;
  REQUIRE(run_fast(*code, machine, {}, sources, told));
  const ir::Function& kernel = code->functions[static_cast<std::size_t>(code->kernels[0])];
  std::vector<int> operators(8), words(8);
  for (const auto& event : told.warps.at({0, 0, 0})) {
    for (std::size_t k = 0; k < event.active.size(); ++k)
      operators[k] += event.active[k] && kernel.code[event.instruction].counted ? 1 : 0;
    for (std::size_t k = 0; k < event.addresses.size(); ++k)
      words[k] += event.addresses[k] >= 0 ? 1 : 0;
  }
  CHECK(operators == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(words == std::vector<int>(8, 2));
}

} // namespace memlane::test
