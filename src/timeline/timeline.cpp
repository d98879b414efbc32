#include "memlane/timeline/timeline.hpp"

#include "memlane/timeline/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace memlane {

namespace {

/// What a warp does comes before its requests being in the pipeline.
int rank_of(const WarpSpan& span) {
  switch (span.state) {
  case WarpState::enters: return 0;
  case WarpState::conflict: return 1;
  case WarpState::waits:
  case WarpState::computes:
  case WarpState::at_barrier:
  case WarpState::done: return 2;
  case WarpState::in_pipeline: break;
  }
  return 3;
}

/// One state in each time unit of the warp whose spans these are, sorted by their begins. Of equal
/// ranks the latest request's is shown.
void add_without_overlap(std::span<const WarpSpan> of_warp, std::vector<WarpSpan>& spans) {
  std::vector<std::int64_t> times;
  for (const WarpSpan& span : of_warp) times.insert(times.end(), {span.from, span.to});
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::vector<const WarpSpan*> present;
  auto next = of_warp.begin();
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    for (; next != of_warp.end() && next->from == times[k]; ++next) present.push_back(&*next);
    std::erase_if(present, [&](const WarpSpan* span) { return span->to <= times[k]; });
    if (present.empty()) continue;
    const auto first =
        std::min_element(present.begin(), present.end(), [](const WarpSpan* a, const WarpSpan* b) {
          return std::pair(rank_of(*a), -static_cast<std::int64_t>(a->request.value_or(0))) <
                 std::pair(rank_of(*b), -static_cast<std::int64_t>(b->request.value_or(0)));
        });
    WarpSpan shown = **first;
    shown.from = times[k];
    shown.to = times[k + 1];
    const bool goes_on = !spans.empty() && spans.back().launch == shown.launch &&
                         spans.back().block == shown.block && spans.back().warp == shown.warp &&
                         spans.back().to == shown.from && spans.back().state == shown.state &&
                         spans.back().request == shown.request;
    goes_on ? void(spans.back().to = shown.to) : spans.push_back(shown);
  }
}

/// Where a warp has several requests on their way, their spans overlap.
std::vector<WarpSpan> without_overlaps(const std::vector<WarpSpan>& sorted) {
  std::vector<WarpSpan> spans;
  for (auto first = sorted.begin(); first != sorted.end();) {
    bool overlap = false;
    auto last = first + 1;
    for (; last != sorted.end() && last->launch == first->launch && last->block == first->block &&
           last->warp == first->warp;
         ++last)
      overlap = overlap || last->from < (last - 1)->to;
    if (overlap)
      add_without_overlap({&*first, static_cast<std::size_t>(last - first)}, spans);
    else
      spans.insert(spans.end(), first, last);
    first = last;
  }
  return spans;
}

} // namespace

std::vector<WarpSpan> warp_spans(const Timeline& timeline) {
  std::vector<WarpSpan> spans;
  const auto add = [&](const auto& of, std::int64_t from, std::int64_t to, WarpState state,
                       std::optional<std::size_t> request = {}) {
    from = std::max(from, timeline.from);
    to = std::min(to, timeline.to);
    if (from < to) spans.push_back({of.launch, of.block, of.warp, from, to, state, request});
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> ends;
  for (const Timeline::Block& b : timeline.blocks)
    ends[{b.launch, b.block}] = b.to.value_or(timeline.to);
  for (std::size_t i = 0; i < timeline.requests.size(); ++i) {
    const Timeline::Request& r = timeline.requests[i];
    const auto block = ends.find({r.launch, r.block});
    if (block == ends.end()) continue; // a write of a block that has ended before the piece
    const auto add_until = [&](std::int64_t from, std::int64_t to, WarpState state) {
      add(r, from, std::min(to, block->second), state, i);
    };
    add_until(r.issued, r.dispatched, WarpState::waits);
    add_until(r.dispatched, r.dispatched + 1, WarpState::enters);
    add_until(r.dispatched + 1, r.last + 1, WarpState::conflict);
    add_until(r.last + 1, r.completed, WarpState::in_pipeline);
  }
  for (const Timeline::Waiting& w : timeline.waiting)
    add(w, w.issued, timeline.to, WarpState::waits);
  for (const Timeline::Barrier& b : timeline.barriers)
    add(b, b.arrived, b.released.value_or(timeline.to), WarpState::at_barrier);
  for (const Timeline::Compute& c : timeline.computes) {
    add(c, c.issued, c.from, WarpState::waits);
    add(c, c.from, c.to, WarpState::computes);
  }
  for (const Timeline::Done& d : timeline.done)
    add(d, d.from, ends.at({d.launch, d.block}), WarpState::done);
  const auto key = [](const WarpSpan& s) { return std::tuple(s.launch, s.block, s.warp, s.from); };
  std::sort(spans.begin(), spans.end(),
            [&](const WarpSpan& a, const WarpSpan& b) { return key(a) < key(b); });
  return without_overlaps(spans);
}

std::vector<PortUse> port_uses(const Timeline::Request& request, std::int64_t ports) {
  // Stage i enters through port (port + i) mod k in time unit dispatched + (port + i) / k.
  std::vector<PortUse> uses;
  for (std::int64_t i = 0; i < std::min(ports, request.stages); ++i) {
    const std::int64_t first = request.port + i;
    const std::int64_t last = first + (request.stages - 1 - i) / ports * ports;
    uses.push_back(
        {first % ports, request.dispatched + first / ports, request.dispatched + last / ports + 1});
  }
  return uses;
}

void trim(Timeline& timeline, std::int64_t to) {
  if (to >= timeline.to) return;
  timeline.to = to;
  for (const Timeline::Request& r : timeline.requests)
    if (r.dispatched >= to && r.issued < to)
      timeline.waiting.push_back({r.launch, r.block, r.warp, r.unit, r.span, r.issued});
  std::erase_if(timeline.requests, [&](const auto& r) { return r.dispatched >= to; });
  for (const Timeline::Compute& c : timeline.computes)
    if (c.from >= to && c.issued < to)
      timeline.waiting.push_back({c.launch, c.block, c.warp, {}, {}, c.issued});
  std::erase_if(timeline.waiting, [&](const auto& w) { return w.issued >= to; });
  std::erase_if(timeline.barriers, [&](const auto& b) { return b.arrived >= to; });
  std::erase_if(timeline.computes, [&](const auto& c) { return c.from >= to; });
  std::erase_if(timeline.entries, [&](const auto& e) { return e.from >= to; });
  std::erase_if(timeline.done, [&](const auto& d) { return d.from >= to; });
  std::erase_if(timeline.blocks, [&](const auto& b) { return b.from >= to; });
  std::erase_if(timeline.launches, [&](const auto& l) { return l.begin >= to; });
  std::erase_if(timeline.registers, [&](const auto& r) { return r.time >= to; });
  std::erase_if(timeline.host_writes, [&](const auto& h) { return h.time >= to; });
}

void TimelineRecorder::note(const std::string& sentence) {
  auto& notes = piece_.notes;
  if (std::find(notes.begin(), notes.end(), sentence) == notes.end()) notes.push_back(sentence);
}

void TimelineRecorder::memory_made(std::span<const ArrayView> arrays) {
  memory_.assign(arrays.begin(), arrays.end());
}

void TimelineRecorder::block_memory_made(std::int64_t number, std::span<const ArrayView> arrays) {
  if (over_) return;
  ResidentBlock& block = blocks_.at(number);
  block.views.assign(arrays.begin(), arrays.end());
  if (is_recording()) list_arrays(block, true);
}

void TimelineRecorder::list_arrays(ResidentBlock& block, bool fresh) {
  for (const ArrayView& view : block.views)
    block.arrays[view.array] = list_array(view, &block, fresh);
}

/// `fresh`: nothing was written to it yet.
std::int64_t TimelineRecorder::list_array(const ArrayView& view, const ResidentBlock* block,
                                          bool fresh) {
  const ir::Array& declared = program_.arrays[static_cast<std::size_t>(view.array)];
  Timeline::Array array;
  array.name = declared.name;
  array.unit = unit_of(view.unit, block ? block->place.multiprocessor : 0);
  if (block) {
    array.launch = block->place.launch;
    array.block = block->place.block;
  }
  array.first = view.first;
  array.words = view.placement->footprint;
  array.extents = *view.extents;
  array.type = declared.type;
  array.layout = declared.padding > 0
                     ? fmt::format("{}({})", declared.layout_name, declared.padding)
                     : declared.layout_name;
  array.words_of = placement_of(view, array.name);
  const bool later = !block && in_launch_ && !blocks_.empty() && ahead_.count(view.array) > 0;
  if (later)
    note(fmt::format("The values of {} at the beginning of the window are left out: the kernel "
                     "writes it, and its atomics or hoisted reads are computed before their time.",
                     array.name));
  if (fresh) {
    array.initial.emplace();
  } else if (!later) {
    fill_contents(view, array);
  }
  piece_.arrays.push_back(std::move(array));
  return static_cast<std::int64_t>(piece_.arrays.size()) - 1;
}

std::optional<std::int64_t> TimelineRecorder::placement_of(const ArrayView& view,
                                                           const std::string& name) {
  const Placement& placement = *view.placement;
  if (placement.kind == LayoutKind::rows) return std::nullopt;
  if (view.elements > most_contents) {
    note(fmt::format("The words of the elements of {} are left out: it has {} elements.", name,
                     view.elements));
    return std::nullopt;
  }
  std::vector<std::int64_t> words(static_cast<std::size_t>(view.elements));
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = placement.word(static_cast<std::int64_t>(i));
  // The blocks of a launch, and mostly those of all launches, have the same ones.
  const auto latest = placements_.find(view.array);
  auto& all = piece_.placements;
  if (latest != placements_.end() && all[static_cast<std::size_t>(latest->second)] == words)
    return latest->second;
  all.push_back(std::move(words));
  return placements_[view.array] = static_cast<std::int64_t>(all.size()) - 1;
}

void TimelineRecorder::fill_contents(const ArrayView& view, Timeline::Array& array) {
  if (array.words > contents_left_) {
    note(fmt::format("The values of {} at the beginning of the window are left out: it has {} "
                     "words.",
                     array.name, array.words));
    return;
  }
  contents_left_ -= array.words;
  array.initial.emplace(static_cast<std::size_t>(array.words));
  for (std::int64_t i = 0; i < view.elements; ++i)
    (*array.initial)[static_cast<std::size_t>(view.placement->word(i))] = view.value(i);
}

void TimelineRecorder::transferred(WarpRef, std::int32_t array, std::span<const LaneValue> lanes) {
  if (!is_recording()) return;
  array_ = array;
  values_.assign(static_cast<std::size_t>(machine_.width), {});
  for (const LaneValue& lane : lanes) values_[static_cast<std::size_t>(lane.lane)] = lane.value;
}

std::int64_t TimelineRecorder::name_of(const KernelInfo& kernel, std::size_t variable) {
  const auto [entry, is_new] = names_.try_emplace({&kernel, variable});
  if (!is_new) return entry->second;
  const ir::Variable& own = kernel.variables[variable];
  const auto differs = [&](const ir::Variable& other) {
    return other.name == own.name && !(other.span == own.span);
  };
  std::string name = own.name;
  if (std::any_of(kernel.variables.begin(), kernel.variables.end(), differs))
    name += fmt::format(" (line {})", sources_->begin(own.span).line);
  auto& names = piece_.register_names;
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) found = names.insert(names.end(), name);
  return entry->second = found - names.begin();
}

void TimelineRecorder::before_step(const WarpRegisters& registers) {
  if (!is_recording() || registers_left_ <= 0) return;
  Warp& warp = warp_of(registers.warp);
  const auto& variables = registers.kernel->variables;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const ir::Variable& variable = variables[v];
    // The next instruction may be the first behind the scope.
    if (registers.instruction < variable.first || registers.instruction > variable.last) continue;
    const auto row = registers.row(variable.reg);
    const auto [known, is_new] = warp.registers.try_emplace(v);
    if (!is_new && std::equal(row.begin(), row.end(), known->second.begin())) continue;
    known->second.assign(row.begin(), row.end());
    registers_left_ -= static_cast<std::int64_t>(row.size());
    piece_.registers.push_back({launch_, registers.warp.block, registers.warp.warp, now_,
                                name_of(*registers.kernel, v), variable.type, known->second});
  }
  if (registers_left_ <= 0)
    note(fmt::format("Variables are recorded up to time {}: later changes are left out.", now_));
}

void TimelineRecorder::host_wrote(std::int32_t array, std::int64_t element, ir::Value value) {
  if (!is_recording()) return;
  if (static_cast<std::int64_t>(piece_.host_writes.size()) >= most_contents) {
    note("Later writes of the host are left out.");
    return;
  }
  const auto view = std::find_if(memory_.begin(), memory_.end(),
                                 [&](const ArrayView& v) { return v.array == array; });
  piece_.host_writes.push_back(
      {now_, memory_numbers_.at(array), view->placement->word(element), value});
}

} // namespace memlane
