#include "memlane/kernels/kernel_timeline.hpp"

#include "memlane/ptx/names.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace memlane {

std::string chart_title(const TimelineReport& report) {
  return fmt::format("{} on {}", report.program.path, report.machine.name);
}

std::string chart_notes(const TimelineReport& report) {
  std::string text;
  for (const std::string& note : report.timeline.notes) text += fmt::format("note: {}\n", note);
  return text +
         fmt::format("time chart: {}, {}\n",
                     counted(static_cast<std::int64_t>(report.timeline.requests.size()), "request"),
                     counted(report.timeline.to - report.timeline.from, "time unit"));
}

KernelTimeline::KernelTimeline(const MachineSpec& machine, TimelineWindow window)
    : window_(window), recorder_(no_program_, machine, no_sources_, window,
                                 [this](Timeline whole) { timeline_ = std::move(whole); }) {}

void KernelTimeline::launch_begins(std::int64_t launch, const LaunchShape& shape,
                                   std::string_view kernel) {
  launch_ = launch;
  recorder_.launch_begins(launch, shape, kernel);
}

TimeObserver* KernelTimeline::times() {
  const bool is_other = window_.launch && *window_.launch != launch_;
  return recorder_.over() || is_other ? nullptr : recorder_.times();
}

namespace {

/// Names what the requests of a time chart access: arrays in shared memory, memory of the device.
class NamedArrays {
public:
  NamedArrays(Timeline& timeline, const ptx::Pricing& pricing, const FindMemory& find)
      : timeline_(timeline), find_(find), origin_(pricing.origin()) {
    for (const ptx::SharedArray& array : pricing.shared_arrays())
      shared_[array.kernel].push_back(array);
    for (const Timeline::Launch& launch : timeline.launches)
      kernels_[launch.launch] = launch.kernel;
  }

  void name(Timeline::Request& request) {
    std::int64_t word = -1;
    for (const std::int64_t address : request.addresses)
      if (word < 0) word = address;
    if (word < 0) return;
    const bool global =
        timeline_.units[static_cast<std::size_t>(request.unit)].unit == UnitId::global;
    request.array = global ? global_array(request.unit, word) : shared_array(request, word);
  }

private:
  std::int64_t add(Timeline::Array array) {
    array.extents = {array.words};
    timeline_.arrays.push_back(std::move(array));
    return static_cast<std::int64_t>(timeline_.arrays.size()) - 1;
  }

  std::optional<std::int64_t> global_array(std::int64_t unit, std::int64_t word) {
    auto after = global_.upper_bound(word);
    if (after != global_.begin()) {
      const std::int64_t number = std::prev(after)->second;
      const Timeline::Array& array = timeline_.arrays[static_cast<std::size_t>(number)];
      if (word < array.first + array.words) return number;
    }
    constexpr std::uint64_t bytes_of_word = 4;
    const std::uint64_t address = origin_ + static_cast<std::uint64_t>(word) * bytes_of_word;
    const NamedMemory memory = find_(address);
    if (memory.bytes == 0) return std::nullopt;
    Timeline::Array array;
    array.name = memory.name;
    array.unit = unit;
    array.first = static_cast<std::int64_t>((memory.address - origin_) / bytes_of_word);
    array.words = memory.bytes / static_cast<std::int64_t>(bytes_of_word);
    const std::int64_t first = array.first;
    return global_[first] = add(std::move(array));
  }

  std::optional<std::int64_t> shared_array(const Timeline::Request& request, std::int64_t word) {
    const auto arrays = shared_.find(kernels_[request.launch]);
    if (arrays == shared_.end()) return std::nullopt;
    for (const ptx::SharedArray& known : arrays->second) {
      if (word < known.begin || word >= known.begin + known.words) continue;
      const Place place{request.launch, request.block, known.begin};
      const auto there = of_blocks_.find(place);
      if (there != of_blocks_.end()) return there->second;
      Timeline::Array array;
      array.name = ptx::shared_array_name(known.name);
      array.unit = request.unit;
      array.launch = request.launch;
      array.block = request.block;
      array.first = known.begin;
      array.words = known.words;
      return of_blocks_[place] = add(std::move(array));
    }
    return std::nullopt;
  }

  struct Place {
    std::int64_t launch = 0, block = 0, begin = 0;
    auto operator<=>(const Place&) const = default;
  };

  Timeline& timeline_;
  const FindMemory& find_;
  std::uint64_t origin_;
  std::map<std::string, std::vector<ptx::SharedArray>> shared_; ///< by kernel
  std::map<std::int64_t, std::string> kernels_;                 ///< by launch
  std::map<std::int64_t, std::int64_t> global_;                 ///< arrays by their first word
  std::map<Place, std::int64_t> of_blocks_;
};

} // namespace

Result<TimelineReport> KernelTimeline::take(const ptx::Pricing& pricing, const RunReport& report,
                                            const FindMemory& find) {
  const bool whole = pricing.stop() == Stop::none;
  recorder_.finish(whole ? std::optional(pricing.time().value) : std::nullopt);
  if (!timeline_) return nothing_in_window(window_, recorder_, chart_launch_option);
  NamedArrays names(*timeline_, pricing, find);
  for (Timeline::Request& request : timeline_->requests) names.name(request);
  return TimelineReport{report.version, *report.program, report.machine, report.seed,
                        std::move(*timeline_)};
}

} // namespace memlane
