// The order of the checks: names first, then what depends on them, then what needs whole calls.
#include "checker.hpp"

#include "memlane/support/machine_names.hpp"

#include <functional>

namespace memlane::lang {

Checker::Checker(const Sources& sources, Program program, const CountNames& counts)
    : sources_(sources), counts_(counts), watch_(sources.limits()) {
  checked_.program = std::move(program);
  for (const MachineName& name : machine_names)
    if (name.place == NamePlace::programs)
      builtin_.names[std::string(name.name)] = {EntityKind::letter, -1, {}, {}};
  for (ir::Special special :
       {ir::Special::thread, ir::Special::threads, ir::Special::block, ir::Special::blocks,
        ir::Special::lane, ir::Special::warp, ir::Special::warps}) {
    builtin_.names[std::string(ir::name_of(special))] = {
        EntityKind::special, static_cast<SymbolId>(special), {}, {}};
  }
}

Result<Checked> Checker::run() {
  const Program& program = checked_.program;
  declare_program();
  find_recursive_fns();
  for (std::size_t i = 0; i < program.types.size(); ++i) check_type(static_cast<SymbolId>(i));
  declare_top_arrays();
  for (std::size_t i = 0; i < program.params.size(); ++i) check_param(static_cast<SymbolId>(i));
  for (std::size_t i = 0; i < program.consts.size(); ++i) check_const(static_cast<SymbolId>(i));
  for (std::size_t i = 0; i < program.params.size(); ++i) check_where(static_cast<SymbolId>(i));
  check_top_arrays();
  check_races();
  declare_functions();
  find_recursive_procs();
  for (const HostDecl& host : program.hosts) { // main before verify, which sees its variables
    if (!host.verify) check_host(checked_.main, host);
  }
  for (const HostDecl& host : program.hosts) {
    if (host.verify) check_host(checked_.verify, host);
  }
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    check_kernel(static_cast<SymbolId>(i), program.kernels[i]);
  }
  check_claims();
  check_unused_fns();
  check_hosts_present();
  if (!procs_recursive_ && !watch_.stopped()) {
    check_proc_extents();
    const bool walkable = check_places(checked_, errors_);
    if (walkable) check_uniformity(checked_, sources_, errors_, watch_);
  }
  if (watch_.stopped()) return stopped_while(watch_.stop(), "checking");
  if (!errors_.empty()) return errors_;
  mark_counted(checked_);
  return std::move(checked_);
}

Result<Checked> check(const Sources& sources, Program program, const CountNames& counts) {
  return Checker(sources, std::move(program), counts).run();
}

// Params, consts, and the required main and verify.

/// Declares every top-level name but those of arrays and views.
void Checker::declare_program() {
  const Program& program = checked_.program;
  for (std::size_t i = 0; i < program.params.size(); ++i) {
    const ParamDecl& param = program.params[i];
    declare_top(param.name, EntityKind::param, i);
    ParamSymbol symbol;
    symbol.name = param.name.text;
    symbol.span = param.name.span;
    symbol.doc = param.doc;
    checked_.params.push_back(std::move(symbol));
  }
  for (std::size_t i = 0; i < program.consts.size(); ++i) {
    const Name& name = program.consts[i].name;
    declare_top(name, EntityKind::constant, i);
    ConstSymbol symbol;
    symbol.name = name.text;
    symbol.span = name.span;
    checked_.consts.push_back(std::move(symbol));
  }
  for (std::size_t i = 0; i < program.types.size(); ++i)
    declare_top(program.types[i].name, EntityKind::type, i);
  for (std::size_t i = 0; i < program.fns.size(); ++i) {
    declare_top(program.fns[i].name, EntityKind::fn, i);
    checked_.fns.push_back(program.fns[i].name.text);
  }
  for (std::size_t i = 0; i < program.kernels.size(); ++i)
    declare_top(program.kernels[i].name, EntityKind::function, i);
  type_progress_.assign(program.types.size(), Progress::waiting);
  types_.assign(program.types.size(), std::nullopt);
  param_progress_.assign(program.params.size(), Progress::waiting);
  param_good_.assign(program.params.size(), false);
  const_progress_.assign(program.consts.size(), Progress::waiting);
  const_good_.assign(program.consts.size(), false);
  fn_unusable_.assign(program.fns.size(), false);
  fn_expanded_.assign(program.fns.size(), false);
}

Typed Checker::constant_expr(const Expr& e, Setting setting, const std::string& what) {
  Setting before = setting_;
  setting_ = setting;
  Typed value = expr(e);
  setting_ = before;
  if (!value || !require_constant(*value, setting, what)) return std::nullopt;
  return value;
}

/// Reports the first part that is not constant.
bool Checker::require_constant(const TExpr& whole, Setting setting, const std::string& what) {
  std::set<SymbolId> bound, own_arrays; // names and arrays of fns within the expression
  std::function<const TExpr*(const TExpr&)> offender = [&](const TExpr& e) -> const TExpr* {
    for (const auto& [variable, value] : e.bindings) {
      if (const TExpr* found = offender(value)) return found;
      bound.insert(variable);
    }
    bool threads = e.kind == TExprKind::special && e.special == ir::Special::threads;
    switch (e.kind) {
    case TExprKind::element:
      if (own_arrays.count(e.symbol) == 0) return &e;
      break;
    case TExprKind::initial:
    case TExprKind::of_warp: return &e;
    case TExprKind::special:
      if (!threads || setting != Setting::shared_extent) return &e;
      break;
    case TExprKind::random:
      if (setting != Setting::initial) return &e;
      break;
    case TExprKind::variable:
      if (bound.count(e.symbol) == 0) return &e;
      break;
    default: break;
    }
    for (const TExpr& operand : e.operands) {
      if (const TExpr* found = offender(operand)) return found;
    }
    const TExpr* inside = nullptr;
    each_statement(e.block, [&](const TStatement& s) {
      if (s.kind == TStatementKind::assign_variable || s.kind == TStatementKind::for_)
        bound.insert(s.symbol);
      if (s.kind == TStatementKind::declare_array) own_arrays.insert(s.symbol);
      each_expression(s, [&](const TExpr& part) { inside = inside ? inside : offender(part); });
    });
    return inside;
  };
  const TExpr* found = offender(whole);
  if (!found) return true;
  std::string made = "numbers, params, consts and machine letters are constant";
  if (setting == Setting::initial) made += "; `index` and `random` are also allowed here";
  if (setting == Setting::shared_extent) made += "; `threads` is also allowed here";
  std::vector<Diagnostic> notes;
  if (!(found->span == whole.span)) notes.push_back(note_at(whole.span, "it is needed here"));
  return error(found->span,
               in_quotes(text(found->span)) + " is not constant, as " + what + " must be", {made},
               std::move(notes)),
         false;
}

void Checker::check_param(SymbolId id) {
  auto index = static_cast<std::size_t>(id);
  if (param_progress_[index] != Progress::waiting) return;
  param_progress_[index] = Progress::active;
  Isolated isolated(*this, Setting::constant);
  bool looking_ahead = std::exchange(looking_ahead_, false);
  const ParamDecl& param = checked_.program.params[index];
  std::optional<Type> type = type_named(param.type);
  if (type && type->is_record()) {
    error(param.type.span, "a param is a number or a bool, not a record");
    type.reset();
  }
  Typed value = constant_expr(param.value, Setting::constant, "the value of a param");
  if (type) value = coerce(std::move(value), *type, in_quotes(param.name.text));
  if (type && value) {
    checked_.param(id).type = type->scalar;
    checked_.param(id).value = std::move(*value);
  }
  // Its uses have a type even if its value is wrong.
  if (type) checked_.param(id).type = type->scalar;
  param_good_[index] = type.has_value();
  looking_ahead_ = looking_ahead;
  param_progress_[index] = Progress::done;
}

void Checker::check_where(SymbolId id) {
  auto index = static_cast<std::size_t>(id);
  const ParamDecl& param = checked_.program.params[index];
  if (!param.where) return;
  looking_ahead_ = true;
  Typed value = constant_expr(*param.where, Setting::constant, "a `where`");
  looking_ahead_ = false;
  if (value && require_bool(*value, "a `where`")) checked_.param(id).where = std::move(*value);
}

void Checker::check_const(SymbolId id) {
  auto index = static_cast<std::size_t>(id);
  if (const_progress_[index] != Progress::waiting) return;
  const_progress_[index] = Progress::active;
  Isolated isolated(*this, Setting::constant);
  bool looking_ahead = std::exchange(looking_ahead_, false);
  const ConstDecl& decl = checked_.program.consts[index];
  ConstSymbol symbol = checked_.constant(id);
  symbol.list = decl.value.list;
  bool good = true;
  for (const Expr& e : decl.extents) {
    Typed extent = constant_expr(e, Setting::constant, "an extent");
    good = extent && require_integer(*extent, "an extent") && good;
    if (extent) symbol.extents.push_back(std::move(*extent));
  }
  Type type;
  auto values = const_values(decl, type);
  if (decl.extents.size() > 3) {
    error(decl.name.span, "a table has up to three dimensions");
    good = false;
  }
  if (decl.value.list && decl.extents.empty()) {
    error(decl.value.span, "a list needs a table",
          {"write const " + decl.name.text + "[" + std::to_string(decl.value.values.size()) + "]"});
    good = false;
  }
  if (good && values) {
    symbol.type = type.scalar;
    symbol.values = std::move(*values);
    checked_.constant(id) = std::move(symbol);
    const_good_[index] = true;
  }
  looking_ahead_ = looking_ahead;
  const_progress_[index] = Progress::done;
}

/// The values of a const, in its declared or their common type.
std::optional<std::vector<TExpr>> Checker::const_values(const ConstDecl& decl, Type& type) {
  std::vector<TExpr> values;
  bool good = true;
  for (const Expr& e : decl.value.values) {
    Typed value = constant_expr(e, Setting::constant, "the value of a const");
    if (value && value->type.is_record()) {
      error(value->span, "a const is a number or a bool, not a record",
            {"write fn " + decl.name.text + " = …"});
      value.reset();
    }
    good = good && value;
    if (value) values.push_back(std::move(*value));
  }
  std::optional<Type> declared;
  if (decl.type) declared = type_named(*decl.type);
  if (!good || values.empty() || (decl.type && !declared)) return std::nullopt;
  if (!declared) {
    std::vector<TExpr*> all;
    for (TExpr& value : values) all.push_back(&value);
    if (all.size() > 1 && is_number(values.front().type) && !unify(all)) return std::nullopt;
    declared = values.front().type;
  }
  for (TExpr& value : values) {
    Typed converted = coerce(std::move(value), *declared, in_quotes(decl.name.text));
    if (!converted) return std::nullopt;
    value = std::move(*converted);
  }
  type = *declared;
  return values;
}

/// A program has a main and a verify, once each.
void Checker::check_hosts_present() {
  const HostDecl* main = nullptr;
  const HostDecl* verify = nullptr;
  for (const HostDecl& host : checked_.program.hosts) {
    const HostDecl*& known = host.verify ? verify : main;
    std::string name = host.verify ? "verify" : "main";
    if (known) {
      error({host.span.file, host.span.begin,
             host.span.begin + static_cast<std::uint32_t>(name.size())},
            "there are two " + name + " blocks", {}, {note_at(known->span, "the first is here")});
    }
    known = &host;
  }
  auto missing = [&](Span span, const std::string& message, std::string help) {
    if (span.known())
      error(span, message, {std::move(help)});
    else
      errors_.push_back(error_in(checked_.program.path, message, {std::move(help)}));
  };
  if (!main) {
    missing({}, "the program has no main: nothing runs", "write main { launch … }");
  }
  if (!verify) {
    Span at = main ? Span{main->span.file, main->span.begin, main->span.begin + 4} : Span{};
    missing(at, "the program has no verify: every program checks its result",
            "write verify { assert … }");
  }
}

} // namespace memlane::lang
