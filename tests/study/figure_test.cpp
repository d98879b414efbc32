// Figure files: what is read, what is wrong with them, and verdicts over a store.
#include "study/judged_figure.hpp"

#include "memlane/study/figures/lesson.hpp"
#include "memlane/study/figures/result.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace memlane {

using namespace figure_test;

TEST_CASE("a figure file says sweeps, their quick form and where formulas continue them") {
  const FigureFile whole(figure_text(""));
  REQUIRE(whole.errors().empty());
  const FigureSweep& sweep = whole.spec->sweeps.front();
  CHECK(whole.spec->measured == Texts{"first", "second"});
  CHECK(sweep.table == "sums");
  CHECK(sweep.spec.name == "f.sums");
  CHECK(values_of(sweep.spec, "n") == Texts{"64", "128"});
  REQUIRE(sweep.continuation);
  CHECK(values_of(sweep.continuation->beyond, "n") == Texts{"256"});
  CHECK(values_of(sweep.continuation->beyond, "p") == Texts{"32"});

  const FigureFile quick(figure_text(""), true);
  REQUIRE(quick.errors().empty());
  CHECK(values_of(quick.spec->sweeps.front().spec, "n") == Texts{"8"});
  CHECK(values_of(quick.spec->sweeps.front().spec, "p") == Texts{"32"});
}

TEST_CASE("what is wrong with a figure file is said at its place, all at once") {
  const FigureFile several(figure_text(R"(,
  "chart": [],
  "tables": [{ "title": "t", "querry": "SELECT 1" }],
  "views": { "2": "SELECT 1" })"));
  CHECK(several.errors().find("f.json:15:3: error: chart: unknown key") != std::string::npos);
  CHECK(several.errors().find("did you mean 'charts'?") != std::string::npos);
  CHECK(several.errors().find("f.json:16:30: error: tables[0].querry: unknown key") !=
        std::string::npos);
  CHECK(several.errors().find("tables[0].query: is missing") != std::string::npos);

  const auto error_in_check = [](const std::string& check) {
    return FigureFile(figure_text("", "[" + check + "]")).errors();
  };
  CHECK(
      error_in_check(R"({ "finding": "f" })").find("has neither a \"query\" nor \"cannot_say\"") !=
      std::string::npos);
  CHECK(error_in_check(R"({ "finding": "f", "query": "SELECT 1 AS shown", "says": "s",
                            "cannot_say": "c" })")
            .find("has both a \"query\" and \"cannot_say\"") != std::string::npos);
  CHECK(error_in_check(R"({ "finding": "f", "query": [" "], "says": "s" })")
            .find("checks[0].query: is empty") != std::string::npos);
  CHECK(error_in_check(R"({ "finding": "f", "query": "SELECT 1 AS shown" })")
            .find("\"says\" is missing") != std::string::npos);
  CHECK(error_in_check(R"({ "finding": "f", "cannot_say": "c", "must_hold": 1 })")
            .find("checks[0].must_hold: must be true or false, is 1") != std::string::npos);
  CHECK(FigureFile("[]").errors().find("must be an object, is a list") != std::string::npos);
  CHECK(FigureFile("{").errors().find("f.json:1:") != std::string::npos);
  std::string misspelt = figure_text("");
  misspelt.replace(misspelt.find("\"programs\""), 10, "\"programms\"");
  CHECK(FigureFile(misspelt).errors().find("sweeps.sums.programms: unknown key") !=
        std::string::npos);
}

TEST_CASE("names of sweeps and views are tables that queries can tell apart") {
  const auto error = [](const std::string& name, const std::string& more = "") {
    std::string text = figure_text(more);
    text.replace(text.find("\"sums\""), 6, "\"" + name + "\"");
    return FigureFile(text).errors();
  };
  CHECK(error("plan").empty());
  for (const char* const word : {"select", "Table", "results", "sqlite_x"}) {
    INFO(word);
    CHECK(error(word).find("is a word of SQL or of stores, no name of a table") !=
          std::string::npos);
  }
  CHECK(error("sums", R"(, "views": { "SUMS": "SELECT 1" })")
            .find("error: views.SUMS: queries could not tell it from the sweep sums") !=
        std::string::npos);
  CHECK(error("sums", R"(, "views": { "v": "SELECT 1", "V": "SELECT 2" })")
            .find("views.V: queries could not tell it from the view v") != std::string::npos);
  std::string none = figure_text("");
  const std::size_t begin = none.find("\"sums\""), end = none.find("\"checks\"");
  none.replace(begin, end - begin, "}, ");
  CHECK(FigureFile(none).errors().find("sweeps: has no key, and needs at least one") !=
        std::string::npos);
}

TEST_CASE("a query is one statement, and its mistakes are quoted") {
  const auto error = [](const std::string& query, const std::string& more = "") {
    return Judged(figure_text(more, R"([{ "finding": "f", "says": "s", "query": )" + query + " }]"))
        .errors();
  };
  CHECK(error(R"("SELECT 1 AS shown;")").empty());
  CHECK(error(R"("SELECT 1 AS shown; -- 0 AS shown")").empty());
  CHECK(error(R"("SELECT 1 AS shown; SELECT 0 AS shown")")
            .find("checks[0].query: a second statement follows a ';': SELECT 0 AS shown") !=
        std::string::npos);
  CHECK(error(R"("-- SELECT 1 AS shown")").find("checks[0].query: there is no statement in it") !=
        std::string::npos);
  CHECK(error(R"("SELECT 1 AS shown FROM")").find("the query is not complete") !=
        std::string::npos);
  const std::string view = R"(, "views": { "v": "SELECT n FROM sums;" })";
  CHECK(error(R"sql(["WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9)",
                  "SELECT max(x) = 9 AS shown FROM c WHERE x <= (SELECT max(n) FROM v)"])sql",
              view)
            .empty());
  CHECK(error(R"(["SELECT 1 AS shown", "FRM sums"])", view).find("near \"FRM\": syntax error") !=
        std::string::npos);
}

TEST_CASE("a verdict and its numbers come from a query") {
  const Judged shown = judged_check(R"({ "finding": "It grows.",
    "query": ["SELECT count(*) = 3 AS shown, max(n) AS n, 0.33333 AS third, 1234.6 AS large,",
              "'w' AS word FROM sums WHERE basis = 'model'"],
    "says": "{n}, {third}, {large}, {word}", "otherwise": "never" })");
  REQUIRE(shown.errors().empty());
  CHECK(shown.result.checks[0].verdict == FigureVerdict::shows);
  CHECK(shown.result.checks[0].says == "2^11, 0.333, 1235, w");

  for (const char* value : {"NULL", "9e999"}) {
    const Judged nothing =
        judged_check(std::string(R"({ "finding": "f", "query": "SELECT 1 AS shown, )") + value +
                     R"( AS ratio", "says": "{ratio} times." })");
    CHECK(nothing.errors().find("checks[0].says: ratio is ") != std::string::npos);
  }

  const Judged ranges = judged_check(R"({ "finding": "f",
    "query": "SELECT 1 AS shown, 2 AS two, 2 AS least, 16 AS most",
    "says": "s = {two} to {least}, {two} to {most}, from {two} to {least}." })");
  REQUIRE(ranges.errors().empty());
  CHECK(ranges.result.checks[0].says == "s = 2, 2 to 16, from 2 to 2.");

  const Judged not_shown = judged_check(R"({ "finding": "f", "query": "SELECT 0 AS shown, 7 AS n",
    "says": "{n}.", "otherwise": "Why {n}.", "must_hold": true })");
  CHECK(not_shown.result.checks[0].verdict == FigureVerdict::shows_not);
  CHECK(not_shown.result.checks[0].says == "7. Why 7.");
  CHECK(not_shown.result.checks[0].failed());

  const Judged open = judged_check(R"({ "finding": "f", "cannot_say": "There is no CPU." })");
  CHECK(open.result.checks[0].verdict == FigureVerdict::cannot_say);
  CHECK(!open.result.checks[0].failed());

  const std::string full_only =
      R"({ "finding": "f", "query": "SELECT 1 AS shown", "says": "s", "full_only": true })";
  CHECK(judged_check(full_only).result.checks[0].verdict == FigureVerdict::shows);
  CHECK(judged_check(full_only, true).result.checks[0].verdict == FigureVerdict::cannot_say);
}

TEST_CASE("a finding that is judged again with the keys of a GPU has both verdicts") {
  const std::string check = R"({ "finding": "f", "query": "SELECT 0 AS shown", "says": "s",
    "must_hold": true, "with_keys": { "query": "SELECT )";
  const Judged shown = judged_check(check + R"(1 AS shown, 3 AS n", "says": "{n} on it." } })");
  REQUIRE(shown.errors().empty());
  const JudgedCheck& both = shown.result.checks[0];
  CHECK(both.verdict == FigureVerdict::shows_not);
  CHECK(both.failed()); // keys excuse nothing
  REQUIRE(both.with_keys);
  CHECK(both.with_keys->verdict == FigureVerdict::shows);
  CHECK(both.with_keys->says == "3 on it.");
  const std::string text = render_figures({shown.result}, Format::table, {}, "1");
  CHECK(text.find("With the keys of the GPU, the model shows it: 3 on it.") != std::string::npos);
  CHECK(text.find("Of 1 that were judged again with the keys of the GPU, it shows 1; without these "
                  "0.") != std::string::npos);

  const Judged wrong = judged_check(check + R"(2 AS shown", "says": "s" } })");
  CHECK(wrong.errors().find("checks[0].with_keys.query: shown is 2") != std::string::npos);
}

TEST_CASE("a check that cannot be computed is an error at its query, never a pass") {
  const auto error = [](const std::string& query, const std::string& says = "s") {
    const Judged judged =
        judged_check(R"({ "finding": "f", "query": ")" + query + R"(", "says": ")" + says + "\" }");
    CHECK(judged.result.checks.empty());
    return judged.errors();
  };
  CHECK(error("SELECT tine > 0 AS shown FROM sums").find("no such column: tine") !=
        std::string::npos);
  CHECK(error("SELECT 1 AS shown FROM summs").find("f.json:14:41: error: checks[0].query: ") !=
        std::string::npos);
  CHECK(error("SELECT 1 AS n").find("has no column shown") != std::string::npos);
  CHECK(error("SELECT 1 AS shown FROM sums").find("gives 4 rows, not one") != std::string::npos);
  CHECK(error("SELECT 1 AS shown WHERE 0").find("gives 0 rows, not one") != std::string::npos);
  CHECK(error("SELECT NULL AS shown").find("shown is none, neither 1 nor 0") != std::string::npos);
  CHECK(error("SELECT 2 AS shown").find("shown is 2, neither 1 nor 0") != std::string::npos);
  CHECK(error("SELECT 'x' AS shown").find("shown is x") != std::string::npos);
  CHECK(error("SELECT 1.0 AS shown").find("shown is 1 (a real number), neither 1 nor 0") !=
        std::string::npos);
  CHECK(error("SELECT '1' AS shown").find("shown is 1 (a text), neither 1 nor 0") !=
        std::string::npos);
  CHECK(error("SELECT 1 AS shown, 2 AS number", "{nunber}").find("did you mean 'number'?") !=
        std::string::npos);
  CHECK(error("SELECT 1 AS shown", "{open").find("{open") != std::string::npos);
  CHECK(error("DROP TABLE sums").find("checks[0].query") != std::string::npos);
}

TEST_CASE("a chart reads every column of its query, and some row") {
  const auto error = [](const std::string& query) {
    return Judged(figure_text(R"(, "charts": [{ "title": "c", "x": { "name": "n" },
      "y": { "name": "t" }, "query": "SELECT )" +
                              query + R"(" }])"))
        .errors();
  };
  CHECK(error("n AS x, time AS y FROM sums") == "");
  CHECK(error("n AS x, time AS y, program AS serie FROM sums").find("did you mean 'series'?") !=
        std::string::npos);
  CHECK(error("n AS x, time AS y FROM sums WHERE n = 3").find("the query gives no row") !=
        std::string::npos);
  CHECK(error("n AS x, program AS y FROM sums").find("y is sum, not a number") !=
        std::string::npos);
}

TEST_CASE("charts and tables have the rows of their queries, over views of the figure") {
  const Judged judged(figure_text(R"(,
  "views": { "large": "SELECT * FROM sums WHERE n > 64", "two": "SELECT *, 2 AS two FROM large" },
  "charts": [
    { "title": "c", "x": { "name": "n", "scale": "log2" }, "y": { "name": "time" },
      "query": "SELECT n AS x, time AS y, program AS series, basis, key FROM sums UNION ALL SELECT 64, NULL, 'sum', 'printed', NULL" },
    { "title": "k", "x": { "name": "kind", "scale": "categories" }, "y": { "name": "time" }, "mark": "bars",
      "query": "WITH a AS (SELECT 1) SELECT 'b' || n AS x, two AS y, n || ' panel' AS panel FROM two ORDER BY n DESC" }
  ],
  "tables": [{ "title": "t", "query": "SELECT program, n, time FROM large" }])"));
  REQUIRE(judged.errors().empty());
  const Chart& chart = judged.result.charts[0];
  REQUIRE(chart.panels.size() == 1);
  REQUIRE(chart.panels[0].series.size() == 3);
  const ChartSeries& model = chart.panels[0].series[0];
  CHECK(model.name == "sum");
  CHECK(model.points.size() == 3);
  CHECK(model.points[0].text == "sum, n=64: time 192");
  CHECK(model.points[0].command == "memlane run sum");
  CHECK(chart.panels[0].series[1].basis == SeriesBasis::formula);
  CHECK(chart.panels[0].series[1].points[0].y == 12345.6);
  CHECK(chart.panels[0].series[2].basis == SeriesBasis::printed);
  CHECK(std::isnan(chart.panels[0].series[2].points[0].y));
  const Chart& bars = judged.result.charts[1];
  CHECK(bars.x.categories == Texts{"b4096", "b2048", "b128"});
  CHECK(bars.panels.size() == 3);
  CHECK(bars.panels[1].series[0].points[0].x == 1);
  CHECK(bars.panels[1].series[0].mark == Mark::bars);
  const PageTable& table = judged.result.tables[0];
  CHECK(table.texts == std::set<std::size_t>{0});
  CHECK(table.rows == std::vector<Texts>{{"program", "n", "time"},
                                         {"sum", "128", "384"},
                                         {"sum", "2^11", "6144"},
                                         {"sum", "2^12", "12346"}});
}

TEST_CASE("a chart's query must give numbers, and a basis that there is") {
  const auto error = [](const std::string& query) {
    return Judged(figure_text(R"(, "charts": [{ "title": "c", "x": { "name": "n" },
      "y": { "name": "t" }, "query": ")" +
                              query + "\" }]"))
        .errors();
  };
  CHECK(error("SELECT n AS x FROM sums").find("the query has no column y") != std::string::npos);
  CHECK(error("SELECT 'a' AS x, 1 AS y").find("\"scale\": \"categories\"") != std::string::npos);
  CHECK(error("SELECT 1 AS x, 1 AS y, 'modell' AS basis").find("basis is \"modell\"") !=
        std::string::npos);
}

TEST_CASE("configs/README.md has the keys of figure files and lessons, and its example is one") {
  const std::string page = store_test::read_text(MEMLANE_SOURCE_DIR "/configs/README.md");
  for (const FileKey& key : figure_keys()) {
    const std::string row = fmt::format("| {} | `{}` | {} |\n", key.object, key.name, key.meaning);
    INFO(row);
    CHECK(page.find(row) != std::string::npos);
  }
  for (const FileKey& key : lesson_keys()) {
    const std::string row = fmt::format("| {} | `{}` | {} |\n", key.object, key.name, key.meaning);
    INFO(row);
    CHECK(page.find(row) != std::string::npos);
  }
  const std::size_t begin = page.find("```json\n", page.find("\n## Figures\n")) + 8;
  const FigureFile example(page.substr(begin, page.find("```", begin) - begin));
  CHECK(example.errors().empty());
}

TEST_CASE("figures in every format") {
  const Judged judged = judged_check(
      R"({ "finding": "It grows.", "query": "SELECT 0 AS shown, 7 AS n", "says": "By {n}." },
         { "finding": "A CPU is slower.", "cannot_say": "There is none." })");
  std::vector<FigureResult> figures = {judged.result};
  figures[0].formulas = {{"sum on u", "time", "time = O(n)", 1.5, "64", -0.25}};
  figures[0].failed = {"sum, n=1: no"};
  figures[0].command = "memlane figures --only f";
  CHECK(render_figures(figures, Format::table, {}, "1") ==
        "f: A title  (A paper)\n"
        "  the model does not show it: It grows.\n"
        "      By 7.\n"
        "  the model cannot say: A CPU is slower.\n"
        "      There is none.\n"
        "  sum on u: time by the formula of 'time = O(n)' times 1.5, which is right at the largest "
        "run;\n"
        "  scaled one run before, it is off there by -25.0 %\n"
        "  no result: sum, n=1: no\n\n"
        "2 findings in 1 figure: the model shows 0, does not show 1, and cannot say for 1.\n");
  const std::string markdown = render_figures(figures, Format::markdown, {}, "1");
  CHECK(markdown.find("## f: A title\n") == 0);
  CHECK(markdown.find("does not show it") != std::string::npos);
  figures[0].tables = {{"Rows", {{"program", "n"}, {"sum", "64"}, {"scan", "128"}}, {0}},
                       {"None", {{"n"}}, {}}};
  const std::string with_table = render_figures(figures, Format::markdown, {}, "1");
  CHECK(with_table.find("**Rows**") != std::string::npos);
  CHECK(with_table.find("| scan") != std::string::npos);
  CHECK(with_table.find("None") == std::string::npos);
  const auto json = nlohmann::json::parse(render_figures(figures, Format::json, {}, "1"));
  CHECK(json["figures"][0]["checks"][0]["verdict"] == "does not show it");
  CHECK(json["figures"][0]["formulas"][0]["error"] == -0.25);
  CHECK(figures_page(figures, "1").title == "A title");
  const std::vector<FigureResult> two = {figures[0], figures[0]};
  CHECK(figures_page(two, "1").title == "Figures");
  std::vector<FigureResult> shipped = two;
  for (FigureResult& figure : shipped) figure.spec.shipped = true;
  CHECK(figures_page(shipped, "1").title == "Figures of the papers");
  const std::string page = charts_page(figures_page(figures, "1"));
  for (const char* part :
       {"It grows. The model does not show it.<span>By 7.</span>", "A CPU is slower.",
        "time = O(n)", "-25.0 %", "sum, n=1: no", "id=\"f\""}) {
    INFO(part);
    CHECK(page.find(part) != std::string::npos);
  }
}

} // namespace memlane
