#include "kept_run.hpp"

#include "request_shape.hpp"

#include "memlane/engine/launch_fault.hpp"
#include "memlane/engine/timed_launch.hpp"
#include "memlane/ptx/link.hpp"

#include <algorithm>
#include <optional>

namespace memlane::ptx {

void KeptRun::begin(const PricedKernel& kernel, const LaunchShape& shape,
                    std::vector<SharedArray> arrays) {
  if (!is_whole_) return;
  launches_.push_back({&kernel, shape, 1, std::move(arrays), {}});
}

std::int32_t KeptRun::pattern_of(const LanePattern& pattern) {
  std::string bytes(reinterpret_cast<const char*>(pattern.data()), sizeof pattern);
  const auto [known, fresh] =
      numbers_.try_emplace(std::move(bytes), static_cast<std::int32_t>(patterns_.size()));
  if (fresh) {
    patterns_.push_back(pattern);
    bytes_ += 3 * static_cast<std::int64_t>(sizeof pattern);
  }
  return known->second;
}

std::int32_t KeptRun::number_of(std::span<const std::uint32_t> awaited) {
  const auto [known, fresh] = waits_.try_emplace({awaited.begin(), awaited.end()},
                                                 static_cast<std::int32_t>(awaited_.size()));
  if (fresh) awaited_.push_back(&known->first);
  return known->second;
}

void KeptRun::add(std::int64_t block, const KeptBlock& kept) {
  if (!is_whole_) return;
  KeptSteps& steps = launches_.back().blocks[block];
  for (const std::vector<KeptStep>& warp : kept.warps) {
    std::vector<KeptRunStep>& own = steps.emplace_back();
    own.reserve(warp.size());
    bytes_ += static_cast<std::int64_t>(warp.size() * sizeof(KeptRunStep));
    for (const KeptStep& step : warp) {
      KeptRunStep& last = own.emplace_back();
      last = {step.kind, static_cast<std::uint8_t>(step.words), step.site, -1, step.value};
      if (step.kind == StepKind::wait) {
        last.pattern = number_of(kept.awaited_by(step));
        last.site = kept.instruction_of(step);
      }
      if (step.kind != StepKind::request) continue;
      LanePattern pattern;
      const auto first = kept.addresses.begin() + static_cast<std::ptrdiff_t>(step.value);
      std::copy_n(first, warp_lanes, pattern.begin());
      std::int64_t least = INT64_MAX;
      for (const std::int64_t word : pattern)
        if (word >= 0) least = std::min(least, word);
      for (std::int64_t& word : pattern)
        if (word >= 0) word -= least;
      last.pattern = pattern_of(pattern);
      last.value = least;
    }
  }
  if (bytes_ <= most_bytes_) return;
  is_whole_ = false;
  launches_.clear();
  patterns_.clear();
  numbers_.clear();
  waits_.clear();
  awaited_.clear();
  asked_.clear();
}

void KeptRun::end(std::uint64_t asked) {
  if (is_whole_) asked_.try_emplace({launches_.back().kernel, asked}, launches_.size() - 1);
}

bool KeptRun::repeat(std::uint64_t asked) {
  if (!is_whole_) return true;
  const auto known = asked_.find({launches_.back().kernel, asked});
  if (known == asked_.end()) return false;
  const std::size_t first = known->second;
  launches_.pop_back();
  launches_[first].times += 1;
  return true;
}

LanePattern KeptRun::words_of(const KeptRunStep& request) const {
  LanePattern words = patterns_[static_cast<std::size_t>(request.pattern)];
  for (std::int64_t& word : words)
    if (word >= 0) word += request.value;
  return words;
}

std::vector<SharedArray> shared_arrays_of(const Module& module, const Image& image,
                                          const PricedKernel& kernel, std::int64_t dynamic_bytes) {
  std::vector<SharedArray> arrays;
  constexpr auto word = static_cast<std::int64_t>(word_bytes);
  const auto add = [&](const std::string& name, std::int64_t begin, std::int64_t bytes) {
    SharedArray& array = arrays.emplace_back();
    array.kernel = kernel.info.name;
    array.name = name;
    array.begin = begin / word;
    array.words = (bytes + word - 1) / word;
  };
  std::vector<const Function*> functions;
  for (std::size_t number = 0; number < kernel.first.size(); ++number) {
    if (kernel.first[number] < 0) continue;
    const Code& part = image.code(static_cast<std::int32_t>(number));
    functions.push_back(part.function);
    const std::vector<Variable>& variables = part.function->variables;
    for (std::size_t k = 0; k < variables.size(); ++k)
      if (variables[k].space == Space::shared && variables[k].bytes > 0)
        add(variables[k].name, part.shared_begin + part.offsets[k], variables[k].bytes);
  }
  std::string dynamic = "dynamic";
  for (std::size_t k = 0; k < module.variables.size(); ++k) {
    const Variable& variable = module.variables[k];
    if (variable.space != Space::shared) continue;
    // Kernels of a file may have different names for the same memory.
    if (variable.bytes == 0) {
      if (std::any_of(functions.begin(), functions.end(),
                      [&](const Function* function) { return names_variable(*function, k); }))
        dynamic = variable.name;
    } else
      add(variable.name, static_cast<std::int64_t>(image.address_of_variable(k)), variable.bytes);
  }
  if (dynamic_bytes > 0) add(dynamic, image.dynamic_begin(), dynamic_bytes);
  return arrays;
}

namespace {

/// The lanes of a kept request; `placed` moves words of shared memory.
template <class Placed>
LaneAddresses lanes_of(const KeptRun& run, const KeptRunStep& step, const SiteInfo& site,
                       Placed&& placed) {
  LaneAddresses lanes;
  lanes.space = site.array == 0 ? Space::global : Space::shared;
  lanes.bytes = step.words * static_cast<int>(word_bytes);
  const LanePattern words = run.words_of(step);
  for (int lane = 0; lane < warp_lanes; ++lane) {
    std::int64_t word = words[static_cast<std::size_t>(lane)];
    if (word < 0) continue;
    if (lanes.space == Space::shared) word = placed(word);
    lanes.mask |= std::uint32_t{1} << lane;
    lanes.address[lane] = static_cast<std::uint64_t>(word) * word_bytes;
  }
  return lanes;
}
LaneAddresses lanes_of(const KeptRun& run, const KeptRunStep& step, const SiteInfo& site) {
  return lanes_of(run, step, site, [](std::int64_t word) { return word; });
}

/// Calls `see(launch, site, step)` for each kept request.
template <class See>
void each_request(const KeptRun& run, See&& see) {
  for (const KeptLaunch& launch : run.launches())
    for (const auto& [block, warps] : launch.blocks)
      for (const std::vector<KeptRunStep>& warp : warps)
        for (const KeptRunStep& step : warp)
          if (step.kind == StepKind::request)
            see(launch, launch.kernel->info.sites[static_cast<std::size_t>(step.site)], step);
}

} // namespace

std::vector<SharedArray> shared_arrays_of(const KeptRun& run, const MachineSpec& machine) {
  std::vector<SharedArray> all;
  // By launch: the numbers in `all` of its arrays.
  std::map<const KeptLaunch*, std::vector<std::size_t>> numbers;
  for (const KeptLaunch& launch : run.launches())
    for (const SharedArray& array : launch.arrays) {
      const auto known = std::find_if(all.begin(), all.end(), [&](const SharedArray& other) {
        return other.kernel == array.kernel && other.name == array.name &&
               other.begin == array.begin && other.words == array.words;
      });
      numbers[&launch].push_back(static_cast<std::size_t>(known - all.begin()));
      if (known == all.end()) all.push_back(array);
    }
  each_request(run, [&](const KeptLaunch& launch, const SiteInfo& site, const KeptRunStep& step) {
    if (site.array == 0) return;
    for (const std::size_t number : numbers[&launch]) {
      SharedArray& array = all[number];
      if (step.value < array.begin || step.value >= array.begin + array.words) continue;
      const LaneAddresses lanes = lanes_of(run, step, site);
      const RequestCounts counts = counts_on(machine, site, RequestLanes(lanes));
      array.lost += launch.times * (counts.stages - counts.needed);
      array.aligned = std::max(array.aligned, std::int64_t{step.words});
    }
  });
  return all;
}

std::optional<LaneWords> find_costliest(const KeptRun& run, const MachineSpec& machine,
                                        SourceLine line, UnitId unit, AccessKind kind) {
  std::int64_t most = 0;
  KeptRunStep costliest;
  each_request(run, [&](const KeptLaunch&, const SiteInfo& site, const KeptRunStep& step) {
    if (site.line != line || site.unit != unit || site.kind != kind) return;
    const LaneAddresses lanes = lanes_of(run, step, site);
    const std::int64_t stages = counts_on(machine, site, RequestLanes(lanes)).stages;
    if (stages <= most) return;
    most = stages;
    costliest = step;
  });
  if (most == 0) return std::nullopt;
  const LanePattern words = run.words_of(costliest);
  return LaneWords{{words.begin(), words.end()}, costliest.words};
}

namespace {

/// The launches of a run, timed again.
class VariedLaunch {
public:
  VariedLaunch(const KeptRun& run, const KeptLaunch& launch, const MachineSpec& machine,
               const Variation& variation)
      : run_(run), launch_(launch), machine_(machine), variation_(variation) {
    if (variation.padded && variation.padded->kernel == launch.kernel->info.name)
      padded_ = &*variation.padded;
  }

  LaunchShape shape() const {
    LaunchShape shape = launch_.shape;
    if (padded_) shape.shared_words += padded_->words / padded_->row * padded_->spare;
    return shape;
  }

  BlockSteps steps_of(std::int64_t number) {
    const KeptSteps& warps = launch_.blocks.at(number);
    BlockSteps steps(machine_, static_cast<std::int64_t>(warps.size()));
    std::vector<std::size_t> at(warps.size(), 0);
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (std::size_t warp = 0; warp < warps.size(); ++warp) {
        while (at[warp] < warps[warp].size() && warps[warp][at[warp]].kind != StepKind::barrier)
          add(steps, static_cast<std::int64_t>(warp), warps[warp][at[warp]++]);
        if (at[warp] == warps[warp].size()) {
          if (at[warp] != SIZE_MAX) steps.end(static_cast<std::int64_t>(warp));
          at[warp] = SIZE_MAX;
        } else if (at[warp] != SIZE_MAX) {
          ++at[warp];
          goes_on = true;
        }
      }
      if (goes_on) steps.barrier();
    }
    steps.finish();
    return steps;
  }

  std::int64_t requests = 0, lost = 0;

private:
  std::int64_t placed(std::int64_t word) const {
    if (!padded_ || word < padded_->begin) return word;
    const std::int64_t of_array = std::min(word - padded_->begin, padded_->words);
    return word + of_array / padded_->row * padded_->spare;
  }

  void add(BlockSteps& steps, std::int64_t warp, const KeptRunStep& step) {
    if (step.kind == StepKind::compute)
      return steps.compute(warp, step.value, static_cast<OperationClass>(step.words));
    if (step.kind == StepKind::wait) return steps.wait(warp, run_.awaited_by(step), step.site);
    const auto of = static_cast<std::size_t>(step.site);
    const SiteInfo& site = launch_.kernel->info.sites[of];
    const LaneAddresses lanes =
        lanes_of(run_, step, site, [&](std::int64_t word) { return placed(word); });
    const RequestLanes active(lanes);
    RequestCounts counts = counts_on(machine_, site, active);
    const bool is_free = variation_.conflict_free && site.line == *variation_.conflict_free;
    if (is_free) counts.stages = counts.needed;
    requests += 1;
    lost += counts.stages - counts.needed;
    const bool port = site.unit == UnitId::global && machine_.has_own_ports();
    const bool gets = returns(site.kind, site.uses_old);
    if (!port && (!is_served_by_groups(machine_, site) || is_free))
      return steps.request(warp, site.unit, counts.stages, gets, of);
    find_groups(lanes, 0, machine_.stage_words(*machine_.global), site.kind, groups_);
    if (!port) return steps.atomic(warp, groups_, gets, of);
    if (is_free) groups_.resize(static_cast<std::size_t>(counts.needed));
    const PortTally at_port = port_of(machine_, active);
    steps.at_port(warp, {of, is_free ? at_port.needed : at_port.stages, counts.needed, site.kind,
                         site.is_volatile, site.uses_old, groups_});
  }

  const KeptRun& run_;
  const KeptLaunch& launch_;
  const MachineSpec& machine_;
  const Variation& variation_;
  const PaddedArray* padded_ = nullptr;
  std::vector<AtomicGroup> groups_;
};

} // namespace

VariedRun time_again(const KeptRun& run, const MachineSpec& machine, const Variation& variation,
                     const Limits& limits) {
  VariedRun varied;
  const MachineSpec& on = variation.machine ? *variation.machine : machine;
  for (const KeptLaunch& launch : run.launches()) {
    VariedLaunch changed(run, launch, on, variation);
    const LaunchShape shape = changed.shape();
    const std::string& kernel = launch.kernel->info.name;
    varied.fits = !shape_fault(on, kernel, shape) && !capacity_fault(on, kernel, shape, 0);
    if (!varied.fits) return varied;
    EngineWork work;
    const LaunchOutcome outcome = time_launch(
        on, shape, Cycles{varied.time}, limits,
        [&](std::int64_t block, const LaunchTime&, BlockSteps& steps) {
          steps = changed.steps_of(block);
          return Stop::none;
        },
        work);
    varied.stop = outcome.stop;
    if (outcome.stop != Stop::none) return varied;
    varied.time += launch.times * outcome.tally.time.value;
    varied.requests += launch.times * changed.requests;
    varied.lost += launch.times * changed.lost;
    for (const UnitAccount& unit : outcome.tally.global)
      varied.global_latency += launch.times * unit.idle_latency;
    varied.shared_latency.resize(outcome.tally.shared.size());
    for (std::size_t mp = 0; mp < outcome.tally.shared.size(); ++mp)
      varied.shared_latency[mp] += launch.times * outcome.tally.shared[mp].idle_latency;
  }
  return varied;
}

} // namespace memlane::ptx
