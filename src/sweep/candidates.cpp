// Changes that may help a run, found from its counts.
#include "memlane/count/hiding.hpp"
#include "memlane/sweep/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>

namespace memlane::sweep {
namespace {

/// Values worth a run: 2, 4 and 8 times the present one, and what the account advises.
std::set<std::int64_t> more_of(std::int64_t value,
                               const std::vector<std::optional<HidingAdvice>>& advice) {
  std::set<std::int64_t> values;
  for (std::int64_t times = 2; times <= 8; times *= 2)
    if (value <= INT64_MAX / times) values.insert(times * value);
  for (const auto& one : advice)
    if (one) values.insert(one->value);
  return values;
}

bool waits_for_latency(const RunResult& run) {
  const auto waits = [&](const std::vector<UnitCounts>& units) {
    return std::any_of(units.begin(), units.end(), [&](const UnitCounts& unit) {
      return unit.requests > 0 && static_cast<double>(unit.idle_latency + unit.idle_barrier) >=
                                      least_gain * static_cast<double>(run.counts.time.value);
    });
  };
  return waits(run.counts.global) || waits(run.counts.shared);
}

void add_machine(const Point& base, const RunResult& run, std::vector<Change>& changes) {
  if (!is_timed(base.machine.model) || !waits_for_latency(run)) return;
  const LatencyHiding account = latency_hiding(base.machine, run.counts);
  std::vector<std::optional<HidingAdvice>> threads, blocks;
  for (const auto* unit : {&account.global, &account.shared})
    if (*unit) {
      threads.push_back((*unit)->threads);
      blocks.push_back((*unit)->resident_blocks);
    }
  for (const std::int64_t value : more_of(base.machine.threads, threads))
    changes.push_back({ChangeKind::machine, "threads", std::to_string(value)});
  const bool several =
      std::any_of(run.launches.begin(), run.launches.end(), [&](const LaunchCounts& launch) {
        return launch.blocks > base.machine.multiprocessors * base.machine.resident_blocks;
      });
  if (!several) return;
  for (const std::int64_t value : more_of(base.machine.resident_blocks, blocks))
    changes.push_back({ChangeKind::machine, "resident_blocks", std::to_string(value)});
}

/// The XOR swizzle that takes w consecutive elements of a column to w banks, if the rows and w are
/// powers of two. It reads the lowest bits of the row's number; where rows are shorter than w,
/// these are in the bank's number already, and it reads the bits above the bank's.
std::optional<Swizzle> column_swizzle(const ir::Array& array, std::int64_t width) {
  const std::int64_t row = array.extents.size() > 1 ? array.extents.back() : width;
  if (row < 2 || width < 2) return std::nullopt;
  const auto w = static_cast<std::uint64_t>(width), length = static_cast<std::uint64_t>(row);
  if (!std::has_single_bit(w) || !std::has_single_bit(length)) return std::nullopt;
  const auto [fewer, more] =
      std::minmax<std::int64_t>({std::countr_zero(w), std::countr_zero(length)});
  const Swizzle swizzle{fewer, 0, more};
  if (!problem_of(swizzle).empty()) return std::nullopt;
  return swizzle;
}

/// The layouts that are tried for an array, those without spare words first: of equally good ones
/// the first is suggested. Random ones would only do by chance what these do.
std::vector<std::string> layouts_for(const ir::Array& array, std::int64_t width) {
  std::vector<std::string> texts;
  if (array.layout != ir::Layout::rows) texts.emplace_back("rows");
  if (array.layout != ir::Layout::diagonal) texts.emplace_back("diagonal");
  const std::optional<Swizzle> swizzle = column_swizzle(array, width);
  if (swizzle && (array.layout != ir::Layout::swizzle || array.swizzle != *swizzle))
    texts.push_back(
        fmt::format("swizzle({}, {}, {})", swizzle->bits, swizzle->base, swizzle->shift));
  if (array.layout != ir::Layout::padded || array.padding != 1) texts.emplace_back("padded(1)");
  return texts;
}

void add_layouts(const Point& base, const RunResult& run, std::vector<Change>& changes) {
  std::map<std::string, std::int64_t> extra;
  for (const AccessCounts& access : run.accesses) extra[access.array] += access.conflicts();
  std::vector<std::pair<std::int64_t, std::string>> arrays; // the most extra stages first
  for (const auto& [name, stages] : extra)
    if (stages > 0) arrays.emplace_back(-stages, name);
  std::sort(arrays.begin(), arrays.end());
  constexpr std::size_t most_arrays = 3;
  arrays.resize(std::min(arrays.size(), most_arrays));
  for (const auto& [stages, name] : arrays)
    for (const ir::Array& array : base.code->arrays) {
      if (array.name != name) continue;
      for (std::string& layout : layouts_for(array, base.machine.width))
        changes.push_back({ChangeKind::layout, name, std::move(layout)});
      break;
    }
}

void add_parameters(const Point& base, std::vector<Change>& changes) {
  for (const ir::Constant& param : parameters_of(*base.code)) {
    if (!ir::is_integer(param.type)) continue;
    const std::int64_t number = param.value.integer();
    if (number < 1 || number > (std::int64_t{1} << 40)) continue;
    changes.push_back({ChangeKind::parameter, param.name, std::to_string(2 * number)});
    if (number > 1 && number % 2 == 0)
      changes.push_back({ChangeKind::parameter, param.name, std::to_string(number / 2)});
  }
}

} // namespace

std::vector<Change> candidates(const Point& base, const RunResult& run) {
  std::vector<Change> changes;
  add_machine(base, run, changes);
  add_layouts(base, run, changes);
  if (!run.outputs.empty()) add_parameters(base, changes);
  return changes;
}

} // namespace memlane::sweep
