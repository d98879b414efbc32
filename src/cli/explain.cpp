// memlane explain: a machine, a program, its claims, the counts, the schemas.
#include "explain.hpp"

#include "command.hpp"
#include "program.hpp"

#include "memlane/report/json_parts.hpp"
#include "memlane/report/text_table.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace memlane::cli {
namespace {

Exit explain_machine(const Arguments& arguments, Console& console) {
  if (arguments.words.size() > 2) {
    return console.fail(error_in("", "explain machine takes one machine"));
  }
  if (arguments.words.size() == 2 && arguments.has("machine")) {
    return console.fail(error_in("",
                                 fmt::format("explain machine takes one machine, not '{}' and "
                                             "'{}'",
                                             arguments.words[1], *arguments.value("machine")),
                                 {"leave -m out: memlane explain machine NAME"}));
  }
  const bool named = arguments.words.size() == 2 || arguments.has("machine");
  if (!named && !arguments.has("set")) {
    console.out(machine_choices());
    return Exit::done;
  }
  Sources sources;
  Arguments asked = arguments;
  if (asked.words.size() == 2)
    asked.options.insert(asked.options.begin(), {"machine", asked.words[1]});
  const Result<LoadedMachine> machine = load_asked_machine(sources, asked);
  if (!machine) return console.fail(machine.errors(), sources);
  console.out(machine_page(*machine, sources) + '\n' + machine_choices());
  return Exit::done;
}

Exit explain_program(const Arguments& arguments, Console& console, bool claims_only) {
  const std::string what = claims_only ? "claim" : "program";
  if (arguments.words.size() != 2) {
    return console.fail(error_in("", fmt::format("explain {} takes one program", what),
                                 {fmt::format("usage: memlane explain {} PROGRAM", what)}));
  }
  Sources sources;
  const Result<ProgramText> text = load_program_text(sources, arguments.words[1], arguments);
  if (!text) return console.fail(text.errors(), sources);
  console.out(claims_only ? claims_page(*text, sources) : program_page(*text, sources));
  return Exit::done;
}

/// Of the lines about counts, those of some names.
struct ChosenCounts {
  std::string text; ///< the lines, each group below its heading
  std::set<std::string> found;
  std::vector<std::string> known; ///< all names
};

ChosenCounts choose_counts(const std::vector<std::string>& asked) {
  ChosenCounts chosen;
  std::string heading;
  std::istringstream lines(counts_text());
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  ", 0) != 0) {
      heading = line + '\n';
      continue;
    }
    chosen.known.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (std::find(asked.begin(), asked.end(), chosen.known.back()) == asked.end()) continue;
    chosen.found.insert(chosen.known.back());
    chosen.text += std::exchange(heading, "") + line + '\n';
  }
  return chosen;
}

/// All counts, or those named.
Exit explain_counts(const Arguments& arguments, Console& console) {
  const std::vector<std::string> asked(arguments.words.begin() + 1, arguments.words.end());
  const ChosenCounts chosen = choose_counts(asked);
  Diagnostics errors;
  for (const std::string& name : asked) {
    if (chosen.found.count(name) > 0) continue;
    std::vector<std::string> help = did_you_mean(name, chosen.known);
    help.emplace_back("'memlane explain counts' lists them all");
    errors.push_back(error_in("", fmt::format("no count is named '{}'", name), help));
  }
  if (!errors.empty()) return console.fail(errors, Sources());
  const bool rule = asked.empty() || chosen.found.count("instructions") > 0;
  console.out((asked.empty() ? counts_text() : chosen.text) + (rule ? '\n' + counting_rule() : ""));
  return Exit::done;
}

/// One JSON Schema, or which there are.
Exit explain_schema(const Arguments& arguments, Console& console) {
  if (arguments.words.size() > 2)
    return console.fail(error_in("", "explain schema takes one name"));
  TextTable table({Align::left, Align::left});
  std::vector<std::string> names;
  for (const SchemaPage& page : schema_pages()) {
    if (arguments.words.size() == 2 && page.name == arguments.words[1]) {
      console.out(json_text(page.schema(), 2));
      return Exit::done;
    }
    table.add({std::string(page.name), std::string(page.of)});
    names.emplace_back(page.name);
  }
  if (arguments.words.size() == 2) {
    std::vector<std::string> help = did_you_mean(arguments.words[1], names);
    help.emplace_back("'memlane explain schema' lists them all");
    return console.fail(
        error_in("", fmt::format("no schema is named '{}'", arguments.words[1]), help));
  }
  console.out(table.text());
  return Exit::done;
}

Exit explain(const Arguments& arguments, Console& console) {
  const std::string subject = arguments.words.empty() ? "" : arguments.words.front();
  if (subject == "machine") return explain_machine(arguments, console);
  if (subject == "program") return explain_program(arguments, console, false);
  if (subject == "claim") return explain_program(arguments, console, true);
  if (subject == "counts") return explain_counts(arguments, console);
  if (subject == "schema") return explain_schema(arguments, console);
  const std::vector<std::string> known = {"machine", "program", "claim", "counts", "schema"};
  std::vector<std::string> help = did_you_mean(subject, known);
  help.emplace_back("machine, program, claim, counts and schema can be explained");
  return console.fail(error_in(
      "", subject.empty() ? "explain what?" : fmt::format("cannot explain '{}'", subject), help));
}

} // namespace

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

Command explain_command() {
  std::vector<Option> options = machine_options();
  for (const Option& option : program_options()) {
    if (option.name != "define") options.push_back(option);
  }
  return {"explain",
          "machine [NAME] | program NAME | claim PROGRAM | counts [NAME...] | schema [NAME]",
          "explain a machine, a program, a claim, a count or a JSON format",
          "machine: the rules of the machines and the choices that the papers leave open; with a\n"
          "name, every value of that machine and its meaning. program: description, parameters,\n"
          "arrays and kernels. claim: the claims of a program, their sources, and how they are\n"
          "tested. counts: the meaning of every number of a result. schema: the JSON Schema of a\n"
          "command's results or of a file; without a name, a list of the schemas.",
          options,
          {"memlane explain machine", "memlane explain machine umm-w32",
           "memlane explain program sum", "memlane explain claim sum", "memlane explain counts",
           "memlane explain schema run"},
          explain};
}

} // namespace memlane::cli
