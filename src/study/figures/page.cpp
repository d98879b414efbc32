// Figures as a page, as text, as Markdown, as LaTeX and as JSON.
#include "memlane/show/json_parts.hpp"
#include "memlane/show/paper_table.hpp"
#include "memlane/show/text_table.hpp"
#include "memlane/study/figures/paper_chart.hpp"
#include "memlane/study/figures/result.hpp"
#include "memlane/support/json_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace memlane {
namespace {

constexpr std::array<FigureVerdict, 3> all_verdicts = {
    FigureVerdict::shows, FigureVerdict::shows_not, FigureVerdict::cannot_say};

std::int64_t checks_with(const std::vector<FigureResult>& figures, FigureVerdict verdict) {
  std::int64_t sum = 0;
  for (const FigureResult& figure : figures)
    sum += std::count_if(figure.checks.begin(), figure.checks.end(),
                         [&](const JudgedCheck& check) { return check.verdict == verdict; });
  return sum;
}

/// What the keys of GPUs change, with a space before; empty: no finding is judged again.
std::string summary_with_keys(const std::vector<FigureResult>& figures) {
  std::int64_t judged = 0, shown = 0, others = 0;
  for (const FigureResult& figure : figures)
    for (const JudgedCheck& check : figure.checks) {
      if (!check.with_keys) continue;
      ++judged;
      if (check.verdict == FigureVerdict::shows) ++others;
      if (check.with_keys->verdict == FigureVerdict::shows) ++shown;
    }
  if (judged == 0) return "";
  return fmt::format(" Of {} that were judged again with the keys of the GPU, it shows {}; without "
                     "these {}.",
                     judged, shown, others);
}

/// `52 findings: the model shows 40, does not show 9, and cannot say anything about 3.`
std::string summary(const std::vector<FigureResult>& figures) {
  const std::int64_t shown = checks_with(figures, FigureVerdict::shows);
  const std::int64_t not_shown = checks_with(figures, FigureVerdict::shows_not);
  const std::int64_t open = checks_with(figures, FigureVerdict::cannot_say);
  return fmt::format("{} in {}: the model shows {}, does not show {}, and cannot say for {}.{}",
                     counted(shown + not_shown + open, "finding"),
                     counted(static_cast<std::int64_t>(figures.size()), "figure"), shown, not_shown,
                     open, summary_with_keys(figures));
}

/// Before the paragraphs that say what is simulated.
constexpr const char* in_the_model = "In the model: ";

std::string signed_percent(double part) { return fmt::format("{:+.1f} %", 100 * part); }

/// What stands behind points that were not run.
std::string formula_text(const sweep::ScaledFormula& formula) {
  return fmt::format("{}: {} by the formula of '{}' times {:.3g}, which is right at the largest run"
                     "{}",
                     formula.line, formula.count, on_one_line(formula.claim, 50), formula.factor,
                     formula.error ? fmt::format("; scaled one run before, it is off there by {}",
                                                 signed_percent(*formula.error))
                                   : "");
}

std::string verdict_text(const JudgedCheck& check) {
  return fmt::format("the model {}{}", name_of(check.verdict),
                     check.must_hold ? " (must hold)" : "");
}

/// What comes of a finding that is judged again.
constexpr const char* keyed_words = "With the keys of the GPU, the model {}{}";

// --- The page.

Judgement judgement_of(FigureVerdict verdict) {
  return verdict == FigureVerdict::shows       ? Judgement::holds
         : verdict == FigureVerdict::shows_not ? Judgement::fails
                                               : Judgement::open;
}

PageSection section_of(const FigureResult& figure) {
  PageSection section;
  section.id = figure.spec.name;
  section.heading = fmt::format("{}: {}", figure.spec.name, figure.spec.title);
  section.paragraphs.push_back(figure.spec.source + ".");
  for (const std::string& text : figure.spec.measured) section.paragraphs.push_back(text);
  for (const std::string& text : figure.spec.model)
    section.paragraphs.push_back((&text == &figure.spec.model.front() ? in_the_model : "") + text);
  if (figure.spec.quick)
    section.paragraphs.push_back(
        "A quick run: its sizes are smaller than the paper's, so verdicts may differ.");
  section.charts = figure.charts;
  for (const JudgedCheck& check : figure.checks) {
    section.verdicts.push_back(
        {judgement_of(check.verdict),
         fmt::format("{} The model {}{}.", check.finding, name_of(check.verdict),
                     check.failed() ? ", but must" : ""),
         check.says});
    if (check.with_keys)
      section.verdicts.push_back({judgement_of(check.with_keys->verdict),
                                  fmt::format(keyed_words, name_of(check.with_keys->verdict), "."),
                                  check.with_keys->says});
  }
  section.tables = figure.tables;
  if (!figure.formulas.empty()) {
    PageTable table{"Points that were not run: by the formulas of claims",
                    {{"line", "count", "claim", "factor", "error one run before"}},
                    {0, 1, 2}};
    for (const auto& formula : figure.formulas)
      table.rows.push_back({formula.line, formula.count, formula.claim,
                            fmt::format("{:.3g}", formula.factor),
                            formula.error ? signed_percent(*formula.error) : "none"});
    section.tables.push_back(std::move(table));
  }
  if (!figure.failed.empty()) {
    PageTable table{"Points without a result", {{"point"}}};
    for (const std::string& point : figure.failed) table.rows.push_back({point});
    section.tables.push_back(std::move(table));
  }
  section.command = figure.command;
  return section;
}

// --- JSON.

struct Figures {
  const std::vector<FigureResult>* all = nullptr;
  std::string version;
};

/// Of a test, and of a check.
template <class T>
schema::Members<T> test_members() {
  return {
      {"verdict",
       schema::word({name_of(all_verdicts[0]), name_of(all_verdicts[1]), name_of(all_verdicts[2])},
                    "what the model does"),
       &T::verdict},
      {"says", "the model's numbers in a sentence, or why it cannot say", &T::says},
  };
}

const schema::Table<JudgedTest>& test_table() {
  static const schema::Table<JudgedTest> table(test_members<JudgedTest>());
  return table;
}

const schema::Table<JudgedCheck>& check_table() {
  using C = JudgedCheck;
  static const schema::Table<C> table(
      {{"finding", "what the paper says", &C::finding}}, test_members<C>(),
      {{"must_hold", "whether it is an error if the model does not show it", &C::must_hold},
       {"with_keys", test_table(), "judged again with the keys of the GPU; null: not judged again",
        &C::with_keys}});
  return table;
}

const schema::Table<sweep::ScaledFormula>& formula_table() {
  using F = sweep::ScaledFormula;
  static const schema::Table<F> table({
      {"line", "what the points share", &F::line},
      {"count", "column of results", &F::count},
      {"claim", "whose right side is the formula", &F::claim},
      {"factor", "count / formula at the largest run", &F::factor},
      {"largest", "value of the axis at the largest run", &F::largest},
      {"error", "of the formula there, relative, when scaled one run before; null: one run",
       &F::error},
  });
  return table;
}

const schema::Table<FigureResult>& figure_table() {
  using F = FigureResult;
  const auto texts = [](const char* meaning) {
    return schema::list(schema::text("a paragraph"), meaning);
  };
  static const schema::Table<F> table({
      {"name", "of the figure", [](const F& f) { return f.spec.name; }},
      {"title", "of the figure", [](const F& f) { return f.spec.title; }},
      {"source", "the paper and its number there", [](const F& f) { return f.spec.source; }},
      {"quick", "whether sizes are smaller than the paper's",
       [](const F& f) { return f.spec.quick; }},
      {"measured", texts("what the paper measured"), [](const F& f) { return f.spec.measured; }},
      {"model", texts("what is simulated in its place"), [](const F& f) { return f.spec.model; }},
      {"points", "of its sweeps", &F::points},
      {"failed", schema::list(schema::text("a point and its reason"), "points without a result"),
       &F::failed},
      {"checks", check_table(), "a finding", "findings and verdicts", &F::checks,
       schema::Presence::always},
      {"formulas", formula_table(), "a formula", "behind points that were not run", &F::formulas,
       schema::Presence::always},
      {"command", "that repeats the figure", &F::command},
  });
  return table;
}

const schema::Table<Figures>& figures_table() {
  static const schema::Table<Figures> table({
      {"tool", tool_schema(), [](const Figures& f) { return tool_json(f.version); }},
      {"figures", schema::list(figure_table().schema("a figure"), "in the order of their names"),
       [](const Figures& f) { return figure_table().json_of_all(*f.all); }},
  });
  return table;
}

// --- Text.

std::string figures_text(const std::vector<FigureResult>& figures) {
  constexpr std::size_t width = 100;
  std::string out;
  for (const FigureResult& figure : figures) {
    out += fmt::format("{}: {}  ({}{})\n", figure.spec.name, figure.spec.title, figure.spec.source,
                       figure.spec.quick ? "; quick" : "");
    for (const JudgedCheck& check : figure.checks) {
      out += paragraph_lines(fmt::format("{}: {}", verdict_text(check), check.finding), 2, width);
      out += paragraph_lines(check.says, 6, width);
      if (check.with_keys)
        out += paragraph_lines(fmt::format(keyed_words, name_of(check.with_keys->verdict), ": ") +
                                   check.with_keys->says,
                               6, width);
    }
    for (const auto& formula : figure.formulas)
      out += paragraph_lines(formula_text(formula), 2, width);
    for (const std::string& point : figure.failed)
      out += paragraph_lines("no result: " + point, 2, width);
    out += "\n";
  }
  return out + summary(figures) + "\n";
}

// --- Markdown and LaTeX.

/// What `\\ref` names in a paper: `fig:004-fig3`, `tab:004-fig3-2`. `part`: of several of a kind.
std::string paper_label(const char* kind, std::string figure, const std::string& part) {
  for (char& c : figure)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '-';
  return fmt::format("{}:{}{}{}", kind, figure, part.empty() ? "" : "-", part);
}

/// The number of one of several, from 0, as a label has it; empty: there is one.
std::string part_of(std::size_t number, std::size_t count) {
  return count == 1 ? "" : std::to_string(number + 1);
}

std::string paper_text(const PageTable& page, const std::string& label, Format format) {
  if (page.rows.size() < 2) return "";
  std::vector<PaperColumn> columns;
  for (std::size_t i = 0; i < page.rows.front().size(); ++i)
    columns.push_back({page.rows.front()[i], page.texts.contains(i) ? Align::left : Align::right});
  PaperTable table(page.title, std::move(columns), label);
  for (std::size_t i = 1; i < page.rows.size(); ++i) table.add(page.rows[i]);
  return table.text(format) + "\n";
}

std::string findings_text(const FigureResult& figure, Format format) {
  if (figure.checks.empty()) return "";
  const bool keyed =
      std::any_of(figure.checks.begin(), figure.checks.end(),
                  [](const JudgedCheck& check) { return check.with_keys.has_value(); });
  std::vector<PaperColumn> columns = {{"finding"}, {"the model"}, {"numbers"}};
  if (keyed) columns.insert(columns.end(), {{"with the keys of the GPU"}, {"its numbers"}});
  PaperTable table("Findings", std::move(columns),
                   paper_label("tab", figure.spec.name, "findings"));
  for (const JudgedCheck& check : figure.checks) {
    std::vector<std::string> row = {check.finding, std::string(name_of(check.verdict)), check.says};
    const JudgedTest none{FigureVerdict::cannot_say, ""};
    const JudgedTest& again = check.with_keys.value_or(none);
    if (keyed) row.push_back(check.with_keys ? std::string(name_of(again.verdict)) : "");
    if (keyed) row.push_back(again.says);
    table.add(std::move(row));
  }
  return table.text(format) + "\n";
}

/// Charts are in LaTeX only.
std::string figures_paper(const std::vector<FigureResult>& figures, Format format) {
  const bool latex = format == Format::latex;
  const auto plain = [&](const std::string& text) {
    return latex ? latex_text(text) : markdown_text(text);
  };
  std::string out;
  for (const FigureResult& figure : figures) {
    const std::string& name = figure.spec.name;
    out += latex ? fmt::format("\\section*{{{}: {}}}\n\n", plain(name), plain(figure.spec.title))
                 : fmt::format("## {}: {}\n\n", name, plain(figure.spec.title));
    out += fmt::format("{}{}.\n\n", plain(figure.spec.source),
                       figure.spec.quick ? "; a quick run" : "");
    for (const auto* texts : {&figure.spec.measured, &figure.spec.model})
      for (const std::string& text : *texts)
        out += fmt::format(
            "{}{}\n\n", texts == &figure.spec.model && &text == &texts->front() ? in_the_model : "",
            plain(text));
    for (std::size_t i = 0; latex && i < figure.charts.size(); ++i) {
      const Chart& chart = figure.charts[i];
      out += fmt::format("\\begin{{figure}}\n\\centering\n{}\\caption{{{}{}{}}}\\label{{{}}}\n"
                         "\\end{{figure}}\n\n",
                         charts_tikz({chart}), plain(chart.title),
                         chart.caption.empty() ? "" : ". ", plain(chart.caption),
                         paper_label("fig", name, part_of(i, figure.charts.size())));
    }
    out += findings_text(figure, format);
    for (std::size_t i = 0; i < figure.tables.size(); ++i)
      out += paper_text(figure.tables[i],
                        paper_label("tab", name, part_of(i, figure.tables.size())), format);
    const char* item = latex ? "{}\n\n" : "- {}\n";
    for (const auto& formula : figure.formulas)
      out += fmt::format(fmt::runtime(item), plain(formula_text(formula)));
    for (const std::string& point : figure.failed)
      out += fmt::format(fmt::runtime(item), "no result: " + plain(point));
    if (!latex && (!figure.formulas.empty() || !figure.failed.empty())) out += "\n";
  }
  return out + summary(figures) + "\n";
}

} // namespace

ChartsPage figures_page(const std::vector<FigureResult>& figures, std::string_view version) {
  ChartsPage page;
  const bool papers = std::all_of(figures.begin(), figures.end(),
                                  [](const FigureResult& figure) { return figure.spec.shipped; });
  page.title = figures.size() == 1 ? figures.front().spec.title
               : papers            ? "Figures of the papers"
                                   : "Figures";
  page.paragraphs = {
      fmt::format("{} simulated by memlane {}. Under {}: what was measured, and for each finding "
                  "whether the model shows it. Verdicts are computed from the simulated points; "
                  "thresholds are in the sentences.",
                  figures.size() == 1 ? "This figure was" : "Each figure was", version,
                  figures.size() == 1 ? "it" : "each"),
      summary(figures)};
  for (const FigureResult& figure : figures) page.sections.push_back(section_of(figure));
  return page;
}

std::string render_figures(const std::vector<FigureResult>& figures, Format format, TableStyle,
                           std::string_view version) {
  if (format == Format::json)
    return json_text(figures_table().json({&figures, std::string(version)}), 2);
  return format == Format::table ? figures_text(figures) : figures_paper(figures, format);
}

nlohmann::ordered_json figures_schema() {
  return schema::document("A result of memlane figures --format json",
                          figures_table().schema("findings and verdicts"));
}

} // namespace memlane
