// Changes that may help a run, found from its counts.
#include "memlane/count/simulate.hpp"
#include "memlane/machine/bank_access.hpp"
#include "memlane/study/explain/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace memlane::sweep {

namespace {

bool has_layout(const ir::Array& array, const LayoutChoice& choice) {
  if (array.layout != choice.kind) return false;
  if (choice.kind == LayoutKind::padded) return array.padding == choice.spare;
  return choice.kind != LayoutKind::swizzle || array.swizzle == choice.swizzle;
}

/// The layouts that are tried for an array, those without spare words first: of equally good ones
/// the first is suggested. A matrix by rows is also tried by columns. Of paddings the least and of
/// swizzles the one of most bits. Random layouts would only do by chance what these do.
std::vector<std::string> layouts_for(const ir::Array& array, std::int64_t width) {
  const std::int64_t row = array.extents.size() > 1 ? array.extents.back() : width;
  std::map<LayoutKind, LayoutChoice> by_kind;
  for (const LayoutChoice& choice : layout_choices(width, std::max<std::int64_t>(row, 1)))
    if (choice.kind == LayoutKind::swizzle)
      by_kind[choice.kind] = choice;
    else
      by_kind.emplace(choice.kind, choice);
  std::vector<std::string> texts;
  for (const LayoutKind kind :
       {LayoutKind::rows, LayoutKind::diagonal, LayoutKind::swizzle, LayoutKind::padded})
    if (const auto found = by_kind.find(kind);
        found != by_kind.end() && !has_layout(array, found->second))
      texts.push_back(found->second.text());
  if (array.layout == LayoutKind::rows && array.extents.size() == 2)
    texts.insert(texts.begin(), fmt::format("strides(1, {})", array.extents.front()));
  return texts;
}

/// Whether each launch says how many threads it has, so that the machine's number changes nothing.
bool names_threads(const ir::Program& code) {
  return !code.threads_matter &&
         std::all_of(code.launches.begin(), code.launches.end(),
                     [](const ir::LaunchSite& site) { return site.threads >= 0; });
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

/// Larger parameters are left alone.
constexpr std::int64_t largest_tried = std::int64_t{1} << 40;

void add_parameters(const Point& base, std::vector<Change>& changes) {
  for (const ir::Constant& param : parameters_of(*base.code)) {
    if (!ir::is_integer(param.type)) continue;
    const std::int64_t number = param.value.integer();
    if (number < 1 || number > largest_tried) continue;
    changes.push_back({ChangeKind::parameter, param.name, std::to_string(2 * number)});
    if (number > 1 && number % 2 == 0)
      changes.push_back({ChangeKind::parameter, param.name, std::to_string(number / 2)});
  }
}

} // namespace

std::vector<Change> further(const Point& base, const std::vector<Suggestion>& found) {
  std::vector<Change> changes;
  for (const Suggestion& one : found) {
    if (one.change.kind != ChangeKind::parameter) continue;
    std::int64_t before = 0;
    for (const ir::Constant& param : parameters_of(*base.code))
      if (param.name == one.change.name) before = param.value.integer();
    const std::int64_t value = std::stoll(one.change.value);
    const bool last = value > before ? value > largest_tried / 2 : value % 2 != 0 || value == 1;
    if (!last)
      changes.push_back({ChangeKind::parameter, one.change.name,
                         std::to_string(value > before ? 2 * value : value / 2)});
  }
  return changes;
}

std::vector<Change> candidates(const Point& base, const RunResult& run) {
  std::vector<Change> changes = latency_changes(base.machine, run);
  if (names_threads(*base.code))
    std::erase_if(changes, [](const Change& change) {
      return change.kind == ChangeKind::machine && change.name == "threads";
    });
  add_layouts(base, run, changes);
  if (!run.outputs.empty()) add_parameters(base, changes);
  return changes;
}

// What the extra stages of a line cost.

std::optional<ConflictFreeLine> without_conflicts(const Point& base, const RunResult& run,
                                                  const Sources& sources, std::int64_t most_steps) {
  std::map<SourceLine, std::int64_t> extra;
  for (const AccessCounts& access : run.accesses) extra[access.line] += access.conflicts();
  ConflictFreeLine worst;
  for (const auto& [line, stages] : extra)
    if (stages > worst.extra_stages) {
      worst.line = line;
      worst.extra_stages = stages;
    }
  if (worst.extra_stages == 0 || run.steps > most_steps) return std::nullopt;
  worst.number = worst.line.second;
  RunOptions options = base.options;
  options.verify = false;
  options.timing_only = false; // the reference engine runs a program without its data as any other
  options.outputs.clear();
  options.print = {};
  options.limits.progress = nullptr;
  options.limits.memory = std::min(options.limits.memory, std::int64_t{1} << 28);
  const RunResult result = simulate_conflict_free(
      *base.code, base.machine, options, sources, [&](const Request& request) {
        return request.span.known() && request.span.file == worst.line.first &&
               sources.begin(request.span).line == worst.line.second;
      });
  if (result.stop != Stop::none) return std::nullopt;
  worst.predicted_time = result.counts.time.value;
  worst.predicted_gain = run.counts.time.value - worst.predicted_time;
  return worst;
}

} // namespace memlane::sweep
