// memlane figures: from a file to verdicts, and what can go wrong on the way.
#include "points/sweep_files.hpp"
#include "shell.hpp"

#include "memlane/study/figures/figure.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace memlane::test {
namespace {

namespace fs = std::filesystem;

/// A figure of small sums that continue to n = 256, with these checks.
std::string figure_of_sums(const std::string& checks) {
  return R"({
  "title": "Sums",
  "source": "A test",
  "measured": "It grows.",
  "sweeps": {
    "sums": {
      "programs": ["sum", "prefix_sums"],
      "machines": ["umm-w32"],
      "axes": { "n": [32, 64, 128], "threads": { "pow2": [32, 1024] } },
      "continue": { "along": "n", "axes": { "n": [256] }, "counts": { "time": "time = O" } }
    }
  },
  "charts": [
    { "title": "Time", "x": { "name": "n", "scale": "log2" }, "y": { "name": "time in units" },
      "query": "SELECT n AS x, time AS y, program AS series, machine_threads AS panel, basis, key FROM sums" }
  ],
  "checks": [)" +
         checks + "]\n}\n";
}

constexpr const char* grows =
    R"({ "finding": "It grows.", "query": "SELECT min(time) < max(time) AS shown, max(time) FILTER (WHERE basis = 'formula') AS last FROM sums WHERE machine_threads = 32", "says": "Up to {last}." })";
constexpr const char* shrinks =
    R"({ "finding": "It shrinks.", "query": "SELECT min(time) > max(time) AS shown FROM sums", "says": "It does not.")";

} // namespace

TEST_CASE("figures prints verdicts, and writes a page or a folder of charts") {
  const Playground playground;
  const Outcome text = playground.run("memlane figures --only 000-fig5-7 -o page.html");
  INFO(text.err);
  CHECK(text.status == 0);
  CHECK(text.out.find("the model shows it (must hold): Figure 6") != std::string::npos);
  CHECK(text.out.find("3 findings in 1 figure: the model shows 3, does not show 0") !=
        std::string::npos);
  CHECK(slurp(playground.folder() + "/page.html").find("49 additions.") != std::string::npos);

  spit(playground.folder() + "/own.json", figure_of_sums(grows));
  const Outcome own = playground.run("memlane figures --only own.json -o charts");
  INFO(own.err);
  CHECK(own.status == 0);
  CHECK(own.out.find("the model shows it: It grows.") != std::string::npos);
  CHECK(own.out.find("by the formula of 'time = O(") != std::string::npos);
  CHECK(slurp(playground.folder() + "/charts/own-1.svg").find("<svg") != std::string::npos);
  CHECK(slurp(playground.folder() + "/charts/index.html").find("memlane run sum -m umm-w32") !=
        std::string::npos);
}

TEST_CASE("what figures writes is what the name of the output says", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/own.json", figure_of_sums(grows));
  const Outcome svg = playground.run("memlane figures --only own.json -o own.svg");
  INFO(svg.err);
  CHECK(svg.status == 0);
  CHECK(slurp(playground.folder() + "/own.svg").rfind("<svg xmlns=", 0) == 0);
  CHECK(
      playground
          .run("memlane figures --only own.json -o folder/ && test -f folder/own-1.svg && test -f "
               "folder/own-1.tex")
          .status == 0);
  CHECK(playground.run("memlane figures --only own.json -o a.html -o a.tex -o a.svg").status == 0);
  CHECK(slurp(playground.folder() + "/a.html").rfind("<!DOCTYPE html>", 0) == 0);
  CHECK(slurp(playground.folder() + "/a.svg") == slurp(playground.folder() + "/own.svg"));
  const std::string tex = slurp(playground.folder() + "/a.tex");
  CHECK(tex.rfind("% \\usepackage{pgfplots}", 0) == 0);
  CHECK(playground.run("memlane figures --only own.json --format latex").out.find(tex) !=
        std::string::npos);
  const auto error = [&](const std::string& arguments) {
    const Outcome outcome = playground.run("memlane figures " + arguments);
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK(error("--only own.json --only 000-fig5-7 -o two.svg")
            .find("'two.svg' is one picture, and there are 2 figures") != std::string::npos);
  CHECK(error("--only own.json -o b.svg -o b.svg").find("b.svg") != std::string::npos);
  CHECK(error("--only own.json --only 000-fig5-7 -o two.tex").find("'two.tex' is one picture") !=
        std::string::npos);
  CHECK(playground
            .run("mkdir none && ln -s $(command -v memlane) none/memlane && PATH=$T/none "
                 "memlane figures --only own.json -o c.pdf")
            .err.find("a PDF needs rsvg-convert") != std::string::npos);
  CHECK(error("--only own.json -o own.png").find("no page, picture or folder") !=
        std::string::npos);
  CHECK(error("--only 000-fig5-7 -o counts.svg").find("000-fig5-7 has no chart") !=
        std::string::npos);
  CHECK(playground.run("test -e two.svg -o -e b.svg -o -e own.png -o -e counts.svg").status == 1);
}

TEST_CASE("only an exact finding that does not hold changes the exit status of figures",
          "[release]") {
  const Playground playground;
  const auto status = [&](const std::string& checks) {
    spit(playground.folder() + "/f.json", figure_of_sums(checks));
    return playground.run("memlane figures --only f.json --store s.db").status;
  };
  CHECK(status(grows) == 0);
  CHECK(status(std::string(shrinks) + " }") == 0);
  CHECK(status(std::string(shrinks) + R"(, "must_hold": true })") == 1);
}

TEST_CASE("a limit that ends a figure's runs is no mistake of its queries") {
  const Playground playground;
  spit(playground.folder() + "/f.json",
       R"({ "title": "t", "source": "s", "measured": ["m"], "model": ["m"],
            "sweeps": { "sums": { "programs": [{ "program": "sum" }], "machines": ["umm-w32"],
                                  "axes": { "n": [64] } } },
            "checks": [{ "finding": "f", "query": "SELECT max(time) > 0 AS shown FROM sums",
                         "says": "s" }] })");
  const Outcome outcome = playground.run("memlane figures --only f.json --max-steps 5");
  INFO(outcome.err);
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("stopped at a limit: nothing is judged") != std::string::npos);
}

TEST_CASE("mistakes in figures are errors with their places") {
  const Playground playground;
  const auto error = [&](const std::string& arguments) {
    const Outcome outcome = playground.run("memlane figures " + arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK(error("--only 004-fg4").find("did you mean '004-fig4'?") != std::string::npos);
  CHECK(error("--only 000-fig5-7 --only 000-fig5-7").find("given 2 times") != std::string::npos);
  CHECK(error("--only none.json").find("none.json") != std::string::npos);
  CHECK(error("none.json").find("figures takes no word, not 1") != std::string::npos);
  CHECK(error("--only 000-fig5-7 --format csv").find("accepted: table, json, markdown") !=
        std::string::npos);
  CHECK(error("--only 000-fig5-7 -o none/page.html").find("none") != std::string::npos);
  spit(playground.folder() + "/f.json",
       figure_of_sums(
           R"({ "finding": "f", "query": "SELECT tine AS shown FROM sums", "says": "s" })"));
  const std::string wrong = error("--only f.json");
  fs::create_directory(playground.folder() + "/g");
  spit(playground.folder() + "/g/f.json", figure_of_sums(grows));
  CHECK(error("--only f.json --only g/f.json -o both").find("two figures are named f") !=
        std::string::npos);
  CHECK(wrong.find("f.json:17:41: error: checks[0].query: no such column: tine") !=
        std::string::npos);
  CHECK(wrong.find("did you mean 'time'?") != std::string::npos);
  std::string figure = figure_of_sums(grows);
  figure.replace(figure.find("\"time = O\""), 10, "\"time = Theta\"");
  spit(playground.folder() + "/f.json", figure);
  CHECK(error("--only f.json").find("has no claim that begins with 'time = Theta'") !=
        std::string::npos);
  figure = figure_of_sums(grows);
  figure.replace(figure.find("\"umm-w32\""), 9, "\"umm-w33\"");
  spit(playground.folder() + "/f.json", figure);
  CHECK(error("--only f.json").find("unknown machine 'umm-w33'") != std::string::npos);
}

TEST_CASE("figures that were killed go on where they were, with the same verdicts", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/f.json", figure_of_sums(grows));
  const Outcome whole = playground.run("memlane figures --only f.json --format json");
  REQUIRE(whole.status == 0);
  for (const char* seconds : {"0.05", "0.1", "0.2"}) {
    playground.run(std::string("timeout -s KILL ") + seconds +
                   " memlane figures --only f.json --store k.db");
    const Outcome rest = playground.run("memlane figures --only f.json --format json --store k.db");
    INFO(rest.err);
    CHECK(rest.status == 0);
    CHECK(rest.out == whole.out);
  }
}

TEST_CASE("figures that are interrupted keep what ended, say how to go on, and go on",
          "[release]") {
  const Playground playground;
  const auto write_figure = [&](int first, int last) {
    std::string figure = R"({
  "title": "Long", "source": "A test", "measured": "It ends.",
  "sweeps": { "sums": { "programs": ["sum"], "machines": ["umm-w32"],
    "axes": { "n": ["2^21"], "latency": { "range": [FIRST, LAST] } } } },
  "checks": [{ "finding": "All ended.", "query": "SELECT count(*) = LAST - FIRST + 1 AS shown FROM sums", "says": "Yes." }]
})";
    for (const auto& [word, number] : {std::pair("FIRST", first), std::pair("LAST", last)})
      for (std::size_t at; (at = figure.find(word)) != std::string::npos;)
        figure.replace(at, std::string_view(word).size(), std::to_string(number));
    spit(playground.folder() + "/long.json", figure);
  };
  write_figure(1, kManyLatencies);
  const std::string command = "memlane figures --only long.json -o page.html -j 2";
  const Outcome lost = playground.interrupt(command);
  INFO(lost.err);
  CHECK(lost.status == 130);
  CHECK(lost.err.find("with --store FILE the next run would go on") != std::string::npos);
  const Outcome stopped = playground.interrupt(command + " --store k.db");
  INFO(stopped.err);
  CHECK(stopped.status == 130);
  CHECK(stopped.out.empty());
  CHECK(stopped.err.find("the same command goes on, with the results in k.db") !=
        std::string::npos);
  CHECK(playground.run("test -e page.html").status == 1);
  const std::string count = "memlane results k.db --columns n --format csv | wc -l";
  const int kept = std::stoi(playground.run(count).out) - 1;
  CHECK(kept > 0);
  CHECK(kept < kManyLatencies);
  // The longest points ran first: these forty begin with those that were kept.
  write_figure(kManyLatencies - 39, kManyLatencies);
  const Outcome rest = playground.run(command + " --store k.db");
  INFO(rest.err);
  CHECK(rest.status == 0);
  CHECK(rest.out.find("the model shows it: All ended.") != std::string::npos);
  CHECK(std::stoi(playground.run(count).out) - 1 == std::max(kept, 40));
}

TEST_CASE("every shipped figure file is read, and its sweeps have points, quick or not",
          "[release]") {
  SweepWorld world;
  std::size_t figures = 0;
  for (const auto& file : fs::directory_iterator(MEMLANE_SOURCE_DIR "/configs/figures")) {
    for (const bool quick : {false, true}) {
      const std::string path = file.path().string();
      INFO(path);
      const auto spec = read_figure(world.sources, world.sources.add(path, slurp(path)),
                                    file.path().stem().string(), quick);
      if (!spec) FAIL(render(spec.errors(), world.sources));
      for (const FigureSweep& sweep : spec->sweeps) {
        CHECK(world.plan(sweep.spec));
        if (sweep.continuation) CHECK(world.plan(sweep.continuation->beyond));
      }
      INFO(world.problems);
      CHECK(world.problems.empty());
      ++figures;
    }
  }
  CHECK(figures >= 30);
}

TEST_CASE("the texts of figures and lessons are shown as they are, so they have no Markdown") {
  std::size_t texts = 0;
  for (const char* folder : {"/configs/figures", "/configs/lessons"})
    for (const auto& file : fs::directory_iterator(std::string(MEMLANE_SOURCE_DIR) + folder)) {
      INFO(file.path().string());
      const std::string text = slurp(file.path().string());
      CHECK(text.find("](") == std::string::npos);
      CHECK(text.find('`') == std::string::npos);
      ++texts;
    }
  CHECK(texts >= 30);
}

TEST_CASE("every shipped figure gives its verdicts, quickly", "[release]") {
  const Playground playground;
  const Outcome all = playground.run("memlane figures --quick --format json -o figures.html");
  INFO(all.err);
  REQUIRE(all.status == 0);
  CHECK(all.err.empty());
  std::set<std::string> shipped, shown;
  for (const auto& file : fs::directory_iterator(MEMLANE_SOURCE_DIR "/configs/figures"))
    shipped.insert(file.path().stem().string());
  const auto figures = nlohmann::json::parse(all.out);
  for (const auto& figure : figures["figures"]) {
    shown.insert(figure["name"]);
    INFO(figure["name"]);
    CHECK(figure["failed"].empty());
    for (const auto& check : figure["checks"]) {
      INFO(check.dump());
      CHECK(check["verdict"].is_string());
      // What the model does not show is judged with the keys of the GPU, or says why not.
      if (check["verdict"] != "does not show it") continue;
      const std::string says = check["says"];
      CHECK((!check["with_keys"].is_null() || says.find("keys of") != std::string::npos));
    }
  }
  CHECK(shown == shipped);
}

TEST_CASE("a word of 2^28 keys takes the time of its passes", "[release]") {
  const Playground playground;
  const Outcome figure =
      playground.run("memlane figures --only 002-fig6.9 --quick --format markdown");
  INFO(figure.out << figure.err);
  REQUIRE(figure.status == 0);
  int rows = 0;
  for (const std::string& line : lines_of(figure.out)) {
    double d = 0, blocks = 0, of_pass = 0, passes = 0, of_all = 0;
    if (std::sscanf(line.c_str(), "| %lf | %lf | %lf | %lf | %lf |", &d, &blocks, &of_pass, &passes,
                    &of_all) != 5)
      continue;
    ++rows;
    INFO(line);
    CHECK(std::abs(of_all - of_pass * passes) < 0.01 * of_all); // numbers have three digits
  }
  CHECK(rows == 4);
}

TEST_CASE("a figure of one's own needs neither findings nor what was measured") {
  const Playground playground;
  spit(playground.folder() + "/own_1.json",
       R"({ "title": "Sums", "source": "A test",
            "sweeps": { "sums": { "programs": ["sum"], "machines": ["umm-w32"], "axes": { "n": [32, 64] } } },
            "charts": [ { "title": "Time", "x": { "name": "n" }, "y": { "name": "time" },
                          "query": "SELECT n AS x, time AS y FROM sums" } ],
            "tables": [ { "title": "Times", "query": "SELECT n, time FROM sums" },
                        { "title": "Sizes", "query": "SELECT n FROM sums" } ] })");
  const Outcome tex = playground.run("memlane figures --only own_1.json --format latex -o p.html");
  INFO(tex.out << tex.err);
  CHECK(tex.status == 0);
  for (const char* const part :
       {"\\caption{Time}\\label{fig:own_1}\n\\end{figure}", "\\caption{Times}\\label{tab:own_1-1}",
        "\\caption{Sizes}\\label{tab:own_1-2}", "0 findings in 1 figure"})
    CHECK(tex.out.find(part) != std::string::npos);
  CHECK(tex.out.find("Findings") == std::string::npos);
  CHECK(slurp(playground.folder() + "/p.html").find("<svg") != std::string::npos);
}

TEST_CASE("a query that does not end stops at a limit", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/f.json",
       figure_of_sums(R"({ "finding": "f", "query": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL )"
                      R"(SELECT x + 1 FROM c) SELECT max(x) > 0 AS shown FROM c", "says": "s" })"));
  const Outcome outcome = playground.run("memlane figures --only f.json");
  INFO(outcome.err);
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("checks[0].query: takes more than 400 million steps of SQLite") !=
        std::string::npos);
  CHECK(outcome.err.find("WITH RECURSIVE needs a condition that ends it") != std::string::npos);
}

TEST_CASE("a sweep that is continued from a point that stopped ends with status 3") {
  const Playground playground;
  spit(playground.folder() + "/f.json", figure_of_sums(grows));
  const Outcome outcome = playground.run("memlane figures --only f.json --max-steps 5");
  INFO(outcome.err);
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("stopped at a limit: nothing is judged") != std::string::npos);
}

} // namespace memlane::test
