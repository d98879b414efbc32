// The playground's answers: mistakes with their places and ways out, what can be changed, and the
// numbers of `memlane run`.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include "memlane/web/playground.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace memlane::test {
namespace {

using Json = nlohmann::ordered_json;

/// All programs and machines of the project.
web::Shipped shipped() {
  web::Shipped all{"0.1.0", {"browser", "wasm32", "clang"}, {}};
  for (const char* folder : {"programs", "configs/machines"}) {
    const std::filesystem::path root = MEMLANE_SOURCE_DIR;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".lane" && ending != ".json") continue;
      all.files[entry.path().lexically_relative(root).generic_string()] =
          slurp(entry.path().string());
    }
  }
  return all;
}

/// A playground whose clock advances with each look at it.
Json ask(const Json& question, double seconds_a_look = 0) {
  static const web::Shipped all = shipped();
  const web::Playground page(
      all, [seconds_a_look, now = 0.0]() mutable { return now += seconds_a_look; });
  return Json::parse(page.answer(question.dump()));
}

Json about(const char* ask, const std::string& path) {
  return {{"ask", ask}, {"path", path}, {"text", shipped().files.at(path)}};
}

/// Of a list of objects, the one with this value of a member.
Json found(const Json& list, const char* member, const std::string& value) {
  for (const Json& one : list)
    if (one.at(member) == value) return one;
  FAIL("nothing has " << member << " " << value);
  return {};
}

/// What the command prints, without the computer and the engine that it ran on.
Json same_everywhere(Json result) {
  result.erase("host");
  return result;
}

struct Setting {
  const char* path;
  const char* machine;
  std::vector<std::string> set, define, layout;
};

} // namespace

TEST_CASE("A run in the playground has the result of memlane run") {
  const Playground shell;
  const std::vector<Setting> settings = {
      {"programs/access/strided.lane", "umm-w32", {}, {}, {}},
      {"programs/access/strided.lane", "dmm-w32", {"latency=7"}, {"s=12", "n=640"}, {}},
      {"programs/access/strided.lane", "", {"threads=64"}, {"s=33"}, {}},
      {"programs/matrix/transpose.lane", "hmm-titan-plain", {}, {"n=64"}, {"t=rows"}},
      {"programs/matrix/transpose.lane", "hmm-titan-plain", {"shared.latency=3"}, {"n=96"}, {}},
      {"programs/scan/scan_brent_kung_padded.lane", "dmm-w32", {}, {"n=256"}, {}},
      {"programs/polynomial/multiplication.lane", "mmm-gpu", {}, {}, {}},
  };
  for (const Setting& setting : settings) {
    Json question = about("run", setting.path);
    question["machine"] = setting.machine;
    question["set"] = setting.set;
    question["define"] = setting.define;
    question["layout"] = setting.layout;
    question["seed"] = 3;
    const Json answer = ask(question);
    INFO(question["path"] << " " << answer["errors"].dump());
    std::string command = std::string("memlane run ") + setting.path + " --seed 3 --format json";
    if (*setting.machine) command += std::string(" -m ") + setting.machine;
    for (const std::string& value : setting.set) command += " --set " + value;
    for (const std::string& value : setting.define) command += " -D " + value;
    for (const std::string& value : setting.layout) command += " --layout " + value;
    const Outcome outcome = shell.run(command);
    REQUIRE(outcome.status == 0);
    CHECK(same_everywhere(answer.at("run")) == same_everywhere(Json::parse(outcome.out)));
  }
}

TEST_CASE("A line's numbers in the playground add up to those of the run") {
  Json question = about("run", "programs/access/strided.lane");
  question["machine"] = "dmm-w32";
  question["define"] = {"s=32", "n=1024"};
  const Json answer = ask(question);
  const Json& costs = answer.at("costs");
  REQUIRE(costs.at("lines").size() == 1);
  const Json& line = costs["lines"][0];
  CHECK(line.at("line") == 12);
  CHECK(line.at("requests") == 32);
  CHECK(line.at("stages") == 1024);
  CHECK(line.at("conflicts") == 992);
  CHECK(line.at("worst") == 32);
  CHECK(line.at("cost") == costs.at("of_all"));
  const Json& timeline = answer.at("timeline");
  CHECK(timeline.at("time") == answer.at("run").at("counts").at("time"));
  CHECK(timeline.at("requests").at("stages").size() == 32);
  CHECK_FALSE(answer.contains("costliest"));
}

TEST_CASE("A long run's playground shows the requests of its costliest line") {
  Json question = about("run", "programs/matrix/transpose.lane");
  question["machine"] = "hmm-titan-plain";
  question["layout"] = {"t=rows"};
  question["requests"] = 50;
  const Json answer = ask(question);
  CHECK(answer.at("timeline").at("requests").at("stages").size() <= 50);
  const Json& lines = answer.at("costliest").at("requests").at("line");
  CHECK(std::find(lines.begin(), lines.end(), 13) != lines.end());
}

TEST_CASE("Mistakes in the playground have a place and a way out") {
  const std::string text =
      "param n: int = 8\nmemory a[n]: int\nkernel k() { forall i in 0..m { a[i] "
      "= 1 } }\nmain { launch k() }\nverify { assert a[0] == 1 }\n";
  const Json answer = ask({{"ask", "check"}, {"text", text}});
  REQUIRE(answer.at("errors").size() == 1);
  const Json& error = answer["errors"][0];
  CHECK(error.at("line") == 3);
  CHECK(error.at("column") == 29);
  CHECK(text.substr(error.at("begin"), 1) == "m");
  CHECK(error.at("end").get<int>() == error.at("begin").get<int>() + 1);
  CHECK_FALSE(error.at("help").empty());
  const Json value = ask({{"ask", "run"}, {"text", text}, {"machine", "umm-w33"}});
  REQUIRE_FALSE(value.at("errors").empty());
}

TEST_CASE("A question that is none is answered with an error") {
  CHECK_FALSE(ask("run").at("errors").empty());
  CHECK_FALSE(ask({{"ask", "walk"}}).at("errors").empty());
  CHECK_FALSE(ask({{"ask", "check"}, {"text", 7}}).at("errors").empty());
}

TEST_CASE("A run in the playground ends at its limit and says what to do") {
  Json question = about("run", "programs/access/strided.lane");
  question["define"] = {"n=2^20"};
  question["seconds"] = 1;
  question["set"] = {"latency=1000"};
  const Json answer = ask(question, 0.2);
  REQUIRE(answer.at("errors").size() == 1);
  CHECK(answer["errors"][0].at("help").size() == 1);
  question["define"] = {"n=2^30", "s=1"};
  const Json large = ask(question);
  REQUIRE(large.at("errors").size() == 1);
  CHECK_FALSE(large["errors"][0].at("help").empty());
}

TEST_CASE("The playground offers values that a machine can run") {
  Json question = about("describe", "programs/matrix/transpose.lane");
  question["machine"] = "hmm-titan-plain";
  const Json answer = ask(question);
  const Json n = found(answer.at("parameters"), "name", "n");
  CHECK(n.at("value") == "256");
  CHECK(n.at("where") == "n % w == 0 and n <= 46340*w");
  const auto values = n.at("values").get<std::vector<int>>();
  REQUIRE(values.size() > 4);
  for (const int value : values) CHECK(value % 32 == 0);
  const Json t = found(answer.at("arrays"), "name", "t");
  CHECK(t.at("shared") == true);
  CHECK(t.at("layout") == "padded");
  CHECK(t.at("layouts")[0] == "rows");
  const Json width = found(answer.at("keys"), "path", "width");
  CHECK(width.at("letter") == "w");
  CHECK(width.at("value") == 32);
  CHECK(width.at("minimum") == 1);
  const Json list = ask({{"ask", "list"}});
  CHECK(found(list.at("machines"), "name", "umm-w32").at("model") == "umm");
  CHECK(found(list.at("programs"), "name", "strided").at("path") == "programs/access/strided.lane");
}

} // namespace memlane::test
