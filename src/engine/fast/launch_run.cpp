#include "fast/launch_run.hpp"

#include "launch_run.hpp"
#include "ordered_stream.hpp"

#include "memlane/ir/flow.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::fast {

BlockTally::BlockTally(const ir::Function& kernel, std::int64_t most_stages)
    : most_(static_cast<std::size_t>(most_stages)), silent_(2 * kernel.code.size()),
      sites_(memory_instructions(kernel)), first_(kernel.code.size()) {
  std::size_t kinds = statements_end_ = silent_ + kernel.statements.size();
  for (const std::size_t site : sites_) {
    first_[site] = kinds;
    kinds += sums + most_;
  }
  counted_.resize(kinds);
  numbers_.resize(kinds);
}

void BlockTally::add_kind(std::size_t kind) {
  counted_[kind] = 1;
  kinds_.push_back(static_cast<Kind>(kind));
}

void BlockTally::add_port(std::size_t instruction, const PortTally& port) {
  const std::size_t first = first_[instruction];
  at(first + 3)[every] += port.stages;
  at(first + 4)[every] += port.needed;
  at(first + 5)[every] += port.lines;
}

void BlockTally::clear(std::size_t together) {
  for (const Kind kind : kinds_) std::fill_n(at(kind) - 1, slots_, 0);
  slots_ = together > 1 ? together + 1 : 1;
  if (numbers_.size() < counted_.size() * slots_) numbers_.assign(counted_.size() * slots_, 0);
}

std::vector<std::int64_t> BlockTally::numbers() const {
  std::vector<std::int64_t> numbers;
  numbers.reserve(kinds_.size() * slots_);
  for (const Kind kind : kinds_)
    numbers.insert(numbers.end(), slots_of(kind), slots_of(kind) + slots_);
  return numbers;
}

std::int64_t BlockTally::largest() const {
  std::int64_t largest = 0;
  for (const Kind kind : kinds_)
    largest = std::max(largest, *std::max_element(slots_of(kind), slots_of(kind) + slots_));
  return largest;
}

void BlockTally::add_number(std::vector<RequestTally>& requests, Kind kind,
                            std::int64_t value) const {
  const std::size_t behind = kind - statements_end_;
  RequestTally& site = requests[behind / (sums + most_)];
  switch (const std::size_t n = behind % (sums + most_); n) {
  case 0: site.concurrent_writes += value; break;
  case 1: site.groups += value; break;
  case 2: site.further_needed += value; break;
  case 3: site.port.stages += value; break;
  case 4: site.port.needed += value; break;
  case 5: site.port.lines += value; break;
  case 6: site.added += value; break;
  default: site.add(static_cast<std::int64_t>(n - sums + 1), value);
  }
}

void BlockTally::add_number(Tally& tally, Kind kind, std::int64_t value) const {
  if (kind >= statements_end_) return add_number(tally.requests, kind, value);
  if (kind >= silent_) {
    tally.silent[kind - silent_] += value;
  } else {
    Executions& executed = tally.executed[kind / 2];
    (kind % 2 == 0 ? executed.warps : executed.threads) += value;
  }
}

void BlockTally::make_room(Tally& tally) const {
  tally.executed.resize(first_.size());
  tally.silent.resize(statements_end_ - silent_);
  tally.requests.resize(sites_.size());
}

void BlockTally::add_to(Tally& tally, std::int64_t blocks) const {
  make_room(tally);
  for (const Kind kind : kinds_)
    if (const std::int64_t number = value(kind, every); number != 0)
      add_number(tally, kind, number * blocks);
}

void BlockTally::add_each_to(std::vector<Tally>& tallies, std::int64_t first) const {
  const std::int64_t blocks = static_cast<std::int64_t>(slots_) - 1, step = std::ssize(tallies);
  const auto of_block = [&](std::int64_t block) -> Tally& {
    return tallies[static_cast<std::size_t>((first + block) % step)];
  };
  const std::int64_t leads = std::min(step, blocks); // of the blocks of each multiprocessor
  for (std::int64_t lead = 0; lead < leads; ++lead) make_room(of_block(lead));
  for (const Kind kind : kinds_) {
    const std::int64_t* const slots = slots_of(kind);
    for (std::int64_t lead = 0; lead < leads; ++lead) {
      std::int64_t sum = slots[0] * ((blocks - 1 - lead) / step + 1);
      for (std::int64_t block = lead; block < blocks; block += step) sum += slots[block + 1];
      if (sum != 0) add_number(of_block(lead), kind, sum);
    }
  }
}

void BlockTally::add_to(std::vector<RequestTally>& requests, int block) const {
  requests.resize(sites_.size());
  for (const Kind kind : kinds_)
    if (kind >= statements_end_)
      if (const std::int64_t number = value(kind, block); number != 0)
        add_number(requests, kind, number);
}

namespace {

/// Longer logs between two barriers would take too much memory.
constexpr std::int64_t most_logged = std::int64_t{1} << 30;

} // namespace

// The vectors of a tile should fit a cache near the processor. Most threads of very large blocks
// are idle most of the time, so larger tiles save work there.
int warps_of_tile(const MachineSpec& machine, const LaunchShape& shape, int tile_lanes) {
  const std::int64_t width = machine.width;
  const std::int64_t warps = (shape.threads - 1) / width + 1;
  const std::int64_t threads = warps * width;
  std::int64_t lanes = threads <= 4096 ? threads : threads <= 65536 ? 4096 : 16384;
  if (tile_lanes > 0) lanes = tile_lanes;
  return static_cast<int>(std::clamp<std::int64_t>(lanes / width, 1, warps));
}

/// Closed forms of stages know banks and groups of w words, and one stage at least.
static bool has_keys(const MachineSpec& machine) {
  return machine.stage_words(machine.memory_unit()) != machine.width ||
         (machine.shared && least_stages(*machine.shared) > 1) || machine.has_own_ports() ||
         machine.word_bytes.has_value();
}

/// Of a request, atomics among them.
static std::int64_t most_stages(const MachineSpec& machine, bool atomics) {
  const std::int64_t words = machine.words_of(ir::size_of(ir::Scalar::float64));
  std::int64_t most = machine.width * words;
  if (machine.shared) most = std::max(most, least_stages(*machine.shared));
  for (const std::optional<UnitSpec>* unit : {&machine.shared, &machine.global})
    if (atomics && *unit && (*unit)->kind == UnitKind::discrete)
      most = std::max(most, times_rounded_up(machine.width * words, (*unit)->atomic_stages));
  return std::min(most, most_amount);
}

/// Warps may not wait for each of their requests, or issue their steps in another order.
static bool follows_warps(const MachineSpec& machine) {
  return machine.requests_in_flight > 1 || machine.schedule == Schedule::hoisted;
}

LaunchKey launch_key(const ir::Program& program, const ir::Function& kernel,
                     const LaunchShape& shape, const std::vector<ir::Value>& formals) {
  LaunchKey key{&kernel - program.functions.data()};
  for (const ir::Value value : formals) key.push_back(static_cast<std::int64_t>(value.bits));
  key.insert(key.end(), {shape.blocks, shape.threads});
  return key;
}

LaunchRun::LaunchRun(FastRun& fast_run, const RunState& run_state, const ir::Function& function,
                     const LaunchShape& launch_shape, std::vector<ir::Value> launch_formals,
                     std::int64_t launch_number)
    : TimedLaunch(fast_run, run_state.machine, launch_shape, function.span,
                  ir::has_atomics(function) || run_state.machine.schedule == Schedule::hoisted
                      ? 1
                      : warps_of_tile(run_state.machine, launch_shape, fast_run.tile_lanes)),
      fast(fast_run), run(run_state), kernel(function), facts(fast_run.facts_of(function)),
      formals(std::move(launch_formals)), number(launch_number),
      costs(run_state.machine.instruction_cost.value > 0 || !run_state.machine.operations.empty()),
      several(run_state.machine.requests_in_flight > 1),
      hoists(run_state.machine.schedule == Schedule::hoisted),
      followed(follows_warps(run_state.machine)), keyed(has_keys(run_state.machine)),
      counts_groups(reference::counts_groups(run_state.machine, launch_shape)),
      shared_banks(run_state.machine.shared ? run_state.machine.shared->kind : UnitKind::discrete,
                   run_state.machine.width),
      memory_banks(run_state.machine.memory_unit().kind, run_state.machine.width),
      groups(UnitKind::unified, run_state.machine.width), words(1),
      bank_rows(run_state.machine.width),
      stage(run_state.machine.stage_words(run_state.machine.memory_unit())),
      lines(run_state.machine.global ? run_state.machine.line_words() : run_state.machine.width),
      tally(function, most_stages(run_state.machine, ir::has_atomics(function))),
      resident_blocks(std::max<std::int64_t>(
          1, std::min(launch_shape.blocks,
                      reference::saturating_multiply(run_state.machine.resident_blocks,
                                                     run_state.machine.multiprocessors)))),
      most_steps(run_state.budget.limits->steps) {
  ordered = ir::has_atomics(function);
  Analysis& known = fast.facts_of(function);
  if (known.writes_all.empty()) {
    Watch watch(*run.budget.limits);
    known = analyse(run.program, kernel, watch);
    if (watch.stopped()) {
      fast.stop = watch.stop();
      fast.halt(watch.stop() == Stop::memory ? Halted::refused : Halted::asked);
    }
  }
}

void LaunchRun::bound_steps(std::int64_t blocks) {
  most_steps =
      std::min(run.budget.limits->steps,
               reference::saturating_add(run.budget.steps,
                                         reference::saturating_multiply(most_of_block, blocks)));
}

bool LaunchRun::take_bytes(std::int64_t count, std::int64_t bytes) {
  const std::int64_t more = reference::saturating_multiply(count, bytes);
  own_bytes = reference::saturating_add(own_bytes, more);
  const std::int64_t all = reference::saturating_multiply(own_bytes, resident_blocks);
  return reference::saturating_add(run.budget.bytes, all) <= run.budget.limits->memory;
}

bool LaunchRun::take_tile_bytes(std::int64_t more) {
  tile_bytes += more;
  return tile_bytes <= run.budget.limits->memory - run.budget.bytes;
}

BlockSums LaunchRun::sums() const {
  return {run.budget.steps, fast.work.iterations.total, stages[0], stages[1], logged};
}

bool LaunchRun::add_stages(UnitId unit, std::int64_t more, std::int64_t log_bytes, bool reused) {
  std::int64_t& asked = stages[static_cast<std::size_t>(unit)];
  asked += more;
  logged += log_bytes;
  return (reused || asked / spec(unit).ports <= run.budget.limits->time) && logged <= most_logged;
}

void LaunchRun::add_interval(const Chains& longest, const std::array<std::int64_t, 2>& of_units,
                             std::array<reference::BlockLoad, 2>& loads) const {
  const auto add = [&](std::size_t unit, const UnitSpec& spec) {
    loads[unit].add_interval(spec, reference::overlapped(longest[unit], machine.requests_in_flight),
                             of_units[unit]);
  };
  if (machine.shared) add(0, *machine.shared);
  if (machine.global) add(1, *machine.global);
}

bool LaunchRun::act_on(RaceWatch::Found found, std::int32_t array, Span at) {
  if (found == RaceWatch::Found::nothing) return true;
  if (found == RaceWatch::Found::conflict)
    return fast.refuse(fmt::format("accesses to array {} of kernel {} may race",
                                   run.program.arrays[static_cast<std::size_t>(array)].name,
                                   kernel.name),
                       at);
  if (!fast.unsure) {
    fast.unsure = true;
    fast.unsure_until = reference::saturating_add(run.budget.steps, run.budget.steps);
  }
  return true;
}

bool LaunchRun::ask() {
  if (fast.unsure && run.budget.steps > fast.unsure_until) return fast.halt(Halted::unsure);
  if (RunProgress* const progress = run.budget.limits->progress) {
    progress->worked();
    // Threads that execute blocks ahead do not know the time.
    if (!fast.main) progress->update_launch(now.value, blocks_done);
  }
  if (!run.budget.limits->check) return true;
  const Stop asked = run.budget.limits->check();
  if (asked == Stop::none) return true;
  fast.stop = asked;
  return fast.halt(Halted::asked);
}

} // namespace memlane::fast
