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

TEST_CASE("mistakes of plot are said at once, and write nothing") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=16,32 -m umm-w32 --store a.db").status == 0);
  spit(playground.folder() + "/bad.csv", "n,time\n16\n");
  for (const auto& [options, message] :
       {std::pair("--x nn", "did you mean 'n'?"), std::pair("--kind pie", "line, scatter or bar"),
        std::pair("--log z", "x, y, x,y or none"), std::pair("--format png", "svg or html"),
        std::pair("-o a.png", "end its name with .svg or .html"),
        std::pair("-o a.db --format svg", "a.db"), std::pair("-o none/a.svg", "none"),
        std::pair("--printed bad.csv", "bad.csv:2:1: error: 1 cells, but the heading has 2"),
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
