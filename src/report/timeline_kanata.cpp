// The log of the pipeline viewer Konata: lines of a command and its operands, separated by tabs.
// Time only goes forward, so the commands are sorted by time.
#include "timeline_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace memlane {
namespace {

struct KanataCommand {
  std::int64_t time = 0;
  std::string text; ///< with its line end
};

/// Stages: W waits for the port, S the first stage enters, X a further one, P in the pipeline.
void add_stages(std::vector<KanataCommand>& commands, std::size_t id,
                const Timeline::Request& request, std::int64_t from) {
  const auto add = [&](std::int64_t begin, std::int64_t end, char stage) {
    if (begin < end && end > from)
      commands.push_back({std::max(begin, from), fmt::format("S\t{}\t0\t{}\n", id, stage)});
  };
  add(request.issued, request.dispatched, 'W');
  add(request.dispatched, request.dispatched + 1, 'S');
  add(request.dispatched + 1, request.last + 1, 'X');
  add(request.last + 1, request.completed, 'P');
}

} // namespace

std::string timeline_kanata(const TimelineReport& report, const Sources& sources, Watch* watch) {
  const Timeline& timeline = report.timeline;
  std::vector<std::size_t> order(timeline.requests.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto request = [&](std::size_t i) -> const Timeline::Request& {
    return timeline.requests[i];
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return request(a).issued < request(b).issued;
  });
  // A thread of the viewer is a warp; its numbers begin at 0.
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t> threads;
  std::vector<KanataCommand> commands;
  std::vector<std::pair<std::int64_t, std::size_t>> ends;
  for (std::size_t id = 0; id < order.size(); ++id) {
    if (watch && !watch->go_on()) break;
    const Timeline::Request& r = request(order[id]);
    const std::size_t thread =
        threads.try_emplace({r.launch, r.block, r.warp}, threads.size()).first->second;
    const std::int64_t begin = std::max(r.issued, timeline.from);
    std::string text = fmt::format("I\t{}\t{}\t{}\n", id, order[id], thread);
    text += fmt::format("L\t{}\t0\t{}: B{} W{} {}\n", id, line_of(sources, r.span), r.block, r.warp,
                        access_text(timeline, r));
    text += fmt::format("L\t{}\t1\t{} ({}, launch {}, multiprocessor {}, {} stages)\n", id,
                        source_text(sources, r.span), unit_text(timeline, r.unit), r.launch,
                        r.multiprocessor, r.stages);
    commands.push_back({begin, std::move(text)});
    add_stages(commands, id, r, timeline.from);
    ends.emplace_back(r.completed, id);
  }
  std::stable_sort(ends.begin(), ends.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < ends.size(); ++k)
    commands.push_back({ends[k].first, fmt::format("R\t{}\t{}\t0\n", ends[k].second, k)});
  std::stable_sort(commands.begin(), commands.end(),
                   [](const KanataCommand& a, const KanataCommand& b) { return a.time < b.time; });
  std::string out = fmt::format("Kanata\t0004\nC=\t{}\n", timeline.from);
  std::int64_t now = timeline.from;
  for (const KanataCommand& command : commands) {
    if (command.time > now) out += fmt::format("C\t{}\n", command.time - now);
    now = command.time;
    out += command.text;
  }
  return out;
}

} // namespace memlane
