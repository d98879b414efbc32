// Measurements through the command line: a machine that is known is found again, and the pages.
#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace memlane::test {
namespace {

const std::string made_up = "tests/measure/synthetic.jsonl";

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++count;
  return count;
}

} // namespace

TEST_CASE("a fit finds the machine that the made-up points are of", "[release]") {
  // tests/measure/synthetic.py says with what they were made.
  const std::map<std::string, double> truth = {
      {"unit", 0.8}, {"launch", 2500}, {"l", 24}, {"L", 200}, {"ports", 4}};
  const Playground playground;
  const Outcome outcome = playground.run("memlane gpu fit " + made_up +
                                         " -m hmm-h200-plain --fix ports=4 --format json");
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
  CHECK(json.at("left_out").size() == 6);
}

TEST_CASE("a fit says the same, however many runs are side by side", "[release]") {
  const Playground playground;
  const std::string command = "memlane gpu fit " + made_up +
                              " -m hmm-h200-plain --free unit,launch,L --format json --jobs ";
  const Outcome alone = playground.run(command + "1");
  CHECK(alone.status == 0);
  CHECK(alone.out == playground.run(command + "4").out);
}

TEST_CASE("a fit that is stopped gives the best so far, in the table and in JSON", "[release]") {
  const Playground playground;
  // The limit ends before the search does: thousands of copies of one large point. Of a fit that
  // has simulated nothing yet there is no best one: then it gets more time.
  playground.run("sed -n 2p " + made_up +
                 " >one.jsonl; for n in 1 2 3 4 5 6 7 8; do for s in $(seq "
                 "400); do sed \"s/\\\"n\\\": 1024/\\\"n\\\": $((1024 << n))/; "
                 "s/\\\"seed\\\": 1/\\\"seed\\\": $s/\" one.jsonl; done; done >many.jsonl");
  Outcome stopped;
  for (int seconds = 1; stopped.out.empty() && seconds <= 256; seconds *= 4)
    stopped =
        playground.run("memlane gpu fit many.jsonl -m hmm-h200-plain --format json -o machine.json "
                       "--max-seconds " +
                       std::to_string(seconds));
  INFO(stopped.err);
  REQUIRE(stopped.status == 3);
  CHECK(stopped.err.find("stopped at the limit of --max-seconds") != std::string::npos);
  REQUIRE(!stopped.out.empty());
  const auto json = nlohmann::json::parse(stopped.out);
  CHECK(json.at("stopped") == true);
  CHECK(!json.at("warnings").empty());
  CHECK(json.at("points").size() >= 2);
  for (const auto& parameter : json.at("parameters")) {
    const std::string name = parameter.at("name");
    if (name == "L") CHECK(parameter.at("standing") == "best so far");
  }
  CHECK(slurp(playground.folder() + "/machine.json").find("best so far") != std::string::npos);
}

TEST_CASE("a parameter that no point depends on is not fitted, and said loudly") {
  const Playground playground;
  playground.run("head -4 " + made_up + " >sums.jsonl");
  const std::string command =
      "memlane gpu fit sums.jsonl -m hmm-h200-plain --free unit,launch,l --format ";
  const Outcome table = playground.run(command + "table");
  CHECK(table.status == 0);
  CHECK(table.err.find("warning: no point depends on l,") != std::string::npos);
  CHECK(table.out.find("WARNING: no point depends on l,") != std::string::npos);
  const auto json = nlohmann::json::parse(playground.run(command + "json").out);
  REQUIRE(json.at("warnings").size() == 1);
  CHECK(json.at("stopped") == false);
  for (const auto& parameter : json.at("parameters")) {
    if (parameter.at("name") != "l") continue;
    CHECK(parameter.at("value") == 29);
    CHECK(parameter.at("standing") == "no point depends on it");
  }
}

TEST_CASE("large sizes are priced without their data") {
  const Playground playground;
  // 2^30 words would be 4 GB; --max-memory would refuse them.
  playground.run("sed 's/\"n\": 16384/\"n\": 1073741824/' " + made_up + " >large.jsonl");
  const Outcome outcome = playground.run("memlane gpu fit large.jsonl -m hmm-h200-plain --free "
                                         "unit,launch --max-memory 64M --format json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json.at("unused").empty());
  CHECK(json.at("points").size() == 20);
}

TEST_CASE("progress is for terminals alone") {
  const Playground playground;
  const Outcome outcome =
      playground.run("memlane gpu fit " + made_up + " -m hmm-h200-plain --free unit,launch");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("a page is one file, well formed, and has nothing of the measurements unescaped",
          "[release]") {
  const Playground playground;
  playground.run("sed 's/synthetic, not a measurement/<script>alert(1)<\\/script> \\& co/' " +
                 made_up + " >bad.jsonl");
  for (const std::string command : {"compare", "fit --free unit,launch"}) {
    const std::size_t blank = command.find(' ');
    const std::string options = blank == std::string::npos ? "" : command.substr(blank);
    const Outcome outcome =
        playground.run("memlane gpu " + command.substr(0, blank) + " bad.jsonl -m hmm-h200-plain" +
                       options + " --page page.html");
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    const std::string whole = slurp(playground.folder() + "/page.html");
    const std::string page = whole.substr(0, whole.find("<script")); // then its script
    CHECK(whole.find("<script>alert") == std::string::npos);
    CHECK(page.find("&lt;script&gt;") != std::string::npos);
    CHECK(page.find("http:") == std::string::npos);
    CHECK(page.find("https:") == std::string::npos);
    CHECK(count_of(page, "<svg class=\"wide\"") == 3 + 7); // of all points, and one for each curve
    CHECK(count_of(page, "role=\"img\" aria-labelledby=") == 2 * (3 + 7));
    for (const char* title : {"<figcaption>Predicted against measured<", "<figcaption>Residuals",
                              "<figcaption>Roofline", "<h3>The worst ten<", "peak 640 GB/s"}) {
      INFO(title);
      CHECK(page.find(title) != std::string::npos);
    }
    for (const char* element : {"svg", "figure", "table", "tr", "td", "th", "g", "text", "title"}) {
      INFO(element);
      const std::string name = element;
      CHECK(count_of(page, "<" + name + ">") + count_of(page, "<" + name + " ") ==
            count_of(page, "</" + name + ">"));
    }
    for (const char* no_number :
         {"nan,", "nan\"", ">nan<", ">nan ", "inf,", "inf\"", ">inf<", ">inf "})
      CHECK(page.find(no_number) == std::string::npos);
  }
}

TEST_CASE("measurements out and in again give the same words twice") {
  const Playground playground;
  const std::string command = "memlane gpu compare " + made_up + " -m hmm-h200-plain --format json";
  const Outcome first = playground.run(command);
  CHECK(first.status == 0);
  CHECK(first.out == playground.run(command).out);
  CHECK(nlohmann::json::parse(first.out).at("emitted").at("tau_b").is_number());
}

TEST_CASE("programs of one problem are ranked by predicted nanoseconds") {
  const Playground playground;
  const Outcome outcome =
      playground.run("memlane gpu compare " + made_up + " -m hmm-h200-plain --format json");
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

TEST_CASE("options with line breaks stay in the comment that an emitted file begins with",
          "[release]") {
  const Playground playground;
  spit(playground.folder() + "/f.lane",
       "memory a[4]: int\nfn f(x) = x\nkernel k() { a[0] = f(0) }\n"
       "main { launch k() }\nverify { assert true }\n");
  const Outcome emitted =
      playground.run("memlane emit-cuda f.lane --problem 'a\n*/ b' --fn 'f(x) = x\n + 1'");
  CHECK(emitted.status == 0);
  CHECK(emitted.out.find(R"(--problem 'a\n*/ b' --fn 'f(x) = x\n + 1')") != std::string::npos);
}

TEST_CASE("an emitted file says which problem its program solves", "[release]") {
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
