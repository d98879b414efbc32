// memlane plot as users run it: files, formats, mistakes.
#include "shell.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <regex>

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
  CHECK(page.find("memlane run sum -m umm-w32 -D n=64</title>") != std::string::npos);
  CHECK(playground.run("memlane plot a.db --format html").out == page);
  CHECK(playground.run("memlane plot a.db -o a.svg").status == 0);
  CHECK(slurp(playground.folder() + "/a.svg") == svg.out);
}

namespace {

/// The texts of elements of a picture that begin as the regular expression says.
std::vector<std::string> texts_of(const std::string& svg, const std::string& element) {
  const std::regex pattern("<" + element + ">([^<]*)");
  std::vector<std::string> texts;
  for (std::sregex_iterator at(svg.begin(), svg.end(), pattern), end; at != end; ++at)
    texts.push_back((*at)[1]);
  return texts;
}

const std::string legend = "text class=\"name\" x=\\S* y=\\S* fill=\"#\\w*\""; // and the y axis
const std::string panel_titles = "text class=\"name\" [^>]* font-weight=\"bold\"";
const std::string x_ticks = "text class=\"tick\" [^>]* text-anchor=\"middle\"";
const std::string title = "text class=\"title\" [^>]*";

} // namespace

TEST_CASE("a plot names its machine, its values, and the lines that lie on others", "[release]") {
  const Playground playground;
  const auto chart_of = [&](const std::string& sweep) {
    REQUIRE(playground.run("rm -f a.db && memlane sweep " + sweep + " --store a.db").status == 0);
    return playground.run("memlane plot a.db").out;
  };
  using Texts = std::vector<std::string>;
  const std::string same = chart_of("sum -D n=2^6..2^9:pow2 -m dmm-w32 -m umm-w32");
  CHECK(texts_of(same, legend) == Texts{"dmm-w32", "umm-w32 (= dmm-w32)", "time in time units"});
  CHECK(texts_of(same, title) == Texts{"sum: time over n"});
  const std::string layouts = chart_of("transpose -m hmm-teaching -D n=8,16,24 --layout "
                                       "'t=rows,padded(1)'");
  CHECK(texts_of(layouts, legend) == Texts{"t=padded(1)", "t=rows", "time in time units"});
  CHECK(texts_of(layouts, title) == Texts{"transpose on hmm-teaching: time over n"});
  CHECK(playground.run("memlane plot a.db --where 'n = 8' --x layout -o a.svg").out ==
        "a.svg: 2 points, 1 series, 1 panel\n"); // its own column 'layouts' makes no series
  const std::string inputs = chart_of("congestion -m dmm-w32 --set latency=1,2,4 --input "
                                      "'cell=descending,equal'");
  CHECK(texts_of(inputs, legend) ==
        Texts{"cell=descending", "cell=equal (= cell=descending)", "time in time units"});
  const std::string with_others = "memlane sweep congestion -m dmm-w32 --set latency=1,2,4";
  REQUIRE(playground.run(with_others + " --store a.db").status == 0);
  CHECK(texts_of(playground.run("memlane plot a.db").out, legend).front() == "as declared");
  // A page's narrow picture has no room for the other name.
  chart_of("sum -m dmm-w32 -m umm-w32 --set latency=1,400 -D n=2^6..2^8:pow2");
  const std::string narrow = playground.run("memlane plot a.db --format html").out;
  CHECK(narrow.find(">dmm-w32, machine_latency=400 (hidden)<") != std::string::npos);
  CHECK(narrow.find(">umm-w32, machine_latency=400<") != std::string::npos); // it is drawn later
  // Each axis of whole numbers has whole ticks, however short it is.
  const std::string few = chart_of("strided -m dmm-teaching -D n=16 -D s=1..3");
  CHECK(texts_of(few, x_ticks) == Texts{"0", "1", "2", "3"});
  const std::string one = chart_of("strided -m dmm-teaching -D n=16 -D s=1,3");
  CHECK(texts_of(one, x_ticks).size() <= 4);
}

TEST_CASE("a series without a value says which one it lacks") {
  const Playground playground;
  const auto legend_of = [&](const std::string& sweep, const std::string& options) {
    REQUIRE(playground.run("rm -f a.db && memlane sweep " + sweep + " --store a.db").status == 0);
    return texts_of(playground.run("memlane plot a.db " + options).out, legend);
  };
  using Texts = std::vector<std::string>;
  const std::string capacity = "sum -D n=64,128 --set shared.capacity=null,4096";
  CHECK(legend_of(capacity + " -m hmm-t4", "") == Texts{"machine_shared_capacity=null",
                                                        "machine_shared_capacity=4096 (= "
                                                        "machine_shared_capacity=null)",
                                                        "time in time units"});
  CHECK(legend_of(capacity + " -m hmm-t4", "--by shared.capacity").front() ==
        "shared.capacity=null");
  CHECK(legend_of("sum -D n=64,128 -m hmm-t4 --set global.reuse=none,block", "") ==
        Texts{"machine_global_reuse=block", "machine_global_reuse=none", "time in time units"});
  // A machine without the key has no value that is null.
  CHECK(legend_of("sum -D n=64,128 -m umm-w32 -m hmm-t4", "--by machine,shared.capacity") ==
        Texts{"hmm-t4, shared.capacity=16384", "umm-w32", "time in time units"});
  CHECK(legend_of("sum strided -D n=64,128 -m umm-w32", "--x n --by s") ==
        Texts{"s=2", "without s", "time in time units"});
}

TEST_CASE("a model and a measurement in one store are in one chart", "[release]") {
  const Playground playground;
  REQUIRE(
      playground
          .run("memlane sweep sum -D n=2^8..2^14:pow2 -m umm-w32 -m dmm-w32 --set threads=256 "
               "--store both.db && memlane results import both.db tests/measure/synthetic.jsonl")
          .status == 0);
  using Texts = std::vector<std::string>;
  const auto svg_of = [&](const std::string& options) {
    const Outcome plot = playground.run("memlane plot both.db " + options);
    INFO(plot.err);
    REQUIRE(plot.status == 0);
    return plot.out;
  };
  const std::string whole = svg_of("--where \"program = 'sum'\" --by program");
  CHECK(texts_of(whole, legend) ==
        Texts{"sum (model)", "sum (measured)", "time in time units; measured: in nanoseconds"});
  CHECK(whole.find("class=\"s1\"") == std::string::npos); // one colour
  CHECK(whole.find("<title>measured: sum") != std::string::npos);

  const std::string sums = "--where \"program = 'sum'\" --by program --log ";
  CHECK(svg_of(sums + "y,x") == svg_of(sums + "x,y"));

  // The measurement names no machine: it is in the panel of each.
  const std::string panels = svg_of("--where \"program = 'sum'\" --panels machine --by program");
  CHECK(texts_of(panels, panel_titles) == Texts{"dmm-w32", "umm-w32"});
  for (std::size_t at = 0, panel = 0; panel < 2; ++panel) {
    at = panels.find("class=\"panel\"", at + 1);
    const std::string text = panels.substr(at, panels.find("class=\"panel\"", at + 1) - at);
    CHECK(text.find("<title>measured:") != std::string::npos);
  }

  CHECK(svg_of("--y global_busy --where \"basis = 'model'\"").find(">global_busy in time units<") !=
        std::string::npos);
  CHECK(svg_of("--y global_stages,global_requests --where \"basis = 'model'\"")
            .find(">global_stages, global_requests<") != std::string::npos);
}

TEST_CASE("mistakes of plot are said at once, and write nothing") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=16,32 -m umm-w32 --store a.db").status == 0);
  spit(playground.folder() + "/bad.csv", "n,time\n16\n");
  spit(playground.folder() + "/text.csv", "n,time\n16,12\n32,1 800\n");
  for (const auto& [options, message] :
       {std::pair("--x nn", "did you mean 'n'?"),
        std::pair("--kind pie", "accepted: line, scatter, bar"),
        std::pair("--log z", "accepted: x, y, x,y or none"),
        std::pair("--format png", "accepted: svg, html"),
        std::pair("-o a.png", "end its name with .svg, .html, .pdf or .tex"),
        std::pair("--format pdf", "add -o chart.pdf"),
        std::pair("--size 0x0", "'0x0' is too small or too large"),
        std::pair("--size 3", "write width x height: 3.5inx2.4in"),
        std::pair("-o a.html --size 3x2", "leave --size out"),
        std::pair("--legend left", "accepted: top, bottom, none"),
        std::pair("--curve 'nn/w'", "--curve:1:1: error: unknown column 'nn'"),
        std::pair("--curve 'n/'", "expected an expression"),
        std::pair("--curve 'mean(n)'", "name columns alone"),
        std::pair("--curve ''", "--curve:1:1"),
        std::pair("--curve 'O(n) + 5'", "O(…) has to be the whole formula"),
        std::pair("--curve time", "have no common time"),
        std::pair("--curve n --x program", "a curve needs an x axis of numbers"),
        std::pair("-o a.db --format svg", "a.db"),
        std::pair("-o none/a.svg", "none"),
        std::pair("--printed bad.csv", "bad.csv:2:1: error: 1 cells, but the heading has 2"),
        std::pair("--printed text.csv", "text.csv:3:4: error: '1 800' is no number"),
        std::pair("--y none", "has a column 'none'"),
        std::pair("--y time,time", "--y: error: 'time' is named twice"),
        std::pair("--by n,n", "--by: error: 'n' is named twice"),
        std::pair("--where ''", "--where: error: the condition is empty"),
        std::pair("--y stages", "did you mean 'global_stages' or 'shared_stages'?"),
        std::pair("--curve 'n == 3'", "--curve:1:1: error: a number is needed, this is bool"),
        std::pair("-o a.svg --format latex", "of another format than --format latex"),
        std::pair("--where 'n > 1000'", "no row to plot"),
        std::pair("b.db", "b.db")}) {
    const Outcome outcome = playground.run(std::string("memlane plot a.db ") + options);
    INFO(options << '\n' << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(message) != std::string::npos);
  }
  CHECK(playground.run("memlane plot").status == 2);
  CHECK(playground.run("ls").out.find(".svg") == std::string::npos);
}

TEST_CASE("a plot for a paper has its texts, its size and the curves of theory") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=2^6..2^9:pow2 -m umm-w32 --store a.db").status ==
          0);
  const std::string plot = "memlane plot a.db --x-label numbers --y-label cycles --legend bottom "
                           "--curve '3*(n/w + log2(n)) as theory' --curve 'O(n/w + l*log2(n))' ";
  const Outcome svg = playground.run(plot + "--size 3.5inx2.4in");
  INFO(svg.err);
  CHECK(svg.status == 0);
  CHECK(svg.err.empty());
  CHECK(svg.out.find("width=\"3.5in\" height=\"2.4in\"") != std::string::npos);
  CHECK(svg.out.find("class=\"title\"") == std::string::npos);
  const std::vector<std::string> names = texts_of(svg.out, legend);
  REQUIRE(names.size() == 4);
  CHECK(names[0] == "model");
  CHECK(names[1] == "theory");
  CHECK(names[2].ends_with(" (n/w + l*log2(n))"));
  CHECK(names[3] == "cycles");
  CHECK(svg.out.find(">numbers<") != std::string::npos);
  CHECK(playground.run(plot + "--size 3.5inx2.4in --title Sums").out.find(">Sums</text>") !=
        std::string::npos);
  CHECK(playground.run(plot + "--format html").status == 0);

  CHECK(playground.run(plot + "-o a.tex").out == "a.tex: 4 points, 1 series, 1 panel\n");
  const std::string tex = slurp(playground.folder() + "/a.tex");
  CHECK(tex == playground.run(plot + "--format latex").out);
  CHECK(tex.find("xlabel={numbers}") != std::string::npos);
  CHECK(tex.find("\\addlegendentry{theory}") != std::string::npos);

  const Outcome small = playground.run("memlane plot a.db --curve n --size 1x1");
  CHECK(small.status == 0);
  CHECK(small.err.find("warning: the picture is 1.") == 0);
}

TEST_CASE("the axes of a plot are formulas over columns, with names of their own") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=2^6..2^9:pow2 -m umm-w32 --store a.db").status ==
          0);
  const auto out_of = [&](const std::string& options) {
    const Outcome plot = playground.run("memlane plot a.db " + options);
    INFO(options << '\n' << plot.err);
    REQUIRE(plot.status == 0);
    CHECK(plot.err.empty());
    return plot.out;
  };
  const std::string times = playground
                                .run("memlane results a.db --columns \"time/n as t\" "
                                     "--format csv --limit 1")
                                .out;
  const std::string svg = out_of("--x n --y time/n");
  CHECK(svg.find(">time/n</text>") != std::string::npos);
  CHECK(svg.find("time/n " + times.substr(2, 5)) != std::string::npos); // t, line end, the value
  const std::string named = out_of("--x 'log2(n) as levels' --y 'time/n as per word,1/n as one'");
  for (const char* const text : {">levels</text>", ">per word, one</text>", ">per word</text>"})
    CHECK(named.find(text) != std::string::npos);
  CHECK(texts_of(named, x_ticks).front() == "6");
  // A curve may name the new column.
  CHECK(out_of("--x 'n/64 as k' --curve '3*k as line'").find(">line<") != std::string::npos);
  spit(playground.folder() + "/printed.csv", "n,r\n64,5\n128,4\n");
  CHECK(out_of("--x n --y 'time/n as r' --printed printed.csv").find("printed") !=
        std::string::npos);
  for (const auto& [options, message] :
       {std::pair("--y 'tme/n'", "did you mean 'time'"),
        std::pair("--y 'mean(time)'", "name columns alone"),
        std::pair("--x 'program + 1'", "'program' is text"),
        std::pair("--y 'n/2 as time'", "'time' is a column already"),
        std::pair("--y 'n/2 as a,n as a'", "two formulas are called 'a'"),
        std::pair("--y 'n as'", "")}) {
    const Outcome refused = playground.run(std::string("memlane plot a.db ") + options);
    INFO(options << '\n' << refused.err);
    CHECK(refused.status == 2);
    CHECK(refused.err.find(message) != std::string::npos);
  }
}

TEST_CASE("max draws the greatest of all rows of a series at one x") {
  const Playground playground;
  REQUIRE(playground
              .run("memlane sweep sum strided -D n=64,128 -m umm-w32 -m dmm-w32 --set "
                   "latency=1,10,100 --store a.db")
              .status == 0);
  const std::string command = "memlane plot a.db --x n --by machine_name -o a.svg --size 3x2 --y ";
  const Outcome greatest = playground.run(command + "'max(time)'");
  CHECK(greatest.out == "a.svg: 4 points, 2 series, 1 panel\n");
  CHECK(greatest.err == "note: Each point is the greatest of the runs of its series at one n, "
                        "which differ in program, machine_latency.\n");
  CHECK(slurp(playground.folder() + "/a.svg").find("machine_latency=10,") == std::string::npos);
  // The title names what all of these runs have in common.
  const auto title_of = [&](const std::string& options) {
    const std::string svg =
        playground.run("memlane plot a.db --x n --y 'max(time)' " + options).out;
    const std::vector<std::string> titles = texts_of(svg, title);
    return titles.empty() ? svg : titles.front();
  };
  CHECK(title_of("--by none") == "max(time) over n");
  CHECK(title_of("--by program --where \"machine = 'umm-w32'\"") == "max(time) over n on umm-w32");
  CHECK(title_of("--by none --where \"machine = 'umm-w32'\"") == "max(time) over n on umm-w32");
  CHECK(title_of("--by none --where \"program = 'sum'\"") == "sum: max(time) over n");
  // Without it, all are drawn, with a warning.
  const Outcome all = playground.run(command + "time");
  CHECK(all.out == "a.svg: 24 points, 2 series, 1 panel\n");
  CHECK(all.err.find("warning: a series has several points at one n") != std::string::npos);
}

TEST_CASE("undefined values of a formula interrupt lines, and a note counts them") {
  const Playground playground;
  spit(playground.folder() + "/signs.lane",
       "param n: int = 1\nparam s: int = 0\nmemory a[4]: int\nkernel k() { a[0] = n + s }\n"
       "main { launch k() threads=1 }\nverify { assert true }\n");
  REQUIRE(playground
              .run("memlane sweep signs.lane -m umm-w32 -D n=1,2 -D s='-1,0,1,2' --where "
                   "'n == 1 or s == 0' --store a.db")
              .status == 0);
  const Outcome plot =
      playground.run("memlane plot a.db --y 'n/s as q' --x s --by n --size 3x2 -o a.svg");
  INFO(plot.err);
  CHECK(plot.err.starts_with("note: 2 points are not drawn: no axis has a place for undefined "
                             "numbers."));
  CHECK(plot.err.find(" No point is drawn of: n=2.\n") != std::string::npos);
  // n=1 has a point at -1 and a line from 1 to 2.
  const std::string svg = slurp(playground.folder() + "/a.svg");
  const std::size_t line = svg.find("class=\"line\"");
  REQUIRE(line != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
}

TEST_CASE("one plot is written to several files, each in its own format") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=16,32 -m umm-w32 --store a.db").status == 0);
  const Outcome all = playground.run("memlane plot a.db -o a.svg -o a.html -o a.tex");
  INFO(all.err);
  CHECK(all.status == 0);
  const std::string contents = ": 2 points, 1 series, 1 panel\n";
  CHECK(all.out == "a.svg" + contents + "a.html" + contents + "a.tex" + contents);
  CHECK(slurp(playground.folder() + "/a.svg") == playground.run("memlane plot a.db").out);
  CHECK(slurp(playground.folder() + "/a.tex") ==
        playground.run("memlane plot a.db --format latex").out);
  CHECK(slurp(playground.folder() + "/a.html").rfind("<!DOCTYPE html>", 0) == 0);
  CHECK(playground.run("memlane plot a.db -o b.svg -o b.png").status == 2);
  CHECK(playground.run("test -e b.svg").status == 1);
  const Outcome warned = playground.run("memlane plot a.db --size 1x1 -o c.svg -o c.tex");
  CHECK(warned.err.find("warning", warned.err.find("warning") + 1) == std::string::npos);
}

TEST_CASE("a plot has the curves of what its programs claim") {
  const Playground playground;
  spit(playground.folder() + "/passes.lane",
       "param n: int = 64\nmemory a[n]: int = index\nfn passes(k) = 3*k\n"
       "kernel k() { for r = 1 to 3 { forall i in 0..n { a[i] = a[i] + 1 } } }\n"
       "main { launch k() }\nverify { assert a[0] == 3 }\n"
       "claim time = O(passes(n)/w + l) \"derived\"\n"
       "claim global_words == passes(n)/3 \"derived\"\n"
       "claim k.global_reads <= passes(n) \"derived\"\n");
  REQUIRE(playground
              .run("memlane sweep passes.lane -D n=2^6..2^9:pow2 -m umm-w32 --set "
                   "latency=20,200 --store a.db")
              .status == 0);
  const Outcome bound = playground.run("memlane plot a.db --curve claims --x n");
  INFO(bound.err);
  REQUIRE(bound.status == 0);
  std::size_t curves = 0;
  for (const std::string& name : texts_of(bound.out, legend))
    curves += name.ends_with(" O(passes(n)/w + l)") ? 1 : 0;
  CHECK(curves == 2); // of two latencies
  const Outcome exact =
      playground.run("memlane plot a.db --curve claims --x n --y global_words --where 'l = 20'");
  CHECK(texts_of(exact.out, legend)[1].starts_with("passes(n)/3"));
  CHECK(playground.run("memlane plot a.db --curve 'claims as c' --x n").status == 2);
  const Outcome ratio = playground.run("memlane plot a.db --curve claims --x n --y time/n");
  CHECK(ratio.status == 2);
  CHECK(ratio.err.find("there are claims about other counts: --y global_words or --y time\n") !=
        std::string::npos);
  // A panel without a claim that applies has no curve.
  REQUIRE(playground.run("memlane sweep sum -D n=2^6..2^8:pow2 -m hmm-titan-plain --store a.db")
              .status == 0);
  CHECK(playground.run("memlane plot a.db --curve claims --x n --panels program").status == 0);
  const Outcome none = playground.run("memlane plot a.db --curve claims --x n --y launches");
  CHECK(none.status == 2);
  CHECK(none.err.find("no claim about launches applies") != std::string::npos);
  const Outcome fn = playground.run("memlane plot a.db --x n --curve 'passes*n'");
  CHECK(fn.err.find("--curve claims draws what it claims") != std::string::npos);
}

TEST_CASE("labels have formulas, which LaTeX takes as they are and pictures show without dollars") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=16,32 -m umm-w32 --store a.db").status == 0);
  const std::string plot = "memlane plot a.db --x-label 'words $n_1$, 5 \\$ each' --y 'time/n as "
                           "$t/n$' --curve '9 as $c \\cdot 9$' ";
  const std::string svg = playground.run(plot).out;
  CHECK(svg.find(">words n_1, 5 $ each<") != std::string::npos);
  CHECK(svg.find(">t/n<") != std::string::npos);
  const std::string tex = playground.run(plot + "--format latex").out;
  CHECK(tex.find("xlabel={words $n_1$, 5 \\$ each}") != std::string::npos);
  CHECK(tex.find("ylabel={$t/n$}") != std::string::npos);
  CHECK(tex.find("\\addlegendentry{$c \\cdot 9$}") != std::string::npos);
  const std::string table =
      playground
          .run("memlane results a.db --columns 'n,time/n as $t/n$' --caption 'Words $n$ of "
               "2^10' --format latex")
          .out;
  CHECK(table.find("\\caption{Words $n$ of $2^{10}$}") != std::string::npos);
  CHECK(table.find(" $t/n$ \\\\") != std::string::npos);
}

TEST_CASE("a picture that is higher than asked says a height that it has room in") {
  const Playground playground;
  REQUIRE(playground
              .run("memlane sweep sum prefix_sums -D n=2^6..2^9:pow2 -m umm-w32 -m dmm-w32 --store "
                   "a.db")
              .status == 0);
  const std::string plot = "memlane plot a.db --by program --panels machine --size 3.5x";
  CHECK(playground.run(plot + "2 -o a.svg").err.empty());
  const Outcome high = playground.run(plot + "1.1 -o a.svg");
  const std::string begin = "warning: the picture is ";
  REQUIRE(high.err.find(begin) == 0);
  const std::string height =
      high.err.substr(begin.size(), high.err.find(' ', begin.size()) - begin.size());
  CHECK(high.err.find("high, not 1.10:") != std::string::npos);
  CHECK(std::stod(height) > 1.1);
  CHECK(playground.run(plot + height + " -o a.svg").err.empty());
}

TEST_CASE("runs that differ in their seed have error bars, and a note explains those of a small "
          "picture") {
  const Playground playground;
  REQUIRE(playground
              .run("memlane sweep congestion -m dmm-w32 --set latency=1,2,4 --seeds 5 --store s.db")
              .status == 0);
  const std::string plot = "memlane plot s.db --y shared_conflicts ";
  const Outcome whole = playground.run(plot);
  CHECK(whole.err.empty());
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t number = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++number;
    return number;
  };
  CHECK(count(whole.out, "class=\"spread\"") == 3);
  CHECK(whole.out.find("from the least to the") != std::string::npos);
  const Outcome small = playground.run(plot + "--size 88x60mm");
  CHECK(count(small.out, "class=\"spread\"") == 3);
  CHECK(small.err.find("note: Each point is the mean of the runs that differ in their seed") == 0);
  CHECK(count(playground.run(plot + "--kind bar").out, "class=\"spread ink\"") == 3);
  CHECK(count(playground.run(plot + "--format latex").out, "+= (0, ") == 3);
}

TEST_CASE("a PDF is made by rsvg-convert, and without it the error says how to get it") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=16,32 -m umm-w32 --store a.db").status == 0);
  REQUIRE(playground.run("mkdir none bin && ln -s \"$(command -v memlane)\" none/memlane").status ==
          0);
  const std::string plot = " MEMLANE_HOME=$T memlane plot a.db -o a.pdf";
  const Outcome missing = playground.run("PATH=$T/none" + plot);
  CHECK(missing.status == 2);
  CHECK(missing.err.find("a PDF needs rsvg-convert") != std::string::npos);
  CHECK(missing.err.find("apt-get install librsvg2-bin") != std::string::npos);
  const auto with_converter = [&](const std::string& script) {
    spit(playground.folder() + "/bin/rsvg-convert", "#!/bin/sh\n" + script);
    return playground.run("rm -f a.pdf; chmod +x bin/rsvg-convert && PATH=$T/bin:$PATH" + plot);
  };
  const Outcome failed = with_converter("echo 'no font' >&2; exit 1\n");
  CHECK(failed.status == 2);
  CHECK(failed.err.find("rsvg-convert could not write the PDF") != std::string::npos);
  CHECK(failed.err.find("no font") != std::string::npos);
  CHECK(with_converter("exit 0\n").status == 2); // and no file
  CHECK(playground.run("test -e a.pdf").status == 1);
  const Outcome made = with_converter("cp \"$3\" \"${2#--output=}\"\n");
  INFO(made.err);
  CHECK(made.status == 0);
  CHECK(slurp(playground.folder() + "/a.pdf").rfind("<svg", 0) == 0);
  if (playground.run("command -v rsvg-convert").status != 0) return;
  REQUIRE(playground.run("memlane plot a.db -o a.pdf && memlane plot a.db -o b.pdf").status == 0);
  CHECK(slurp(playground.folder() + "/a.pdf").rfind("%PDF", 0) == 0);
  CHECK(slurp(playground.folder() + "/a.pdf") == slurp(playground.folder() + "/b.pdf"));
}

#ifdef MEMLANE_PDFLATEX
TEST_CASE("LaTeX compiles what plot and figures write", "[release]") {
  const Playground playground;
  REQUIRE(playground
              .run("memlane sweep sum prefix_sums -D n=2^6..2^9:pow2 -m umm-w32 -m dmm-w32 --store "
                   "a.db && memlane sweep congestion -m dmm-w32 --set latency=1,2,4 --seeds 3 "
                   "--store s.db && memlane plot a.db --curve 'O(n)' --legend bottom -o 1.tex && "
                   "memlane plot a.db --panels program,machine --size 6x4 -o 2.tex && memlane plot "
                   "a.db --kind bar -o 3.tex && memlane plot a.db --kind bar --panels machine -o "
                   "7.tex && memlane plot s.db --y shared_conflicts -o 4.tex && "
                   "memlane plot a.db --kind scatter --log none --legend none -o 5.tex && memlane "
                   "figures --only 001-table1 --only 000-fig5-7 --quick --format latex > 6.tex")
              .status == 0);
  spit(playground.folder() + "/all.tex",
       "\\documentclass{article}\\usepackage{booktabs,pgfplots}\\pgfplotsset{compat=1.16}"
       "\\usepgfplotslibrary{groupplots}\\begin{document}\\input{1}\\input{2}\\input{3}"
       "\\input{4}\\input{5}\\input{6}\\input{7}\\end{document}\n");
  const Outcome compiled =
      playground.run(MEMLANE_PDFLATEX " -interaction=nonstopmode -halt-on-error all.tex");
  INFO(compiled.out);
  CHECK(compiled.status == 0);
}
#endif

TEST_CASE("a plot has no title and no labels where they are empty") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=16,32 -m umm-w32 --store a.db").status == 0);
  const std::string said = playground.run("memlane plot a.db").out;
  const std::string silent = playground.run("memlane plot a.db --title '' --x-label ''").out;
  CHECK(texts_of(said, "text class=\"title\"[^>]*").size() == 1);
  CHECK(texts_of(silent, "text class=\"title\"[^>]*").empty());
  const auto names = [](const std::string& svg) {
    std::vector<std::string> texts = texts_of(svg, "text class=\"name\"[^>]*");
    return std::count(texts.begin(), texts.end(), "n");
  };
  CHECK(names(said) == 1);
  CHECK(names(silent) == 0);
}

TEST_CASE("a note says that parts of a curve have no place on a logarithmic axis") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=16,32,64 -m umm-w32 --store a.db").status == 0);
  const std::string command = "memlane plot a.db --log y --size 3x2 -o a.svg --curve ";
  const Outcome cut = playground.run(command + "'40 - n'");
  CHECK(cut.status == 0);
  CHECK(cut.err.find("note: Parts of 1 curve are not drawn: logarithmic axes") !=
        std::string::npos);
  CHECK(playground.run(command + "'2^n'").err.find("not drawn") == std::string::npos);
}

} // namespace memlane::test
