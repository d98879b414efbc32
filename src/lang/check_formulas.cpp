// Formulas: claims, and the values that options give parameters. Their numbers are exact, so that
// fns mean the same formula in them, without the widths of a program's types.
#include "checker.hpp"

#include "memlane/support/machine_names.hpp"
#include "memlane/support/suggest.hpp"

#include <algorithm>
#include <array>

namespace memlane::lang {

using ir::Scalar;

namespace {

constexpr Type exact_real{Scalar::float64, -1, true};
constexpr Type exact_whole{Scalar::int64, -1, true};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// All arrays, with those of kernels and procs.
std::vector<std::string> array_names(const Program& program) {
  std::vector<std::string> names;
  for (const ArraysDecl& decl : program.arrays)
    for (const ArrayDeclarator& array : decl.arrays) names.push_back(array.name.text);
  for (const KernelDecl& kernel : program.kernels)
    each_array(kernel.body,
               [&](const ArrayDeclarator& array) { names.push_back(array.name.text); });
  return names;
}

TExpr named(TExprKind kind, Type type, const Expr& e, const std::string& name,
            SymbolId symbol = -1) {
  TExpr result = node(kind, type, e.span, {}, symbol);
  result.text = name;
  return result;
}

} // namespace

bool Checker::is_formula() const {
  return setting_ == Setting::claim || setting_ == Setting::defined_value;
}

/// The type of a value in a formula. In claims all numbers are alike; in `-D` values, whole ones
/// stay apart.
Type Checker::formula_type(Type type) const {
  if (!is_formula() || !is_number(type)) return type;
  return setting_ == Setting::defined_value && is_integer(type) ? exact_whole : exact_real;
}

/// A formula's `/` is exact; in the fns that a `-D` value calls, it truncates whole numbers, as in
/// code.
Type Checker::quotient_type(Type type) const {
  return is_exact_whole(type) && trail_.empty() ? exact_real : type;
}

Typed Checker::in_formula(Typed e) const {
  if (!e) return e;
  const Type type = formula_type(e->type);
  if (type == e->type) return e;
  if (e->kind == TExprKind::literal && ir::is_real(e->type.scalar)) {
    e->type = type;
    return e;
  }
  const Span span = e->span;
  return node(TExprKind::convert, type, span, operands_of(std::move(*e)));
}

/// `int(x)` truncates, `double(x)` is x.
Typed Checker::exact_conversion(TExpr value, Type type, Span span) {
  if (!require_number(value, in_quotes(name_of(type)))) return std::nullopt;
  return node(TExprKind::convert, is_integer(type) ? exact_whole : exact_real, span,
              operands_of(std::move(value)));
}

Typed Checker::no_arrays_in_claims(Span span) {
  return error(span, formula_ + " cannot read arrays");
}

/// The meaning of a name that only claims have. Values that the program declares hide letters and
/// counts; kernels and arrays do not.
std::optional<Typed> Checker::claim_name(const Expr& e) {
  const Entity* found = lookup(e.name);
  const EntityKind kind = found ? found->kind : EntityKind::letter;
  const bool declared = found && kind != EntityKind::letter && kind != EntityKind::special;
  if (declared && kind != EntityKind::array && kind != EntityKind::function &&
      kind != EntityKind::type)
    return std::nullopt;
  if (find_machine_name(e.name)) return letter_value(e);
  if (contains(counts_.of_run, e.name) || contains(counts_.unclear, e.name))
    return named(TExprKind::count, exact_real, e, e.name);
  if (kind == EntityKind::special) {
    error(e.span,
          in_quotes(e.name) + " is a value of one thread: " + formula_ + " is about a whole run");
    return Typed();
  }
  if (kind == EntityKind::array) return no_arrays_in_claims(e.span);
  if (kind != EntityKind::function) return std::nullopt;
  const bool kernel = !checked_.program.kernels[static_cast<std::size_t>(found->id)].proc;
  std::vector<std::string> help;
  if (kernel) help = {"its launches' counts are " + e.name + ".time, " + e.name + ".requests, …"};
  error(e.span, in_quotes(e.name) + " is a " + (kernel ? "kernel" : "proc") + ", not a number",
        help);
  return Typed();
}

/// `K.count`, `f.calls`, `a.padding`.
Typed Checker::claim_field(const Expr& e) {
  const Expr& owner = e.operands[0];
  const Entity* found = owner.kind == ExprKind::name ? lookup(owner.name) : nullptr;
  const bool local =
      found && (found->kind == EntityKind::variable || found->kind == EntityKind::value);
  if (owner.kind != ExprKind::name || local) return error(e.span, formula_ + " has no records");
  if (found && found->kind == EntityKind::function) return kernel_count(e, found->id);
  if (found && found->kind == EntityKind::fn) {
    if (e.name == "calls" || e.name == "steps")
      return named(TExprKind::fn_count, exact_real, e, e.name, found->id);
    return error(e.span, "fn " + in_quotes(owner.name) + " has no count " + in_quotes(e.name),
                 {"a fn has " + owner.name + ".calls and " + owner.name + ".steps"});
  }
  const std::vector<std::string> arrays = array_names(checked_.program);
  if (!contains(arrays, owner.name)) {
    std::vector<std::string> owners = arrays;
    for (const KernelDecl& kernel : checked_.program.kernels)
      if (!kernel.proc) owners.push_back(kernel.name.text);
    for (const FnDecl& fn : checked_.program.fns) owners.push_back(fn.name.text);
    return error(owner.span, "no kernel, fn or array " + in_quotes(owner.name),
                 suggest(owner.name, owners));
  }
  if (e.name == "padding") return named(TExprKind::padding, exact_real, e, owner.name);
  if (e.name == "layout")
    return error(e.span, "a layout is only compared with a layout's name",
                 {"write " + owner.name + ".layout == rows"});
  return error(e.span, "array " + in_quotes(owner.name) + " has a layout and a padding, no " +
                           in_quotes(e.name));
}

Typed Checker::kernel_count(const Expr& e, SymbolId kernel) {
  const std::string& owner = e.operands[0].name;
  if (checked_.program.kernels[static_cast<std::size_t>(kernel)].proc)
    return error(e.operands[0].span,
                 in_quotes(owner) + " is a proc: only kernels, which are launched, have counts");
  if (contains(counts_.of_kernel, e.name) || contains(counts_.unclear, e.name))
    return named(TExprKind::count, exact_real, e, e.name, kernel);
  return error(e.span, "kernel " + in_quotes(owner) + " has no count " + in_quotes(e.name),
               suggest(e.name, counts_.of_kernel));
}

/// `a.layout == rows`, in either order; nothing where the comparison is another one.
std::optional<Typed> Checker::layout_comparison(const Expr& e) {
  if (setting_ != Setting::claim || e.operands.size() != 2) return std::nullopt;
  const std::vector<std::string> arrays = array_names(checked_.program);
  const auto is_layout = [&](const Expr& side) {
    return side.kind == ExprKind::field && side.name == "layout" &&
           side.operands[0].kind == ExprKind::name && contains(arrays, side.operands[0].name);
  };
  const bool first = is_layout(e.operands[0]);
  const Expr& wanted = e.operands[first ? 1 : 0];
  if (first == is_layout(e.operands[1]) || wanted.kind != ExprKind::name) return std::nullopt;
  const ir::Opcode op = e.comparisons[0].op;
  if (op != ir::Opcode::eq && op != ir::Opcode::ne) {
    error(e.span, "layouts are compared with == and !=");
    return Typed();
  }
  const std::vector<std::string> layouts = layout_names();
  if (!contains(layouts, wanted.name)) {
    error(wanted.span, "unknown layout " + in_quotes(wanted.name), suggest(wanted.name, layouts));
    return Typed();
  }
  TExpr same = named(TExprKind::layout, bool_type, e, e.operands[first ? 0 : 1].operands[0].name);
  same.operands.push_back(node(TExprKind::literal, bool_type, wanted.span));
  same.operands[0].text = wanted.name;
  // A name without arguments is the program's own fn, if it has one of this name.
  if (const Entity* entity = lookup(wanted.name); entity && entity->kind == EntityKind::fn)
    same.operands[0].symbol = entity->id;
  if (op == ir::Opcode::eq) return same;
  return node(TExprKind::logical_not, bool_type, e.span, operands_of(std::move(same)));
}

std::vector<std::string> Checker::claim_names() const {
  std::vector<std::string> names = counts_.of_run;
  for (const MachineName& name : machine_names)
    if (name.place == NamePlace::claims) names.emplace_back(name.name);
  return names;
}

void Checker::check_claims() {
  for (const ClaimDecl& claim : checked_.program.claims) {
    const Isolated isolated(*this, Setting::claim);
    looking_ahead_ = true; // a claim may stand before what it names
    function_name_ = "claim " + std::to_string(claim.span.begin);
    const auto side = [&](const Expr& e) {
      Typed value = expr(e);
      if (value && !require_number(*value, "a side of a claim")) value.reset();
      return value;
    };
    Typed left = side(claim.left), right = side(claim.right), when;
    if (claim.when) when = condition(*claim.when, "a `when`");
    for (const Name& machine : claim.machines) {
      if (contains(std::array{"dmm", "umm", "hmm", "agpu", "mmm"}, machine.text)) continue;
      std::vector<std::string> help = suggest(machine.text, {"dmm", "umm", "hmm", "agpu", "mmm"});
      if (help.empty()) help = {"known: dmm umm hmm agpu mmm"};
      error(machine.span, "unknown kind of machine " + in_quotes(machine.text), help);
    }
    looking_ahead_ = false;
    function_name_.clear();
    if (left && right)
      checked_.claims.push_back({std::move(*left), std::move(*right), std::move(when)});
  }
}

void Checker::take_names(const Checked& whole) {
  declare_program();
  find_recursive_fns();
  for (std::size_t i = 0; i < types_.size(); ++i) check_type(static_cast<SymbolId>(i));
  declare_top_arrays();
  checked_.params = whole.params, checked_.consts = whole.consts;
  checked_.variables = whole.variables; // new ones get symbols of their own
  for (auto* progress : {&param_progress_, &const_progress_})
    std::fill(progress->begin(), progress->end(), Progress::done);
  for (auto* good : {&param_good_, &const_good_}) std::fill(good->begin(), good->end(), true);
}

Result<TExpr> Checker::defined_value(const Expr& e, const std::string& param) {
  looking_ahead_ = true;
  Typed value = constant_expr(e, Setting::defined_value, "the value of parameter " + param);
  if (watch_.stopped()) return stopped_while(watch_.stop(), "checking");
  if (!value) return errors_;
  return std::move(*value);
}

Result<TExpr> Checker::condition_of_runs(const Expr& e) {
  looking_ahead_ = true;
  formula_ = "a condition";
  setting_ = Setting::claim;
  Typed value = condition(e, formula_);
  if (watch_.stopped()) return stopped_while(watch_.stop(), "checking");
  if (!value) return errors_;
  return std::move(*value);
}

Result<TExpr> Checker::number_of_runs(const Expr& e) {
  looking_ahead_ = true;
  formula_ = "a count";
  setting_ = Setting::claim;
  Typed value = expr(e);
  if (value && !is_number(value->type)) {
    error(e.span, "a number is needed, this is " + name_of(value->type),
          {"a comparison or a condition has no size: write the number itself"});
    value.reset();
  }
  if (watch_.stopped()) return stopped_while(watch_.stop(), "checking");
  if (!value) return errors_;
  return std::move(*value);
}

} // namespace memlane::lang
