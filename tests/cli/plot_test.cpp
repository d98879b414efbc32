// memlane plot as users run it: files, formats, mistakes.
#include "shell.hpp"
#include "support/catch.hpp"

namespace memlane::test {

TEST_CASE("a sweep's store becomes SVG and a page with the commands of its points") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=2^4..2^7:pow2 -m umm-w32 --store a.db").status ==
          0);
  const Outcome svg = playground.run("memlane plot a.db");
  CHECK(svg.status == 0);
  CHECK(svg.err.empty());
  CHECK(svg.out.rfind("<svg xmlns=", 0) == 0);
  CHECK(svg.out.find("memlane run sum -m umm-w32 -D n=64</title>") != std::string::npos);
  CHECK(playground.run("memlane plot a.db -o a.html").out ==
        "a.html: 4 points, 1 series, 1 panel\n");
  const std::string page = slurp(playground.folder() + "/a.html");
  CHECK(page.rfind("<!DOCTYPE html>", 0) == 0);
  CHECK(page.find("\"command\":\"memlane run sum -m umm-w32 -D n=64\"") != std::string::npos);
  CHECK(playground.run("memlane plot a.db --format html").out == page);
  CHECK(playground.run("memlane plot a.db -o a.svg").status == 0);
  CHECK(slurp(playground.folder() + "/a.svg") == svg.out);
}

namespace {

/// The data of the charts of a page.
nlohmann::json charts_in(const Playground& playground, const std::string& command) {
  const Outcome page = playground.run(command);
  INFO(page.err);
  REQUIRE(page.status == 0);
  const std::string begin = "id=\"memlane-charts\">";
  const std::size_t from = page.out.find(begin) + begin.size();
  return nlohmann::json::parse(page.out.substr(from, page.out.find("</script>", from) - from));
}

} // namespace

TEST_CASE("a plot names its machine, its values, and the lines that lie on others") {
  const Playground playground;
  const auto chart_of = [&](const std::string& sweep) {
    REQUIRE(playground.run("rm -f a.db && memlane sweep " + sweep + " --store a.db").status == 0);
    return charts_in(playground, "memlane plot a.db --format html").at("charts")[0];
  };
  const auto texts = [](const nlohmann::json& list) {
    std::vector<std::string> found;
    for (const auto& one : list) found.push_back(one.at("text"));
    return found;
  };
  using Texts = std::vector<std::string>;
  const auto same = chart_of("sum -D n=2^6..2^9:pow2 -m dmm-w32 -m umm-w32");
  CHECK(texts(same.at("legend")) == Texts{"dmm-w32", "umm-w32 (= dmm-w32)"});
  CHECK(playground.run("memlane plot a.db").out.find(">umm-w32 (= dmm-w32)</text>") !=
        std::string::npos);
  CHECK(same.at("title") == "sum: time over n");
  const auto layouts = chart_of("transpose -m hmm-teaching -D n=8,16,24 --layout "
                                "'t=rows,padded(1)'");
  CHECK(texts(layouts.at("legend")) == Texts{"padded(1)", "rows"});
  CHECK(layouts.at("title") == "transpose on hmm-teaching: time over n");
  // Each axis of whole numbers has whole ticks, however short it is.
  const auto few = chart_of("strided -m dmm-teaching -D n=16 -D s=1..3");
  CHECK(texts(few.at("x").at("ticks")) == Texts{"0", "1", "2", "3"});
  const auto one = chart_of("strided -m dmm-teaching -D n=16 -D s=1,3");
  CHECK(texts(one.at("x").at("ticks")).size() <= 4);
}

TEST_CASE("a model and a measurement in one store are in one chart") {
  const Playground playground;
  REQUIRE(
      playground
          .run("memlane sweep sum -D n=2^8..2^14:pow2 -m umm-w32 -m dmm-w32 --set threads=256 "
               "--store both.db && memlane results import both.db tests/measure/synthetic.jsonl")
          .status == 0);
  const std::string plot = "memlane plot both.db --where \"program = 'sum'\" --format html";
  const auto whole = charts_in(playground, plot + " --by program");
  const auto& series = whole.at("charts")[0].at("panels")[0].at("series");
  REQUIRE(series.size() == 2);
  CHECK(series[0].at("basis") == "model");
  CHECK(series[1].at("basis") == "measured");
  CHECK(series[0].at("name") == series[1].at("name")); // one colour
  CHECK(whole.at("charts")[0].at("y").at("name") == "time in time units; measured: in nanoseconds");
  CHECK(series[1].at("points")[0].at("text").get<std::string>().find("measured: sum") == 0);

  // The kernel was built for the UMM: beside the DMM there is no measurement.
  const auto panels =
      charts_in(playground, plot + " --panels machine --by program").at("charts")[0].at("panels");
  REQUIRE(panels.size() == 2);
  for (const auto& panel : panels)
    CHECK(panel.at("series").size() == (panel.at("title") == "umm-w32" ? 2 : 1));
  const auto other =
      charts_in(playground,
                "memlane plot both.db --where \"program = 'sum' AND (basis = 'measured' "
                "OR machine = 'dmm-w32')\" --panels machine --by program --format html")
          .at("charts")[0]
          .at("panels");
  REQUIRE(other.size() == 2);
  CHECK(other[1].at("title") == "synthetic, not a measurement (measured)");

  CHECK(playground.run("memlane plot both.db --y global_busy --where \"basis = 'model'\"")
            .out.find(">global_busy in time units</text>") != std::string::npos);
  CHECK(playground
            .run("memlane plot both.db --y global_stages,global_requests --where \"basis = "
                 "'model'\"")
            .out.find(">global_stages, global_requests</text>") != std::string::npos);
}

TEST_CASE("mistakes of plot are said at once, and write nothing") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=16,32 -m umm-w32 --store a.db").status == 0);
  spit(playground.folder() + "/bad.csv", "n,time\n16\n");
  spit(playground.folder() + "/text.csv", "n,time\n16,12\n32,1 800\n");
  for (const auto& [options, message] :
       {std::pair("--x nn", "did you mean 'n'?"), std::pair("--kind pie", "line, scatter or bar"),
        std::pair("--log z", "x, y, x,y or none"), std::pair("--format png", "svg or html"),
        std::pair("-o a.png", "end its name with .svg or .html"),
        std::pair("-o a.db --format svg", "a.db"), std::pair("-o none/a.svg", "none"),
        std::pair("--printed bad.csv", "bad.csv:2:1: error: 1 cells, but the heading has 2"),
        std::pair("--printed text.csv", "text.csv:3:4: error: '1 800' is no number"),
        std::pair("--where 'n > 1000'", "no row to plot"), std::pair("b.db", "b.db")}) {
    const Outcome outcome = playground.run(std::string("memlane plot a.db ") + options);
    INFO(options << '\n' << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(message) != std::string::npos);
  }
  CHECK(playground.run("memlane plot").status == 2);
  CHECK(playground.run("ls").out.find(".svg") == std::string::npos);
}

} // namespace memlane::test
