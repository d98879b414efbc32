// memlane bank: banks, address groups and stages of one warp's access, and what other layouts would
// make of it.
#include "command.hpp"
#include "options.hpp"
#include "program.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/report/bank_report.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace memlane::cli {
namespace {

constexpr std::int64_t farthest_element = std::int64_t{1} << 48;
constexpr std::int64_t longest_row = std::int64_t{1} << 20;
constexpr std::size_t most_dimensions = 3;

struct BankCommand {
  std::string expression, active;
  std::vector<NameAndValue> parameters;
  std::vector<std::string> definitions; ///< the same, as they were written
  std::vector<MachineSelection> machines;
  std::vector<std::int64_t> shape; ///< of --shape; empty: not given
  std::int64_t row = 0;            ///< of --row; 0: not given
  std::int64_t warp = 0, bytes = 4;
  std::vector<ResultTarget> targets;
};

/// A name that a parameter can have: the rest is said when the program is checked.
bool is_plain_name(const std::string& name) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  return !name.empty() && is_letter(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [&](unsigned char c) { return is_letter(c) || std::isdigit(c) != 0; });
}

void read_parameters(OptionReader& options, BankCommand& command) {
  command.definitions = options.values("define");
  for (const std::string& text : command.definitions) {
    NameAndValue pair;
    if (!options.take(name_and_value("-D", "NAME=VALUE", text), pair)) continue;
    const std::string& name = pair.first;
    for (const char* own : {"thread", "threads", "block", "blocks", "lane", "warp", "warps"})
      if (name == own)
        options.add(error_in("-D", fmt::format("'{}' has a value of its own in each thread", name),
                             {"--warp N chooses the warp"}));
    if (!is_plain_name(name))
      options.add(error_in("-D", fmt::format("'{}' is no name", name),
                           {"write a name and its value: -D stride=4"}));
    command.parameters.push_back(std::move(pair));
  }
}

/// `32,33`, as extents.
std::vector<std::int64_t> read_shape(OptionReader& options) {
  std::vector<std::int64_t> shape;
  const auto text = options.value("shape");
  if (!text) return shape;
  for (const std::string& word : split_list(*text)) {
    const auto extent = number_of<std::int64_t>(word);
    if (!extent || *extent < 1 || *extent > longest_row) {
      options.add(error_in(
          "--shape", fmt::format("'{}' is no number of elements from 1 to {}", word, longest_row),
          {"write the extents of the array: --shape 32,33"}));
      return {};
    }
    shape.push_back(*extent);
  }
  if (shape.size() > most_dimensions)
    options.add(error_in("--shape", "an array has up to three dimensions"));
  return shape;
}

std::int64_t read_bytes(OptionReader& options) {
  static const std::map<std::string, std::int64_t, std::less<>> sizes = {
      {"int", 4}, {"float", 4}, {"long", 8}, {"double", 8}};
  const auto type = options.value("type"), bytes = options.value("bytes");
  if (type && bytes)
    options.add(error_in("--type", "--bytes says the size of an element, too",
                         {"leave out one of --type and --bytes"}));
  if (type) {
    if (const auto found = sizes.find(*type); found != sizes.end()) return found->second;
    std::vector<std::string> help = did_you_mean(*type, {"int", "float", "long", "double"});
    help.emplace_back("the types are int, float, long and double; --bytes 16 is a float4");
    options.add(error_in("--type", fmt::format("unknown type '{}'", *type), std::move(help)));
  }
  if (!bytes) return 4;
  if (*bytes == "4" || *bytes == "8" || *bytes == "16") return *number_of<std::int64_t>(*bytes);
  options.add(error_in("--bytes", fmt::format("'{}' is not 4, 8 or 16", *bytes)));
  return 4;
}

BankCommand read_bank_command(OptionReader& options) {
  BankCommand command;
  command.expression = options.words.front();
  command.active = options.text("active");
  read_parameters(options, command);
  std::vector<std::string> machines = options.values("machine");
  if (machines.empty()) machines = {"dmm-w32", "umm-w32"};
  for (const std::string& name : machines)
    command.machines.push_back({name, options.values("set"), true});
  command.shape = read_shape(options);
  command.row = options.integer("row", 1, longest_row, 0);
  if (command.row > 0 && !command.shape.empty())
    options.add(error_in("--row", "--shape says the length of a row, too",
                         {"leave out one of --row and --shape"}));
  command.warp = options.integer("warp", 0, INT64_MAX, 0);
  command.bytes = read_bytes(options);
  command.targets = read_targets(options);
  return command;
}

/// The indices of an element `t[i, j]`, or the expression itself.
Result<std::vector<lang::Expr>> indices_of(const Sources& sources, std::int32_t file,
                                           const BankCommand& command) {
  Result<lang::Expr> expression = lang::parse_expression(sources, file);
  if (!expression) return expression.errors();
  const bool is_element = expression->kind == lang::ExprKind::element &&
                          expression->operands[0].kind == lang::ExprKind::name;
  std::vector<lang::Expr> indices;
  if (is_element) {
    indices.assign(expression->operands.begin() + 1, expression->operands.end());
  } else {
    indices.push_back(std::move(*expression));
  }
  const auto given = static_cast<std::int64_t>(indices.size());
  const auto dimensions = static_cast<std::int64_t>(command.shape.size());
  if (given > 1 && dimensions == 0)
    return error_at(expression->span, "the array's shape is not known",
                    {"give its extents, as --shape 32,32"});
  if (is_element && dimensions > 0 && given != dimensions)
    return error_at(expression->span,
                    fmt::format("{} of an array with {}", counted(given, "index", "indices"),
                                counted(dimensions, "dimension")));
  return indices;
}

/// A name of the generated program that no parameter has.
std::string unused_name(std::string name, const BankCommand& command) {
  while (std::any_of(command.parameters.begin(), command.parameters.end(),
                     [&](const NameAndValue& pair) { return pair.first == name; }))
    name += '_';
  return name;
}

/// What is wrong with the user's expressions, without the generated program around them.
Diagnostics without_program(const Sources& sources, std::int32_t program, Diagnostics errors,
                            Span address, Span active) {
  for (Diagnostic& error : errors) {
    const auto is_generated = [&](const Diagnostic& note) { return note.span.file == program; };
    error.notes.erase(std::remove_if(error.notes.begin(), error.notes.end(), is_generated),
                      error.notes.end());
    if (!is_generated(error)) continue;
    // The types of expressions alone do not fit where the program has them.
    if (sources.text(error.span).rfind("active", 0) == 0)
      error =
          error_at(active, "a condition is needed", {"write a comparison: --active \"lane < 7\""});
    else
      error = error_at(address, "addresses and indices are whole numbers",
                       {"write int(…) around a real one, which rounds it towards zero"});
  }
  return errors;
}

/// Text of a program whose kernel stores the indices of one warp; lanes that are active mark
/// themselves in its first array. Sized for machines of up to `lanes` lanes.
std::string text_of_program(const BankCommand& command, const std::string& active,
                            const std::string& at, std::size_t dimensions, std::int64_t lanes) {
  std::string text, stores = fmt::format("{}[lane] = 1", at);
  std::vector<std::string> named;
  for (const auto& [name, value] : command.parameters) {
    if (std::find(named.begin(), named.end(), name) != named.end()) continue;
    named.push_back(name);
    text += fmt::format("param {}: long = 0\n", name);
  }
  text += fmt::format("memory {}[{}]: long\nfn {} = true\n", at, lanes, active);
  for (std::size_t k = 0; k < dimensions; ++k) {
    text += fmt::format("memory {0}{1}[{2}]: long\nfn {0}_{1} = 0\n", at, k, lanes);
    stores += fmt::format("  {0}{1}[lane] = {0}_{1}", at, k);
  }
  return text + fmt::format("kernel access() {{ if warp == {} {{ if {} {{ {} }} }} }}\n"
                            "main {{ launch access() }}\nverify {{ }}\n",
                            command.warp, active, stores);
}

/// The program with the user's expressions in it: so the language's own rules give the values.
Result<sweep::CheckedProgram> program_of(Sources& sources, const BankCommand& command,
                                         std::int64_t lanes, std::size_t& dimensions) {
  const std::int32_t file = sources.add("EXPR", command.expression);
  Result<std::vector<lang::Expr>> indices = indices_of(sources, file, command);
  if (!indices) return indices.errors();
  dimensions = indices->size();
  std::optional<lang::Expr> condition;
  if (!command.active.empty()) {
    Result<lang::Expr> parsed =
        lang::parse_expression(sources, sources.add("--active", command.active));
    if (!parsed) return parsed.errors();
    condition = std::move(*parsed);
  }
  const std::string at = unused_name("at", command), active = unused_name("active", command);
  const std::int32_t generated =
      sources.add("memlane bank", text_of_program(command, active, at, dimensions, lanes));
  Result<lang::Program> program = lang::parse_text(sources, generated);
  if (!program)
    return error_in(
        "-D",
        fmt::format("'{}' is a word of the language", sources.text(program.errors().front().span)),
        {"take another name"});
  for (lang::FnDecl& fn : program->fns) {
    if (fn.name.text == active && condition) fn.body = *condition;
    for (std::size_t k = 0; k < dimensions; ++k)
      if (fn.name.text == fmt::format("{}_{}", at, k)) fn.body = (*indices)[k];
  }
  Result<lang::Checked> checked = lang::check(sources, std::move(*program), claim_counts());
  if (!checked)
    return without_program(sources, generated, checked.errors(), indices->front().span,
                           condition ? condition->span : Span{});
  return sweep::CheckedProgram{std::move(*checked), {}};
}

/// The element's row-major number, inside the shape if there is one.
Result<std::int64_t> element_of(const std::vector<std::int64_t>& index,
                                const std::vector<std::int64_t>& shape, std::size_t lane) {
  std::int64_t element = 0;
  for (std::size_t k = 0; k < index.size(); ++k) {
    const bool bounded = index.size() == shape.size();
    const std::int64_t end = bounded ? shape[k] : farthest_element;
    const auto wrong = [&](const std::string& what) {
      return error_in("EXPR", fmt::format("lane {} accesses {}", lane, what),
                      {"--active COND lets only some lanes access memory"});
    };
    if (bounded && (index[k] < 0 || index[k] >= end))
      return wrong(
          fmt::format("index {}: dimension {} has the indices 0 to {}", index[k], k + 1, end - 1));
    if (index[k] < 0) return wrong(fmt::format("address {}: addresses begin at 0", index[k]));
    if (index[k] >= end) return wrong(fmt::format("address {}, beyond any memory", index[k]));
    element = bounded ? element * end + index[k] : index[k];
  }
  return element;
}

Result<LaneIndices> elements_on(Sources& sources, const sweep::CheckedProgram& program,
                                const BankCommand& command, const MachineSpec& machine,
                                std::size_t dimensions) {
  const std::int64_t warps = machine.threads / machine.width;
  if (command.warp >= warps)
    return error_in("--warp",
                    fmt::format("a block of {} has warps 0 to {}",
                                counted(machine.threads, "thread"), warps - 1),
                    {"--set threads=N gives it others"});
  Result<sweep::Point> point = bound_point(sources, program, machine, command.definitions);
  if (!point) return point.errors();
  for (const ir::Array& array : point->code->arrays) point->options.outputs.push_back(array.name);
  point->engine = sweep::Engine::reference;
  point->claims = false;
  const RunResult run = sweep::run_point(*point, sources).run;
  if (run.stop != Stop::none) return run.errors;
  const auto values = [&](std::size_t array, std::size_t lane) {
    return run.outputs.at(point->code->arrays[array].name)[lane].integer();
  };
  LaneIndices elements(static_cast<std::size_t>(machine.width));
  for (std::size_t lane = 0; lane < elements.size(); ++lane) {
    if (values(0, lane) == 0) continue;
    std::vector<std::int64_t> index;
    for (std::size_t k = 0; k < dimensions; ++k) index.push_back(values(k + 1, lane));
    const Result<std::int64_t> element = element_of(index, command.shape, lane);
    if (!element) return element.errors();
    elements[lane] = *element;
  }
  return elements;
}

std::vector<BankUnit> units_of(const std::string& name, const MachineSpec& machine) {
  std::vector<BankUnit> units;
  const bool both = machine.shared && machine.global;
  if (machine.shared) units.push_back({name, both ? "shared" : "memory", machine.shared->kind});
  if (machine.global) units.push_back({name, both ? "global" : "memory", machine.global->kind});
  return units;
}

BankRequest request_of(const BankCommand& command, const MachineSpec& machine,
                       const LaneIndices& elements) {
  BankRequest request;
  request.access = bank_access(machine.width, elements);
  request.row_length = command.row > 0         ? command.row
                       : command.shape.empty() ? machine.width
                                               : command.shape.back();
  request.layouts = layout_stages(machine.width, elements, request.row_length);
  const std::int64_t words = command.bytes / 4;
  if (words > 1 && machine.width % words == 0)
    request.split = split_stages(machine.width, elements, words);
  return request;
}

Result<BankReport> report_of(Sources& sources, const BankCommand& command) {
  std::vector<LoadedMachine> machines;
  std::int64_t lanes = 1;
  for (const MachineSelection& selection : command.machines) {
    Result<LoadedMachine> machine = load_selected_machine(sources, selection);
    if (!machine) return machine.errors();
    lanes = std::max(lanes, machine->spec.width);
    machines.push_back(std::move(*machine));
  }
  std::size_t dimensions = 1;
  const Result<sweep::CheckedProgram> program = program_of(sources, command, lanes, dimensions);
  if (!program) return program.errors();
  BankReport report;
  report.version = version;
  report.expression = command.expression;
  report.parameters = command.parameters;
  report.active = command.active;
  report.warp = command.warp;
  report.bytes = command.bytes;
  report.row_reason = command.row > 0         ? "--row"
                      : command.shape.empty() ? "the width; --row N for others"
                                              : "--shape";
  std::vector<LaneIndices> of_requests;
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const MachineSpec& machine = machines[m].spec;
    const auto elements = elements_on(sources, *program, command, machine, dimensions);
    if (!elements) return elements.errors();
    const auto same = std::find(of_requests.begin(), of_requests.end(), *elements);
    const auto number = static_cast<std::size_t>(same - of_requests.begin());
    if (same == of_requests.end()) {
      of_requests.push_back(*elements);
      report.requests.push_back(request_of(command, machine, *elements));
    }
    for (BankUnit& unit : units_of(command.machines[m].name, machine))
      report.requests[number].units.push_back(std::move(unit));
  }
  return report;
}

Result<Exit> bank(OptionReader& options, Sources& sources, Console& console) {
  if (options.words.size() != 1)
    return error_in("", fmt::format("bank takes one expression, not {}", options.words.size()),
                    {"put it in quotes: memlane bank \"thread * stride\" -D stride=4"});
  BankCommand command = read_bank_command(options);
  if (!options.ok()) return options.errors();
  const Result<BankReport> report = report_of(sources, command);
  if (!report) return report.errors();
  const Status written =
      write_results([&](Format format, TableStyle) { return render_bank(*report, format); },
                    command.targets, console);
  if (!written) return written.errors();
  return Exit::done;
}

} // namespace

Command bank_command() {
  return {
      "bank",
      "EXPR [-m MACHINE]... [options]",
      "show banks, address groups and stages of one warp's access",
      "Show which bank and which address group each lane of a warp accesses, how many stages\n"
      "the request has on a DMM and a UMM, and what paddings, the diagonal and XOR swizzles\n"
      "would make of it. EXPR is an address in words, in the language of programs; it may use\n"
      "thread, lane, warp, the machine's letters and the names of -D. An element of an array\n"
      "is written with its indices, and the array's shape: \"t[lane, 0]\" --shape 32,32.",
      join_options({{{"define", 'D', "NAME=VALUE", true, "a value that EXPR names, e.g. stride=4"},
                     {"machine", 'm', "MACHINE", true,
                      "a shipped machine or a path, once for each; dmm-w32 and umm-w32\n"
                      "if none is given"},
                     {"set", 0, "KEY=VALUE", true, "set a value of every machine, e.g. width=16"},
                     {"warp", 0, "N", false, "the warp of the block; 0 if not given"},
                     {"active", 0, "COND", false, "condition of active lanes, e.g. \"lane < 7\""},
                     {"shape", 0, "EXTENTS", false, "extents of the array, e.g. 32,33"},
                     {"row", 0, "N", false,
                      "words of a row, for other layouts; the width if not given,\n"
                      "with --shape its last extent"},
                     {"type",
                      0,
                      "TYPE",
                      false,
                      "of the elements: int (the default), float, long or double",
                      {"int", "float", "long", "double"}},
                     {"bytes",
                      0,
                      "N",
                      false,
                      "of an element, instead: 4, 8 or 16. For 8 and 16, show also how\n"
                      "a GPU splits the request",
                      {"4", "8", "16"}}},
                    result_options()}),
      {"memlane bank \"(thread*stride) % 1024\" -D stride=4",
       "memlane bank \"t[lane, 0]\" --shape 32,32",
       "memlane bank \"lane*16\" --row 16 -m dmm-w32 -m hmm-h200",
       "memlane bank \"lane\" --bytes 16 --active \"lane < 8\"",
       "memlane bank \"thread / 2\" --warp 3 --format csv"},
      bank};
}

} // namespace memlane::cli
