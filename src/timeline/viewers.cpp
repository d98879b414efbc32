// Time charts in the formats of viewers: trace events (Perfetto), and the log of Konata.
#include "memlane/support/text.hpp"
#include "memlane/timeline/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace memlane {
namespace {

// --- what both say of requests

/// `shared 3`, `global`; of the only unit `memory`.
std::string unit_text(const Timeline& timeline, std::int64_t unit) {
  if (timeline.units.size() == 1) return "memory";
  return timeline.units[static_cast<std::size_t>(unit)].name();
}

std::string kind_text(const Timeline::Request& request) {
  return request.atomic ? "atomic" : request.write ? "write" : "read";
}

/// `write m 7 5 15 0`, `read a 0..31`: one address a lane, `-` for an inactive one.
std::string access_text(const Timeline& timeline, const Timeline::Request& request) {
  std::string text = kind_text(request);
  if (request.array) text += ' ' + timeline.arrays[static_cast<std::size_t>(*request.array)].name;
  const auto& addresses = request.addresses;
  bool is_row = addresses.size() > 2;
  for (std::size_t i = 0; i < addresses.size(); ++i)
    is_row =
        is_row && addresses[i] >= 0 && addresses[i] == addresses[0] + static_cast<std::int64_t>(i);
  if (is_row) return text + fmt::format(" {}..{}", addresses.front(), addresses.back());
  for (const std::int64_t address : addresses)
    text += address < 0 ? std::string(" -") : fmt::format(" {}", address);
  return text;
}

/// 0: unknown.
std::int32_t line_of(const Sources& sources, Span span) {
  return span.known() ? sources.begin(span).line : 0;
}

/// The source line of a request on one line; empty if it is unknown.
std::string source_text(const Sources& sources, Span span) {
  if (!span.known()) return {};
  return source_on_one_line(sources.line(span.file, line_of(sources, span)));
}

} // namespace

// --- trace events: complete events (ph X) of a begin and a duration in microseconds, counters (C),
// and names of processes and threads (M). Viewers draw a track for each thread; its number is
// unique in the whole file.

namespace {

/// By WarpState: name and category.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> state_names = {{
    {"waits for the port", "wait"},
    {"stage", "stage"},
    {"conflict", "conflict"},
    {"pipeline", "pipeline"},
    {"barrier", "barrier"},
    {"computes", "compute"},
    {"done", "done"},
}};

std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Processes of the viewer, in the order in which they are shown.
enum Process : int { of_run = 1, of_memory = 2, of_banks = 3, first_multiprocessor = 4 };

class PerfettoWriter {
public:
  PerfettoWriter(const TimelineReport& report, const Sources& sources, Watch* watch)
      : report_(report), timeline_(report.timeline), sources_(sources), watch_(watch) {}

  std::string text() {
    begin();
    launches();
    warps();
    ports();
    banks();
    for (std::size_t unit = 0; unit < timeline_.units.size(); ++unit) counters(unit);
    out_ += "\n]}\n";
    return std::move(out_);
  }

private:
  bool goes_on() { return !watch_ || watch_->go_on(); }

  void begin() {
    const nlohmann::ordered_json about = {
        {"tool", "memlane " + report_.version},
        {"program", report_.program.path},
        {"machine", report_.machine.name},
        {"time unit", "1 time unit of the machine is shown as 1 µs"},
        {"window", fmt::format("{}:{}", timeline_.from, timeline_.to)},
        {"notes", timeline_.notes}};
    out_ = fmt::format("{{\"displayTimeUnit\": \"ns\",\n\"otherData\": {},\n\"traceEvents\": [",
                       about.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  void event(const std::string& text) {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
    out_ += text;
  }

  void name_process(int pid, std::string_view name) {
    event(fmt::format(R"({{"ph": "M", "name": "process_name", "pid": {}, "args": {{"name": {}}}}})",
                      pid, json_quoted(name)));
    event(fmt::format(
        R"({{"ph": "M", "name": "process_sort_index", "pid": {}, "args": {{"sort_index": {}}}}})",
        pid, pid));
  }

  /// A new track; its number.
  int track(int pid, std::string_view name) {
    const int tid = ++tracks_;
    event(fmt::format(
        R"({{"ph": "M", "name": "thread_name", "pid": {}, "tid": {}, "args": {{"name": {}}}}})",
        pid, tid, json_quoted(name)));
    event(fmt::format(
        R"({{"ph": "M", "name": "thread_sort_index", "pid": {}, "tid": {}, "args": {{"sort_index": {}}}}})",
        pid, tid, tid));
    return tid;
  }

  /// The part of [from, to) in the window; `arguments` are JSON members.
  void slice(int pid, int tid, std::string_view category, std::string_view name, std::int64_t from,
             std::int64_t to, const std::string& arguments) {
    from = std::max(from, timeline_.from);
    to = std::min(to, timeline_.to);
    if (from >= to) return;
    event(fmt::format(
        R"({{"ph": "X", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "cat": "{}", "name": {}, "args": {{{}}}}})",
        pid, tid, from, to - from, category, json_quoted(name), arguments));
  }

  std::string arguments_of(const Timeline::Request& r) const {
    return fmt::format(R"("line": {}, "source": {}, "access": {}, "stages": {}, "launch": {}, )"
                       R"("block": {}, "warp": {}, "unit": {})",
                       line_of(sources_, r.span), json_quoted(source_text(sources_, r.span)),
                       json_quoted(access_text(timeline_, r)), r.stages, r.launch, r.block, r.warp,
                       json_quoted(unit_text(timeline_, r.unit)));
  }

  void launches() {
    name_process(of_run, "run");
    const int tid = track(of_run, "launches");
    for (const Timeline::Launch& launch : timeline_.launches)
      slice(of_run, tid, "launch", fmt::format("launch {}: {}", launch.launch, launch.kernel),
            launch.begin, launch.end.value_or(timeline_.to),
            fmt::format(R"("line": {}, "blocks": {}, "threads": {})",
                        line_of(sources_, launch.span), launch.blocks, launch.threads));
  }

  /// A track for each place of a block, and of each of its warps.
  void warps() {
    using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>; // warp -1: the block
    std::map<std::pair<std::int64_t, std::int64_t>, const Timeline::Block*> blocks;
    std::map<Place, int> tracks;
    for (const Timeline::Block& b : timeline_.blocks) {
      blocks[{b.launch, b.block}] = &b;
      tracks[{b.multiprocessor, b.slot, -1}];
    }
    const std::vector<WarpSpan> spans = warp_spans(timeline_);
    const auto place_of = [&](const WarpSpan& span) {
      const Timeline::Block& block = *blocks.at({span.launch, span.block});
      return Place{block.multiprocessor, block.slot, span.warp};
    };
    for (const WarpSpan& span : spans) tracks[place_of(span)];
    std::int64_t named = -1;
    for (auto& [place, tid] : tracks) {
      const auto [mp, slot, warp] = place;
      if (named != mp) name_process(pid_of(mp), fmt::format("multiprocessor {}", mp));
      named = mp;
      tid = track(pid_of(mp), warp < 0 ? fmt::format("slot {}", slot)
                                       : fmt::format("slot {} warp {}", slot, warp));
    }
    for (const Timeline::Block& b : timeline_.blocks)
      slice(pid_of(b.multiprocessor), tracks.at({b.multiprocessor, b.slot, -1}), "block",
            fmt::format("block {}", b.block), b.from, b.to.value_or(timeline_.to),
            fmt::format(R"("launch": {})", b.launch));
    for (const WarpSpan& span : spans) {
      if (!goes_on()) break;
      const auto& [name, category] = state_names[static_cast<std::size_t>(span.state)];
      const Place place = place_of(span);
      std::string arguments = fmt::format(R"("block": {})", span.block);
      if (span.request) {
        const Timeline::Request& request = timeline_.requests[*span.request];
        arguments = span.state == WarpState::enters
                        ? arguments_of(request)
                        : fmt::format(R"("line": {}, "block": {})", line_of(sources_, request.span),
                                      span.block);
      }
      slice(pid_of(std::get<0>(place)), tracks.at(place), category, name, span.from, span.to,
            arguments);
    }
  }

  static int pid_of(std::int64_t multiprocessor) {
    return first_multiprocessor + static_cast<int>(multiprocessor);
  }

  std::string name_of(const Timeline::Request& r) const {
    return fmt::format("B{} W{} line {}", r.block, r.warp, line_of(sources_, r.span));
  }

  void ports() {
    name_process(of_memory, "ports of memory units");
    std::map<std::pair<std::int64_t, std::int64_t>, int> tracks;
    const auto uses_of = [&](const Timeline::Request& r) {
      return port_uses(r, timeline_.units[static_cast<std::size_t>(r.unit)].ports);
    };
    for (const Timeline::Request& r : timeline_.requests)
      for (const PortUse& use : uses_of(r)) tracks[{r.unit, use.port}];
    const auto own = static_cast<std::int64_t>(timeline_.units.size());
    for (const Timeline::Entry& e : timeline_.entries) tracks[{own + e.unit, e.port}];
    for (auto& [port, tid] : tracks) {
      const Timeline::Unit& unit =
          port.first < own ? timeline_.units[static_cast<std::size_t>(port.first)]
                           : timeline_.others[static_cast<std::size_t>(port.first - own)];
      const std::string name = port.first < own ? unit_text(timeline_, port.first) : unit.name();
      tid = track(of_memory,
                  name + (unit.ports > 1 ? fmt::format(" port {}", port.second) : " port"));
    }
    for (const Timeline::Entry& e : timeline_.entries) {
      if (!goes_on()) break;
      const bool operates = !timeline_.others[static_cast<std::size_t>(e.unit)].operations.empty();
      slice(of_memory, tracks.at({own + e.unit, e.port}), operates ? "operation" : "group",
            fmt::format("B{} W{}", e.block, e.warp), e.from, e.to,
            fmt::format(R"("launch": {}, "block": {}, "warp": {})", e.launch, e.block, e.warp));
    }
    for (const Timeline::Request& r : timeline_.requests) {
      if (!goes_on()) break;
      for (const PortUse& use : uses_of(r))
        slice(of_memory, tracks.at({r.unit, use.port}), kind_text(r), name_of(r), use.from, use.to,
              arguments_of(r));
    }
  }

  /// Stage k of a request accesses the k-th distinct word of each bank, so a bank with m of its
  /// words is busy in the first m stages. Stages that enter through several ports in one time unit
  /// may access one bank: it has a track for each port.
  void banks() {
    using Bank = std::tuple<std::int64_t, std::int64_t, std::int64_t>; // unit, bank, port
    const auto unit_of = [&](const Timeline::Request& r) -> const Timeline::Unit& {
      return timeline_.units[static_cast<std::size_t>(r.unit)];
    };
    const auto words_of = [&](const Timeline::Request& r) {
      std::map<std::int64_t, std::set<std::int64_t>> words;
      if (unit_of(r).kind != UnitKind::discrete) return words;
      for (const std::int64_t address : r.addresses)
        if (address >= 0) words[address % timeline_.width].insert(address);
      return words;
    };
    const auto uses_of = [&](Timeline::Request request, std::size_t words) {
      request.stages = static_cast<std::int64_t>(words);
      return port_uses(request, unit_of(request).ports);
    };
    std::map<Bank, int> tracks;
    for (const Timeline::Request& r : timeline_.requests) {
      if (!goes_on()) break;
      for (const auto& [bank, words] : words_of(r))
        for (const PortUse& use : uses_of(r, words.size())) tracks[{r.unit, bank, use.port}];
    }
    if (tracks.empty()) return;
    name_process(of_banks, "banks of memory units");
    for (auto& [place, tid] : tracks) {
      const auto& [unit, bank, port] = place;
      const bool several = timeline_.units[static_cast<std::size_t>(unit)].ports > 1;
      tid = track(of_banks, fmt::format("{} bank {}{}", unit_text(timeline_, unit), bank,
                                        several ? fmt::format(" port {}", port) : ""));
    }
    for (const Timeline::Request& r : timeline_.requests) {
      if (!goes_on()) break;
      for (const auto& [bank, words] : words_of(r))
        for (const PortUse& use : uses_of(r, words.size()))
          slice(of_banks, tracks.at({r.unit, bank, use.port}),
                words.size() > 1 ? "conflict" : "stage", fmt::format("B{} W{}", r.block, r.warp),
                use.from, use.to, fmt::format(R"("words": "{}")", fmt::join(words, " ")));
    }
  }

  void counter(const std::string& name, std::string_view value,
               const std::map<std::int64_t, std::int64_t>& values) {
    std::optional<std::int64_t> latest;
    for (const auto& [time, number] : values) {
      if (time < timeline_.from || time >= timeline_.to || latest == number) continue;
      event(fmt::format(R"({{"ph": "C", "pid": {}, "name": {}, "ts": {}, "args": {{"{}": {}}}}})",
                        static_cast<int>(of_memory), json_quoted(name), time, value, number));
      latest = number;
    }
  }

  /// Stages of the request whose first stage enters, the most where there are several; and stages
  /// that enter in each time unit.
  void counters(std::size_t unit) {
    std::map<std::int64_t, std::int64_t> congestion, changes;
    const std::int64_t ports = timeline_.units[unit].ports;
    for (const Timeline::Request& r : timeline_.requests) {
      if (!goes_on()) break;
      if (r.unit != static_cast<std::int64_t>(unit)) continue;
      std::int64_t& stages = congestion[r.dispatched];
      stages = std::max(stages, r.stages);
      congestion.try_emplace(r.last + 1, 0);
      for (const PortUse& use : port_uses(r, ports)) {
        changes[use.from] += 1;
        changes[use.to] -= 1;
      }
    }
    if (changes.empty()) return;
    std::int64_t use = 0;
    for (auto& [time, change] : changes) change = use += change;
    const std::string name = unit_text(timeline_, static_cast<std::int64_t>(unit));
    counter(name + ": stages of a request", "stages", congestion);
    counter(name + ": stages that enter", "stages", changes);
  }

  const TimelineReport& report_;
  const Timeline& timeline_;
  const Sources& sources_;
  Watch* watch_;
  std::string out_;
  bool first_ = true;
  int tracks_ = 0;
};

} // namespace

std::string timeline_perfetto(const TimelineReport& report, const Sources& sources, Watch* watch) {
  return PerfettoWriter(report, sources, watch).text();
}

// --- the log of the pipeline viewer Konata: lines of a command and its operands, separated by
// tabs. Time only goes forward, so the commands are sorted by time.

namespace {

struct KanataCommand {
  std::int64_t time = 0;
  std::string text; ///< the line with its end
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
    text += fmt::format("L\t{}\t1\t{} ({}, launch {}, multiprocessor {}, {})\n", id,
                        source_text(sources, r.span), unit_text(timeline, r.unit), r.launch,
                        r.multiprocessor, counted(r.stages, "stage"));
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
