// The playground's answers: mistakes with their places and ways out, what can be changed, and the
// numbers of `memlane run`.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include "memlane/lang/words.hpp"
#include "memlane/points/packed_text.hpp"
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
      if (ending != ".lane" && ending != ".json" && ending != ".cu" && ending != ".ptx") continue;
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

TEST_CASE("A run in the playground prints what memlane run prints, and names the program's file") {
  const Playground shell;
  const std::string text = "memory a[4]: int\n"
                           "kernel k() { print \"thread \", thread  a[thread] = thread }\n"
                           "main { launch k() threads=4  print \"\\x1b[2Jend\" }\n"
                           "verify { assert a[3] == 3 }\n";
  spit(shell.folder() + "/own.lane", text);
  Json question = about("run", "programs/access/strided.lane");
  CHECK(ask(question).at("printed") == "");
  CHECK(ask(question).at("command") == "memlane run strided -m umm-w32");
  question["text"] = text;
  CHECK(ask(question).at("command") == "memlane run strided.lane -m umm-w32");
  question["path"] = "own.lane";
  const Json answer = ask(question);
  const Outcome outcome = shell.run(answer.at("command").get<std::string>());
  CHECK(outcome.err == answer.at("printed").get<std::string>() + '\n');
  question["text"] = "memory a[1]: int\nkernel k() { print \"here\"  assert false }\n"
                     "main { launch k() threads=1 }\nverify { }\n";
  CHECK(ask(question).at("printed").get<std::string>().ends_with("here"));
  const Json exercise = about("run", "programs/exercises/01_map.lane");
  CHECK(ask(exercise).at("command") == "memlane run 01_map.lane -m umm-w32");
}

namespace {

/// Adds one to every `step`-th number.
const char* const every_step = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry every(.param .u64 out, .param .u32 step) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [step];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, %tid.x;
  mul.lo.s32 %r3, %r2, %r1;
  mul.wide.s32 %rd3, %r3, 4;
  add.s64 %rd4, %rd2, %rd3;
  .loc 1 3 5
  ld.global.u32 %r4, [%rd4];
  add.s32 %r5, %r4, 1;
  st.global.u32 [%rd4], %r5;
  ret;
}
)";

} // namespace

TEST_CASE("A launch in the playground has the result of memlane ptx, by the lines of the PTX") {
  const Playground shell;
  std::string text = every_step;
  const std::string without_places = text.replace(text.find(".loc"), 4, "//oc"); // as read
  const std::string path = "every.ptx";
  spit(shell.folder() + "/" + path, without_places);
  const std::string launch = "every<<<2, 64>>>(a: int[2048] = 0.., 32)";
  const Json answer =
      ask({{"ask", "launch"}, {"text", every_step}, {"path", path}, {"launches", {launch}}});
  INFO(answer.at("errors").dump());
  REQUIRE(answer.at("errors").empty());
  CHECK(answer.at("kernels").at(0).at("name") == "every");
  CHECK(answer.at("machine") == "hmm-titan-plain");
  const Outcome outcome = shell.run(answer.at("command").get<std::string>() + " --format json");
  REQUIRE(outcome.status == 0);
  const Json run = Json::parse(outcome.out);
  CHECK(answer.at("run").at("counts") == run.at("counts"));
  CHECK(answer.at("run").at("sectors") == run.at("sectors"));
  const Json& lines = answer.at("costs").at("lines");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].at("line") == 15);
  CHECK(lines[0].at("worst") == 32);
  CHECK(answer.at("timeline").at("time") == run.at("counts").at("time"));
}

TEST_CASE("Launches in the playground that cannot be have errors with ways out") {
  const auto errors_of = [](const std::string& launch) {
    return ask({{"ask", "launch"}, {"text", every_step}, {"launches", {launch}}}).at("errors");
  };
  CHECK(errors_of("ever<<<1, 32>>>(a: int[8], 1)").size() == 1);
  CHECK(errors_of("every<<<1, 32>>>(a: int[8])").size() == 1);
  CHECK(errors_of("every<<<1, 32>>>(a: int[8] = a.txt, 1)").size() == 1);
  CHECK(errors_of("every<<<1, 2000>>>(a: int[8], 1)").size() == 1);
  CHECK_FALSE(errors_of("every<<<1, 32>>>(a: int[8], 1)").empty()); // outside of the array
  const Json none = ask({{"ask", "launch"}, {"text", ".version 8.0\nmov"}});
  CHECK_FALSE(none.at("errors").empty());
  CHECK_FALSE(ask({{"ask", "launch"},
                   {"text", every_step},
                   {"machine", "agpu-h200"},
                   {"launches", {"every<<<1, 32>>>(a: int[32], 1)"}}})
                  .at("errors")
                  .empty());
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
  CHECK(answer["errors"][0].at("help") ==
        Json::array({"choose smaller numbers, see that every loop ends, or run it in a terminal: "
                     "memlane run"}));
  question["define"] = {"n=2^30", "s=1"};
  const Json large = ask(question);
  REQUIRE(large.at("errors").size() == 1);
  CHECK_FALSE(large["errors"][0].at("help").empty());
}

TEST_CASE("A stopped run in the playground has numbers only of what it has counted") {
  const auto stopped = [](const std::string& text, const std::string& kind = "run") {
    Json question = {{"ask", kind}, {"text", text}, {"machine", "umm-w32"}, {"seconds", 1}};
    question["launches"] = {"every<<<1, 64>>>(a: int[2048], 32)"};
    const Json answer = ask(question, 0.01);
    INFO(answer.dump());
    CHECK(answer.at("errors").size() == 1);
    return answer;
  };
  const std::string array = "memory a[4]: int\nkernel k() { a[lane] = 1 }\nverify { }\n";
  CHECK_FALSE(stopped(array + "main { while true { } }\n").contains("run"));
  CHECK_FALSE(
      stopped("memory a[2^28]: int\nkernel k() { a[lane] = 1 }\nmain { launch k() threads=4 }\n"
              "verify { }\n")
          .contains("run"));
  std::string kernel = every_step;
  kernel.replace(kernel.find("  cvta"), 0, "again:\n  add.s32 %r1, %r1, 1;\n  bra again;\n");
  CHECK_FALSE(stopped(kernel, "launch").contains("run"));
  const Json part = stopped(array + "main { while true { launch k() threads=4 } }\n");
  CHECK(part.at("run").at("stop") == "seconds");
  CHECK(part["run"]["counts"]["time"] > 0);
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
  std::vector<std::string> arrays; // two kernels of this program have an array y
  const Json reduction = ask(about("describe", "programs/reduction/reduction.lane"));
  for (const Json& array : reduction.at("arrays")) arrays.push_back(array.at("name"));
  CHECK(std::count(arrays.begin(), arrays.end(), "y") == 1);
  const Json list = ask({{"ask", "list"}});
  CHECK(found(list.at("machines"), "name", "umm-w32").at("model") == "umm");
  CHECK(found(list.at("programs"), "name", "strided").at("path") == "programs/access/strided.lane");
  CHECK(found(list.at("words"), "name", "forall").at("usage") == "forall i in 0..n { … }");
  CHECK(found(list.at("words"), "name", "double").at("kind") == "type");
  CHECK(list.at("words").size() == lang::words().size());
}

TEST_CASE("A program in the playground has the grade of memlane grade, and its result string") {
  const Playground shell;
  const std::string root = MEMLANE_SOURCE_DIR;
  for (const auto& [name, path] : std::vector<std::pair<std::string, std::string>>{
           {"01_map", "/tests/exercises/01_map.lane"},
           {"02_zip", "/programs/exercises/02_zip.lane"},
           {"11_prefix_sum", "/tests/exercises/false/11_prefix_sum_no_order.lane"},
           {"15_cuda_transpose", "/tests/exercises/15_cuda_transpose.ptx"}}) {
    const Json answer = ask({{"ask", "grade"},
                             {"exercise", name},
                             {"path", root + path},
                             {"text", slurp(root + path)},
                             {"seed", 3}});
    INFO(name << answer.dump());
    const std::string command =
        "memlane grade " + root + path + " --exercise " + name + " --seed 3";
    Json told = Json::parse(shell.run(command + " --format json").out);
    Json grade = answer.at("grade");
    for (Json* one : {&told, &grade}) {
      one->erase("exercise_path");
      for (Json& run : one->at("runs")) run.erase("machine");
    }
    CHECK(grade == told);
    const auto line = answer.at("result").get<std::vector<std::string>>(); // head, text, tail
    CHECK(line.at(0) + sweep::packed(line.at(1)) + line.at(2) + "\n" ==
          shell.run(command + " --result").out);
  }
}

TEST_CASE("A grade in the playground has mistakes and races at their places") {
  const Json race = ask({{"ask", "grade"},
                         {"exercise", "11_prefix_sum"},
                         {"text", shipped().files.at("programs/exercises/11_prefix_sum.lane")}});
  REQUIRE(race.at("errors").size() == 1);
  CHECK(race["errors"][0].at("line") == 13);
  CHECK(race["errors"][0].contains("begin"));
  const Json mistake = ask({{"ask", "grade"}, {"exercise", "01_map"}, {"text", "kernel \n"}});
  CHECK(mistake.at("errors").at(0).at("line") == 2);
  CHECK(mistake.at("grade").at("status") == "error");
  const Json unknown = ask({{"ask", "grade"}, {"exercise", "01_mop"}, {"text", ""}});
  CHECK(unknown.at("errors").at(0).at("help").at(0) == "did you mean '01_map'?");
  CHECK_FALSE(unknown.contains("grade"));
  CHECK_FALSE(ask({{"ask", "grade"}}).at("errors").empty());
  const Json stopped = ask({{"ask", "grade"},
                            {"exercise", "01_map"},
                            {"seconds", 1},
                            {"text", shipped().files.at("programs/exercises/01_map.lane")}},
                           2);
  CHECK_FALSE(stopped.at("errors").empty());
}

TEST_CASE("The playground lists exercises with their tasks and hints, and not among programs") {
  const Json list = ask({{"ask", "list"}});
  const Json map = found(list.at("exercises"), "name", "01_map");
  CHECK(map.at("path") == "programs/exercises/01_map.lane");
  CHECK(map.at("title") == "a kernel for every word of an array");
  CHECK(map.at("task").get<std::string>().find("Compute c[i] = 3 * a[i] + 1") != std::string::npos);
  CHECK(map.at("machine") == "umm-w32");
  const Json bound = found(map.at("criteria"), "name", "near the bound");
  CHECK(bound.at("hint").get<std::string>().find("let all threads work") == 0);
  for (const Json& program : list.at("programs"))
    CHECK(program.at("path").get<std::string>().find("exercises/") == std::string::npos);
  CHECK(list.at("exercises").size() == 19);
  const Json cuda = found(list.at("exercises"), "name", "15_cuda_transpose");
  CHECK(cuda.at("path") == "programs/exercises/15_cuda_transpose.ptx");
  CHECK(cuda.at("task").get<std::string>().find("a transpose in CUDA") != std::string::npos);
  CHECK(cuda.at("source").get<std::string>().find("__global__ void transpose") !=
        std::string::npos);
  CHECK(cuda.at("launches") ==
        Json::array({"transpose<<<1, (32, 8)>>>(c: float[1024], a: float[1024] = "
                     "random(0, 1), 32)"}));
  // Every skeleton runs as the page launches it.
  for (const Json& exercise : list.at("exercises")) {
    INFO(exercise.at("name"));
    if (exercise.at("launches").empty()) continue;
    Json question = about("launch", exercise.at("path"));
    question["launches"] = exercise.at("launches");
    question["machine"] = exercise.at("machine");
    const Json answer = ask(question);
    CHECK(answer.contains("run"));
    CHECK(answer.at("errors").empty());
  }
}

} // namespace memlane::test
