// Reads recorded measurements; golden files hold the messages about bad lines.
#include "support/catch.hpp"
#include "support/golden.hpp"

#include "memlane/study/gpu/executables.hpp"
#include "memlane/study/gpu/measured_points.hpp"
#include "memlane/study/gpu/measurements.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

namespace memlane::measure {
namespace {

std::string replaced_in(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

const std::string good_line =
    R"({"memlane_measurement":1,"program":"sum","sha256":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","variant":"emitted","parameters":{"n":1024},"replaced":["--type value=float"],"machine":{"model":"umm","width":32,"multiprocessors":1,"threads":1024},"seed":7,"device":{"name":"D","multiprocessors":132,"clock_before_mhz":1980},"compiler":"nvcc","launches":1,"samples_ns":[110,100.5,120],"median_ns":110,"back_to_back_ns":90.5,"clock_cycles":[1,2,3],"checksum":"0123456789abcdef","verify":"passed","later":{"key":[1]}})";

/// The good line with one text replaced.
std::string with(const std::string& what, const std::string& by) {
  return replaced_in(good_line, what, by);
}

Result<Measurements> read(const std::string& text, Sources& sources) {
  return read_measurements(sources, sources.add("m.jsonl", text));
}

} // namespace

TEST_CASE("a line of an executable has a launch with its kernel and shape") {
  std::ifstream in(std::string(MEMLANE_SOURCE_DIR) + "/tests/measure/executable.jsonl");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Sources sources;
  const auto measurements = read(text, sources);
  REQUIRE(measurements);
  CHECK(measurements->warnings.empty());
  REQUIRE(measurements->skipped.size() == 1);
  CHECK(measurements->skipped[0].variant == Variant::executable);
  REQUIRE(measurements->points.size() == 2);
  const MeasuredPoint& point = measurements->points[1];
  REQUIRE(point.launch);
  CHECK(launch_text(*point.launch) == "padded<<<(2,2),(32,8)>>>");
  CHECK(point.launch->number == 1);
  CHECK(point.launch->of == 2);
  CHECK(point.problem == "./transposes 64");
  CHECK(point.priced_ns == 2729.5);
  CHECK(point.priced_launches() == 1);
  const std::map<std::string, std::string> mistakes = {
      {R"("grid":[2,2,1])", R"("grid":[2,2])"},
      {R"("block":[32,8,1])", R"("block":[32,0,1])"},
      {R"("kernel":"tiled",)", ""},
      {R"("launch":0)", R"("launch":2)"},
      {R"({"launch":0})", "{}"},
      {R"("arguments":["64"],"sha256")", R"("arguments":"64","sha256")"},
      {R"("dynamic_shared":0)", R"("dynamic_shared":-1)"},
  };
  for (const auto& [right, wrong] : mistakes) {
    INFO(wrong);
    std::string changed = text;
    const std::size_t at = changed.find(right, changed.find('\n'));
    REQUIRE(at != std::string::npos);
    changed.replace(at, right.size(), wrong);
    const auto rest = read(changed, sources);
    REQUIRE(rest);
    CHECK(rest->warnings.size() == 1);
    CHECK(rest->points.size() == 1);
  }
}

TEST_CASE("a good line is read completely, and unknown keys are ignored") {
  Sources sources;
  const auto read_back = read(good_line + "\n", sources);
  REQUIRE(read_back);
  CHECK(read_back->warnings.empty());
  REQUIRE(read_back->points.size() == 1);
  const MeasuredPoint& point = read_back->points.front();
  CHECK(point.program == "sum");
  CHECK(point.variant == Variant::emitted);
  CHECK(point.parameters == Parameters{{"n", "1024"}});
  REQUIRE(point.replaced.size() == 1);
  CHECK(point.replaced.front() == std::pair<std::string, std::string>{"type", "value=float"});
  CHECK(point.machine == KernelShape{Model::umm, 32, 1, 1024});
  CHECK(point.seed == 7);
  CHECK(point.median_ns == 110);
  CHECK(point.back_to_back_ns == 90.5);
  CHECK(point.clock_cycles.size() == 3);
  CHECK(point.verified == Verified::passed);
  CHECK(size_of(point) == 1024.0);
}

TEST_CASE("the priced time is that of events, of the block's clock, or by default the median") {
  const std::string events = R"("priced_clock":"events","priced_ns":110,"verify")";
  const std::string block =
      R"("priced_clock":"block","priced_ns":7,"priced_samples_ns":[6,7,8],"verify")";
  const std::string more = R"("fmad":true,"problem":"sums","array_bytes":4096,"verify")";
  Sources sources;
  const auto read_back =
      read(good_line + "\n" + with("\"verify\"", events) + "\n" + with("\"verify\"", block) + "\n" +
               with("\"verify\"", more) + "\n" + with("\"verify\"", "\"array_bytes\":0,\"verify\""),
           sources);
  REQUIRE(read_back);
  CHECK(read_back->warnings.empty());
  REQUIRE(read_back->points.size() == 5);
  const auto& points = read_back->points;
  for (std::size_t i : {0u, 1u}) {
    CHECK(points[i].priced_ns == 110);
    CHECK(points[i].priced_clock == PricedClock::events);
    CHECK(points[i].priced_samples_ns == points[i].samples_ns);
    CHECK(points[i].priced_launches() == 1);
  }
  CHECK(points[2].priced_ns == 7);
  CHECK(points[2].median_ns == 110);
  CHECK(points[2].priced_samples_ns == std::vector<double>{6, 7, 8});
  CHECK(points[2].priced_launches() == 0);
  CHECK(points[0].problem == "sum");
  CHECK(!points[0].fmad);
  CHECK(points[3].problem == "sums");
  CHECK(points[3].fmad == true);
  CHECK(points[3].array_bytes == 4096.0);
  CHECK(!points[4].array_bytes); // kernels without arrays
}

TEST_CASE("a kernel measured with and without fmad gives two points with different names") {
  Sources sources;
  const auto fmad = [&](const char* value) {
    return with("\"verify\"", std::string("\"fmad\":") + value + ",\"verify\"");
  };
  auto measurements = read(fmad("true") + "\n" + fmad("false") + "\n" + fmad("true"), sources);
  REQUIRE(measurements);
  Simulator simulator;
  simulator.sha256 = [&](const MeasuredPoint&) -> Result<std::string> {
    return measurements->points.front().sha256;
  };
  Diagnostics warnings;
  REQUIRE(select_points(*measurements, {}, simulator, warnings));
  CHECK(warnings.size() == 1); // the last line repeats the first
  REQUIRE(measurements->points.size() == 2);
  CHECK(curve_names(measurements->points) ==
        std::vector<std::string>{"sum --type value=float no fmad", "sum --type value=float fmad"});
  CHECK(simulation_key(measurements->points[0]) == simulation_key(measurements->points[1]));
  CHECK(problem_of(measurements->points[0]) != problem_of(measurements->points[1]));
}

TEST_CASE("each bad line gives a warning, and the good line is used") {
  const std::vector<std::string> bad = {
      "nonsense",
      "[1, 2]",
      "",
      with("\"memlane_measurement\":1", "\"memlane_measurement\":2"),
      with("\"variant\":\"emitted\"", "\"variant\":\"emited\""),
      with("\"program\":\"sum\"", "\"program\":5"),
      with("\"samples_ns\":[110,100.5,120]", "\"samples_ns\":[]"),
      with("100.5", "NaN"),
      with("100.5", "null"),
      with("100.5", "-1"),
      with("100.5", "0"),
      with("100.5", "1e308"),
      with("100.5", "1e999"),
      with("\"samples_ns\":[110,100.5,120]", "\"samples_ns\":110"),
      with("\"median_ns\":110", "\"median_ns\":100"),
      with("\"median_ns\":110,", ""),
      with("\"median_ns\":110,", "\"medain_ns\":110,"),
      with("\"clock_cycles\":[1,2,3]", "\"clock_cycles\":[1]"),
      with("\"launches\":1", "\"launches\":0"),
      with("\"launches\":1", "\"launches\":1.5"),
      with("\"threads\":1024", "\"threads\":1000"),
      with("\"model\":\"umm\"", "\"model\":\"agpu\""),
      with("\"width\":32,", ""),
      with("\"device\":{\"name\":\"D\"", "\"device\":{\"nam\":\"D\""),
      with("\"verify\":\"passed\"", "\"verify\":true"),
      with("0123456789abcdef0123", "xyz"),
      with("\"verify\"", "\"priced_ns\":110,\"verify\""),
      with("\"verify\"", "\"priced_clock\":\"events\",\"verify\""),
      with("\"verify\"", "\"priced_clock\":\"sun\",\"priced_ns\":110,\"verify\""),
      with("\"verify\"", "\"priced_clock\":\"events\",\"priced_ns\":90,\"verify\""),
      with("\"verify\"", "\"priced_clock\":\"block\",\"priced_ns\":110,\"verify\""),
      with("\"verify\"", "\"priced_clock\":\"block\",\"priced_ns\":0,"
                         "\"priced_samples_ns\":[0],\"verify\""),
      with("\"verify\"", "\"fmad\":1,\"verify\""),
      with("\"verify\"", "\"problem\":7,\"verify\""),
      with("\"verify\"", "\"array_bytes\":-1,\"verify\""),
      with("\"verify\"", "\"array_bytes\":1e308,\"verify\""),
      with("\"--type value=float\"", "\"--set latency=3\""),
      with("{\"n\":1024}", "{\"n\":[1]}"),
      with("\"seed\":7", "\"seed\":7,\"seed\":8"),
      "{\"memlane_measurement\":1,\"program\":\"x\",\"variant\":\"emitted\",\"parameters\":{},"
      "\"skipped\":false}",
      good_line.substr(0, good_line.size() - 40), // the last line, cut off
  };
  std::string text = good_line + "\n";
  for (const std::string& line : bad) text += line + "\n";
  text.pop_back();
  Sources sources;
  const auto read_back = read(text, sources);
  REQUIRE(read_back);
  CHECK(read_back->points.size() == 1);
  CHECK(read_back->warnings.size() == bad.size());
  const std::string messages = render(read_back->warnings, sources);
  CHECK(messages == test::golden("measure/bad_lines.txt", messages));
}

TEST_CASE("a file without a measured point is an error that says why") {
  std::string messages;
  const std::string skipped = R"({"memlane_measurement":1,"program":"x","variant":"cub",)"
                              R"("parameters":{"n":4},"skipped":"too large"})";
  std::string trace = "{\"memlane_trace\": 1, \"width\": 4}\n";
  for (int line = 0; line < 200; ++line) trace += "{\"launch\": 0}\n";
  const std::string unknown_variant = with("emitted", "emited");
  for (const std::string& text : {std::string(), std::string("{}\nnonsense\n"), trace,
                                  unknown_variant + "\n", skipped + "\n"}) {
    Sources sources;
    const auto read_back = read(text, sources);
    REQUIRE(!read_back);
    messages += render(read_back.errors(), sources) + "--\n";
  }
  CHECK(messages == test::golden("measure/no_good_line.txt", messages));
}

TEST_CASE("a point that was measured with input files is skipped: its data are unknown") {
  Sources sources;
  const auto read_back = read(
      good_line + "\n" + with("\"verify\"", "\"inputs\":{\"a\":\"a.txt\"},\"verify\""), sources);
  REQUIRE(read_back);
  CHECK(read_back->points.size() == 1);
  REQUIRE(read_back->skipped.size() == 1);
  CHECK(read_back->skipped[0].why.find("--input") != std::string::npos);
}

TEST_CASE("a line cut or changed at any byte is read or gives a warning") {
  for (std::size_t at = 0; at < good_line.size(); ++at) {
    for (const std::string& text : {good_line.substr(0, at), good_line.substr(at)}) {
      Sources sources;
      CHECK(!read(text, sources).ok() == (text != good_line));
    }
    for (char c : {'"', '{', ']', ',', '9', '\\', '\x80'}) {
      std::string text = good_line;
      text[at] = c;
      Sources sources;
      const auto read_back = read(text + "\n" + good_line, sources);
      REQUIRE(read_back);
      CHECK(read_back->points.size() + read_back->warnings.size() == 2);
    }
  }
}

TEST_CASE("points with wrong or outdated results are left out, each with a warning") {
  const std::string known = std::string(64, 'a');
  const auto line = [&](const std::string& sha256, const std::string& more) {
    return replaced_in(replaced_in(good_line,
                                   "0123456789abcdef0123456789abcdef0123456789abcdef01"
                                   "23456789abcdef",
                                   sha256),
                       "\"seed\":7", more) +
           "\n";
  };
  const std::string text = line(known, "\"seed\":1") + line(known, "\"seed\":1") +
                           line(std::string(64, 'b'), "\"seed\":2") +
                           replaced_in(line(known, "\"seed\":3"), "passed", "failed") +
                           replaced_in(line(known, "\"seed\":4"), "\"sum\"", "\"gone\"");
  Simulator simulator;
  simulator.sha256 = [&](const MeasuredPoint& point) -> Result<std::string> {
    if (point.program == "sum") return known;
    return error_in("", "no shipped program is named 'gone'");
  };
  Sources sources;
  auto measurements = read(text, sources);
  REQUIRE(measurements);
  Measurements again = *measurements;
  Diagnostics warnings;
  REQUIRE(select_points(*measurements, {}, simulator, warnings));
  CHECK(measurements->points.size() == 1);
  const std::string messages = render(warnings, sources);
  CHECK(messages == test::golden("measure/left_out.txt", messages));

  REQUIRE(select_points(again, {"", true}, simulator, warnings));
  CHECK(again.points.size() == 2);
  const auto other = select_points(again, {"E", false}, simulator, warnings);
  REQUIRE(!other);
  CHECK(render(other.errors(), sources) ==
        "--device: error: nothing was measured on 'E'\n  help: measured devices: D\n");
}

TEST_CASE("a kernel is simulated with its own shape and the machine's latencies") {
  MachineSpec hmm;
  hmm.model = Model::hmm;
  hmm.shared = UnitSpec{UnitKind::discrete, Cycles{20}, 2, 1000};
  hmm.global = UnitSpec{UnitKind::unified, Cycles{300}, 5, {}};
  const MachineSpec dmm = *machine_of({Model::dmm, 16, 1, 64}, hmm);
  CHECK(dmm.model == Model::dmm);
  CHECK(dmm.width == 16);
  CHECK(dmm.threads == 64);
  CHECK(dmm.memory_unit() == *hmm.shared);
  const MachineSpec umm = *machine_of({Model::umm, 32, 1, 32}, hmm);
  CHECK(umm.memory_unit() == *hmm.global);
  CHECK(!machine_of({Model::hmm, 32, 4, 32}, umm));
  CHECK(!machine_of({Model::umm, 32, 1, 32}, dmm));
}

} // namespace memlane::measure
