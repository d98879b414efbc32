#include "support/catch.hpp"

#include "memlane/show/paper_table.hpp"
#include "memlane/study/compare/comparison.hpp"
#include "memlane/study/tune/tuning_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace memlane {
namespace {

using namespace sweep;

PaperTable nasty() {
  PaperTable table("100 % of a_b",
                   {{"line", Align::right}, {"source", Align::left, true}, {"note"}});
  table.add({"7", "a[i] |= x & 0xff_ff // `^~#$%{}\\", "[see] *this*, <b>"});
  table.add({"1024", "", "–Ω≤é\x1b\xff 漢"});
  table.add({"3"});
  return table;
}

CountedLine line_with(std::int32_t number, std::string text, std::int64_t requests,
                      std::int64_t stages) {
  return {"x.lane", number, std::move(text), {requests, stages, 1}};
}

} // namespace

TEST_CASE("a Markdown table is aligned and takes nothing in it for markup") {
  CHECK(nasty().text(Format::markdown) ==
        "**100 % of a\\_b**\n\n"
        "| line | source                                  | note                    |\n"
        "|-----:|:----------------------------------------|:------------------------|\n"
        "|    7 | `` a[i] \\|= x & 0xff_ff // `^~#$%{}\\ `` | \\[see\\] \\*this\\*, \\<b\\> |\n"
        "| 1024 |                                         | –Ω≤é\\\\x1b\\\\xff 漢        |\n"
        "|    3 |                                         |                         |\n");
}

TEST_CASE("a LaTeX table is aligned and takes nothing in it for markup") {
  const std::string text = nasty().text(Format::latex);
  INFO(text);
  CHECK(text.find("  \\caption{100 \\% of a\\_b}\n  \\begin{tabular}{rll}\n    \\toprule\n") !=
        std::string::npos);
  CHECK(text.find("\\texttt{a{[}i] \\textbar{}= x \\& 0xff\\_ff // "
                  "\\`{}\\textasciicircum{}\\textasciitilde{}\\#\\$\\%\\{\\}\\textbackslash{}}") !=
        std::string::npos);
  CHECK(text.find("{[}see] *this*, \\textless{}b\\textgreater{}") != std::string::npos);
  CHECK(text.find("--$\\Omega$$\\le$é\\textbackslash{}x1b\\textbackslash{}xff ?") !=
        std::string::npos);
  CHECK(latex_text("--layout hmm-titan") == "-{}-layout hmm-titan");
  CHECK(latex_text("ΛλαΣ²∞") == "$\\Lambda$$\\lambda$$\\alpha$$\\Sigma$$^{2}$$\\infty$");
  // Every row ends alike and has two separators; columns begin in the same place.
  std::size_t rows = 0, at = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', at)) {
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.size() < 3 || line.substr(line.size() - 3) != " \\\\") continue;
    ++rows;
    std::size_t separators = 0;
    for (std::size_t k = 1; k < line.size(); ++k)
      separators += line[k] == '&' && line[k - 1] == ' ' ? 1 : 0;
    CHECK(separators == 2);
    CHECK(line.find(" & ") == 8);
  }
  CHECK(rows == 4);
}

TEST_CASE("LaTeX has every Greek letter, superscripts and signs") {
  CHECK(latex_text("Λ, ω, Θ, Ω, λ, σ") ==
        "$\\Lambda$, $\\omega$, $\\Theta$, $\\Omega$, $\\lambda$, $\\sigma$");
  CHECK(latex_text("10⁻⁶ ≈ 0") == "10$^{-6}$ $\\approx$ 0");
  // U+0391 to U+03C9, without the place that has no letter and those with accents.
  for (int code = 0x391; code <= 0x3c9; ++code) {
    if (code == 0x3a2 || (code >= 0x3aa && code <= 0x3b0)) continue;
    const std::string letter = {static_cast<char>(0xc0 | (code >> 6)),
                                static_cast<char>(0x80 | (code & 0x3f))};
    CHECK(latex_text(letter) != "?");
  }
}

TEST_CASE("LaTeX sets powers as formulas, but not in code") {
  CHECK(latex_text("n=2^10") == "n=$2^{10}$");
  CHECK(latex_text("2^k words") == "$2^{k}$ words");
  CHECK(latex_text("n^(k - 1), 2^-3") == "$n^{k - 1}$, $2^{-3}$");
  CHECK(latex_text("size^2") == "size$^{2}$");
  CHECK(latex_text("(a+b)^2") == "(a+b)$^{2}$");
  CHECK(latex_text("^2, a^, a^%, 2^(a_b)") ==
        "\\textasciicircum{}2, a\\textasciicircum{}, a\\textasciicircum{}\\%, "
        "2\\textasciicircum{}(a\\_b)");
  PaperTable table("2^k", {{"line", Align::left, true}, {"n"}});
  table.add({"2^t", "2^10"});
  const std::string text = table.text(Format::latex);
  CHECK(text.find("\\texttt{2\\textasciicircum{}t} & $2^{10}$") != std::string::npos);
  CHECK(text.find("\\caption{$2^{k}$}") != std::string::npos);
}

TEST_CASE("formulas of labels are between dollars, and all else is text") {
  CHECK(latex_label("a_1 $n_1 \\cdot \\{2\\}$ %") == "a\\_1 $n_1 \\cdot \\{2\\}$ \\%");
  CHECK(plain_label("a_1 $n_1$, $t$ %") == "a_1 n_1, t %");
  CHECK(latex_label("5 \\$ and 6 \\$") == "5 \\$ and 6 \\$");
  CHECK(plain_label("5 \\$ and 6 \\$") == "5 $ and 6 $");
  for (const std::string text : {"5 $", "$$", "$ $", "$}{$", "${$", "$a%$", "$a\\$"}) {
    INFO(text);
    std::string dollars = latex_label(text);
    for (std::size_t at = 0; (at = dollars.find('$', at)) != std::string::npos; ++at)
      CHECK((at > 0 && dollars[at - 1] == '\\'));
  }
}

TEST_CASE("what LaTeX makes of the headings of a tuning has no letter less") {
  for (const Model model : {Model::dmm, Model::umm, Model::hmm, Model::agpu, Model::mmm}) {
    const auto measures = tuning_measures("", model, {});
    REQUIRE(measures);
    for (const TuningMeasure& measure : *measures)
      CHECK(latex_text(measure.heading).find('?') == std::string::npos);
  }
}

TEST_CASE("empty tables are left out of a paper") {
  const PaperTable empty("nothing", {{"a"}});
  CHECK(paper_text({empty, empty}, Format::latex).empty());
  const std::string two = paper_text({nasty(), empty, nasty()}, Format::markdown);
  CHECK(two == nasty().text(Format::markdown) + "\n" + nasty().text(Format::markdown));
}

TEST_CASE("a comparison of lines shows what differs, and sums") {
  Comparison comparison;
  comparison.lines = {"p on m", "q on m", {}};
  comparison.lines->lines = pair_lines(
      {line_with(3, "a[i] = b[i]", 4, 4), line_with(4, "c[i] = 1", 2, 6)},
      {line_with(3, "a[i] = b[i]", 4, 4), line_with(5, "c[2*i] = 1", 2, 2)}, LineMatch::text);
  const std::string table = render_comparison(comparison, Format::table);
  CHECK(table.substr(table.find("by source line")) ==
        "by source line\n  A  p on m\n  B  q on m\n"
        "  line A  B  requests A  B  stages A  B  lost A  B  source         B - A\n"
        "       3  3           4  4         4  4       0  0  a[i] = b[i]\n"
        "       4  5           2  2         6  2       4  0  c[i] = 1       stages -4, lost -4\n"
        "                                                    B: c[2*i] = 1\n"
        "                      6  6        10  6       4  0  all lines      stages -4, lost -4\n");
  const auto json = comparison_json(comparison)["lines"];
  CHECK(json["rows"][1]["difference"]["stages"] == -4);
  CHECK(json["rows"][0]["differs"] == false);
  CHECK(json["rows"][1]["b"]["line"] == 5);
  CHECK(render_comparison(comparison, Format::csv)
            .find("\np on m,x.lane,4,c[i] = 1,2,6,1,4,0,0,0,,,,,q on m,x.lane,5,c[2*i] = "
                  "1,2,2,1,0,0,0,0,,,,,true\n") != std::string::npos);
}

} // namespace memlane
