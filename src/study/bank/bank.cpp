#include "memlane/study/bank/bank.hpp"

#include "searched.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/machine/bank_access.hpp"
#include "memlane/machine/keys.hpp"
#include "memlane/support/machine_names.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace memlane {
namespace {

// --- The expression: a program with it in a kernel, so that the language's own rules give its
// values and errors.

constexpr std::int64_t farthest_element = std::int64_t{1} << 48;

/// `write 2 indices: t[lane, 0]`: missing ones become 0.
std::string way_to_index(const Sources& sources, const lang::Expr& element,
                         std::int64_t dimensions) {
  std::string indices;
  for (std::size_t k = 1; k <= static_cast<std::size_t>(dimensions); ++k) {
    indices += k > 1 ? ", " : "";
    indices += k < element.operands.size() ? sources.text(element.operands[k].span) : "0";
  }
  return fmt::format("write {}: {}[{}]; or give other extents: --shape",
                     counted(dimensions, "index", "indices"), element.operands[0].name, indices);
}

/// The indices of an element `t[i, j]`, or the expression itself.
Result<std::vector<lang::Expr>> indices_of(const Sources& sources, std::int32_t file,
                                           const BankQuery& query) {
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
  const auto dimensions = static_cast<std::int64_t>(query.shape.size());
  if (given > 1 && dimensions == 0)
    return error_at(expression->span, "the array's shape is not known",
                    {"give its extents, as --shape 32,32"});
  if (is_element && dimensions > 0 && given != dimensions)
    return error_at(expression->span,
                    fmt::format("{} of an array with {}", counted(given, "index", "indices"),
                                counted(dimensions, "dimension")),
                    {way_to_index(sources, *expression, dimensions)});
  return indices;
}

/// Adds the names that an expression uses.
void collect_names(const lang::Expr& expression, std::vector<std::string>& names) {
  if (!expression.name.empty()) names.push_back(expression.name);
  for (const lang::Expr& operand : expression.operands) collect_names(operand, names);
}

/// An error for a value of -D that neither the expressions name nor other values do.
Status check_used(Sources& sources, const BankQuery& query, std::vector<std::string> named) {
  for (const auto& [name, value] : query.parameters)
    if (const auto parsed = lang::parse_expression(sources, sources.add("-D", value)))
      collect_names(*parsed, named);
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& [name, value] : query.parameters) {
    if (is_in(named, name)) continue;
    std::vector<std::string> help = did_you_mean(name, named);
    help.push_back(fmt::format("name it there, or leave out -D {}", name));
    return error_in("-D", fmt::format("the expression does not name '{}'", name), std::move(help));
  }
  return Done{};
}

/// A beginning of names of the generated program that no name of the user has.
std::string unused_name(std::string name, const BankQuery& query,
                        const std::vector<std::string>& named) {
  const auto begins_with_it = [&](const std::string& other) { return other.rfind(name, 0) == 0; };
  while (std::any_of(named.begin(), named.end(), begins_with_it) ||
         std::any_of(query.parameters.begin(), query.parameters.end(),
                     [&](const sweep::NameAndText& pair) { return begins_with_it(pair.first); }))
    name += '_';
  return name;
}

/// Which names there are, for an unknown one, which may be in parentheses.
std::string known_names(std::string_view unknown) {
  unknown.remove_prefix(std::min(unknown.find_first_not_of("( "), unknown.size()));
  unknown = unknown.substr(0, unknown.find_first_of(" )"));
  std::string letters;
  for (const MachineName& name : machine_names)
    if (name.place == NamePlace::programs && name.name.size() == 1 &&
        !key_of_letter(name.name, Model::mmm)) // which has no banks
      letters += fmt::format("{}{}", letters.empty() ? "" : ", ", name.name);
  return fmt::format("names: lane, thread, threads, warp, block, the machine's letters {}, and "
                     "those of -D: -D {}=4",
                     letters, unknown);
}

/// An error of a lane, without the generated kernel.
Diagnostic in_lane(Diagnostic error, std::int64_t width) {
  if (!error.thread) return error;
  const auto& [thread, in_words] = *error.thread;
  error.message.replace(error.message.find(in_words), in_words.size(),
                        fmt::format(" in lane {}", thread % width));
  error.help.emplace_back("--active COND lets only some lanes access memory");
  return error;
}

/// What is wrong with the user's expressions, without the generated program around them.
Diagnostics without_program(const Sources& sources, std::int32_t program, Diagnostics errors,
                            Span address, Span active) {
  for (Diagnostic& error : errors) {
    const auto is_generated = [&](const Diagnostic& note) { return note.span.file == program; };
    error.notes.erase(std::remove_if(error.notes.begin(), error.notes.end(), is_generated),
                      error.notes.end());
    if (error.message.rfind("unknown name ", 0) == 0)
      error.help.push_back(known_names(sources.text(error.span)));
    if (!is_generated(error)) continue;
    // The types of expressions alone do not fit where the program has them.
    if (sources.text(error.span).rfind("lane_is_active", 0) == 0)
      error =
          error_at(active, "a condition is needed", {"write a comparison: --active \"lane < 7\""});
    else
      error = error_at(address, "addresses and indices are whole numbers",
                       {"write int(…) around a real one, which rounds it towards zero"});
  }
  return errors;
}

struct GeneratedNames {
  std::string at, active, kernel;
};

/// Text of a program whose kernel stores the indices of one warp; lanes that are active mark
/// themselves in its first array. Sized for machines of up to `lanes` lanes.
std::string text_of_program(const BankQuery& query, const GeneratedNames& names,
                            std::size_t dimensions, std::int64_t lanes) {
  const auto& [at, active, kernel] = names;
  std::string text, stores = fmt::format("{}[lane] = 1", at);
  std::vector<std::string> named;
  for (const auto& [name, value] : query.parameters) {
    if (std::find(named.begin(), named.end(), name) != named.end()) continue;
    named.push_back(name);
    text += fmt::format("param {}: long = 0\n", name);
  }
  text += fmt::format("memory {}[{}]: long\nfn {} = true\n", at, lanes, active);
  for (std::size_t k = 0; k < dimensions; ++k) {
    text += fmt::format("memory {0}{1}[{2}]: long\nfn {0}_{1} = 0\n", at, k, lanes);
    stores += fmt::format("  {0}{1}[lane] = {0}_{1}", at, k);
  }
  return text + fmt::format("kernel {0}() {{ if warp == {1} {{ if {2} {{ {3} }} }} }}\n"
                            "main {{ launch {0}() }}\nverify {{ }}\n",
                            kernel, query.warp, active, stores);
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

/// A program that stores the expression's indices for each lane of a warp.
struct BankProgram {
  CheckedProgram program;
  std::size_t dimensions = 1;     ///< indices of an element
  std::vector<std::string> named; ///< by the expression and the condition
};

/// For machines of up to `lanes` lanes. Errors: of the expressions.
Result<BankProgram> bank_program(Sources& sources, const BankQuery& query, std::int64_t lanes) {
  const std::int32_t file = sources.add("EXPR", query.expression);
  Result<std::vector<lang::Expr>> indices = indices_of(sources, file, query);
  if (!indices) return indices.errors();
  const std::size_t dimensions = indices->size();
  std::optional<lang::Expr> condition;
  if (!query.active.empty()) {
    Result<lang::Expr> parsed =
        lang::parse_expression(sources, sources.add("--active", query.active));
    if (!parsed) return parsed.errors();
    condition = std::move(*parsed);
  }
  std::vector<std::string> named;
  for (const lang::Expr& index : *indices) collect_names(index, named);
  if (condition) collect_names(*condition, named);
  const GeneratedNames names = {unused_name("lane_index", query, named),
                                unused_name("lane_is_active", query, named),
                                unused_name("lanes_access", query, named)};
  const std::int32_t generated =
      sources.add("memlane bank", text_of_program(query, names, dimensions, lanes));
  Result<lang::Program> program = lang::parse_text(sources, generated);
  if (!program)
    return error_in(
        "-D",
        fmt::format("'{}' is a word of the language", sources.text(program.errors().front().span)),
        {"take another name"});
  for (lang::FnDecl& fn : program->fns) {
    if (fn.name.text == names.active && condition) fn.body = *condition;
    for (std::size_t k = 0; k < dimensions; ++k)
      if (fn.name.text == fmt::format("{}_{}", names.at, k)) fn.body = (*indices)[k];
  }
  Result<lang::Checked> checked = lang::check(sources, std::move(*program), claim_counts());
  if (!checked)
    return without_program(sources, generated, checked.errors(), indices->front().span,
                           condition ? condition->span : Span{});
  return BankProgram{{std::move(*checked), {}}, dimensions, std::move(named)};
}

/// The element of each lane, numbered row-major. Errors: of the evaluation, an index outside of the
/// shape, a warp that the machine does not have.
Result<LaneIndices> elements_on(Sources& sources, const BankProgram& program,
                                const BankQuery& query, const MachineSpec& machine) {
  const std::int64_t warps = machine.threads / machine.width;
  if (query.warp >= warps)
    return error_in("--warp",
                    fmt::format("a block of {} has warps 0 to {}",
                                counted(machine.threads, "thread"), warps - 1),
                    {"--set threads=N gives it others"});
  Result<sweep::Point> point =
      sweep::bound_point(sources, program.program, machine, query.definitions);
  if (!point) return point.errors();
  for (const ir::Array& array : point->code->arrays) point->options.outputs.push_back(array.name);
  point->engine = sweep::Engine::reference;
  point->claims = false;
  const RunResult run = sweep::run_point(*point, sources).run;
  if (run.stop != Stop::none) {
    Diagnostics errors = run.errors;
    for (Diagnostic& error : errors) error = in_lane(std::move(error), machine.width);
    return errors;
  }
  const auto values = [&](std::size_t array, std::size_t lane) {
    return run.outputs.at(point->code->arrays[array].name)[lane].integer();
  };
  LaneIndices elements(static_cast<std::size_t>(machine.width));
  for (std::size_t lane = 0; lane < elements.size(); ++lane) {
    if (values(0, lane) == 0) continue;
    std::vector<std::int64_t> index;
    for (std::size_t k = 0; k < program.dimensions; ++k) index.push_back(values(k + 1, lane));
    const Result<std::int64_t> element = element_of(index, query.shape, lane);
    if (!element) return element.errors();
    elements[lane] = *element;
  }
  return elements;
}

// --- The report.

std::vector<BankUnit> units_of(const std::string& name, const MachineSpec& machine) {
  std::vector<BankUnit> units;
  const bool both = machine.shared && machine.global;
  if (machine.shared) units.push_back({name, both ? "shared" : "memory", machine.shared->kind});
  if (machine.global) units.push_back({name, both ? "global" : "memory", machine.global->kind});
  return units;
}

BankRequest request_of(const BankQuery& query, const MachineSpec& machine,
                       const LaneIndices& elements) {
  BankRequest request;
  const BankShape shape(machine, query.bytes);
  request.access = bank_access(shape, elements);
  request.row_length = query.row > 0         ? query.row
                       : query.shape.empty() ? machine.width
                                             : query.shape.back();
  request.layouts = layout_stages(shape, elements, request.row_length);
  const std::int64_t words = query.bytes / 4;
  request.has_words = machine.word_bytes.has_value();
  if (words > 1 && !request.has_words && machine.width % words == 0)
    request.split = split_stages(machine.width, elements, words);
  return request;
}

/// All accesses of the query, its expression first.
std::vector<BankAccessText> accesses_of(const BankQuery& query) {
  std::vector<BankAccessText> all = {{query.name, query.expression, query.weight}};
  all.insert(all.end(), query.further.begin(), query.further.end());
  return all;
}

/// The best layout on these machines, for the elements of each access on the first of them.
Result<BankSearchReport> search_of(Sources& sources, const BankQuery& query,
                                   const std::vector<BankProgram>& programs,
                                   const std::vector<std::pair<std::string, MachineSpec>>& machines,
                                   std::int64_t row_length) {
  const MachineSpec& machine = machines.front().second;
  for (const auto& [name, other] : machines)
    if (other.width != machine.width)
      return error_in("-m", "a layout is searched for one width", {"give machines of one width"});
  std::vector<LaneIndices> elements;
  for (const BankProgram& program : programs) {
    Result<LaneIndices> own = elements_on(sources, program, query, machine);
    if (!own) return own.errors();
    elements.push_back(std::move(*own));
  }
  return searched(query, accesses_of(query), machine, row_length, elements);
}

} // namespace

Result<BankReport> report_of(Sources& sources, const BankQuery& query,
                             const std::vector<std::pair<std::string, MachineSpec>>& machines,
                             std::string_view version) {
  std::int64_t lanes = 1;
  for (const auto& [name, machine] : machines) lanes = std::max(lanes, machine.width);
  std::vector<BankProgram> programs;
  std::vector<std::string> named;
  for (const BankAccessText& access : accesses_of(query)) {
    BankQuery own = query;
    own.expression = access.expression;
    Result<BankProgram> program = bank_program(sources, own, lanes);
    if (!program) return program.errors();
    named.insert(named.end(), program->named.begin(), program->named.end());
    programs.push_back(std::move(*program));
  }
  if (const Status used = check_used(sources, query, named); !used) return used.errors();
  const BankProgram* const program = &programs.front();
  BankReport report;
  report.version = version;
  report.expression = query.expression;
  report.parameters = query.parameters;
  report.active = query.active;
  report.warp = query.warp;
  report.bytes = query.bytes;
  report.row_reason = query.row > 0         ? "--row"
                      : query.shape.empty() ? "the width; --row N for others"
                                            : "--shape";
  std::vector<std::tuple<LaneIndices, BankShape, bool>> of_requests;
  for (const auto& [name, machine] : machines) {
    if (!has_requests(machine.model))
      return error_in("-m", "an MMM has neither banks nor address groups",
                      {"choose a DMM, a UMM, an HMM or an AGPU"});
    const auto elements = elements_on(sources, *program, query, machine);
    if (!elements) return elements.errors();
    const std::tuple own(*elements, BankShape(machine, query.bytes),
                         machine.word_bytes.has_value());
    const auto same = std::find(of_requests.begin(), of_requests.end(), own);
    const auto number = static_cast<std::size_t>(same - of_requests.begin());
    if (same == of_requests.end()) {
      of_requests.push_back(own);
      report.requests.push_back(request_of(query, machine, *elements));
    }
    for (BankUnit& unit : units_of(name, machine))
      report.requests[number].units.push_back(std::move(unit));
  }
  if (!query.best) return report;
  Result<BankSearchReport> search =
      search_of(sources, query, programs, machines, report.requests.front().row_length);
  if (!search) return search.errors();
  report.search = std::move(*search);
  return report;
}

} // namespace memlane
