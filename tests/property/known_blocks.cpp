// Runs that share what their blocks have done: each counts and computes what it does alone.
#include "compiling.hpp"
#include "difference.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include "memlane/engine/run.hpp"
#include "memlane/machine/machine.hpp"
#include "memlane/points/parallel_tasks.hpp"
#include "memlane/support/random.hpp"

#include <optional>
#include <utility>

namespace memlane::test {
namespace {

constexpr std::uint64_t families = MEMLANE_PROPERTY_PROGRAMS / 2;

/// What does not depend on time.
void check_same_counts(const TalliedRun& found, const TalliedRun& expected) {
  CHECK(found.result.stop == expected.result.stop);
  CHECK(found.result.verify == expected.result.verify);
  CHECK(found.result.steps == expected.result.steps);
  CHECK(found.result.outputs == expected.result.outputs);
  REQUIRE(found.launches.size() == expected.launches.size());
  for (std::size_t k = 0; k < found.launches.size(); ++k) {
    INFO("launch " << k);
    const LaunchTally &a = found.launches[k], &b = expected.launches[k];
    CHECK(a.multiprocessors == b.multiprocessors);
    CHECK(a.barriers == b.barriers);
    CHECK(a.shared_words == b.shared_words);
  }
}

struct Family {
  const ir::Program& code;
  const MachineSpec& machine;
  const Sources& sources;
  int tile_lanes = 0;

  std::optional<TalliedRun> run(const RunOptions& options) const {
    return tallied_fast(code, machine, options, sources, tile_lanes);
  }
};

RunOptions with_outputs(const ir::Program& code) {
  RunOptions options;
  options.limits.steps = 2'000'000;
  for (const ir::Array& array : code.arrays)
    if (array.space == ir::Space::memory) options.outputs.push_back(array.name);
  return options;
}

/// Runs whose inputs differ in two words. Returns how many intervals were not executed.
std::int64_t check_family(const Family& family, std::uint64_t seed) {
  RunOptions options = with_outputs(family.code);
  const auto first = family.run(options);
  if (!first || first->result.stop != Stop::none || first->result.outputs.empty()) return 0;
  options.known_blocks = make_known_blocks(seed % 5 == 0 ? 20'000 : 1 << 24);
  // Some have no memory to keep more than the arrays.
  if (seed % 7 == 0) options.limits.memory = bytes_of_arrays(family.code, options) * 9 / 8 + 4096;
  auto below = [&, counter = std::uint64_t{0}](std::size_t size) mutable {
    return static_cast<std::size_t>(
        random_integer(seed, 7, counter++, 0, static_cast<std::int64_t>(size) - 1));
  };
  std::int64_t known = 0;
  for (int trial = 0; trial < 4; ++trial) {
    const auto& outputs = first->result.outputs;
    const auto& [name, content] =
        *std::next(outputs.begin(), static_cast<std::ptrdiff_t>(below(outputs.size())));
    std::vector<ir::Value> input = content;
    if (input.empty()) continue;
    std::swap(input[below(input.size())], input[below(input.size())]);
    options.inputs[name] = std::make_shared<const std::vector<ir::Value>>(std::move(input));
    RunOptions alone = options;
    alone.known_blocks = nullptr;
    const auto expected = family.run(alone), found = family.run(options);
    REQUIRE(found.has_value() == expected.has_value());
    if (!found) continue;
    check_same_counts(*found, *expected);
    known += found->result.engine.work.intervals.skipped -
             expected->result.engine.work.intervals.skipped;
  }
  return known;
}

} // namespace

TEST_CASE("blocks that find the same words are known, and count what they counted") {
  std::int64_t served = 0; // that knew blocks
  for (std::uint64_t seed = 1; seed <= families; ++seed) {
    MachineSpec machine = random_machine(seed);
    machine.block_schedule = BlockSchedule::static_;
    const bool shared = machine.shared.has_value();
    const std::string text = seed % 3 == 0   ? data_loop_program(seed, shared)
                             : seed % 3 == 1 ? race_free_program(seed, shared)
                                             : random_program(seed, shared);
    INFO("program " << seed << "\n" << text);
    Sources sources;
    const auto code = compiled(sources, text, machine);
    REQUIRE(code);
    if (!check_machine(*code, machine)) continue;
    const auto tile = machine.width * static_cast<std::int64_t>(seed % 2);
    served += check_family({*code, machine, sources, static_cast<int>(tile)}, seed) > 0 ? 1 : 0;
  }
  CHECK(served > static_cast<std::int64_t>(families / 4));
}

} // namespace memlane::test
