#include "environment.hpp"

#include "counts.hpp"

#include "memlane/machine/spec.hpp"
#include "memlane/support/machine_names.hpp"

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
  const bool own = found->layout == ir::Layout::function;
  return word(layout == wanted.text && own == (wanted.symbol >= 0));
}

} // namespace memlane::claims
