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
        "      n & l=20 & l=200 \\\\\n    \\midrule\n    256 &  2.5 &    25 \\\\\n"
        "    512 &  2.5 &    25 \\\\\n    \\bottomrule\n  \\end{tabular}\n\\end{table}\n");
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
