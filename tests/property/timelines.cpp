// Time charts of random programs, and of shipped ones: they have all that the run has, and nothing
// else.
#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/shipped_programs.hpp"

#include "memlane/count/simulate.hpp"
#include "memlane/ir/flow.hpp"
#include "memlane/support/random.hpp"
#include "memlane/timeline/recorder.hpp"
#include "memlane/timeline/report.hpp"
#include "memlane/timeline/text.hpp"
#include "memlane/trace/replay.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

namespace memlane::test {
namespace {

struct Charted {
  Sources sources;
  MachineSpec machine;
  std::optional<ir::Program> code;
  RunResult run;
  Timeline timeline;
};

RunOptions options_of_charts(const ir::Program& code) {
  RunOptions options;
  options.limits.steps = 20'000;
  options.verify = false;
  options.allow_races = true;
  for (const ir::Array& array : code.arrays)
    if (array.space == ir::Space::memory) options.outputs.push_back(array.name);
  return options;
}

/// The pieces of a window.
std::vector<Timeline> recorded(const Charted& charted, const TimelineWindow& window) {
  std::vector<Timeline> pieces;
  TimelineRecorder recorder(*charted.code, charted.machine, charted.sources, window,
                            [&](Timeline piece) { pieces.push_back(std::move(piece)); });
  RunOptions options = options_of_charts(*charted.code);
  const RunOutcome outcome =
      run_reference(*charted.code, charted.machine, options, charted.sources, recorder);
  recorder.finish(outcome.time.value);
  return pieces;
}

/// Nothing where the program does not come to its end on the machine.
std::unique_ptr<Charted> chart_of(const std::string& text, const MachineSpec& machine) {
  auto charted = std::make_unique<Charted>();
  charted->machine = machine;
  auto code = compiled(charted->sources, text, machine);
  if (!code || !check_machine(*code, machine)) return nullptr;
  charted->code = std::move(*code);
  TimelineWindow window;
  window.values = true;
  TimelineRecorder recorder(*charted->code, machine, charted->sources, window,
                            [&](Timeline all) { charted->timeline = std::move(all); });
  charted->run = simulate(*charted->code, machine, options_of_charts(*charted->code),
                          charted->sources, recorder);
  if (charted->run.stop != Stop::none) return nullptr;
  recorder.finish(charted->run.time.value);
  return charted;
}

template <class F>
int for_random_programs(std::uint64_t seeds, F&& check) {
  int checked = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const MachineSpec machine = random_machine(seed);
    const bool shared = machine.model == Model::hmm;
    for (const std::string& text : {random_program(seed, shared), race_free_program(seed, shared),
                                    folded_program(seed, shared)}) {
      const auto charted = chart_of(text, machine);
      if (!charted || charted->timeline.requests.empty()) continue;
      INFO(text << "model " << name_of(machine.model) << ", seed " << seed);
      check(*charted, seed);
      ++checked;
    }
  }
  return checked;
}

/// Shipped programs that stand alone, with few elements.
template <class F>
int for_shipped_programs(F&& check) {
  int checked = 0;
  for (const ShippedProgram& program : shipped_programs()) {
    std::ifstream file(program.path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const char* const n = program.folder == "matrix" ? "8" : "64";
    const std::string small = std::regex_replace(text, std::regex("param n: (int|long) = [0-9]+"),
                                                 std::string("param n: $1 = ") + n);
    for (const Model model : {Model::dmm, Model::hmm}) {
      const auto charted = chart_of(small, machine_of_8(model, 16));
      if (!charted || charted->timeline.requests.empty()) continue;
      INFO(program.path << ", model " << name_of(model));
      check(*charted);
      ++checked;
    }
  }
  return checked;
}

/// The steps of all warps as a trace.
Trace trace_of(const Charted& charted) {
  const Timeline& timeline = charted.timeline;
  Trace trace;
  trace.name = "a timeline";
  trace.width = timeline.width;
  trace.complete = true;
  for (const Timeline::Launch& launch : timeline.launches) {
    TraceLaunch& of = trace.launches.emplace_back();
    of.shape = {launch.blocks, launch.threads, 0};
    for (const Timeline::Array& array : timeline.arrays)
      if (array.launch == launch.launch && array.block == 0) of.shape.shared_words += array.words;
  }
  struct Timed {
    std::int64_t time = 0;
    bool is_barrier = false;
    TraceStep step;
  };
  using Warp = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  std::map<Warp, std::vector<Timed>> warps;
  for (const Timeline::Request& r : timeline.requests) {
    TraceLaunch& of = trace.launches[static_cast<std::size_t>(r.launch)];
    TraceStep step;
    step.unit = timeline.units[static_cast<std::size_t>(r.unit)].unit;
    (step.unit == UnitId::shared ? trace.uses_shared : trace.uses_global) = true;
    step.access = r.atomic ? AccessKind::atomic : r.write ? AccessKind::write : AccessKind::read;
    step.value = static_cast<std::int64_t>(of.addresses.size());
    of.addresses.insert(of.addresses.end(), r.addresses.begin(), r.addresses.end());
    warps[{r.launch, r.block, r.warp}].push_back({r.issued, false, step});
  }
  for (const Timeline::Barrier& b : timeline.barriers) {
    TraceStep step;
    step.kind = StepKind::barrier;
    warps[{b.launch, b.block, b.warp}].push_back({b.arrived, true, step});
  }
  for (const Timeline::Compute& c : timeline.computes) {
    TraceStep step;
    step.kind = StepKind::compute;
    step.value = (c.to - c.from) / charted.machine.instruction_cost.value;
    warps[{c.launch, c.block, c.warp}].push_back({c.from, false, step});
  }
  for (auto& [warp, steps] : warps) {
    std::stable_sort(steps.begin(), steps.end(), [](const Timed& a, const Timed& b) {
      return std::pair(a.time, !a.is_barrier) < std::pair(b.time, !b.is_barrier);
    });
    const auto& [launch, block, number] = warp;
    for (const Timed& timed : steps)
      trace.launches[static_cast<std::size_t>(launch)].warps[{block, number}].push_back(timed.step);
  }
  return trace;
}

/// What is wrong with the spans of warps; empty: each warp of each block does one thing in each
/// time unit.
std::string gaps_in(const Timeline& timeline) {
  using Warp = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  std::map<Warp, std::int64_t> until;
  std::map<std::int64_t, std::int64_t> warps_of;
  for (const Timeline::Launch& launch : timeline.launches) warps_of[launch.launch] = launch.warps;
  for (const Timeline::Block& b : timeline.blocks)
    for (std::int64_t warp = 0; warp < warps_of.at(b.launch); ++warp)
      until[{b.launch, b.block, warp}] = std::max(b.from, timeline.from);
  for (const WarpSpan& span : warp_spans(timeline)) {
    std::int64_t& end = until.at({span.launch, span.block, span.warp});
    if (span.from != end) return fmt::format("block {} warp {} at {}", span.block, span.warp, end);
    end = span.to;
  }
  for (const Timeline::Block& b : timeline.blocks)
    for (std::int64_t warp = 0; warp < warps_of.at(b.launch); ++warp)
      if (until.at({b.launch, b.block, warp}) != b.to.value_or(timeline.to) &&
          b.to.value_or(timeline.to) <= timeline.to)
        return fmt::format("block {} warp {} ends early", b.block, warp);
  return {};
}

using Words = std::map<std::pair<std::int64_t, std::int64_t>, std::optional<ir::Value>>;

/// Follows the values through the chart: each read finds what was written last.
void check_values(const Charted& charted) {
  const Timeline& timeline = charted.timeline;
  Words words; // by array and word
  for (std::size_t a = 0; a < timeline.arrays.size(); ++a) {
    REQUIRE(timeline.arrays[a].initial.has_value());
    for (std::size_t w = 0; w < timeline.arrays[a].initial->size(); ++w)
      words[{a, w}] = (*timeline.arrays[a].initial)[w];
  }
  auto host = timeline.host_writes.begin();
  for (const Timeline::Request& r : timeline.requests) {
    for (; host != timeline.host_writes.end() && host->time <= r.dispatched; ++host)
      words[{host->array, host->word}] = host->value;
    REQUIRE(r.array.has_value());
    const Timeline::Array& array = timeline.arrays[static_cast<std::size_t>(*r.array)];
    for (std::size_t lane = 0; lane < r.addresses.size(); ++lane) {
      if (r.addresses[lane] < 0) continue;
      const std::int64_t word = r.addresses[lane] - array.first;
      REQUIRE(word >= 0);
      REQUIRE(word < array.words);
      auto& content = words[{*r.array, word}];
      if (r.write)
        content = r.values[lane];
      else if (content != r.values[lane])
        FAIL("a read at " << r.dispatched);
    }
  }
  for (; host != timeline.host_writes.end(); ++host) words[{host->array, host->word}] = host->value;
  for (std::size_t a = 0; a < timeline.arrays.size(); ++a) {
    const Timeline::Array& array = timeline.arrays[a];
    if (array.block) continue;
    const auto& outputs = charted.run.outputs.at(array.name);
    for (std::size_t e = 0; e < outputs.size(); ++e) {
      const auto word = array.words_of
                            ? timeline.placements[static_cast<std::size_t>(*array.words_of)][e]
                            : static_cast<std::int64_t>(e);
      if ((words[{a, word}]) != outputs[e]) FAIL(array.name << " element " << e);
    }
  }
}

TimelineReport report_of(const Charted& charted) {
  TimelineReport report;
  report.machine = charted.machine;
  report.timeline = charted.timeline;
  return report;
}

/// What breaks the rules of trace events; empty: nothing does.
std::string broken_events(const std::string& text) {
  const auto all = nlohmann::json::parse(text);
  std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> slices; // by track
  std::map<std::int64_t, std::int64_t> process_of;
  for (const auto& event : all.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase == "C" && !event.at("args").begin()->is_number()) return "a counter without a number";
    if (phase != "X" && !(phase == "M" && event.contains("tid"))) continue;
    const std::int64_t tid = event.at("tid"), pid = event.at("pid");
    if (process_of.try_emplace(tid, pid).first->second != pid) return "a track of two processes";
    if (phase != "X") continue;
    if (event.at("dur").get<std::int64_t>() <= 0) return "a slice without a duration";
    slices[tid].emplace_back(event.at("ts"), event.at("dur"));
  }
  for (auto& [tid, of_track] : slices) {
    std::sort(of_track.begin(), of_track.end());
    for (std::size_t i = 1; i < of_track.size(); ++i)
      if (of_track[i - 1].first + of_track[i - 1].second > of_track[i].first)
        return fmt::format("slices of track {} overlap at {}", tid, of_track[i].first);
  }
  return slices.empty() ? "no slice" : "";
}

/// Follows a log of Konata. What is wrong with it; empty: nothing is.
std::string broken_log(const std::string& text, std::size_t requests) {
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  if (line != "Kanata\t0004") return "the head";
  std::set<std::string> alive, retired;
  while (std::getline(in, line)) {
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string field; std::getline(parts, field, '\t');) fields.push_back(field);
    const std::string& command = fields.at(0);
    if (command == "C=") continue;
    if (command == "C") {
      if (std::stoll(fields.at(1)) <= 0) return "time stands still";
      continue;
    }
    const std::string& id = fields.at(1);
    if (command == "I") {
      if (!alive.insert(id).second || retired.count(id) > 0) return "an instruction begins twice";
      continue;
    }
    if (alive.count(id) == 0) return "a command of an instruction that is not there";
    if (command != "R") continue;
    alive.erase(id);
    retired.insert(id);
  }
  return alive.empty() && retired.size() == requests ? "" : "not all instructions retire";
}

/// The spans of a timeline's warps, to compare them.
auto plain_spans(const Timeline& timeline) {
  using Time = std::int64_t;
  std::vector<std::tuple<Time, Time, Time, Time, Time, WarpState>> spans;
  for (const WarpSpan& s : warp_spans(timeline))
    spans.emplace_back(s.launch, s.block, s.warp, s.from, s.to, s.state);
  return spans;
}

} // namespace

TEST_CASE("the replay of a timeline takes the run's time") {
  const int replayed = for_random_programs(60, [](const Charted& charted, std::uint64_t) {
    Observer no_observer;
    const Replay replay = memlane::replay(trace_of(charted), charted.machine, {}, no_observer);
    REQUIRE(replay.stop == Stop::none);
    CHECK(replay.counts.time == charted.run.time);
  });
  CHECK(replayed > 100);
}

TEST_CASE("timelines of shipped programs replay to the run's time, and slices do not overlap",
          "[release]") {
  const int checked = for_shipped_programs([](const Charted& charted) {
    Observer no_observer;
    const Replay replay = memlane::replay(trace_of(charted), charted.machine, {}, no_observer);
    REQUIRE(replay.stop == Stop::none);
    CHECK(replay.counts.time == charted.run.time);
    CHECK(gaps_in(charted.timeline).empty());
    CHECK(broken_events(timeline_perfetto(report_of(charted), charted.sources)).empty());
  });
  CHECK(checked > 30);
}

TEST_CASE("the window of a line is the same in pieces, which leave out only where it rests") {
  int left_out = 0;
  for_random_programs(40, [&](const Charted& charted, std::uint64_t seed) {
    const auto& all = charted.timeline.requests;
    const auto any = static_cast<std::size_t>(
        random_integer(seed, 8, 0, 0, static_cast<std::int64_t>(all.size()) - 1));
    TimelineWindow window;
    window.line = {all[any].span.file, charted.sources.begin(all[any].span).line};
    const auto whole = recorded(charted, window);
    REQUIRE(whole.size() == 1);
    window.only_line = true;
    window.piece = random_integer(seed, 8, 1, 1, 40);
    const auto pieces = recorded(charted, window);
    REQUIRE(!pieces.empty());
    CHECK(pieces.front().from == whole[0].from);
    CHECK(pieces.back().to == whole[0].to);
    std::set<std::int64_t> shown;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      for (std::int64_t t = pieces[i].from; t < pieces[i].to; ++t)
        if (!shown.insert(t).second) FAIL("two pieces at " << t);
      if (i == 0 || pieces[i].from == pieces[i - 1].to) continue;
      CHECK(pieces[i].from - pieces[i - 1].to >= 16);
      ++left_out;
    }
    for (const Timeline::Request& r : all) {
      const bool of_line = r.span.file == window.line->first &&
                           charted.sources.begin(r.span).line == window.line->second;
      for (std::int64_t t = r.issued; of_line && t < r.completed; ++t)
        if (shown.count(t) == 0) FAIL("a request at " << r.dispatched);
    }
    // A piece shows what the whole window has there.
    for (const Timeline& piece : pieces) {
      Timeline there = charted.timeline;
      there.from = piece.from;
      there.to = piece.to;
      auto shown_spans = plain_spans(piece), expected = plain_spans(there);
      std::sort(shown_spans.begin(), shown_spans.end());
      std::sort(expected.begin(), expected.end());
      CHECK((shown_spans == expected));
    }
  });
  CHECK(left_out > 0);
}

/// The words of a shared array when the window begins, by the requests of the whole timeline.
std::vector<std::optional<ir::Value>>
replayed_words(const Timeline& all, const Timeline::Array& array, std::int64_t until) {
  std::vector<std::optional<ir::Value>> words(static_cast<std::size_t>(array.words));
  for (const Timeline::Request& r : all.requests) {
    if (r.dispatched >= until || r.launch != array.launch || r.block != array.block) continue;
    if (!r.write || r.unit != array.unit) continue;
    for (std::size_t lane = 0; lane < r.addresses.size(); ++lane) {
      const std::int64_t word = r.addresses[lane] - array.first;
      if (r.addresses[lane] >= 0 && word >= 0 && word < array.words)
        words[static_cast<std::size_t>(word)] = r.values.at(lane);
    }
  }
  return words;
}

TEST_CASE("a window that begins later has the words of then", "[release]") {
  int arrays = 0, of_atomics = 0;
  for_shipped_programs([&](const Charted& charted) {
    const auto& all = charted.timeline.requests;
    const bool ahead = std::any_of(charted.code->functions.begin(), charted.code->functions.end(),
                                   ir::has_atomics);
    for (std::size_t part = 1; part < 4; ++part) {
      TimelineWindow window;
      window.values = true;
      window.from = all[all.size() * part / 4].dispatched;
      const auto pieces = recorded(charted, window);
      REQUIRE(pieces.size() == 1);
      for (const Timeline::Array& array : pieces[0].arrays) {
        if (!array.block || !array.initial || array.words == 0) continue;
        of_atomics += ahead ? 1 : 0;
        // Of equal words, one of several warps' atomics is the last: barriers know which.
        if (ahead) continue;
        auto words = *array.initial;
        words.resize(static_cast<std::size_t>(array.words)); // none is written behind the end
        const auto expected = replayed_words(charted.timeline, array, window.from);
        const auto text = [&](const std::optional<ir::Value>& value) {
          return value ? ir::to_string(array.type, *value) : std::string("-");
        };
        int differ = 0;
        for (std::size_t k = 0; k < words.size(); ++k)
          differ += text(words[k]) == text(expected[k]) ? 0 : 1;
        INFO(array.name << " from " << window.from);
        CHECK(differ == 0);
        ++arrays;
      }
    }
  });
  CHECK(arrays > 50);
  CHECK(of_atomics > 3);
}

TEST_CASE("a timeline has the run's counts, and each warp does one thing in each time unit") {
  for_random_programs(60, [](const Charted& charted, std::uint64_t) {
    const Timeline& timeline = charted.timeline;
    CHECK(timeline.from == 0);
    CHECK(timeline.to == charted.run.time.value);
    CHECK(timeline.time == charted.run.time.value);
    std::vector<UnitCounts> units = charted.run.counts.shared;
    units.insert(units.end(), charted.run.counts.global.begin(), charted.run.counts.global.end());
    REQUIRE(units.size() == timeline.units.size());
    std::vector<std::int64_t> requests(units.size()), stages(units.size()), writes(units.size());
    for (const Timeline::Request& r : timeline.requests) {
      const auto u = static_cast<std::size_t>(r.unit);
      requests[u] += 1;
      stages[u] += r.stages;
      writes[u] += r.write ? 1 : 0;
    }
    const bool deals_statically = charted.machine.block_schedule == BlockSchedule::static_;
    for (std::size_t u = 0; u < units.size() && deals_statically; ++u) {
      CHECK(requests[u] == units[u].requests);
      CHECK(stages[u] == units[u].stages);
      CHECK(writes[u] == units[u].writes);
    }
    // Stages and time units of ports, and what is in progress when.
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, int> taken;
    for (const Timeline::Request& r : timeline.requests) {
      const Timeline::Unit& unit = timeline.units[static_cast<std::size_t>(r.unit)];
      std::int64_t entered = 0, last = 0;
      for (const PortUse& use : port_uses(r, unit.ports)) {
        entered += use.to - use.from;
        last = std::max(last, use.to - 1);
        for (std::int64_t t = use.from; t < use.to; ++t) ++taken[{r.unit, use.port, t}];
      }
      if (entered != r.stages || last != r.last || r.completed != r.last + unit.latency)
        FAIL("a request at " << r.dispatched);
    }
    CHECK(std::all_of(taken.begin(), taken.end(), [](const auto& use) { return use.second == 1; }));
    CHECK(gaps_in(timeline).empty());
  });
}

TEST_CASE("a warp with several requests on their way does one thing in each time unit") {
  int checked = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    MachineSpec machine = random_machine(seed);
    machine.lockstep = false;
    machine.requests_in_flight = random_integer(seed, 9, 0, 2, 6);
    const auto charted = chart_of(race_free_program(seed, machine.model == Model::hmm), machine);
    if (!charted || charted->timeline.requests.empty()) continue;
    INFO("seed " << seed << ", k " << machine.requests_in_flight);
    CHECK(gaps_in(charted->timeline).empty());
    CHECK(broken_events(timeline_perfetto(report_of(*charted), charted->sources)).empty());
    check_values(*charted);
    ++checked;
  }
  CHECK(checked > 20);
}

/// The requests that are under way in the window.
auto under_way(const Timeline& timeline, std::int64_t from, std::int64_t to) {
  using Number = std::int64_t;
  std::set<std::tuple<Number, Number, Number, Number, Number>> found;
  for (const Timeline::Request& r : timeline.requests)
    if (r.completed > from && r.dispatched < to)
      found.insert({r.launch, r.block, r.warp, r.number, r.dispatched});
  return found;
}

TEST_CASE("windows on machines like GPUs have the requests of blocks that have ended") {
  constexpr std::uint64_t machines = sanitized ? 40 : 120;
  std::uint64_t checked = 0, of_ended = 0, operations = 0;
  for (std::uint64_t seed = 0; seed < machines; ++seed) {
    const MachineSpec machine = random_gpu(seed);
    const auto charted = chart_of(race_free_program(seed, true), machine);
    if (!charted || charted->timeline.requests.empty()) continue;
    INFO("seed " << seed);
    const Timeline& all = charted->timeline;
    CHECK(gaps_in(all).empty());
    operations += machine.operations.empty() ? 0 : 1;
    for (std::uint64_t part = 0; part < 4; ++part) {
      TimelineWindow window;
      window.from = random_integer(seed, 10, 2 * part, 0, all.to - 1);
      window.to = random_integer(seed, 10, 2 * part + 1, window.from + 1, all.to);
      const auto pieces = recorded(*charted, window);
      REQUIRE(pieces.size() == 1);
      CHECK(
          (under_way(pieces[0], window.from, window.to) == under_way(all, window.from, window.to)));
      Timeline there = all;
      there.from = window.from;
      there.to = window.to;
      CHECK((plain_spans(pieces[0]) == plain_spans(there)));
      for (const Timeline::Block& block : pieces[0].blocks)
        of_ended += block.to && *block.to <= window.from ? 1 : 0;
      timeline_text(pieces[0], charted->sources);
      std::string text;
      TimelineChart chart(charted->sources, {}, {}, [&](std::string_view more) { text += more; });
      window.piece = 3;
      for (const Timeline& piece : recorded(*charted, window)) chart.add(piece);
      chart.finish();
      CHECK(text == timeline_text(pieces[0], charted->sources));
    }
    ++checked;
  }
  CHECK(checked > machines / 2);
  CHECK(of_ended > 0);
  CHECK(operations > machines / 12);
}

TEST_CASE("each read of a timeline finds what was written last") {
  for_random_programs(60, [](const Charted& charted, std::uint64_t) { check_values(charted); });
}

TEST_CASE(
    "a window of a timeline is what the whole one has there, and pieces draw the same chart") {
  for_random_programs(40, [](const Charted& charted, std::uint64_t seed) {
    const std::int64_t end = charted.timeline.to;
    TimelineWindow window;
    window.from = random_integer(seed, 7, 0, 0, end - 1);
    window.to = random_integer(seed, 7, 1, window.from + 1, end);
    const auto pieces = recorded(charted, window);
    REQUIRE(pieces.size() == 1);
    Timeline whole = charted.timeline;
    whole.from = window.from;
    whole.to = window.to;
    CHECK((plain_spans(pieces[0]) == plain_spans(whole)));
    TimelineWindow by_pieces;
    by_pieces.piece = random_integer(seed, 7, 2, 1, 40);
    ChartStyle style;
    style.columns = static_cast<std::size_t>(random_integer(seed, 7, 3, 20, 100));
    std::string text;
    TimelineChart chart(charted.sources, style, {}, [&](std::string_view part) { text += part; });
    for (const Timeline& piece : recorded(charted, by_pieces)) chart.add(piece);
    chart.finish();
    CHECK(text == timeline_text(charted.timeline, charted.sources, style));
  });
}

TEST_CASE("trace events of a timeline do not overlap, and logs for Konata are whole", "[release]") {
  for_random_programs(30, [](const Charted& charted, std::uint64_t) {
    const TimelineReport report = report_of(charted);
    CHECK(broken_events(timeline_perfetto(report, charted.sources)).empty());
    CHECK(broken_log(timeline_kanata(report, charted.sources), charted.timeline.requests.size())
              .empty());
  });
}

} // namespace memlane::test
