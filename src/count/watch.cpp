#include "memlane/count/watch.hpp"

#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {
namespace {

constexpr std::string_view form = "write a, a[3], a[0..8] or a[2, 0..8], with whole numbers";

Diagnostic watch_error(const std::string& text, const std::string& message,
                       std::vector<std::string> help = {std::string(form)}) {
  return error_in("--watch", fmt::format("{}: {}", text, message), std::move(help));
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

/// The indices that one dimension has: lo up to hi, without hi.
struct IndexRange {
  std::int64_t lo = 0, hi = 0;
};

Result<std::vector<IndexRange>> ranges_in(const std::string& text, const std::string& inside) {
  std::vector<IndexRange> ranges;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    const std::string word = trimmed(std::string_view(inside).substr(begin, end - begin));
    const std::size_t dots = word.find("..");
    const auto lo = number_of<std::int64_t>(trimmed(std::string_view(word).substr(0, dots)));
    const auto hi = dots == std::string::npos
                        ? lo
                        : number_of<std::int64_t>(trimmed(std::string_view(word).substr(dots + 2)));
    if (!lo || !hi) return watch_error(text, fmt::format("'{}' is no index or range", word));
    ranges.push_back({*lo, dots == std::string::npos ? *lo + 1 : *hi});
    if (dots != std::string::npos && end != inside.size())
      return watch_error(text, "only the last index may be a range");
    begin = end + 1;
  }
  return ranges;
}

/// The arrays of a name: several, if its elements are records.
std::vector<std::int32_t> arrays_named(const ir::Program& program, const std::string& name) {
  std::vector<std::int32_t> found;
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    const std::string& own = program.arrays[k].name;
    if (own == name || own.rfind(name + ".", 0) == 0) found.push_back(static_cast<std::int32_t>(k));
  }
  return found;
}

Diagnostic no_array(const std::string& text, const std::string& name, const ir::Program& program) {
  std::vector<std::string> names;
  for (const ir::Array& array : program.arrays)
    names.push_back(array.name.substr(0, array.name.find('.')));
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::string> help = did_you_mean(name, names);
  if (help.empty() && !names.empty())
    help = {fmt::format("arrays of the program: {}", fmt::join(names, ", "))};
  return watch_error(text, fmt::format("no memory or shared array '{}'", name), std::move(help));
}

Status check_ranges(const std::string& text, const ir::Array& array,
                    const std::vector<IndexRange>& ranges) {
  if (ranges.size() > array.extents.size())
    return watch_error(
        text, fmt::format("{} for {}",
                          counted(static_cast<std::int64_t>(ranges.size()), "index", "indices"),
                          counted(static_cast<std::int64_t>(array.extents.size()), "dimension")));
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const auto [lo, hi] = ranges[k];
    if (lo >= hi && hi >= 0 && lo >= 0 && lo <= array.extents[k])
      return watch_error(text, fmt::format("{}..{} is empty", lo, hi));
    if (lo < 0 || hi > array.extents[k])
      return watch_error(
          text, fmt::format("dimension {} has the indices 0 to {}", k + 1, array.extents[k] - 1));
  }
  return Done{};
}

/// Adds all elements of the ranges, the last dimension fastest.
void add_elements(const ir::Array& array, const std::vector<IndexRange>& ranges,
                  std::vector<std::int64_t>& index, WatchedPart& part) {
  const std::size_t k = index.size();
  if (k == array.extents.size()) {
    std::int64_t element = 0;
    for (std::size_t i = 0; i < k; ++i) element = element * array.extents[i] + index[i];
    part.elements.push_back(element);
    part.names.push_back(fmt::format("[{}]", fmt::join(index, ", ")));
    return;
  }
  const IndexRange range = k < ranges.size() ? ranges[k] : IndexRange{0, array.extents[k]};
  for (std::int64_t i = range.lo; i < range.hi; ++i) {
    index.push_back(i);
    add_elements(array, ranges, index, part);
    index.pop_back();
  }
}

} // namespace

Result<WatchedPart> watched_part(const std::string& text, const ir::Program& program) {
  const std::size_t bracket = text.find('[');
  const std::string name = trimmed(std::string_view(text).substr(0, bracket));
  WatchedPart part;
  part.text = text;
  part.arrays = arrays_named(program, name);
  if (part.arrays.empty()) return no_array(text, name, program);
  const ir::Array& array = program.arrays[static_cast<std::size_t>(part.arrays[0])];
  for (const std::int32_t number : part.arrays) {
    const ir::Array& field = program.arrays[static_cast<std::size_t>(number)];
    part.types.push_back(field.type);
    if (field.name == array.name && number != part.arrays[0])
      return watch_error(text, "several kernels have an array of this name",
                         {"rename one of them"});
  }
  part.shared = array.space == ir::Space::shared;
  if (!array.extent_functions.empty())
    return watch_error(text, "its size differs between launches", {"give it a constant extent"});
  std::vector<IndexRange> ranges;
  if (bracket != std::string::npos) {
    const std::string rest = trimmed(std::string_view(text).substr(bracket));
    if (rest.back() != ']') return watch_error(text, "']' is missing");
    Result<std::vector<IndexRange>> read = ranges_in(text, rest.substr(1, rest.size() - 2));
    if (!read) return read.errors();
    ranges = std::move(*read);
  }
  if (Status good = check_ranges(text, array, ranges); !good) return good.errors();
  std::int64_t elements = 1;
  for (std::size_t k = 0; k < array.extents.size(); ++k) {
    elements *= k < ranges.size() ? ranges[k].hi - ranges[k].lo : array.extents[k];
    if (elements > most_watched_elements)
      return watch_error(text,
                         fmt::format("at most {} elements can be watched", most_watched_elements),
                         {"watch a part of it, as a[0..8]"});
  }
  std::vector<std::int64_t> index;
  add_elements(array, ranges, index, part);
  return part;
}

void WatchRecorder::run_begins() {
  record_.points.clear();
  record_.omitted = 0;
  now_ = Cycles{0};
  memory_.clear();
  shared_.clear();
  barriers_.clear();
  last_.assign(record_.parts.size(), {});
}

void WatchRecorder::memory_made(std::span<const ArrayView> arrays) {
  for (const ArrayView& view : arrays) memory_.emplace(view.array, view);
}

void WatchRecorder::launch_begins(std::int64_t launch, const LaunchShape&,
                                  std::string_view kernel) {
  if (launch == 0) look(-1, -1);
  kernel_ = kernel;
  barriers_.clear();
  shared_.clear();
  // The blocks of each launch have shared arrays of their own.
  for (std::size_t part = 0; part < record_.parts.size(); ++part)
    if (record_.parts[part].shared) last_[part].clear();
}

void WatchRecorder::block_memory_made(std::int64_t block, std::span<const ArrayView> arrays) {
  Views& views = shared_[block];
  for (const ArrayView& view : arrays) views.emplace(view.array, view);
}

void WatchRecorder::released(std::int64_t launch, std::int64_t block) {
  ++barriers_[block];
  if (at_ == WatchAt::barrier) look(launch, block);
}

void WatchRecorder::block_ends(std::int64_t, std::int64_t block) { shared_.erase(block); }

void WatchRecorder::launch_ends(std::int64_t launch, const LaunchTally&) {
  shared_.clear();
  look(launch, -1);
}

void WatchRecorder::look(std::int64_t launch, std::int64_t block) {
  const bool has_memory = block < 0 || ahead_.count(kernel_) == 0;
  for (std::size_t part = 0; part < record_.parts.size(); ++part)
    if (record_.parts[part].shared ? block >= 0 : has_memory) compare(part, launch, block);
}

const ArrayView* WatchRecorder::view_of(std::int32_t array, std::int64_t block) const {
  if (const auto found = memory_.find(array); found != memory_.end()) return &found->second;
  const auto views = shared_.find(block);
  if (views == shared_.end()) return nullptr;
  const auto found = views->second.find(array);
  return found == views->second.end() ? nullptr : &found->second;
}

void WatchRecorder::compare(std::size_t number, std::int64_t launch, std::int64_t block) {
  const WatchedPart& part = record_.parts[number];
  std::vector<std::string> values;
  bool any = false;
  for (const std::int64_t element : part.elements) {
    std::string text;
    for (std::size_t field = 0; field < part.arrays.size(); ++field) {
      const ArrayView* const view = view_of(part.arrays[field], block);
      const auto value = view ? view->value(element) : std::nullopt;
      if (!value) break;
      text += (field > 0 ? ", " : "") + to_string(part.types[field], *value);
    }
    any = any || !text.empty();
    values.push_back(part.arrays.size() > 1 && !text.empty() ? "(" + text + ")" : text);
  }
  if (!any) return; // the kernel does not have this array, or nothing is written yet
  std::vector<std::string>& last = last_[number][part.shared ? block : -1];
  const bool first = last.empty();
  if (values == last) return;
  WatchPoint made{number, launch, kernel_, {}, {}, now_.value, values, {}};
  if (block >= 0) {
    made.block = block;
    made.barrier = barriers_[block];
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    made.changed.push_back(first ? part.shared && !values[i].empty() : values[i] != last[i]);
  last = std::move(values);
  if (static_cast<std::int64_t>(record_.points.size()) < most_watched_points)
    record_.points.push_back(std::move(made));
  else
    ++record_.omitted;
}

} // namespace memlane
