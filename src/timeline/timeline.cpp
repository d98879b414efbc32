#include "memlane/timeline/timeline.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace memlane {

std::vector<WarpSpan> warp_spans(const Timeline& timeline) {
  std::vector<WarpSpan> spans;
  const auto add = [&](const auto& of, std::int64_t from, std::int64_t to, WarpState state,
                       std::optional<std::size_t> request = {}) {
    from = std::max(from, timeline.from);
    to = std::min(to, timeline.to);
    if (from < to) spans.push_back({of.launch, of.block, of.warp, from, to, state, request});
  };
  for (std::size_t i = 0; i < timeline.requests.size(); ++i) {
    const Timeline::Request& r = timeline.requests[i];
    add(r, r.issued, r.dispatched, WarpState::waits, i);
    add(r, r.dispatched, r.dispatched + 1, WarpState::enters, i);
    add(r, r.dispatched + 1, r.last + 1, WarpState::conflict, i);
    add(r, r.last + 1, r.completed, WarpState::in_pipeline, i);
  }
  for (const Timeline::Waiting& w : timeline.waiting)
    add(w, w.issued, timeline.to, WarpState::waits);
  for (const Timeline::Barrier& b : timeline.barriers)
    add(b, b.arrived, b.released.value_or(timeline.to), WarpState::at_barrier);
  for (const Timeline::Compute& c : timeline.computes) add(c, c.from, c.to, WarpState::computes);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> ends;
  for (const Timeline::Block& b : timeline.blocks)
    ends[{b.launch, b.block}] = b.to.value_or(timeline.to);
  for (const Timeline::Done& d : timeline.done)
    add(d, d.from, ends.at({d.launch, d.block}), WarpState::done);
  const auto key = [](const WarpSpan& s) { return std::tuple(s.launch, s.block, s.warp, s.from); };
  std::sort(spans.begin(), spans.end(),
            [&](const WarpSpan& a, const WarpSpan& b) { return key(a) < key(b); });
  return spans;
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
  std::erase_if(timeline.waiting, [&](const auto& w) { return w.issued >= to; });
  std::erase_if(timeline.barriers, [&](const auto& b) { return b.arrived >= to; });
  std::erase_if(timeline.computes, [&](const auto& c) { return c.from >= to; });
  std::erase_if(timeline.done, [&](const auto& d) { return d.from >= to; });
  std::erase_if(timeline.blocks, [&](const auto& b) { return b.from >= to; });
  std::erase_if(timeline.launches, [&](const auto& l) { return l.begin >= to; });
  std::erase_if(timeline.registers, [&](const auto& r) { return r.time >= to; });
  std::erase_if(timeline.host_writes, [&](const auto& h) { return h.time >= to; });
}

} // namespace memlane
