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

} // namespace memlane::test
