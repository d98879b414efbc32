// Reads traces; golden files hold the messages about bad ones.
#include "support/catch.hpp"
#include "support/golden.hpp"

#include "memlane/trace/trace.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace memlane;

namespace {

const std::filesystem::path texts = test::golden_path("trace");

Result<Trace> trace_of(const std::string& text) {
  std::istringstream in(text);
  return read_trace(in, "t.jsonl");
}

const std::string header =
    R"({"memlane_trace": 1, "width": 2, "units": {"global": "unified", "shared": "discrete"}, )"
    R"("threads": 3, "blocks": 1, "shared_words": 0})"
    "\n";

} // namespace

TEST_CASE("messages about bad traces") {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(texts)) {
    if (entry.path().extension() != ".jsonl") continue;
    ++cases;
    std::ifstream in(entry.path(), std::ios::binary);
    const auto trace = read_trace(in, entry.path().filename().string());
    CAPTURE(entry.path().filename().string());
    REQUIRE(!trace.ok());
    const std::string messages = render(trace.errors(), Sources{});
    const std::string expected = "trace/" + entry.path().stem().string() + ".txt";
    CHECK(messages == test::golden(expected, messages));
  }
  CHECK(cases == 22);
}

TEST_CASE("waits are of format 2, and name earlier requests") {
  const auto read = [](const char* format, const char* wait) {
    return trace_of(std::string(R"({"memlane_trace": )") + format +
                    R"(, "width": 1, "units": {"global": "unified"}, "threads": 1, "blocks": 1, )"
                    R"("shared_words": 0})"
                    "\n"
                    R"({"launch": 0, "block": 0, "warp": 0, "op": "wait")" +
                    wait + "}\n");
  };
  const auto some = read("2", R"(, "for": [1, 3])"), all = read("2", "");
  REQUIRE(some.ok());
  CHECK(some->launches[0].awaited == std::vector<std::uint32_t>{1, 3});
  CHECK(some->launches[0].warps.at({0, 0})[0].awaited == 2);
  REQUIRE(all.ok());
  CHECK(all->launches[0].warps.at({0, 0})[0].kind == StepKind::wait);
  CHECK_FALSE(read("1", "").ok());
  CHECK_FALSE(read("2", R"(, "for": [])").ok());
  CHECK_FALSE(read("2", R"(, "for": [0])").ok());
}

TEST_CASE("format 2 has atomics, lanes of several words, and registers") {
  const auto trace =
      trace_of(R"({"memlane_trace": 2, "width": 2, "units": {"global": "unified"}, "threads": 2, )"
               R"("blocks": 1, "shared_words": 0, "registers": 40})"
               "\n"
               R"({"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "atomic", )"
               R"("addresses": [4, null], "words": 4})"
               "\n"
               R"({"launch": 1, "op": "launch", "blocks": 1, "threads": 2, "shared_words": 0})"
               "\n");
  REQUIRE(trace.ok());
  CHECK(trace->launches[0].shape.registers == 40);
  CHECK(trace->launches[1].shape.registers == 0);
  const TraceStep& step = trace->launches[0].warps.at({0, 0})[0];
  CHECK(step.access == AccessKind::atomic);
  CHECK(step.words == 4);
  CHECK(trace->launches[0].addresses == std::vector<std::int64_t>{4, -1});
}

TEST_CASE("a launch without a stage follows all before it") {
  const std::string launch = R"({"launch": )",
                    sizes = R"(, "op": "launch", "blocks": 1, "threads": 1, "shared_words": 0)";
  std::string text = header;
  for (const char* const line : {"0", "1|4", "2|4", "3", "4|4611686018427387904", "5"}) {
    const std::string words = line;
    const auto bar = words.find('|');
    text += launch + words.substr(0, bar) + sizes +
            (bar == std::string::npos ? "" : R"(, "stage": )" + words.substr(bar + 1)) + "}\n";
  }
  const auto trace = trace_of(text);
  REQUIRE(trace.ok());
  std::vector<std::int64_t> stages;
  for (const TraceLaunch& one : trace->launches) stages.push_back(one.stage);
  CHECK(stages ==
        std::vector<std::int64_t>{0, 4, 4, 5, std::int64_t{1} << 62, (std::int64_t{1} << 62) + 1});
}

TEST_CASE("a good trace with interleaved warps and no final line end") {
  const auto trace = trace_of(
      header +
      R"({"launch": 1, "op": "launch", "blocks": 2, "threads": 4, "shared_words": 6})"
      "\n"
      R"({"launch": 1, "block": 1, "warp": 1, "unit": "shared", "op": "write", "addresses": [5, null], "line": 7})"
      "\r\n"
      R"({"launch": 0, "block": 0, "warp": 1, "op": "compute", "count": 9})"
      "\n"
      R"({"launch": 1, "block": 1, "warp": 1, "op": "barrier"})"
      "\n"
      R"({"launch": 0, "block": 0, "warp": 1, "unit": "global", "op": "read", "addresses": [9223372036854775807, null]})");
  REQUIRE(trace.ok());
  CHECK(trace->uses_shared);
  CHECK(trace->uses_global);
  REQUIRE(trace->launches.size() == 2);
  const TraceLaunch& first = trace->launches[0];
  CHECK(first.shape.threads == 3);
  CHECK(first.warps.at({0, 1}).at(0).value == 9);
  CHECK(first.addresses == std::vector<std::int64_t>{INT64_MAX, -1});
  const TraceLaunch& second = trace->launches[1];
  CHECK(second.shape.blocks == 2);
  CHECK(second.shape.threads == 4);
  CHECK(second.shape.shared_words == 6);
  const auto& steps = second.warps.at({1, 1});
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].access == AccessKind::write);
  CHECK(steps[0].line == 7);
  CHECK(steps[0].unit == UnitId::shared);
  CHECK(steps[1].kind == StepKind::barrier);
}

TEST_CASE("a good trace cut at any byte is read or refused") {
  const std::string text =
      header +
      R"({"launch": 0, "block": 0, "warp": 1, "unit": "global", "op": "read", "addresses": [1, null]})"
      "\n"
      R"({"launch": 0, "block": 0, "warp": 0, "op": "barrier"})"
      "\n";
  int good = 0;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    if (trace_of(text.substr(0, size)).ok()) ++good;
  }
  CHECK(good == 6); // after each of the three objects, and after its line end
}

TEST_CASE("a good trace with any byte changed is read or refused") {
  const std::string text =
      header +
      R"({"launch": 0, "block": 0, "warp": 1, "unit": "global", "op": "read", "addresses": [1, null]})"
      "\n";
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'\0', '"', '{', '}', '9', '-', '\n', '\x80', '\xff'}) {
      std::string changed = text;
      changed[at] = byte;
      const auto trace = trace_of(changed);
      if (!trace.ok()) CHECK(!render(trace.errors(), Sources{}).empty());
    }
  }
}

TEST_CASE("deep nesting, long keys and extreme sizes") {
  CHECK(!trace_of(header + std::string(1000000, '[') + "\n").ok());
  CHECK(!trace_of(std::string(1000000, '{') + "\n").ok());
  CHECK(!trace_of(header + "{\"" + std::string(1000000, 'k') + "\": 1}\n").ok());
  const std::string large =
      R"({"memlane_trace": 1, "width": 2, "units": {"global": "unified"}, "threads": )"
      R"(9223372036854775807, "blocks": 9223372036854775807, "shared_words": 9223372036854775807})"
      "\n"
      R"({"launch": 0, "block": 9223372036854775806, "warp": 4611686018427387903, "unit": "global", )"
      R"("op": "read", "addresses": )";
  CHECK(trace_of(large + "[0, null]}").ok());
  CHECK(!trace_of(large + "[0, 0]}").ok()); // the last thread is missing
}

TEST_CASE("lines about as long as the buffer are read completely") {
  for (std::size_t blanks : {4000U, 4050U, 4095U, 4096U, 4097U, 8190U, 8191U, 8192U, 12000U}) {
    const std::string line =
        R"({"launch": 0, "block": 0, "warp": 0, "op": "barrier"})" + std::string(blanks - 54, ' ');
    INFO(blanks);
    const auto two = trace_of(header + line + "\n" + line);
    REQUIRE(two.ok());
    CHECK(two->launches[0].warps.begin()->second.size() == 2);
  }
}

TEST_CASE("reading stops early in a line that is too long") {
  std::istringstream endless(header + std::string(std::size_t{1} << 24, '\0'));
  const auto trace = read_trace(endless, "t.jsonl");
  REQUIRE(!trace.ok());
  CHECK(trace.errors().front().message.find("the line is longer than") == 0);
  CHECK(endless.tellg() < std::streampos(1 << 20));
}

TEST_CASE("counts that overflow, and addresses outside a block's shared memory, are errors") {
  const auto message = [](const std::string& lines) {
    const auto trace = trace_of(header + lines);
    return trace.ok() ? std::string("none") : trace.errors().front().message;
  };
  const std::string compute = R"({"launch": 0, "block": 0, "warp": 0, "op": "compute", "count": )";
  CHECK(message(compute + "9223372036854775807}\n") == "none");
  CHECK(message(compute + "9223372036854775807}\n" + compute + "1}\n") ==
        "count: is too large: the compute lines so far count more than 2^63 - 1");
  const std::string own =
      R"({"launch": 0, "op": "launch", "blocks": 1, "threads": 3, "shared_words": 6})"
      "\n";
  const std::string read =
      R"({"launch": 0, "block": 0, "warp": 0, "unit": "shared", "op": "read", "addresses": [null, )";
  CHECK(message(own + read + "11]}\n") == "none"); // six words, width 2
  CHECK(message(own + read + "12]}\n") ==
        "addresses[1]: is 12, but the launch's blocks have 6 shared words");
}

TEST_CASE("the last line of a complete trace counts its requests") {
  const std::string request =
      R"({"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "read", "addresses": [1, null]})"
      "\n";
  const auto after = [&](const std::string& lines) { return trace_of(header + request + lines); };
  const auto message = [&](const std::string& lines) {
    const auto trace = after(lines);
    return trace.ok() ? std::string("none") : trace.errors().front().message;
  };
  REQUIRE(after("").ok());
  CHECK(!after("")->complete);
  REQUIRE(after("{\"end\": true, \"requests\": 1}").ok());
  CHECK(after("{\"end\": true, \"requests\": 1}")->complete);
  CHECK(trace_of(header + "{\"end\": true, \"requests\": 0}\n")->complete);
  CHECK(message("{\"end\": true, \"requests\": 2}\n") ==
        "requests: is 2, but the trace has 1 request");
  CHECK(message("{\"end\": true, \"requests\": 1}\n" + request) == "a line after the end line");
  CHECK(message("{\"end\": true, \"requests\": 1}\n{\"end\": true, \"requests\": 1}\n") ==
        "a line after the end line");
  CHECK(message("{\"end\": false, \"requests\": 1}\n") ==
        "end: is false; write true or leave the line out");
  CHECK(message("{\"end\": true}\n") == "requests: is missing");
  CHECK(message("{\"end\": true, \"requests\": 1, \"launch\": 0}\n") == "launch: unknown key");
}

TEST_CASE("the caller can stop the reading of a trace, even within a line") {
  const std::string steps = R"({"launch": 0, "block": 0, "warp": 0, "op": "barrier"})"
                            "\n";
  std::string many = header;
  for (int i = 0; i < 5000; ++i) many += steps;
  std::string wide =
      R"({"memlane_trace": 1, "width": 100000, "units": {"global": "unified"}, )"
      R"("threads": 1, "blocks": 1, "shared_words": 0})"
      "\n"
      R"({"launch": 0, "block": 0, "warp": 0, "unit": "global", "op": "read", "addresses": [0)";
  for (int i = 1; i < 100000; ++i) wide += ", null";
  wide += "]}\n";
  for (const std::string& text : {many, wide}) {
    int asked = 0;
    Limits limits;
    limits.check = [&] { return ++asked > 2 ? Stop::interrupted : Stop::none; };
    std::istringstream in(text);
    const auto trace = read_trace(in, "t.jsonl", limits);
    REQUIRE(!trace.ok());
    CHECK(stop_of(trace.errors()) == Stop::interrupted);
    CHECK(asked == 3);
  }
}
