// Replays of traces: checks against the machine, and equality with the run that wrote the trace.
#include "../engine/script.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

#include "memlane/engine/replay_races.hpp"
#include "memlane/support/random.hpp"
#include "memlane/trace/compressed_files.hpp"
#include "memlane/trace/replay.hpp"
#include "memlane/trace/trace_writer.hpp"

#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace memlane;
using namespace memlane::test;

namespace {

Trace read_good(const std::string& text) {
  std::istringstream in(text);
  auto trace = read_trace(in, "t.jsonl");
  REQUIRE(trace.ok());
  return std::move(*trace);
}

struct WrittenRun {
  std::string text;
  Counts counts;
};

/// Runs scripts as launches and writes their trace.
WrittenRun run_and_write(const MachineSpec& machine,
                         const std::vector<std::pair<LaunchShape, Script>>& launches,
                         const Sources& sources = {}) {
  std::ostringstream out;
  TraceWriter writer(out, machine, sources);
  WrittenRun written;
  std::int64_t number = 0;
  for (const auto& [shape, script] : launches) {
    ScriptStream stream(script);
    writer.launch_begins(number, shape, "kernel");
    written.counts +=
        run_script(machine, shape, stream, number, written.counts.time, {}, sources, writer).counts;
    writer.launch_ends(number++, {});
  }
  writer.finish(true);
  written.text = out.str();
  return written;
}

bool same(const UnitCounts& a, const UnitCounts& b) {
  return a.requests == b.requests && a.stages == b.stages && a.reads == b.reads &&
         a.writes == b.writes && a.concurrent_writes == b.concurrent_writes && a.busy == b.busy &&
         a.idle_latency == b.idle_latency && a.idle_barrier == b.idle_barrier &&
         a.idle_drain == b.idle_drain && a.idle_empty == b.idle_empty &&
         a.congestion == b.congestion && a.further_needed == b.further_needed;
}

void check_same(const Counts& a, const Counts& b) {
  CHECK(a.time == b.time);
  CHECK(a.launches == b.launches);
  CHECK(a.barriers == b.barriers);
  CHECK(a.instructions == b.instructions);
  CHECK(a.shared_words == b.shared_words);
  CHECK(std::equal(a.shared.begin(), a.shared.end(), b.shared.begin(), b.shared.end(), same));
  CHECK(std::equal(a.global.begin(), a.global.end(), b.global.begin(), b.global.end(), same));
}

const std::string uses_global =
    R"({"memlane_trace": 1, "width": 4, "units": {"global": "unified", "shared": "discrete"}, "threads": 8, "blocks": 1, "shared_words": 0}
{"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "read", "addresses": [7, 5, 15, 0], "line": 12}
{"launch": 0, "block": 0, "warp": 1, "unit": "global", "op": "read", "addresses": [10, 11, 12, 9], "line": 90000}
)";
const std::string uses_both =
    uses_global +
    R"({"launch": 0, "block": 0, "warp": 1, "unit": "shared", "op": "read", "addresses": [1, 1, 1, 1]}
)";

std::string errors_of(const std::string& text, const MachineSpec& machine) {
  Observer observer;
  const Replay replayed = replay(read_good(text), machine, {}, observer);
  CHECK(replayed.stop == (replayed.errors.empty() ? Stop::none : Stop::error));
  return render(replayed.errors, Sources{});
}

std::int64_t replayed_time(const std::string& text, const MachineSpec& machine) {
  Observer observer;
  return replay(read_good(text), machine, {}, observer).counts.time.value;
}

} // namespace

TEST_CASE("the machine, not the header, decides kind, latency and ports") {
  CHECK(replayed_time(uses_global, umm(4, 5)) == 9);
  CHECK(replayed_time(uses_global, dmm(4, 5)) == 7);
  CHECK(replayed_time(uses_global, dmm(4, 4)) == 6);
  CHECK(replayed_time(uses_global, hmm(3, 4, 1, 5)) == 9);
  MachineSpec wide = umm(4, 5);
  wide.global->ports = 5;
  CHECK(replayed_time(uses_global, wide) == 5);
  CHECK(replayed_time(uses_both, hmm(1, 4, 2, 5)) == 11);
}

namespace {

const std::string of_atomics =
    R"({"memlane_trace": 2, "width": 4, "units": {"global": "unified", "shared": "discrete"}, "threads": 12, "blocks": 1, "shared_words": 8, "registers": 40}
{"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "atomic", "addresses": [0, 0, 0, 0]}
{"launch": 0, "block": 0, "warp": 1, "unit": "global", "op": "atomic", "addresses": [0, 1, 2, 3]}
)";
const std::string and_a_read =
    R"({"launch": 0, "block": 0, "warp": 2, "unit": "global", "op": "read", "addresses": [0, 1, 2, 3]}
)";

} // namespace

TEST_CASE("atomics and lanes of several words are replayed") {
  MachineSpec machine = hmm(1, 4, 4, 20);
  CHECK(replayed_time(of_atomics + and_a_read, machine) == 24);
  machine.global->atomic_service = {3};
  CHECK(replayed_time(of_atomics + and_a_read, machine) == 26);
  const std::string wide =
      R"({"launch": 0, "block": 0, "warp": 2, "unit": "shared", "op": "write", "words": 2, "addresses": [0, 4, 8, 12]}
)";
  machine.shared->latency = {40};
  CHECK(replayed_time(of_atomics + wide, machine) == 43);
  machine.registers = 479;
  CHECK(errors_of(of_atomics, machine).find("a block of launch 0 has 480 registers") !=
        std::string::npos);
  machine.registers = 480;
  CHECK(errors_of(of_atomics, machine).empty());
}

TEST_CASE("what steps wait for is replayed where a warp may have several requests on their way") {
  const std::string trace =
      R"({"memlane_trace": 2, "width": 4, "units": {"global": "unified", "shared": "discrete"}, "threads": 4, "blocks": 1, "shared_words": 4}
{"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "read", "addresses": [0, 1, 2, 3]}
{"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "read", "addresses": [4, 5, 6, 7]}
{"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "read", "addresses": [8, 9, 10, 11]}
{"launch": 0, "block": 0, "warp": 0, "op": "wait", "for": [2]}
{"launch": 0, "block": 0, "warp": 0, "unit": "shared", "op": "write", "addresses": [0, 1, 2, 3]}
)";
  MachineSpec machine = hmm(1, 4, 4, 20);
  CHECK(replayed_time(trace, machine) == 64);
  machine.requests_in_flight = 2;
  CHECK(replayed_time(trace, machine) == 40);
  machine.requests_in_flight = 3;
  CHECK(replayed_time(trace, machine) == 25);
  const std::string fence =
      R"({"launch": 0, "block": 0, "warp": 0, "op": "wait"}
{"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "atomic", "addresses": [0, null, null, null], "old": true}
{"launch": 0, "block": 0, "warp": 0, "op": "wait", "for": [1]}
{"launch": 0, "block": 0, "warp": 0, "unit": "shared", "op": "write", "addresses": [0, 1, 2, 3]}
)";
  // The write is complete at 25, the atomic at 45.
  CHECK(replayed_time(trace + fence, machine) == 49);
}

TEST_CASE("a trace of format 1 does not say what its steps wait for") {
  MachineSpec machine = hmm(1, 4, 4, 20);
  machine.requests_in_flight = 2;
  const std::string errors = errors_of(uses_both, machine);
  CHECK(errors.find("may have 2 requests on their way") != std::string::npos);
  CHECK(errors.find("--set requests_in_flight=1") != std::string::npos);
  machine.requests_in_flight = 1;
  CHECK(errors_of(uses_both, machine).empty());
}

TEST_CASE("two atomics do not race in a replay, an atomic and another access do") {
  const MachineSpec machine = hmm(1, 4, 4, 20);
  const auto races = [&](const std::string& text) {
    ReplayRaces found(machine);
    replay(read_good(text), machine, {}, found);
    return found.counts().races;
  };
  CHECK(races(of_atomics) == 0);
  CHECK(races(of_atomics + and_a_read) == 4);
  const std::string wide =
      R"({"launch": 0, "block": 0, "warp": 2, "unit": "global", "op": "read", "words": 2, "addresses": [2, 8, 8, 10]}
)";
  CHECK(races(of_atomics + wide) == 2); // words 2 and 3
}

TEST_CASE("messages about traces that do not fit the machine") {
  MachineSpec small = hmm(2, 8, 1, 5, 4);
  small.name = "small";
  small.shared->capacity = 10;
  MachineSpec agpu = hmm(2, 4, 1, 5);
  agpu.model = Model::agpu;
  MachineSpec named = umm(4, 5, 4);
  named.name = "umm of 4";
  const std::string two_launches =
      uses_both +
      R"({"launch": 1, "op": "launch", "blocks": 3, "threads": 2, "shared_words": 11})" + "\n";
  const std::string messages = errors_of(two_launches, small) + errors_of(uses_both, dmm(4, 5)) +
                               errors_of(uses_both, named) + errors_of(uses_global, agpu);
  CHECK(messages == test::golden("trace/replay_errors.txt", messages));
}

TEST_CASE("a trace whose blocks have no room on the machine is refused, with the room it needs") {
  MachineSpec machine = hmm(2, 4, 1, 5);
  machine.max_threads = 7;
  CHECK(errors_of(uses_both, machine).find("--set max_threads=8") != std::string::npos);
  machine.max_threads = 8;
  machine.shared->capacity = 999;
  machine.shared->reserved = 1000;
  CHECK(errors_of(uses_both, machine).find("--set shared.capacity=1000") != std::string::npos);
}

TEST_CASE("the counts of a replay have the program's lines") {
  Observer observer;
  const Trace trace = read_good(uses_global);
  const Counts counts = replay(trace, umm(4, 5), {}, observer).counts;
  REQUIRE(counts.lines.size() == 2);
  CHECK(counts.lines.at({0, 12}).stages == 3);
  CHECK(counts.lines.at({0, 90000}).stages == 2);
  const TraceLines lines(trace);
  CHECK((lines.line(lines.span({0, 90000})) == SourceLine{0, 90000}));
  CHECK((lines.line(lines.span({0, 0})) == SourceLine{0, 0}));
}

TEST_CASE("lines of used files keep their files in traces of format 2") {
  const Trace trace = read_good(
      R"({"memlane_trace": 2, "width": 4, "units": {"global": "unified"}, "threads": 4, "blocks": 1, "shared_words": 0}
{"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "read", "addresses": [0, 1, 2, 3], "line": 5, "file": "b.lane"}
{"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "read", "addresses": [0, 1, 2, 3], "line": 5}
{"launch": 0, "block": 0, "warp": 0, "op": "wait", "for": [1, 2], "line": 7, "file": "b.lane"}
{"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "write", "addresses": [4, 5, 6, 7], "line": 6}
{"end": true, "requests": 3}
)");
  CHECK((trace.files == std::vector<std::string>{"", "b.lane"}));
  MachineSpec machine = umm(4, 5);
  machine.requests_in_flight = 2;
  Observer observer;
  const Counts counts = replay(trace, machine, {}, observer).counts;
  CHECK(counts.lines.at({1, 5}).requests == 1);
  CHECK(counts.lines.at({0, 5}).requests == 1);
  CHECK(counts.global.at(0).waits_of_lines.begin()->first.first == SourceLine{1, 7});
  CHECK(files_of(trace).path(1) == "b.lane");
}

TEST_CASE("the trace that a run writes") {
  Sources sources;
  const std::int32_t program = sources.add("a.lane", "one\ntwo\n");
  const std::int32_t used = sources.add("b.lane", "one\ntwo\n");
  Script script{{{0, 0}, {read({3, 2, -1, 0}), compute(2), barrier(), write({1, 1, 1, 1})}},
                {{0, 1}, {read({9, -1, -1, -1}), barrier()}}};
  script[{0, 0}][0].request.span = {program, 4, 5};
  script[{0, 1}][0].request.span = {used, 4, 5};
  const auto written = run_and_write(
      dmm(4, 2), {{{1, 5, 0}, script}, {{1, 5, 0}, {}}, {{2, 4, 7}, script}}, sources);
  CHECK(
      written.text ==
      R"({"memlane_trace": 1, "width": 4, "units": {"shared": "discrete"}, "threads": 5, "blocks": 1, "shared_words": 0}
{"launch": 0, "block": 0, "warp": 0, "unit": "shared", "op": "read", "addresses": [3, 2, null, 0], "line": 2}
{"launch": 0, "block": 0, "warp": 1, "unit": "shared", "op": "read", "addresses": [9, null, null, null]}
{"launch": 0, "block": 0, "warp": 0, "op": "compute", "count": 2}
{"launch": 0, "block": 0, "warp": 0, "op": "barrier"}
{"launch": 0, "block": 0, "warp": 1, "op": "barrier"}
{"launch": 0, "block": 0, "warp": 0, "unit": "shared", "op": "write", "addresses": [1, 1, 1, 1]}
{"launch": 1, "op": "launch", "blocks": 1, "threads": 5, "shared_words": 0}
{"launch": 2, "op": "launch", "blocks": 2, "threads": 4, "shared_words": 7}
{"launch": 2, "block": 0, "warp": 0, "unit": "shared", "op": "read", "addresses": [3, 2, null, 0], "line": 2}
{"launch": 2, "block": 0, "warp": 0, "op": "compute", "count": 2}
{"launch": 2, "block": 0, "warp": 0, "op": "barrier"}
{"launch": 2, "block": 0, "warp": 0, "unit": "shared", "op": "write", "addresses": [1, 1, 1, 1]}
{"end": true, "requests": 5}
)");
}

TEST_CASE("a run without a launch has a header and an end") {
  const WrittenRun written = run_and_write(hmm(2, 4, 1, 5, 8), {});
  CHECK(written.text == R"({"memlane_trace": 1, "width": 4, "units": {"shared": "discrete", )"
                        R"("global": "unified"}, "threads": 8, "blocks": 1, "shared_words": 0})"
                        "\n{\"end\": true, \"requests\": 0}\n");
  Observer observer;
  const Counts counts = replay(read_good(written.text), hmm(2, 4, 1, 5, 8), {}, observer).counts;
  CHECK(counts.time.value == 0);
  CHECK(counts.shared.size() == 2);
  CHECK(counts.global.size() == 1);
}

TEST_CASE("the replay of a run's trace on the same machine has the run's time and counts") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::uint64_t drawn = 0;
    const auto draw = [&](std::int64_t lo, std::int64_t hi) {
      return random_integer(11, seed, drawn++, lo, hi);
    };
    const std::int64_t w = draw(1, 4);
    MachineSpec machine = seed % 3 == 0   ? dmm(w, draw(1, 9))
                          : seed % 3 == 1 ? umm(w, draw(1, 9))
                                          : hmm(draw(1, 3), w, draw(1, 4), draw(1, 9));
    machine.lockstep = draw(0, 2) == 0;
    machine.resident_blocks = draw(1, 2);
    machine.instruction_cost = {draw(0, 2)};
    machine.barrier_cost = {draw(0, 2)};
    machine.launch_cost = {draw(0, 2)};
    std::vector<std::pair<LaunchShape, Script>> launches;
    for (std::int64_t launch = draw(1, 3); launch > 0; --launch) {
      const LaunchShape shape{draw(0, 3), draw(1, 3 * w), 5 * draw(0, 1)};
      Script script;
      for (std::int64_t block = 0; block < shape.blocks; ++block) {
        for (std::int64_t first = 0; first < shape.threads; first += w) {
          for (std::int64_t i = draw(0, 5); i > 0; --i) {
            Lanes lanes;
            for (std::int64_t thread = first; thread < first + w; ++thread) {
              lanes.push_back(thread < shape.threads ? draw(-1, 4 * w) : -1);
            }
            const UnitId unit = draw(0, 1) == 0 ? UnitId::shared : UnitId::global;
            const std::int64_t kind = draw(0, 6);
            script[{block, first / w}].push_back(kind == 0   ? barrier()
                                                 : kind == 1 ? compute(draw(1, 3))
                                                 : kind == 2 ? write(lanes, unit)
                                                             : read(lanes, unit));
          }
        }
      }
      launches.push_back({shape, std::move(script)});
    }
    CAPTURE(seed);
    const WrittenRun written = run_and_write(machine, launches);
    Observer observer;
    const Replay again = replay(read_good(written.text), machine, {}, observer);
    CHECK(again.stop == Stop::none);
    check_same(again.counts, written.counts);
  }
}

TEST_CASE("limits of a replay") {
  Observer observer;
  const Trace trace = read_good(uses_global);
  Limits limits;
  limits.steps = 4; // two requests and two ends
  CHECK(replay(trace, umm(4, 5), limits, observer).stop == Stop::none);
  limits.steps = 3;
  CHECK(replay(trace, umm(4, 5), limits, observer).stop == Stop::steps);
  limits.steps = 100;
  limits.time = 8;
  const Replay stopped = replay(trace, umm(4, 5), limits, observer);
  CHECK(stopped.stop == Stop::time);
  CHECK(stopped.counts.time.value == 8);
}

TEST_CASE("files that are plain, compressed, damaged, cut off or missing") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "memlane_trace_files_test";
  fs::create_directories(folder);
  std::string text = uses_global;
  for (int i = 0; i < 5000; ++i) {
    text += R"({"launch": 0, "block": 0, "warp": 0, "op": "compute", "count": )" +
            std::to_string(i * 7919 % 10007) + "}\n";
  }
  for (const char* name : {"t.jsonl", "t.jsonl.gz"}) {
    const std::string path = (folder / name).string();
    auto out = create_text(open(path.c_str(), O_WRONLY | O_CREAT, 0600), path);
    REQUIRE(out.ok());
    **out << text;
    CHECK((*out)->close());
    auto in = open_text(path);
    REQUIRE(in.ok());
    CHECK(std::string(std::istreambuf_iterator<char>(**in), {}) == text);
  }
  const fs::path compressed = folder / "t.jsonl.gz";
  // Only further members, or zeros, may follow a member.
  const auto text_with = [&](const std::string& end) {
    std::ifstream good(compressed, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(good), {}};
    std::ofstream(folder / "more.gz", std::ios::binary) << bytes << (end == "twice" ? bytes : end);
    auto in = open_text((folder / "more.gz").string());
    REQUIRE(in.ok());
    std::string read;
    for (std::string line; std::getline(**in, line);) read += line + "\n";
    return (*in)->bad() ? "damaged" : read;
  };
  CHECK(text_with("") == text);
  CHECK(text_with("twice") == text + text);
  CHECK(text_with(std::string(1000, '\0')) == text);
  CHECK(text_with("junk") == "damaged");
  CHECK(fs::file_size(compressed) < text.size() / 5);
  // Cut off in the middle of the compressed data.
  fs::resize_file(compressed, fs::file_size(compressed) / 2);
  auto cut = open_text(compressed.string());
  REQUIRE(cut.ok());
  const auto trace = read_trace(**cut, "t.jsonl.gz");
  REQUIRE(!trace.ok());
  CHECK(trace.errors().back().message == "cannot be read: the file is damaged or cut off");
  CHECK(open_text((folder / "none").string()).errors().at(0).message ==
        "cannot be opened: No such file or directory");
  CHECK(!create_text(-1, "t").ok());
  if (fs::exists("/dev/full")) {
    auto full = create_text(open("/dev/full", O_WRONLY), "/dev/full");
    REQUIRE(full.ok());
    **full << text;
    CHECK(!(*full)->close());
  }
  fs::remove_all(folder);
}
