// Tables for papers from a store: formulas, groups, pivots, LaTeX.
#include "shell.hpp"
#include "support/catch.hpp"

#include <string>

namespace memlane::test {
namespace {

/// Times of sums of two sizes on two latencies.
void store_of_sums(const Playground& playground) {
  REQUIRE(playground
              .run("memlane sweep sum prefix_sums -D n=256,512 -m umm-w32 --set latency=20,200 "
                   "--store s.db")
              .status == 0);
}

std::string shown(const Playground& playground, const std::string& options) {
  const Outcome outcome = playground.run("memlane results s.db " + options);
  INFO(options << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome.out;
}

void check_refused(const Playground& playground, const std::string& options,
                   const std::string& says) {
  const Outcome outcome = playground.run("memlane results s.db " + options);
  INFO(options << "\n" << outcome.out << outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find(says) != std::string::npos);
}

} // namespace

TEST_CASE("a table of groups says that they mix versions of a program") {
  const Playground playground;
  const std::string said = "versions of a program: add sha256 to --group-by";
  for (const char* const body : {"a[i] = i", "a[i] += i"}) {
    spit(playground.folder() + "/edited.lane",
         std::string("param n: int = 64\nmemory a[n]: int\nkernel k() { forall i in 0..n { ") +
             body + " } }\nmain { launch k() }\nverify { assert a[1] == 1 }\n");
    CHECK(playground.run("memlane sweep edited.lane -m umm-w32 -D n=64,128 --store s.db").status ==
          0);
    const Outcome groups =
        playground.run("memlane results s.db --group-by n --columns \"mean(time) as t\"");
    INFO(groups.out << groups.err);
    CHECK(groups.status == 0);
    CHECK((groups.err.find("2 groups have several " + said) != std::string::npos) ==
          (std::string(body) != "a[i] = i"));
  }
  CHECK(playground.run("memlane results s.db --group-by n,sha256 --columns \"mean(time) as t\"")
            .err.find(said) == std::string::npos);
}

TEST_CASE("a table of groups says that points in it failed a check") {
  const Playground playground;
  for (const char* const part : {"", "/2"})
    spit(playground.folder() + (*part == 0 ? "/right.lane" : "/wrong.lane"),
         std::string("param n: int = 64\nmemory a[n]: int = index\n"
                     "kernel k() { forall i in 0..n") +
             part +
             " { a[i] = a[i] + 1 } }\nmain { launch k() }\n"
             "verify { for i = 0 to n - 1 { assert a[i] == i + 1 } }\n");
  CHECK(playground.run("memlane sweep right.lane wrong.lane -m umm-w32 -D n=64,128 --store s.db")
            .status == 1);
  const std::string said = "note: 2 of 4 points failed a check";
  for (const char* const table : {"--group-by program --columns \"sum(time) as t\"",
                                  "--columns n,program,time --pivot program"}) {
    const Outcome all = playground.run(std::string("memlane results s.db ") + table);
    INFO(table << "\n" << all.out << all.err);
    CHECK(all.status == 0);
    CHECK(all.err.find(said) != std::string::npos);
    const Outcome passed =
        playground.run(std::string("memlane results s.db --where 'check_failed = 0' ") + table);
    CHECK(passed.status == 0);
    CHECK(passed.err.find("failed a check") == std::string::npos);
  }
}

TEST_CASE("columns of results are formulas over columns, letters and keys of machines") {
  const Playground playground;
  store_of_sums(playground);
  const std::string sum = " --where \"program = 'sum' and l = 20\" --format csv";
  const std::string times = shown(playground, "--columns time" + sum);
  const auto first = std::stoll(times.substr(5));
  const std::string table =
      shown(playground, "--columns \"time - time % 10 as tens,max(n, 300) as m,log2(n) + l,"
                        "sqrt(n*n), machine_latency*1.5 as late\"" +
                            sum);
  CHECK(table == "tens,m,log2(n) + l,sqrt(n*n),late\n" + std::to_string(first / 10 * 10) +
                     ",300,28,256,30\n" + std::to_string(std::stoll(times.substr(9)) / 10 * 10) +
                     ",512,29,512,30\n");
  CHECK(shown(playground, "--columns \"n/512 as half\"" + sum) == "half\n0.5\n1\n");
  CHECK(shown(playground, "--columns \"n,1/n as r\" --order r --limit 1" + sum) ==
        "n,r\n512,0.001953125\n");
}

TEST_CASE("rows of results are grouped, and groups have aggregates") {
  const Playground playground;
  store_of_sums(playground);
  CHECK(shown(playground, "--group-by program,n --columns \"count(),min(l),max(l),mean(l),sum(l),"
                          "median(l),sd(l)/sqrt(2) as s,max(l)/min(l) as f\" --format csv") ==
        "program,n,count(),min(l),max(l),mean(l),sum(l),median(l),s,f\n"
        "prefix_sums,256,2,20,200,110,220,110,90,10\nprefix_sums,512,2,20,200,110,220,110,90,10\n"
        "sum,256,2,20,200,110,220,110,90,10\nsum,512,2,20,200,110,220,110,90,10\n");
  CHECK(shown(playground, "--columns \"count(program) as rows\" --format csv") == "rows\n8\n");
  const Outcome one = playground.run("memlane results s.db --group-by n,l,program "
                                     "--columns \"sd(time) as s,1/(n-256) as r\" --format csv");
  CHECK(one.err.find("4 cells are without a value: ") != std::string::npos);
  CHECK(one.out.starts_with("n,l,program,s,r\n256,20,prefix_sums,,\n"));
}

TEST_CASE("a pivoted table has a column for each value, and LaTeX for papers") {
  const Playground playground;
  store_of_sums(playground);
  CHECK(shown(playground, "--where \"l = 20\" --columns n,l,program,n*l --pivot program --format "
                          "csv") == "n,l,prefix_sums,sum\n256,20,5120,5120\n512,20,10240,10240\n");
  CHECK(shown(playground, "--group-by n --pivot l --columns \"max(l)/8 as e\" --format csv") ==
        "n,l=20,l=200\n256,2.5,25\n512,2.5,25\n");
  CHECK(shown(playground, "--group-by n --pivot l --columns \"max(l)/8 as e\" --format latex "
                          "--caption \"A_1 & more\" --label tab:e") ==
        "\\begin{table} % \\usepackage{booktabs}\n  \\centering\\small\n"
        "  \\caption{A\\_1 \\& more}\\label{tab:e}\n  \\begin{tabular}{rrr}\n    \\toprule\n"
        "     & \\multicolumn{2}{c}{e} \\\\\n    \\cmidrule(lr){2-3}\n"
        "      n & l=20 & l=200 \\\\\n    \\midrule\n    256 &  2.5 &  25.0 \\\\\n"
        "    512 &  2.5 &  25.0 \\\\\n    \\bottomrule\n  \\end{tabular}\n\\end{table}\n");
}

TEST_CASE("the advice for a pivot with several columns can be followed") {
  const Playground playground;
  store_of_sums(playground);
  const std::string groups = "--group-by n,program,l --pivot program --format csv --columns ";
  check_refused(playground, groups + "\"mean(time/n) as m,max(time) as mx\"",
                "choose keys and one column: --columns \"n,l,program,mean(time/n) as m\"\n");
  CHECK(shown(playground, groups + "\"n,l,program,mean(time/n) as m\"")
            .starts_with("n,l,prefix_sums,sum\n"));
}

TEST_CASE("the numbers of a column are written alike, in full where they can be") {
  const Playground playground;
  store_of_sums(playground);
  const std::string some = "--where \"l = 20 and program = 'sum'\" --columns ";
  // 256/6 and 256*10^6/6 need digits of their own: all have those that the smaller one needs.
  const std::string wide = some + "\"n,(if n == 256 then n/6 else 1000000*n/6) as v\"";
  CHECK(shown(playground, wide) == "  n            v\n256        42.67\n512  85333333.33\n");
  CHECK(shown(playground, wide + " --format markdown").find("| 85333333.33 |") !=
        std::string::npos);
  // A whole number beside a real one has its point below the other's.
  CHECK(shown(playground, some + "\"n/3 as v,n*n/65536 as w\"") ==
        "      v  w\n 85.333  1\n170.667  4\n");
  CHECK(shown(playground, some + "\"n/512 as v\"") == "  v\n0.5\n1.0\n");
  // Exponents only where the range needs them, and then in all cells.
  CHECK(shown(playground, some + "\"(if n == 256 then 1/3000000 else n/2) as v\"") ==
        "          v\n3.33333e-07\n2.56000e+02\n");
  CHECK(shown(playground, some + "\"n*10^14 + 1/2 as v\"") == "       v\n2.56e+16\n5.12e+16\n");
  CHECK(shown(playground, some + "\"n*10^12 as v\"") ==
        "              v\n256000000000000\n512000000000000\n");
  CHECK(shown(playground, some + "\"n/3 as v\" --format csv") ==
        "v\n85.33333333333333\n170.66666666666666\n");
}

TEST_CASE("rows are sorted in both directions, by several columns") {
  const Playground playground;
  store_of_sums(playground);
  const std::string sum = "--where \"program = 'sum'\" --columns n,l --format csv --order ";
  CHECK(shown(playground, sum + "\"n desc,l\"") == "n,l\n512,20\n512,200\n256,20\n256,200\n");
  CHECK(shown(playground, sum + "\"l asc, n DESC\"") == "n,l\n512,20\n256,20\n512,200\n256,200\n");
  CHECK(shown(playground, sum + "\"n desc\" --limit 1") == "n,l\n512,20\n");
  CHECK(shown(playground, "--group-by n --columns \"sum(l) as s\" --format csv --order \"n "
                          "desc\"") == "n,s\n512,440\n256,440\n");
  check_refused(playground, "--order=-n", "write 'n' or 'n desc'");
  check_refused(playground, "--order \"n descending\"", "write 'n' or 'n desc'");
  check_refused(playground, "--order \"n down\" --columns \"n*2 as n\"", "write 'n' or 'n desc'");
}

TEST_CASE("a layout is a column by its option's name and by its array's") {
  const Playground playground;
  REQUIRE(playground
              .run("memlane sweep transpose -m hmm-teaching -D n=8,16 --layout "
                   "'t=rows,padded(1)' --store s.db")
              .status == 0);
  for (const char* const pivot : {"layout", "layouts", "t"}) {
    const std::string table =
        shown(playground, std::string("--columns n,time --format csv --pivot ") + pivot);
    INFO(table);
    CHECK(table.find(*pivot == 't' ? "n,padded(1),rows\n8," : "n,t=padded(1),t=rows\n8,") == 0);
    // Without --columns, what was run has the column by its own name.
    CHECK(shown(playground, std::string("--format csv --pivot ") + pivot) == table);
  }
  CHECK(shown(playground, "--where \"t = 'rows' and n = 8\" --columns t,layout,layouts --format "
                          "csv") == "t,layout,layouts\nrows,t=rows,t=rows\n");
  CHECK(shown(playground, "--group-by t --columns \"count(time) as c\" --order \"t desc\" "
                          "--format csv") == "t,c\nrows,2\npadded(1),2\n");
  CHECK(playground.run("memlane results best s.db --per t --where \"layout = 't=rows'\"").status ==
        0);
  const Outcome plot = playground.run("memlane plot s.db --by t --x n");
  CHECK(plot.status == 0);
  CHECK(plot.out.find(">t=padded(1)<") != std::string::npos);
  check_refused(playground, "--columns layuot", "did you mean 'layout'");
}

TEST_CASE(
    "a baseline and its speedup are shown beside formulas, or a table says how to show them") {
  const Playground playground;
  store_of_sums(playground);
  const auto heading = [&](const std::string& options) {
    const std::string csv = shown(playground, "--baseline sum --format csv " + options);
    return csv.substr(0, csv.find('\n'));
  };
  CHECK(heading("--columns n,time/n") == "n,time/n,baseline,speedup");
  CHECK(heading("--columns n,time/n,speedup") == "n,time/n,speedup");
  CHECK(heading("--by global_stages") ==
        "program,machine_latency,n,global_stages,baseline,speedup");
  CHECK(heading("--by global_stages --order speedup") ==
        "program,machine_latency,n,global_stages,baseline,speedup");
  CHECK(heading("--group-by program --columns \"mean(speedup)\"") == "program,mean(speedup)");
  CHECK(heading("--pivot program --columns n,l,speedup") == "n,l,prefix_sums,sum");
  check_refused(playground, "--baseline sum --group-by program --columns \"mean(time)\"",
                "name one in --columns: mean(speedup) or mean(baseline)");
  check_refused(playground, "--baseline sum --pivot program --columns n,l,time",
                "name one in --columns: speedup or baseline");
}

TEST_CASE("mistakes of tables of results are said with a way out") {
  const Playground playground;
  store_of_sums(playground);
  check_refused(playground, "--columns \"tme/n\"", "did you mean 'time'");
  check_refused(playground, "--columns \"time/\"", "--columns:1:6");
  check_refused(playground, "--columns \"program+1\"", "'program' is text");
  check_refused(playground, "--columns \"mean(sd(time))\"", "within another aggregate");
  check_refused(playground, "--columns \"n < 3\"", "");
  check_refused(playground, "--columns \"n as\"", "");
  check_refused(playground, "--columns \"n as a,time as a\"", "two columns are called 'a'");
  check_refused(playground, "--columns \"n,mean(time)\"", "or add it to --group-by");
  check_refused(playground, "--group-by n --columns time", "mean(time)");
  check_refused(playground, "--group-by tme", "did you mean 'time'");
  check_refused(playground, "--pivot layouts --columns n,time,steps", "several columns");
  check_refused(playground, "--pivot l --columns n", "no column can fill");
  check_refused(playground, "--pivot l --columns n,time", "two rows have n=256, l=20");
  check_refused(playground, "--columns \"1/n as r\" --order q", "no column 'q'");
  check_refused(playground, "--label a", "LaTeX");
  check_refused(playground, "--caption a", "Markdown or LaTeX");
  check_refused(playground, "--label \"a}b\" --format latex", "label");
}

} // namespace memlane::test
