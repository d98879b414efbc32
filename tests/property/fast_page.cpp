// src/engine/fast/README.md follows one program through the fast engine: its numbers at each
// station are those of this run.
#include "compiling.hpp"
#include "engine/fast/blocks_ahead.hpp"
#include "engine/fast/launch_run.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include "memlane/count/simulate.hpp"
#include "memlane/ir/without_data.hpp"
#include "memlane/show/run_words.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace memlane::test {
namespace {

std::string page() {
  std::ifstream file(std::string(MEMLANE_SOURCE_DIR) + "/src/engine/fast/README.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

MachineSpec teaching() { return hmm(2, 4, 2, 10, 16); } // configs/machines/hmm-teaching.json

/// What the page's program is, compiled for the machine.
ir::Program program_of_page(Sources& sources) {
  const std::string text = page();
  const std::size_t fence = text.find("```lane\n");
  REQUIRE(fence != std::string::npos);
  const std::size_t begin = fence + 8, end = text.find("```", begin);
  auto code = compiled(sources, text.substr(begin, end - begin), teaching());
  if (!code) FAIL(render(code.errors(), sources));
  return std::move(*code);
}

/// Registers of block 1 in the first round, after the instructions before the load.
std::string tile_text(const ir::Program& program) {
  const ir::Function& kernel =
      program.functions[static_cast<std::size_t>(program.launches[0].kernel)];
  fast::Values values;
  fast::Specials specials;
  specials.threads = 16;
  specials.block = 1;
  specials.blocks = 2;
  specials.warps = 4;
  values.start({4, 4}, 16, kernel.registers, specials);
  fast::Mask all;
  values.sets().set_all(all);
  std::string text;
  for (const ir::Instruction& in : kernel.code) {
    if (in.op == ir::Opcode::load) break;
    if (!ir::computes(in.op)) continue;
    REQUIRE(values.compute(in, all, true));
    const fast::Register& r = values[in.d];
    text += fmt::format("r{:<3}", in.d);
    if (r.form == fast::Form::uniform && in.op == ir::Opcode::lt) {
      text += fmt::format("one value: {}\n", r.value.truth());
    } else if (r.form == fast::Form::uniform) {
      text += fmt::format("one value: {}\n", r.value.integer());
    } else {
      REQUIRE(r.form == fast::Form::rows);
      text += fmt::format("rows: {} + {} warp + {} lane\n", r.rows.first, r.rows.warp_step,
                          r.rows.lane_step);
    }
  }
  return text;
}

std::string log_text(const fast::StepLog& log) {
  std::string text;
  for (const fast::Entry& entry : log.entries) {
    if (entry.ask == fast::Ask::repeat) {
      const fast::Repeat& repeat = log.repeats[entry.amount];
      text += fmt::format("repeat the {} before, {} times\n", repeat.length, repeat.times);
    } else {
      text += fmt::format("{}, {} stage, all warps\n",
                          entry.ask == fast::Ask::global ? "global" : "shared", entry.amount);
      CHECK(!entry.each);
    }
  }
  return text;
}

/// The log of block 0 up to its first barrier.
std::string log_of(const ir::Program& program, const Sources& sources, bool timing_only) {
  std::string text;
  RunOptions options;
  options.timing_only = timing_only;
  fast::FastRun fast_run;
  fast_run.timing_only = timing_only;
  fast_run.side_by_side = &options.side_by_side;
  Launcher launcher = fast::launcher(fast_run);
  launcher.run = [&](const RunState& run, const ir::Function& kernel, const LaunchShape& shape,
                     std::vector<ir::Value> formals, std::int64_t number, Cycles) {
    fast::LaunchRun launch(fast_run, run, kernel, shape, std::move(formals), number);
    fast::BlockRunner runner(launch, false);
    fast::ExecutedBlock block;
    REQUIRE(execute_block(runner, 0, block));
    REQUIRE(block.present().tiles.size() == 1);
    text = log_text(block.present().tiles[0]);
    LaunchOutcome outcome;
    outcome.tally = empty_tally(run.machine, shape);
    return outcome;
  };
  Observer observer;
  run_with(launcher, HostRuns::as_lane, program, teaching(), options, sources, observer);
  return text;
}

void check_on_page(const std::string& text) {
  INFO(text);
  CHECK(page().find("```text\n" + text + "```") != std::string::npos);
}

} // namespace

TEST_CASE("the fast engine's page follows a program with the numbers that it has") {
  Sources sources;
  const ir::Program program = program_of_page(sources);
  const auto without = ir::without_data(program);
  REQUIRE(without);
  check_on_page(tile_text(program));
  fast::Banks banks(UnitKind::unified, 4);
  CHECK(banks.of_steps(2048, 1, 4) == 1);
  check_on_page(log_of(program, sources, false));
  check_on_page(log_of(*without, sources, true));
  const RunResult run = simulate_fast(program, teaching(), {}, sources);
  CHECK(run.counts.time.value == 2567);
  CHECK(run.engine.work.intervals.total == 4);
  check_on_page(engine_work_text(run.engine.work));
  check_on_page(engine_work_text(simulate_timing(*without, teaching(), {}, sources).engine.work));
}

} // namespace memlane::test
