// Measurements through the command line: a machine that is known is found again, and the pages.
#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace memlane::test {
namespace {

const std::string made_up = "tests/gpu/synthetic.jsonl";

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++count;
  return count;
}

} // namespace

TEST_CASE("a fit finds the machine that the made-up points are of") {
  // tests/gpu/synthetic.py says with what they were made.
  const std::map<std::string, double> truth = {
      {"unit", 0.8}, {"launch", 2500}, {"l", 24}, {"L", 200}, {"ports", 4}};
  const Playground playground;
  const Outcome outcome =
      playground.run("memlane gpu fit " + made_up + " -m hmm-h200 --fix ports=4 --format json");
  REQUIRE(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  for (const auto& parameter : json.at("parameters")) {
    const std::string name = parameter.at("name");
    INFO(name);
    if (name == "ports") {
      CHECK(parameter.at("standing") == "fixed");
      CHECK(parameter.at("value") == 4);
      continue;
    }
    CHECK(parameter.at("low").get<double>() <= truth.at(name));
    CHECK(parameter.at("high").get<double>() >= truth.at(name));
    CHECK(parameter.at("value").get<double>() == Approx(truth.at(name)).epsilon(0.05));
  }
  CHECK(json.at("rms").get<double>() < 0.01);
  CHECK(json.at("r_squared").get<double>() > 0.999);
  CHECK(json.at("left_out").size() == 6);
}

TEST_CASE("a page is one file, well formed, and has nothing of the measurements unescaped") {
  const Playground playground;
  playground.run("sed 's/synthetic, not a measurement/<script>alert(1)<\\/script> \\& co/' " +
                 made_up + " >bad.jsonl");
  for (const std::string command : {"compare", "fit --free unit,launch"}) {
    const std::size_t blank = command.find(' ');
    const std::string options = blank == std::string::npos ? "" : command.substr(blank);
    const Outcome outcome =
        playground.run("memlane gpu " + command.substr(0, blank) + " bad.jsonl -m hmm-h200" +
                       options + " --page page.html");
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    const std::string page = slurp(playground.folder() + "/page.html");
    CHECK(page.find("<script") == std::string::npos);
    CHECK(page.find("&lt;script&gt;") != std::string::npos);
    CHECK(page.find("http") == std::string::npos);
    CHECK(count_of(page, "<svg") == 7); // a picture for each curve
    for (const char* element : {"svg", "figure", "table", "tr", "td", "th", "g", "text", "title"}) {
      INFO(element);
      const std::string name = element;
      CHECK(count_of(page, "<" + name + ">") + count_of(page, "<" + name + " ") ==
            count_of(page, "</" + name + ">"));
    }
    for (const char* no_number : {"nan,", "nan\"", ">nan", "inf,", "inf\"", ">inf"})
      CHECK(page.find(no_number) == std::string::npos);
  }
}

TEST_CASE("measurements out and in again give the same words twice") {
  const Playground playground;
  const std::string command = "memlane gpu compare " + made_up + " -m hmm-h200 --format json";
  const Outcome first = playground.run(command);
  CHECK(first.status == 0);
  CHECK(first.out == playground.run(command).out);
  CHECK(nlohmann::json::parse(first.out).at("emitted").at("tau_b").is_number());
}

TEST_CASE("programs of one problem are ranked by predicted nanoseconds") {
  const Playground playground;
  const Outcome outcome =
      playground.run("memlane gpu compare " + made_up + " -m hmm-h200 --format json");
  REQUIRE(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  // transpose with two layouts and transpose_direct, at three sizes; sum and sum_hmm are made for
  // machines of different kinds.
  CHECK(json.at("emitted").at("pairs") == 9);
  for (const auto& size : json.at("emitted").at("sizes")) {
    CHECK(size.at("problem") == "transpose on hmm");
    CHECK(size.at("curves").size() == 3);
  }
  const double unit = json.at("costs").at("unit_ns").at("value");
  const double launch = json.at("costs").at("launch_ns").at("value");
  CHECK(launch > 0);
  for (const auto& point : json.at("points")) {
    const double launches = point.at("program") == "sum_hmm" ? 2 : 1;
    CHECK(point.at("predicted_ns").get<double>() ==
          Approx(unit * point.at("time").get<double>() + launch * launches));
  }
}

TEST_CASE("an emitted file says which problem its program solves") {
  const Playground playground;
  const Outcome own = playground.run("memlane emit-cuda sum --problem 'my \"sum\"'");
  REQUIRE(own.status == 0);
  CHECK(own.out.find(R"("problem": "my \"sum\"", "program": "sum")") != std::string::npos);
  const Outcome without = playground.run("memlane emit-cuda sum");
  CHECK(without.out.find("\"problem\"") == std::string::npos);
  REQUIRE(playground.run("memlane emit-cuda --all -o cuda").status == 0);
  for (const char* file : {"sum-umm.cu", "reduction-hmm.cu", "sum-by-hand.cu", "cub_sum.cu"}) {
    INFO(file);
    CHECK(slurp(playground.folder() + "/cuda/" + file).find(R"("problem": "sum")") !=
          std::string::npos);
  }
}

} // namespace memlane::test
