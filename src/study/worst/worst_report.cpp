#include "worst_words.hpp"

#include "memlane/show/json_parts.hpp"
#include "memlane/show/paper_table.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/study/results/stored_rows.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace memlane {

using schema::Json;
using sweep::Cell;

namespace {

std::string number_text(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? std::to_string(whole) : fmt::format("{:.6g}", value);
}

} // namespace

std::string extreme(const WorstReport& report) { return report.least ? "least" : "greatest"; }

namespace {

std::string found_sentence(const WorstReport& report) {
  if (report.every_input && report.failed > 0)
    return fmt::format("{}, the {} of the {} of {} that gave a value", report.value,
                       extreme(report), report.trials - report.failed,
                       counted(report.trials, "input"));
  if (report.every_input)
    return fmt::format("{}, the {} of all {}", report.value, extreme(report),
                       counted(report.trials, "input"));
  return fmt::format("{}, by {}, found in run {} of {}", report.value, report.how, report.trial,
                     report.trials);
}

std::string line_sentence(const WorstLine& line) {
  constexpr std::size_t widest = 60;
  return fmt::format("{}:{}: {} of {}, {}, at most {} a request: {}", line.line.file,
                     line.line.number, line.stages, counted(line.of_all, "stage"),
                     counted(line.requests, "request"), counted(line.worst, "stage"),
                     on_one_line(line.line.text, widest));
}

std::string claim_sentence(const ClaimOutcome& claim, double found) {
  if (claim.right.text.empty())
    return fmt::format("{}: {} ({})", claim.text, name_of(claim.verdict), claim.reason);
  if (!is_exact(claim.kind))
    return fmt::format("{}: {} at this input, {} times the formula's {} ({})", claim.text,
                       claim.left.text, ratio_cell(claim.ratio), claim.right.text, claim.source);
  const std::string share =
      claim.right.value != 0 && claim.verdict == ClaimVerdict::holds
          ? fmt::format(", {} times the bound", ratio_cell(found / claim.right.value))
          : "";
  return fmt::format("{} {}: the bound is {}{} ({})", claim.text, name_of(claim.verdict),
                     claim.right.text, share, claim.source);
}

bool is_of_several(const WorstReport& report) {
  return std::any_of(report.inputs.begin(), report.inputs.end(), [&](const WorstInput& input) {
    return input.label != report.inputs.front().label;
  });
}

bool is_about(const WorstReport& report, const ClaimOutcome& claim) {
  return std::any_of(report.about.begin(), report.about.end(), [&](const ClaimOutcome& about) {
    return about.span.begin == claim.span.begin;
  });
}

} // namespace

Findings problems_of(const WorstReport& report, bool about) {
  Findings found;
  for (const ClaimOutcome& claim : report.failing) {
    if (!about && is_about(report, claim)) continue; // said already
    found.emplace_back("claim", fmt::format("{} {}: {} ({})", claim.text, name_of(claim.verdict),
                                            claim_sides(claim), claim.source));
  }
  if (report.refuting) {
    const RefutingInput& by = *report.refuting;
    for (const std::string& what : by.what)
      found.emplace_back("refuted",
                         fmt::format("{}, by {}{}, in run {}", what, by.how,
                                     is_of_several(report) ? " on " + by.label : "", by.trial));
    for (const auto& [array, file] : by.files)
      found.emplace_back("written", fmt::format("{}: the content of {} that refutes", file, array));
    found.emplace_back("refute again", by.command);
  }
  if (!report.left_out.empty())
    found.emplace_back("left out", fmt::format("{}; the first: {}",
                                               counted(std::ssize(report.left_out), "point"),
                                               report.left_out.front()));
  if (report.failed > 0)
    found.emplace_back("no result", fmt::format("{} gave no value; the first: {}",
                                                counted(report.failed, "run"), report.failure));
  if (report.limited > 0)
    found.emplace_back("limit",
                       fmt::format("{} {}: the {} may be among them",
                                   counted(report.limited, "run"), report.limit, extreme(report)));
  if (report.known > 0)
    found.emplace_back("known", fmt::format("{} from the store", counted(report.known, "run")));
  if (!report.stopped.empty())
    found.emplace_back("stopped", fmt::format("{}, after {}: more may be found", report.stopped,
                                              counted(report.trials, "run")));
  return found;
}

namespace {

Findings findings_of(const WorstReport& report) {
  Findings found = {{extreme(report), found_sentence(report)}};
  if (report.line) found.emplace_back("costliest line", line_sentence(*report.line));
  for (const ClaimOutcome& claim : report.about)
    found.emplace_back("claim", claim_sentence(claim, report.number));
  for (auto& problem : problems_of(report, false)) found.push_back(std::move(problem));
  for (const auto& [array, file] : report.files)
    found.emplace_back("written", fmt::format("{}: the content of {}", file, array));
  found.emplace_back("repeat", report.command);
  return found;
}

/// The inputs with a value, the worst first; those of equal value in their order.
std::vector<WorstInput> ranked(const WorstReport& report) {
  std::vector<WorstInput> inputs = report.inputs;
  std::erase_if(inputs, [](const WorstInput& input) { return !input.value; });
  std::stable_sort(inputs.begin(), inputs.end(), [&](const WorstInput& a, const WorstInput& b) {
    return report.least ? *a.value < *b.value : *a.value > *b.value;
  });
  return inputs;
}

std::string caption_of(const WorstReport& report) {
  return fmt::format("{}: {} {}", report.label, extreme(report), report.count);
}

std::string worst_text(const WorstReport& report) {
  constexpr std::size_t most_rows = 12, widest = 60;
  std::string text = caption_of(report) + '\n';
  const std::vector<WorstInput> inputs = ranked(report);
  const bool several = is_of_several(report);
  TextTable table(several ? std::vector{Align::left, Align::right, Align::left}
                          : std::vector{Align::left, Align::right});
  const auto row = [&](const std::string& how, const std::string& value, const std::string& label) {
    std::vector<std::string> cells = {how, value};
    if (several) cells.push_back(label);
    table.add(std::move(cells));
  };
  row("input", on_one_line(report.count, widest), "of");
  for (std::size_t k = 0; k < inputs.size() && k < most_rows; ++k)
    row(inputs[k].how, number_text(*inputs[k].value), on_one_line(inputs[k].label, widest));
  text += table.text();
  if (inputs.size() > most_rows) text += fmt::format("… {} more\n", inputs.size() - most_rows);
  TextTable findings({Align::left, Align::left});
  for (const auto& [word, sentence] : findings_of(report)) findings.add({word + ":", sentence});
  return text + '\n' + findings.text();
}

std::string worst_paper(const WorstReport& report, Format format) {
  std::vector<PaperTable> papers;
  PaperTable& inputs = papers.emplace_back(
      caption_of(report),
      std::vector<PaperColumn>{{"input"}, {report.count, Align::right}, {"of"}});
  for (const WorstInput& input : ranked(report))
    inputs.add({input.how, number_text(*input.value), input.label});
  PaperTable& findings =
      papers.emplace_back("Findings", std::vector<PaperColumn>{PaperColumn{""}, PaperColumn{""}});
  for (const auto& [word, sentence] : findings_of(report)) findings.add({word, sentence});
  return paper_text(papers, format);
}

sweep::Rows worst_rows(const WorstReport& report) {
  sweep::Rows rows;
  rows.columns = {"point", "input", "count", "value"};
  for (const WorstInput& input : report.inputs)
    rows.rows.push_back(
        {input.label, input.how, report.count, input.value ? Cell(*input.value) : Cell()});
  return rows;
}

Json line_json(const WorstLine& line) {
  return {{"file", line.line.file},    {"line", line.line.number}, {"source", line.line.text},
          {"requests", line.requests}, {"stages", line.stages},    {"worst", line.worst},
          {"of_all", line.of_all}};
}

Json files_json(const std::vector<std::pair<std::string, std::string>>& files) {
  Json json = Json::object();
  for (const auto& [array, file] : files) json[array] = file;
  return json;
}

Json refuting_json(const RefutingInput& by) {
  return {{"point", by.label},
          {"input", by.how},
          {"found_in_run", by.trial},
          {"what", by.what},
          {"files", files_json(by.files)},
          {"command", by.command}};
}

Json claims_json(const std::vector<ClaimOutcome>& claims) {
  Json list = Json::array();
  for (const ClaimOutcome& claim : claims)
    list.push_back({{"claim", claim.text},
                    {"source", claim.source},
                    {"verdict", name_of(claim.verdict)},
                    {"left", schema::json_of_value(if_text(claim.left.text))},
                    {"right", schema::json_of_value(if_text(claim.right.text))}});
  return list;
}

} // namespace

Json worst_json(const WorstReport& report) {
  Json findings = Json::array();
  for (const auto& [word, sentence] : findings_of(report))
    findings.push_back({{"about", word}, {"text", sentence}});
  return {{"tool", tool_json(report.version)},
          {"point", report.label},
          {"count", report.count},
          {"searched", extreme(report)},
          {"value", report.value},
          {"input", report.how},
          {"found_in_run", report.trial},
          {"runs", report.trials},
          {"runs_failed", report.failed},
          {"runs_limited", report.limited},
          {"runs_known", report.known},
          {"every_input", report.every_input},
          {"left_out", report.left_out},
          {"stopped", schema::json_of_value(if_text(report.stopped))},
          {"costliest", report.line ? line_json(*report.line) : Json(nullptr)},
          {"claims", claims_json(report.about)},
          {"refuted", claims_json(report.failing)},
          {"refuting", report.refuting ? refuting_json(*report.refuting) : Json(nullptr)},
          {"files", files_json(report.files)},
          {"command", report.command},
          {"findings", findings},
          {"rows", json_of_rows(worst_rows(report))}};
}

namespace {

Json claims_schema(std::string_view meaning) {
  return schema::list(
      schema::object("a claim and its sides",
                     {{"claim", schema::text("as the program writes it")},
                      {"source", schema::text("where it is from")},
                      {"verdict", schema::text("holds, fails, not applicable, …")},
                      {"left", schema::or_null(schema::text("the count"))},
                      {"right", schema::or_null(schema::text("the formula's value"))}}),
      meaning);
}

} // namespace

Json schema_of_search(std::string_view what) {
  const Json number = schema::count("number of runs");
  const Json line = schema::object("the line with the most stages",
                                   {{"file", schema::text("as the program names it")},
                                    {"line", schema::count("its number", 1)},
                                    {"source", schema::text("its text")},
                                    {"requests", schema::count("of all warps")},
                                    {"stages", schema::count("of its requests")},
                                    {"worst", schema::count("most stages of one request")},
                                    {"of_all", schema::count("stages of all lines there")}});
  const Json files = schema::map(schema::text("the file"), "by array");
  const Json refuting = schema::object(
      "another input, for which a claim, verify or the run fails: the first one",
      {{"point", schema::text("program, machine and parameters")},
       {"input", schema::text("how it was found")},
       {"found_in_run", number},
       {"what", schema::list(schema::text("a claim, or what verify says"))},
       {"files", files},
       {"command", schema::text("repeats its run, or writes the inputs of its search")}});
  return schema::object(
      what, {{"tool", tool_schema()},
             {"point", schema::text("program, machine and parameters")},
             {"count", schema::text("what was searched")},
             {"searched", schema::word({"greatest", "least"}, "which value of it")},
             {"value", schema::text("found, exactly")},
             {"input", schema::text("how it was found")},
             {"found_in_run", number},
             {"runs", number},
             {"runs_failed", number},
             {"runs_limited", number},
             {"runs_known", number},
             {"every_input", schema::boolean("all inputs were tried")},
             {"left_out", schema::list(schema::text("a point that cannot run, and why"))},
             {"stopped", schema::or_null(schema::text("why the search ended early"))},
             {"costliest", schema::or_null(line)},
             {"claims", claims_schema("claims that bound the count")},
             {"refuted", claims_schema("claims that fail at this input")},
             {"refuting", schema::or_null(refuting)},
             {"files", files},
             {"command", schema::text("repeats the run, or writes its input")},
             {"findings",
              schema::list(schema::object("a sentence", {{"about", schema::text("greatest, …")},
                                                         {"text", schema::text("what was found")}}),
                           "in the order of the text")},
             {"rows", schema::list(stored_row_schema(), "each input that was tried by name")}});
}

Json worst_schema() {
  return schema::document("The result of memlane worst",
                          schema_of_search("what --format json prints"));
}

Json worst_line_schema() { return line_document("worst", stored_row_schema()); }

std::string render_worst(const WorstReport& report, Format format) {
  switch (format) {
  case Format::json: return json_text(worst_json(report), 2);
  case Format::csv:
  case Format::jsonl: return render_rows({report.version, "", worst_rows(report), {}}, format);
  case Format::markdown:
  case Format::latex: return worst_paper(report, format);
  case Format::table: break;
  }
  return worst_text(report);
}

} // namespace memlane
