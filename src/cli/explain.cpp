// memlane explain: a machine, a program, its claims, the counts, the schemas.
#include "explain.hpp"

#include "program.hpp"

#include "memlane/claim/prices.hpp"
#include "memlane/grade/grading.hpp"
#include "memlane/grade/verified_rows.hpp"
#include "memlane/lang/words.hpp"
#include "memlane/machine/machine.hpp"
#include "memlane/points/sweep_file.hpp"
#include "memlane/ptx/opcodes.hpp"
#include "memlane/show/bank_report.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/text_table.hpp"
#include "memlane/study/compare/all_models.hpp"
#include "memlane/study/compare/comparison.hpp"
#include "memlane/study/explain/explanation_text.hpp"
#include "memlane/study/figures/lesson.hpp"
#include "memlane/study/figures/result.hpp"
#include "memlane/study/gpu/report.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/study/results/stored_rows.hpp"
#include "memlane/study/results/sweep_report.hpp"
#include "memlane/study/tune/tuning_table.hpp"
#include "memlane/study/verify/relations.hpp"
#include "memlane/study/verify/verification.hpp"
#include "memlane/study/worst/worst_report.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/timeline/report.hpp"
#include "memlane/trace/trace_writer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace memlane::cli {
namespace {

using Words = std::vector<std::string>;

Result<std::string> explain_machine(const ExplainRequest& request, Sources& sources) {
  const Words& words = request.words;
  if (words.size() > 2) return error_in("", "explain machine takes one machine");
  MachineSelection selection = request.machine;
  if (words.size() == 2 && selection.chosen)
    return error_in("",
                    fmt::format("explain machine takes one machine, not '{}' and '{}'", words[1],
                                selection.name),
                    {"leave -m out: memlane explain machine NAME"});
  if (words.size() < 2 && !selection.chosen && selection.overrides.empty())
    return machine_choices(std::nullopt);
  if (words.size() == 2) selection.name = words[1];
  const Result<LoadedMachine> machine = load_selected_machine(sources, selection);
  if (!machine) return machine.errors();
  return machine_page(*machine, sources, request.columns) + '\n' +
         machine_choices(machine->spec.model);
}

Result<std::string> explain_program(const ExplainRequest& request, Sources& sources) {
  const Words& words = request.words;
  if (words.size() != 2)
    return error_in("", fmt::format("explain {} takes one program", words[0]),
                    {fmt::format("usage: memlane explain {} PROGRAM", words[0])});
  ProgramSelection program = request.program;
  program.name = words[1];
  const Result<ProgramText> text = load_program_text(sources, program);
  if (!text) return text.errors();
  return words[0] == "claim" ? claims_page(*text, sources) : program_page(*text, sources);
}

/// The groups with the counts of some names alone, all where none is asked for.
std::vector<CountGroup> choose_counts(const std::vector<std::string>& asked) {
  std::vector<CountGroup> groups = all_counts();
  if (asked.empty()) return groups;
  for (CountGroup& group : groups)
    std::erase_if(group.counts, [&](const ListedCount& count) {
      return std::find(asked.begin(), asked.end(), count.name) == asked.end();
    });
  std::erase_if(groups, [](const CountGroup& group) { return group.counts.empty(); });
  return groups;
}

/// All counts, or those named.
Result<std::string> explain_counts(const ExplainRequest& request, Sources&) {
  const Words asked(request.words.begin() + 1, request.words.end());
  std::vector<std::string> known;
  for (const CountGroup& group : all_counts())
    for (const ListedCount& count : group.counts) known.push_back(count.name);
  ErrorCollector errors;
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    Words help = did_you_mean(name, known);
    help.emplace_back("'memlane explain counts' lists them all");
    errors.add(error_in("", fmt::format("no count is named '{}'", name), help));
  }
  if (!errors.ok()) return errors.errors();
  const bool rule =
      asked.empty() || std::find(asked.begin(), asked.end(), "instructions") != asked.end();
  return counts_text(choose_counts(asked), request.columns) + (rule ? '\n' + counting_rule() : "");
}

/// One JSON Schema, or which there are.
Result<std::string> explain_schema(const ExplainRequest& request, Sources&) {
  const Words& words = request.words;
  if (words.size() > 2) return error_in("", "explain schema takes one name");
  TextTable table({Align::left, Align::prose});
  Words names;
  for (const SchemaPage& page : schema_pages()) {
    if (words.size() == 2 && page.name == words[1]) return json_text(page.schema(), 2);
    table.add({std::string(page.name), std::string(page.of)});
    names.emplace_back(page.name);
  }
  if (words.size() < 2) return table.text(0, request.columns);
  Words help = did_you_mean(words[1], names);
  help.emplace_back("'memlane explain schema' lists them all");
  return error_in("", fmt::format("no schema is named '{}'", words[1]), help);
}

/// All opcodes of PTX that are executed, or those named: their types and words, and what they do.
Result<std::string> explain_ptx(const ExplainRequest& request, Sources&) {
  const Words asked(request.words.begin() + 1, request.words.end());
  Words known;
  for (const ptx::OpcodeRow& row : ptx::opcode_rows()) known.emplace_back(row.mnemonic);
  ErrorCollector errors;
  for (const std::string& name : asked) {
    if (ptx::find_opcode(name)) continue;
    Words help = did_you_mean(name, known);
    help.emplace_back("'memlane explain ptx' lists them all");
    errors.add(error_in("",
                        ptx::is_known_elsewhere(name)
                            ? fmt::format("memlane does not execute {}", name)
                            : fmt::format("PTX has no opcode '{}'", name),
                        help));
  }
  if (!errors.ok()) return errors.errors();
  if (asked.empty()) {
    TextTable table({Align::left, Align::prose});
    for (const ptx::OpcodeRow& row : ptx::opcode_rows())
      table.add({std::string(row.mnemonic), std::string(row.meaning)});
    return table.text(0, request.columns);
  }
  std::string text;
  for (const std::string& name : asked) {
    const ptx::OpcodeRow& row = *ptx::find_opcode(name);
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", name, row.meaning);
    for (const auto& [label, words] : {std::pair{"types", row.types}, {"words", row.words}})
      if (!words.empty()) text += labelled_lines(label, std::string(words), 9);
  }
  return text;
}

/// All words of the language, or those named: how each is written, and what it means.
Result<std::string> explain_word(const ExplainRequest& request, Sources&) {
  const Words asked(request.words.begin() + 1, request.words.end());
  Words known;
  TextTable table({Align::left, Align::left, Align::prose});
  for (const lang::Word& word : lang::words()) {
    known.push_back(word.name);
    table.add({word.name, std::string(name_of(word.kind)), word.meaning});
  }
  if (asked.empty()) return table.text(0, request.columns);
  ErrorCollector errors;
  std::string text;
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      Words help = did_you_mean(name, known);
      help.emplace_back("'memlane explain word' lists them all");
      errors.add(error_in("", fmt::format("the language has no word '{}'", name), help));
    }
    for (const lang::Word& word : lang::words())
      if (word.name == name) text += fmt::format("{}\n  {}\n", word.usage, word.meaning);
  }
  if (!errors.ok()) return errors.errors();
  return text;
}

struct Subject {
  std::string_view name;
  Result<std::string> (*page)(const ExplainRequest&, Sources&);
};
constexpr Subject subjects[] = {
    {"machine", explain_machine}, {"program", explain_program}, {"claim", explain_program},
    {"counts", explain_counts},   {"model", explain_model},     {"schema", explain_schema},
    {"ptx", explain_ptx},         {"nsight", explain_nsight},   {"word", explain_word}};

void explain_options(Options& options, ExplainRequest& request) {
  options.take_words("word", 0, &request.words);
  add_machine(options, request.machine, machine_without_program);
  add_replacements(options, request.program);
}

Result<Exit> explain(ExplainRequest& request, Sources& sources, Console& console) {
  const std::string asked = request.words.empty() ? "" : request.words.front();
  Words known;
  request.columns = console.style().columns;
  for (const Subject& subject : subjects) {
    known.emplace_back(subject.name);
    if (subject.name != asked) continue;
    const Result<std::string> page = subject.page(request, sources);
    if (!page) return page.errors();
    console.out(*page);
    return Exit::done;
  }
  known.emplace_back("relations"); // a command of its own
  if (asked == known.back())
    return error_in("", "relations is a command with its own options, which follow it",
                    {"write it like this: memlane explain relations PROGRAM [options]"});
  Words help = did_you_mean(asked, known);
  help.emplace_back(
      "machine, program, claim, counts, model, relations, schema, ptx, nsight and word can be "
      "explained");
  return error_in("", asked.empty() ? "explain what?" : fmt::format("cannot explain '{}'", asked),
                  help);
}

} // namespace

std::vector<CountGroup> all_counts() {
  std::vector<CountGroup> groups = count_groups();
  groups.push_back(stored_columns_group());
  return groups;
}

std::string counting_rule() {
  return "Which operators count (configs/README.md section 6)\n"
         "  An operator counts once for each warp that executes it with an active thread, if one\n"
         "  of its operands contains data.\n"
         "  Data: elements of memory and shared arrays; a let or var whose declaration, or any\n"
         "  assignment to it anywhere in the text, reads data; arrays and records in registers, "
         "as\n"
         "  a whole; arguments of a proc, and what it declares, in calls that pass data to it. "
         "Not\n"
         "  data: loop variables, forall indices, const tables and a kernel's arguments.\n"
         "  Operators: the unary and binary ones, and, or, not, each comparison of a chain, and\n"
         "  calls of built-in functions. x += e counts as x = x + e. A call of a fn counts once "
         "if\n"
         "  an operator in the fn would count; nothing else in the fn does. The statements of a "
         "fn\n"
         "  with a block count as those of a proc do; its call does not count.\n"
         "  Free: index brackets, conditions, bounds of loops, ranges and slices, asserts, host\n"
         "  code, conversions, constructors, field selection, and what no active thread\n"
         "  evaluates.\n";
}

const std::vector<SchemaPage>& schema_pages() {
  static const std::vector<SchemaPage> pages = {
      {"run", "a result of run or replay: --format json, and each line of jsonl",
       explained_run_schema},
      {"compare", "a result of compare: --format json", comparison_schema},
      {"compare-line", "a line of compare --format jsonl", comparison_line_schema},
      {"compare-models", "a result of compare --all-models: --format json", all_models_schema},
      {"compare-models-line", "a line of compare --all-models --format jsonl",
       all_models_line_schema},
      {"verify", "a result of verify: --format json", verifications_schema},
      {"verify-line", "a line of verify --format jsonl", verification_line_schema},
      {"results", "a result of results, results best or results diff: --format json",
       stored_rows_schema},
      {"results-line", "a line of their --format jsonl", stored_row_line_schema},
      {"relations", "a result of explain relations: --format json", relations_schema},
      {"relations-line", "a line of explain relations --format jsonl", relations_line_schema},
      {"bank", "a result of bank: --format json", bank_schema},
      {"bank-line", "a line of bank --format jsonl", bank_line_schema},
      {"sweep-result", "a result of sweep: --format json", sweep_report_schema},
      {"sweep-line", "a line of sweep --dry-run --format jsonl", planned_line_schema},
      {"tune", "a result of tune: --format json", tuning_schema},
      {"tune-line", "a line of tune --format jsonl", tuning_line_schema},
      {"worst", "a result of worst: --format json", worst_schema},
      {"worst-of-each", "a result of worst --each: --format json", worst_of_each_schema},
      {"worst-line", "a line of worst --format jsonl", worst_line_schema},
      {"config", "what run --print-config --format json prints", config_schema},
      {"gpu-compare", "a result of gpu compare: --format json", measured_schema},
      {"gpu-compare-line", "a line of gpu compare --format jsonl", measured_line_schema},
      {"gpu-fit", "a result of gpu fit: --format json", fit_schema},
      {"gpu-fit-line", "a line of gpu fit --format jsonl", fit_line_schema},
      {"measured-line", "a line of measurements: gpu measure, gpu compare, gpu fit",
       measure::measured_line_schema},
      {"timeline", "a time chart: timeline --format json", timeline_schema},
      {"trace-line", "a line of a trace: run --trace, replay", trace_line_schema},
      {"machine", "a machine file", machine_schema},
      {"sweep", "a sweep file", sweep::sweep_schema},
      {"prices", "a file of prices: --prices", price_file_schema},
      {"figure", "a figure file", figure_schema},
      {"lesson", "a lesson file", lesson_schema},
      {"figures", "a result of figures: --format json", figures_schema},
      {"exercise", "an exercise file, NAME.grade.json", grade::exercise_schema},
      {"grade", "a result of grade: --format json", grade::grade_schema},
      {"grade-verify", "a result of grade --verify --format json, a line of jsonl",
       grade::verified_schema},
  };
  return pages;
}

Command explain_command() {
  return {
      "explain",
      "machine [MACHINE] | program PROGRAM | claim PROGRAM | counts [COUNT...] | model [MODEL] |\n"
      "                       relations PROGRAM | schema [SCHEMA] | ptx [OPCODE...] | nsight |\n"
      "                       word [WORD...]",
      "explain a machine, a program, a claim, a count, a model, relations of models, a JSON "
      "format, opcodes of PTX, Nsight's counters or words of the language",
      "machine: the rules of the machines and the choices that the papers leave open; with a\n"
      "name, every value of that machine and its meaning. program: description, parameters,\n"
      "arrays and kernels. claim: the claims of a program, their sources, and how they are\n"
      "tested. counts: the meaning of every number of a result. model: what a model of\n"
      "computation counts and leaves out; without a name, a list. relations: what theorems about\n"
      "the AGPU say about a program; 'memlane help explain relations' shows its options.\n"
      "schema: the JSON Schema of a command's results or of a file; without a name, a list of\n"
      "the schemas. ptx: the opcodes that 'memlane cuda' and 'memlane ptx' execute. nsight: what\n"
      "Nsight Compute counts, beside what memlane counts. word: what the words of the language\n"
      "mean.",
      call_with(explain_options, explain),
      {"memlane explain machine", "memlane explain machine umm-w32", "memlane explain program sum",
       "memlane explain claim sum", "memlane explain counts", "memlane explain model pram",
       "memlane explain relations reduction", "memlane explain schema run", "memlane explain ptx",
       "memlane explain ptx shfl", "memlane explain nsight", "memlane explain word forall padded"},
      {},
      {explain_relations_command()}};
}

} // namespace memlane::cli
