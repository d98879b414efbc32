// The launches of a run, one after the other, with their counts.
#include "price_launch.hpp"

#include "memlane/count/derive.hpp"
#include "memlane/count/hiding.hpp"
#include "memlane/count/simulate.hpp"
#include "memlane/engine/launch_fault.hpp"
#include "memlane/engine/options.hpp"
#include "memlane/ptx/names.hpp"
#include "memlane/ptx/price.hpp"

#include <fmt/format.h>

#include <bit>
#include <set>
#include <utility>

namespace memlane::ptx {

namespace {

/// Bytes of requests that are kept at most.
constexpr std::int64_t most_kept = std::int64_t{1} << 28;

/// What counts of accesses call the two memories (SiteInfo::array).
ir::Program memories_of_ptx() {
  ir::Program program;
  for (const char* const name : {"global", "shared"}) {
    ir::Array& array = program.arrays.emplace_back();
    array.name = name;
  }
  return program;
}

RunOptions counting_options(const PriceOptions& options) {
  RunOptions counting;
  counting.limits = options.limits;
  counting.allow_races = true;
  return counting;
}

} // namespace

struct Pricing::State {
  State(const MachineSpec& on, PriceOptions how, ReadSource reader, Observer* next)
      : machine(on), options(std::move(how)), read(std::move(reader)),
        observer(next ? next : &nobody), program(memories_of_ptx()),
        counting(counting_options(options)),
        counter(program, machine, sources, counting, *observer) {
    counter.run_begins();
    if (options.explains) kept.emplace(most_kept);
    outcome.engine.fast = !options.reference && !observer->times();
    if (!outcome.engine.fast) outcome.engine.reason = "it was asked for";
  }

  const PricedKernel& kernel_of(const Module& module, const Sources& texts, const Code& code);
  void list(std::int64_t number, const LaunchTally& tally, const LaunchShape& shape);
  void stop(std::int64_t number, const PricedLaunch& priced, const PricedKernel& kernel);

  const MachineSpec& machine;
  Sources sources;
  PriceOptions options;
  ReadSource read;
  Observer nobody;
  Observer* observer;
  ir::Program program;
  RunOptions counting;
  RunCounter counter;
  GridRaces races;
  EqualLaunches equal;
  std::optional<KeptRun> kept;
  std::vector<TimedLaunch> listed;
  std::map<const memlane::KernelInfo*, LaunchSums> sums; ///< of kernels
  std::int64_t equal_launches = 0;
  SampledLaunches sampled;
  std::uint64_t origin = 0;
  RunOutcome outcome;
  std::map<const Module*, SourcePlaces> places;
  std::map<const Code*, std::unique_ptr<PricedKernel>> kernels;
  std::set<std::string> names; ///< of kernels
  std::map<SourceLine, SectorCounts> sectors;
};

Pricing::Pricing(const MachineSpec& machine, PriceOptions options, ReadSource read,
                 Observer* observer)
    : state_(std::make_unique<State>(machine, std::move(options), std::move(read), observer)) {}
Pricing::~Pricing() = default;

Status Pricing::check(const MachineSpec& machine) {
  if (!is_timed(machine.model))
    return error_in(
        "", fmt::format("PTX is not priced on a machine of the model {}", name_of(machine.model)),
        {"use an hmm, a dmm or a umm"});
  if (machine.width != warp_lanes)
    return error_in(
        "",
        fmt::format("warps of PTX have {} threads, those of this machine {}", warp_lanes,
                    machine.width),
        {fmt::format(
            "use one of width {}, such as hmm-titan-plain; 'memlane list machines' has more",
            warp_lanes)});
  if (machine.has_own_ports() &&
      !std::has_single_bit(static_cast<std::uint64_t>(machine.line_words())))
    return error_in("",
                    fmt::format("arrays of CUDA programs begin at powers of two of bytes, not at a "
                                "multiple of {} words, a line of this machine",
                                machine.line_words()),
                    {"make global.line a power of two"});
  return Done{};
}

const PricedKernel& Pricing::State::kernel_of(const Module& module, const Sources& texts,
                                              const Code& code) {
  std::unique_ptr<PricedKernel>& known = kernels[&code];
  if (known) return *known;
  const SourcePlaces& of_module =
      places.try_emplace(&module, module, texts, sources, read).first->second;
  known = std::make_unique<PricedKernel>(priced_kernel(module, code, machine, of_module));
  const std::string symbol = known->info.name;
  // Overloads have one name: the next one is longer.
  for (const std::string& name : {source_name(symbol), readable_name(symbol)})
    if (known->info.name == symbol && names.insert(name).second) known->info.name = name;
  return *known;
}

namespace {

/// Why the launch cannot run on the machine.
Status fits(const std::string& kernel, const LaunchShape& shape, const MachineSpec& machine) {
  if (has_one_memory(machine.model) && shape.shared_words > 0)
    return error_in("",
                    fmt::format("{} uses shared memory, a {} has one memory only", kernel,
                                name_of(machine.model)),
                    {"use an hmm"});
  auto fault = shape_fault(machine, kernel, shape);
  if (!fault) fault = capacity_fault(machine, kernel, shape, 0);
  if (!fault) return Done{};
  return error_in("", fault->message, {fault->help});
}

} // namespace

Status Pricing::fits(const Module& module, const Sources& texts, const Code& code,
                     const GridShape& grid) {
  const PricedKernel& kernel = state_->kernel_of(module, texts, code);
  return ptx::fits(kernel.info.name, shape_of(kernel, code, grid), state_->machine);
}

Result<bool> Pricing::launch(const Module& module, const Sources& texts, const Image& image,
                             const Code& code, const GridShape& grid,
                             const std::vector<std::uint8_t>& params, const DeviceMemory& device,
                             GridResult& result) {
  State& state = *state_;
  const PricedKernel& kernel = state.kernel_of(module, texts, code);
  const GridLaunch launch{kernel, image, code, grid, params, device, module};
  LaunchShape shape = shape_of(kernel, code, grid);
  if (Status fit = ptx::fits(kernel.info.name, shape, state.machine); !fit) return fit.errors();
  LaunchSample sample(state.machine, shape, state.options.sample_blocks);
  shape.blocks = sample.blocks();
  RunOutcome& run = state.outcome;
  GridRaces* const races = state.options.races == RaceCheck::off ? nullptr : &state.races;
  if (races) races->begin_launch(kernel, device, kernel.written.of(image, params, device));
  state.origin = device.origin();
  const std::int64_t number = grid.number.value_or(run.launches);
  Limits limits = state.options.limits;
  if (limits.steps < INT64_MAX) limits.steps -= run.steps;
  state.counter.launch_begins(number, shape, kernel.info.name);
  if (limits.progress) limits.progress->begin_launch(shape.blocks, run.time.value);
  const double begin = state.options.clock ? state.options.clock() : 0;
  PricedLaunch priced = price_launch(
      launch, shape,
      {state.machine, limits, number, run.time, state.options.reference,
       state.options.races == RaceCheck::error, races, state.counter.times(), &run.engine.work,
       state.options.times_each || sample.is_part() ? nullptr : &state.equal,
       sample.is_part() ? &sample : nullptr, state.options.executes_all,
       state.kept ? &*state.kept : nullptr});
  state.equal_launches += priced.equal ? 1 : 0;
  if (state.options.clock)
    run.engine.seconds[static_cast<std::size_t>(EnginePhase::execution)] +=
        state.options.clock() - begin;
  LaunchTally& tally = priced.outcome.tally;
  tally.kernel = &kernel.info;
  tally.stage = run.launches;
  run.time += tally.time;
  if (sample.is_part() && priced.outcome.stop == Stop::none) sample.add_to(state.sampled);
  run.launches += 1;
  run.steps += priced.result.warp_steps;
  if (limits.progress) limits.progress->end_launch(run.time.value);
  state.counter.launch_ends(number, tally);
  state.list(number, tally, shape);
  for (std::size_t site = 0; site < priced.sectors.size(); ++site) {
    if (priced.sectors[site].requests == 0) continue;
    SectorCounts& line = state.sectors[kernel.info.sites[site].line];
    line.requests += priced.sectors[site].requests;
    line.sectors += priced.sectors[site].sectors;
    line.needed += priced.sectors[site].needed;
  }
  if (races) run.races = races->counts();
  if (priced.outcome.stop != Stop::none) state.stop(number, priced, kernel);
  result = std::move(priced.result);
  return run.stop == Stop::none;
}

void Pricing::State::list(std::int64_t number, const LaunchTally& tally, const LaunchShape& shape) {
  if (!options.explains) return;
  sums.try_emplace(tally.kernel, *tally.kernel, machine).first->second.add(tally);
  if (listed.size() == most_listed_launches) return;
  LaunchSums own(*tally.kernel, machine);
  own.add(tally);
  const std::vector<ExplainedUnit> units = explained_units(machine, own.counts());
  TimedLaunch& launch = listed.emplace_back();
  launch.number = number;
  launch.kernel = tally.kernel->name;
  launch.blocks = shape.blocks;
  launch.threads = shape.threads;
  launch.time = tally.time;
  if (!units.empty()) launch.unit = units.front();
}

void Pricing::State::stop(std::int64_t number, const PricedLaunch& priced,
                          const PricedKernel& kernel) {
  outcome.stop = priced.outcome.stop;
  outcome.reached = fmt::format("{} steps and {} time units, in launch {} of the run, kernel {}",
                                outcome.steps, outcome.time.value, number + 1, kernel.info.name);
  if (outcome.stop != Stop::error) return;
  outcome.errors = priced.outcome.errors;
  if (priced.result.waits_for_ever)
    outcome.errors.push_back(
        error_in(kernel.info.name, "all blocks under way wait for something that none of them does",
                 {"blocks run in rising order, as many side by side as wait for each other"}));
  const bool raced = options.races == RaceCheck::error && !outcome.races.pairs.empty();
  if (raced) outcome.errors.push_back(outcome.races.pairs.back().first);
}

Stop Pricing::stop() const { return state_->outcome.stop; }

const Sources& Pricing::sources() const { return state_->sources; }

Cycles Pricing::time() const { return state_->outcome.time; }

RunResult Pricing::result() const {
  RunResult result = state_->counter.result(state_->outcome);
  result.counts.agpu.global_words.reset(); // a CUDA program's arrays are not known
  for (auto& [kernel, counts] : result.kernels) counts.agpu.global_words.reset();
  for (LaunchCounts& launch : result.launches) launch.agpu.global_words.reset();
  return result;
}

std::int64_t Pricing::equal_launches() const { return state_->equal_launches; }
bool Pricing::stops_at_races() const { return state_->options.races == RaceCheck::error; }
std::string_view Pricing::race_search() const {
  if (state_->options.races == RaceCheck::off) return "none";
  return state_->races.is_partial() ? "part" : "all";
}

bool Pricing::executes_all() const { return state_->options.executes_all; }
const SampledLaunches& Pricing::sampled() const { return state_->sampled; }

std::uint64_t Pricing::origin() const { return state_->origin; }

std::vector<KernelRun> Pricing::kernels() const {
  std::vector<KernelRun> all;
  for (const auto& [kernel, sums] : state_->sums) {
    KernelRun& run = all.emplace_back();
    run.kernel = kernel->name;
    run.counts = sums.counts();
    sums.add_accesses(state_->program.arrays, run.accesses);
  }
  return all;
}

const std::vector<TimedLaunch>& Pricing::launches() const { return state_->listed; }

bool Pricing::keeps_requests() const { return state_->kept && state_->kept->is_whole(); }

std::vector<SharedArray> Pricing::shared_arrays() const {
  return state_->kept ? shared_arrays_of(*state_->kept, state_->machine)
                      : std::vector<SharedArray>();
}

std::optional<LaneWords> Pricing::costliest_request(SourceLine line, UnitId unit,
                                                    AccessKind kind) const {
  if (!state_->kept) return std::nullopt;
  return find_costliest(*state_->kept, state_->machine, line, unit, kind);
}

VariedRun Pricing::time_again(const Variation& variation, const Limits& limits) const {
  return ptx::time_again(*state_->kept, state_->machine, variation, limits);
}

const std::map<SourceLine, SectorCounts>& Pricing::sectors() const { return state_->sectors; }

} // namespace memlane::ptx
