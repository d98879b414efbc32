#include "environment.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/count/fields.hpp"
#include "memlane/lang/walk.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/machine_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

// --- counts

namespace memlane::claims {
namespace {

constexpr std::string_view multiplicity = "multiplicity";
/// Names that several models count differently, or that the simulation has in another sense, with
/// what claims may write.
struct UnclearName {
  std::string_view name;
  std::string_view write;
};
constexpr std::array<UnclearName, 4> unclear_names = {{{"work", "mmm_work or pram_work"},
                                                       {"span", "mmm_span"},
                                                       {"overhead", "mmm_overhead"},
                                                       {"steps", "pram_steps"}}};

template <class Table>
auto find(const Table& table, std::string_view name) -> decltype(table.data()) {
  const auto it = std::find_if(table.begin(), table.end(),
                               [&](const auto& entry) { return entry.name == name; });
  return it == table.end() ? nullptr : &*it;
}

/// Steps of the simulation are not the steps of papers, so claims cannot name them.
const Field<RunResult>* run_field(std::string_view name) {
  return find(unclear_names, name) ? nullptr : find(run_fields(), name);
}

/// The parts of `shared_stages`: which units, and the count of each.
struct UnitName {
  bool shared = true;
  bool global = true;
  const Field<UnitCounts>* entry = nullptr;
};

UnitName unit_name(std::string_view name) {
  UnitName result;
  for (const std::string_view prefix : {"shared_", "global_"})
    if (name.substr(0, prefix.size()) == prefix) {
      result.shared = prefix == "shared_";
      result.global = prefix == "global_";
      name.remove_prefix(prefix.size());
      break;
    }
  result.entry = find(unit_fields(), name);
  return result;
}

std::int64_t sum(const std::vector<UnitCounts>& units, const Field<UnitCounts>& entry) {
  std::int64_t total = 0;
  for (const UnitCounts& unit : units) total += entry.get(unit);
  return total;
}

template <class T>
CountValue known(const Field<T>& field, const T& counts) {
  if (const auto count = field.count(counts)) return *count;
  return not_applicable(std::string(field.name) + " is defined for blocks of w threads alone");
}

/// The model of `mmm_work` and the like; null: the name has no model's name before it.
const ModelTable* model_of(std::string_view name) {
  const std::size_t end = name.find('_');
  return end == name.npos ? nullptr : find(model_tables(), name.substr(0, end));
}

CountValue model_count(const ModelTable& model, std::string_view name, const ModelCounts& counts) {
  if (!model.known(counts) && !model.counts_it.empty())
    return not_applicable(fmt::format("{} {}_{}", model.counts_it, model.name, name));
  const ModelField* field = find(model.fields, name);
  if (!field) return not_evaluated(fmt::format("unknown count {}_{}", model.name, name));
  const ModelValue value = field->get(counts);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return *count;
  if (const auto* bound = std::get_if<MmmBound>(&value)) return *bound;
  return not_applicable(field->note
                            ? field->note(counts)
                            : std::string(name) + " is defined for blocks of w threads alone");
}

CountValue count_in(std::string_view name, const MachineSpec& machine, const Counts& counts) {
  if (const ModelTable* model = model_of(name))
    return model_count(*model, name.substr(model->name.size() + 1), counts);
  if (const auto* entry = find(count_fields(), name)) return known(*entry, counts);
  if (!has_requests(machine.model))
    return not_applicable("an MMM does not count " + std::string(name));
  if (const auto* entry = find(part_fields(), name)) {
    if (const auto count = entry->count(counts)) return *count;
    return not_applicable(name.starts_with("port_") ? "the multiprocessors have no own ports"
                                                    : "the machine has no tensor unit");
  }
  if (name == "io") return model_count(model_table("agpu"), name, counts);
  if (!is_timed(machine.model) && claims::is_timed(name))
    return not_applicable("an AGPU has no stages in time");
  const UnitName unit = unit_name(name);
  if (!unit.entry) return not_evaluated("unknown count " + std::string(name));
  if (!unit.global && !machine.shared) return not_applicable("the machine has no shared memory");
  if (!unit.shared && !machine.global) return not_applicable("the machine has no global memory");
  return (unit.shared ? sum(counts.shared, *unit.entry) : 0) +
         (unit.global ? sum(counts.global, *unit.entry) : 0);
}

} // namespace

lang::NoValue not_applicable(std::string reason) { return {error_in("", std::move(reason)), true}; }
lang::NoValue not_evaluated(std::string reason) { return {error_in("", std::move(reason))}; }

std::string_view clear_names(std::string_view name) {
  const UnclearName* unclear = find(unclear_names, name);
  return unclear ? unclear->write : "";
}

bool is_timed(std::string_view name) {
  const UnitName unit = unit_name(name);
  return name == "time" || name == "tensor_busy" || name == "tensor_idle" ||
         (unit.entry && (unit.entry->name == "busy" || unit.entry->name.substr(0, 4) == "idle"));
}

bool is_of_blocks(std::string_view name) {
  if (name == "io" || find(count_fields(), name)) return name != "time";
  const Field<UnitCounts>* const entry = unit_name(name).entry;
  return entry && entry->name != "resident_warps" && !find(time_fields(), entry->name);
}

bool counts_stages(std::string_view name) {
  const UnitName unit = unit_name(name);
  return unit.entry && (unit.entry->name == "stages" || unit.entry->name == "conflicts");
}

bool counts_words(std::string_view name) {
  const UnitName unit = unit_name(name);
  return name == "global_words" || name == "shared_words" || name == "io" || name == multiplicity ||
         (unit.entry && unit.entry->name == "concurrent_writes");
}

CountValue run_count(std::string_view name, const MachineSpec& machine, const RunResult& run) {
  if (const auto* entry = run_field(name)) return entry->get(run);
  return count_in(name, machine, run.counts);
}

CountValue kernel_count(std::string_view kernel, std::string_view name, const MachineSpec& machine,
                        const RunResult& run) {
  const auto it = run.kernels.find(std::string(kernel));
  if (it == run.kernels.end() || it->second.launches == 0)
    return not_applicable("kernel '" + std::string(kernel) + "' was not launched");
  return count_in(name, machine, it->second);
}

} // namespace memlane::claims

namespace memlane {

lang::CountNames claim_counts() {
  lang::CountNames names;
  names.of_kernel = {"io", std::string(claims::multiplicity)};
  const auto add = [&](std::string_view prefix, const auto& fields) {
    for (const auto& entry : fields)
      names.of_kernel.push_back(std::string(prefix) + std::string(entry.name));
  };
  add("", count_fields());
  for (const ModelTable& model : model_tables()) // of the AGPU's the I/O has a name of its own
    if (model.without != WithoutCounts::object_of_none)
      for (const ModelField& field : model.fields)
        if (field.is_number())
          names.of_kernel.push_back(fmt::format("{}_{}", model.name, field.name));
  for (const char* const prefix : {"", "shared_", "global_"}) add(prefix, unit_fields());
  add("", part_fields());
  names.of_run = names.of_kernel;
  for (const auto& entry : run_fields())
    if (claims::clear_names(entry.name).empty()) names.of_run.emplace_back(entry.name);
  for (const auto& unclear : claims::unclear_names) names.unclear.emplace_back(unclear.name);
  return names;
}

namespace {

/// Whether one of its counts is such a one.
template <class F>
bool has_count(const lang::ClaimFormulas& claim, F is_one) {
  bool has = false;
  const auto note = [&](const lang::TExpr& part) {
    has = has || (part.kind == lang::TExprKind::count && is_one(part.text));
  };
  lang::each_part(claim.left, note);
  lang::each_part(claim.right, note);
  if (claim.when) lang::each_part(*claim.when, note);
  return has;
}

} // namespace

bool asks_for_pram(const lang::ClaimFormulas& claim) {
  return has_count(claim, [](std::string_view name) { return name.starts_with("pram_"); });
}

bool is_of_blocks(const lang::ClaimFormulas& claim) {
  return !has_count(claim, [](std::string_view name) { return !claims::is_of_blocks(name); });
}

void ask_for_counts(const lang::Checked& checked, const MachineSpec& machine, RunOptions& options) {
  for (std::size_t k = 0; k < checked.claims.size(); ++k)
    if (speaks_of(checked.program.claims[k], name_of(machine.model)))
      options.pram = options.pram || asks_for_pram(checked.claims[k]);
}

} // namespace memlane

// --- all names

namespace memlane::claims {

using exact::Number;
using lang::Evaluated;
using lang::Evaluation;
using lang::TExpr;
using lang::TExprKind;

namespace {

Evaluated word(std::int64_t i) { return {ir::Value::of(i)}; }
Evaluated word(bool truth) { return {ir::Value::of(truth)}; }
Evaluated number(std::int64_t i) { return {Number(i)}; }

} // namespace

Evaluation ClaimEnvironment::param(lang::SymbolId id) {
  const std::string& name = checked_.param(id).name;
  for (const ir::Constant& constant : inputs_.program->constants)
    if (constant.name == name) return Evaluated{constant.value};
  return not_evaluated("'" + name + "' has no value in this run");
}

Evaluation ClaimEnvironment::letter(const TExpr& e) {
  const auto value = value_of(find_machine_name(e.text)->quantity, *inputs_.machine);
  if (value) return word(*value);
  return not_applicable("the machine has no " + e.text);
}

Evaluation ClaimEnvironment::property(const TExpr& e) {
  if (e.kind == TExprKind::padding || e.kind == TExprKind::layout) return layout_or_padding(e);
  if (!inputs_.run) return not_evaluated("there is no run yet");
  return e.kind == TExprKind::count ? count(e) : fn_count(e);
}

Evaluation ClaimEnvironment::count(const TExpr& e) const {
  if (const std::string_view clear = clear_names(e.text); !clear.empty())
    return not_evaluated("models count " + e.text + " differently: write " + std::string(clear));
  const bool ratio = e.text == "multiplicity";
  const std::string name = ratio ? "shared_words" : e.text;
  const CountValue value = e.symbol < 0 ? run_count(name, *inputs_.machine, *inputs_.run)
                                        : kernel_count(checked_.function(e.symbol).name, name,
                                                       *inputs_.machine, *inputs_.run);
  if (const auto* problem = std::get_if<lang::NoValue>(&value)) return *problem;
  if (const auto* bound = std::get_if<MmmBound>(&value))
    return Evaluated{Number(exact::Integer(bound->whole)) +
                     Number(exact::Integer(bound->rest), exact::Integer(bound->of))};
  const std::int64_t counted = std::get<std::int64_t>(value);
  return ratio ? multiplicity(counted) : number(counted);
}

Evaluation ClaimEnvironment::multiplicity(std::int64_t shared_words) const {
  if (inputs_.machine->model == Model::mmm) return not_applicable("an MMM has no multiplicity");
  if (shared_words == 0) return not_applicable("no shared memory is used");
  const auto capacity = value_of(MachineQuantity::capacity, *inputs_.machine);
  if (!capacity) return not_applicable("the machine's memory has no capacity");
  return Evaluated{Number(exact::Integer(*capacity), exact::Integer(shared_words))};
}

/// 0 for a fn that the run did not call.
Evaluation ClaimEnvironment::fn_count(const TExpr& e) const {
  const auto it = inputs_.run->fns.find(checked_.fns[static_cast<std::size_t>(e.symbol)]);
  if (it == inputs_.run->fns.end()) return number(0);
  return number(e.text == "calls" ? it->second.calls : it->second.steps);
}

/// Several kernels may have an array of this name, if all have the same layout.
Evaluation ClaimEnvironment::layout_or_padding(const TExpr& e) const {
  const ir::Array* found = nullptr;
  for (const ir::Array& array : inputs_.program->arrays) {
    if (array.name != e.text) continue;
    if (found && (found->layout_name != array.layout_name || found->layout != array.layout ||
                  found->padding != array.padding))
      return not_evaluated("several arrays '" + e.text + "' with different layouts");
    found = &array;
  }
  if (!found) return not_applicable("array '" + e.text + "' is not used");
  if (e.kind == TExprKind::padding) return number(found->padding);
  const TExpr& wanted = e.operands[0];
  const std::string layout = found->layout_name.empty() ? "rows" : found->layout_name;
  const bool own = found->layout == LayoutKind::function;
  return word(layout == wanted.text && own == (wanted.symbol >= 0));
}

} // namespace memlane::claims
