// Messages and scopes; what names stand for, as values and as types.
#include "checker.hpp"
#include "suggestions.hpp"

#include "memlane/lang/builtins.hpp"
#include "memlane/support/machine_names.hpp"
#include "memlane/support/suggest.hpp"

namespace memlane::lang {

namespace {

/// Notes on the calls around a place, the innermost first; of many calls the innermost.
std::vector<Diagnostic> call_notes(const std::vector<Span>& trail) {
  constexpr std::size_t most = 10;
  std::vector<Diagnostic> notes;
  for (std::size_t i = trail.size(); i-- > 0 && notes.size() < most;) {
    notes.push_back(note_at(trail[i], "in the call here"));
  }
  if (trail.size() > most) {
    notes.push_back(note_at({}, "in " + counted_noun(trail.size() - most, "call") + " more"));
  }
  return notes;
}

} // namespace

void add_error(Diagnostics& errors, std::set<std::string>& reported, Diagnostic error,
               const std::vector<Span>& trail) {
  const Span span = error.span;
  std::string key = std::to_string(span.file) + ":" + std::to_string(span.begin) + ":" +
                    std::to_string(span.end) + ":" + error.message;
  if (!reported.insert(std::move(key)).second) return;
  for (Diagnostic& note : call_notes(trail)) error.notes.push_back(std::move(note));
  errors.push_back(std::move(error));
}

std::string counted_noun(std::size_t n, const std::string& noun) {
  return (n == 0 ? std::string("no") : std::to_string(n)) + " " + noun + (n == 1 ? "" : "s");
}

std::string but_given(std::size_t n, const std::string& noun) {
  return ", " + counted_noun(n, noun) + (n == 1 ? " is given" : " are given");
}

std::nullopt_t Checker::error(Span span, std::string message, std::vector<std::string> help,
                              std::vector<Diagnostic> notes) {
  Diagnostic error = error_at(span, std::move(message), std::move(help));
  error.notes = std::move(notes);
  add_error(errors_, reported_, std::move(error), trail_);
  return std::nullopt;
}

/// The source of a place, for advice such as `write int(x)`; its beginning where it is long.
std::string Checker::text(Span span) const {
  const std::string_view whole = sources_.text(span);
  if (whole.empty()) return "…";
  const bool fits = whole.size() <= 40;
  std::string part(whole.substr(0, fits ? whole.size() : 30));
  if (part.find_first_of("\r\n") != std::string::npos) return "…";
  return fits ? part : part + "…";
}

namespace {

/// No declaration may have the name.
bool is_reserved(const std::string& name) { return name == "_" || scalar_named(name).has_value(); }

} // namespace

bool Checker::is_special(const std::string& name) const {
  const auto builtin = builtin_.names.find(name);
  return builtin != builtin_.names.end() && builtin->second.kind == EntityKind::special;
}

const Entity* Checker::lookup(std::string_view name) const {
  for (std::size_t i = locals_.size(); i-- > 0;) {
    if (auto at = locals_[i].names.find(name); at != locals_[i].names.end()) return &at->second;
  }
  if (auto at = top_.names.find(name); at != top_.names.end()) return &at->second;
  if (auto at = builtin_.names.find(name); at != builtin_.names.end()) return &at->second;
  return nullptr;
}

void Checker::declare_top(const Name& name, EntityKind kind, std::size_t id) {
  const bool callable = kind == EntityKind::fn || kind == EntityKind::type;
  const Builtin* const builtin = find_builtin(name.text, false);
  if (is_reserved(name.text) || is_special(name.text) || name.text == "index" ||
      (callable && builtin && !is_of_warp(builtin->kind))) {
    error(name.span, in_quotes(name.text) + " is a name of the language", {"choose another name"});
    return;
  }
  auto [at, fresh] =
      top_.names.try_emplace(name.text, Entity{kind, static_cast<SymbolId>(id), name.span, {}});
  if (fresh) return;
  at->second.kind = EntityKind::poison; // which of the two its uses mean is unknown
  error(name.span, in_quotes(name.text) + " is declared twice", {"choose another name"},
        {note_at(at->second.span, "it is declared here as well")});
}

/// Without an id its declaration is wrong, and its uses stay silent.
void Checker::declare_local(const Name& name, EntityKind kind, SymbolId id) {
  const bool host = function_kind_ == FunctionKind::main || function_kind_ == FunctionKind::verify;
  if (is_reserved(name.text) || (is_special(name.text) && !host)) {
    error(name.span, in_quotes(name.text) + " is a name of the language", {"choose another name"});
    return;
  }
  for (const Scope& scope : locals_) {
    auto at = scope.names.find(name.text);
    if (scope.hideable || at == scope.names.end()) continue;
    error(name.span,
          in_quotes(name.text) + " is a local already: a local may hide a top-level name, no other",
          {"choose another name"}, {note_at(at->second.span, "it is declared here")});
    break;
  }
  locals_.back().names.insert_or_assign(
      name.text, Entity{id < 0 ? EntityKind::poison : kind, id, name.span, {}});
}

SymbolId Checker::new_variable(const std::string& name, Span span, Type type, bool assignable) {
  checked_.variables.push_back({name, span, type, assignable, false, Uniformity::constant});
  return static_cast<SymbolId>(checked_.variables.size() - 1);
}

/// Whether only an MMM has the letter. Near to every other one-letter name, it is not suggested.
static bool is_of_mmm(std::string_view name) {
  const MachineName* letter = find_machine_name(name);
  return letter && (letter->quantity == MachineQuantity::local_words ||
                    letter->quantity == MachineQuantity::transfer_time ||
                    letter->quantity == MachineQuantity::processors);
}

std::vector<std::string> Checker::names_in_scope(bool call) const {
  std::vector<std::string> names;
  auto take = [&](const Scope& scope) {
    for (const auto& [name, entity] : scope.names) {
      bool callable = entity.kind == EntityKind::fn || entity.kind == EntityKind::type;
      const bool of_mmm = entity.kind == EntityKind::letter && is_of_mmm(name);
      if (call ? callable : entity.kind != EntityKind::function && !of_mmm) names.push_back(name);
    }
  };
  for (std::size_t i = locals_.size(); i-- > 0;) take(locals_[i]);
  take(top_);
  if (!call) take(builtin_);
  std::vector<std::string> more;
  if (call) more = builtin_names(is_formula());
  if (!call && setting_ == Setting::claim) more = claim_names();
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

/// The nearest of the names. Nothing after so many comparisons that further messages are not shown.
std::vector<std::string> Checker::suggest(const std::string& name,
                                          const std::vector<std::string>& known) {
  constexpr std::size_t most = 200'000;
  if (suggestions_ > most) return {};
  suggestions_ += known.size();
  return did_you_mean(name, known);
}

/// Reports an undeclared name, once in each function.
void Checker::unknown_name(const std::string& name, Span span, bool call,
                           const std::string& way_out) {
  if (!reported_.insert("unknown:" + function_name_ + ":" + name).second) return;
  std::vector<std::string> help;
  if (watch_.go_on()) help = suggest(name, names_in_scope(call));
  if (name == "index") help = {"`index` is only allowed in initial values of arrays"};
  // A word of another language is recognised with certainty; a similar name is a guess.
  if (auto suggestion = call ? call_suggestion(name) : name_suggestion(name); !suggestion.empty())
    help = std::move(suggestion);
  if (!way_out.empty()) help.push_back(way_out);
  if (help.empty() && call && is_formula()) {
    help = {"known:"};
    for (const std::string& known : names_in_scope(true)) help[0] += " " + known;
  }
  if (help.empty() && setting_ == Setting::defined_value)
    help = {"a value is a number, true or false, or an expression over parameters, constants and "
            "the machine's letters"};
  error(span, (call ? "unknown fn " : "unknown name ") + in_quotes(name), help);
}

Checker::Isolated::Isolated(Checker& c, Setting s)
    : checker(c), locals(std::move(c.locals_)), trail(std::move(c.trail_)), setting(c.setting_) {
  c.locals_.clear();
  c.trail_.clear();
  c.setting_ = s;
}

Checker::Isolated::~Isolated() {
  checker.locals_ = std::move(locals);
  checker.trail_ = std::move(trail);
  checker.setting_ = setting;
}

// What a name stands for in an expression.

/// Params and consts stand before their use; only a `where` may look ahead.
bool Checker::check_order(const Entity& entity, Span use) {
  bool ahead = use.file == entity.span.file && use.begin < entity.span.begin;
  if (!ahead || looking_ahead_ || !use.known()) return true;
  return error(use,
               in_quotes(text(use)) +
                   " is declared later: declare params and consts before they are used",
               {"move its declaration up"}, {note_at(entity.span, "it is declared here")}),
         false;
}

Typed Checker::param_value(const Entity& entity, Span span) {
  auto index = static_cast<std::size_t>(entity.id);
  if (!check_order(entity, span)) return std::nullopt;
  if (param_progress_[index] == Progress::active) {
    error(span, "the value of " + in_quotes(text(span)) + " depends on itself");
  }
  check_param(entity.id);
  if (!param_good_[index]) return std::nullopt;
  return node(TExprKind::param, scalar_type(checked_.param(entity.id).type), span, {}, entity.id);
}

Typed Checker::const_value(const Entity& entity, const Expr& e) {
  auto index = static_cast<std::size_t>(entity.id);
  if (!check_order(entity, e.span)) return std::nullopt;
  if (const_progress_[index] == Progress::active) {
    error(e.span, "the value of " + in_quotes(e.name) + " depends on itself");
  }
  check_const(entity.id);
  if (!const_good_[index]) return std::nullopt;
  if (!checked_.constant(entity.id).extents.empty())
    return error(e.span, in_quotes(e.name) + " is a table, but a single value is needed here",
                 {"write " + e.name + "[…]"});
  return node(TExprKind::constant, scalar_type(checked_.constant(entity.id).type), e.span, {},
              entity.id);
}

Typed Checker::letter_value(const Expr& e) const {
  const MachineName& name = *find_machine_name(e.name);
  const Type type = name.setting ? bool_type : name.wide ? long_type : int_type;
  TExpr letter = node(TExprKind::letter, type, e.span);
  letter.text = e.name;
  return letter;
}

Typed Checker::name_value(const Expr& e) {
  if (e.name == "index" && setting_ == Setting::initial) {
    return node(TExprKind::index_number, element_type_ == long_type ? long_type : int_type, e.span);
  }
  if (setting_ == Setting::claim)
    if (auto value = claim_name(e)) return *value;
  const Entity* found = lookup(e.name);
  if (!found) {
    unknown_name(e.name, e.span);
    return std::nullopt;
  }
  const Entity entity = *found; // a copy: what follows may add names
  auto index = static_cast<std::size_t>(entity.id);
  TExpr result = node(TExprKind::special, int_type, e.span);
  switch (entity.kind) {
  case EntityKind::poison: return std::nullopt;
  case EntityKind::param: return param_value(entity, e.span);
  case EntityKind::constant: return const_value(entity, e);
  case EntityKind::variable:
    return node(TExprKind::variable, checked_.variable(entity.id).type, e.span, {}, entity.id);
  case EntityKind::value:
    result = entity.value;
    result.span = e.span;
    return result;
  case EntityKind::array:
    checked_.array(entity.id).used = true;
    return error(e.span, in_quotes(e.name) + " is an array, but a single value is needed here",
                 {"write " + e.name + "[…]"});
  case EntityKind::fn: {
    const FnDecl& fn = checked_.program.fns[index];
    if (fn.parameterless) return expand(entity.id, {}, e.span);
    return error(
        e.span, in_quotes(e.name) + " is a fn of " + counted_noun(fn.parameters.size(), "argument"),
        {"write " + e.name + "(…)"});
  }
  case EntityKind::type:
    return error(e.span, in_quotes(e.name) + " is a type, not a value",
                 {"write " + e.name + "(…)"});
  case EntityKind::function:
    return error(e.span, in_quotes(e.name) + " is a kernel or proc, not a value");
  case EntityKind::letter: checked_.letters.insert(e.name); return letter_value(e);
  case EntityKind::special: result.special = static_cast<ir::Special>(entity.id); return result;
  }
  return std::nullopt;
}

// Types by name, and what records are made of.

using ir::Scalar;

Type scalar_type(Scalar scalar) { return {scalar, -1}; }
bool is_number(Type type) { return !type.is_record() && type.scalar != Scalar::boolean; }
bool is_integer(Type type) { return !type.is_record() && ir::is_integer(type.scalar); }

std::optional<Scalar> scalar_named(std::string_view name) {
  for (Scalar scalar :
       {Scalar::boolean, Scalar::int32, Scalar::int64, Scalar::float32, Scalar::float64}) {
    if (name == ir::name_of(scalar)) return scalar;
  }
  return std::nullopt;
}

std::string Checker::name_of(Type type) const {
  if (type.exact) return is_integer(type) ? "whole number" : "number";
  if (type.is_record()) return checked_.record(type).name;
  return std::string(ir::name_of(type.scalar));
}

std::optional<Type> Checker::type_named(const Name& name) {
  if (auto scalar = scalar_named(name.text)) return scalar_type(*scalar);
  auto at = top_.names.find(name.text);
  if (at != top_.names.end()) {
    if (at->second.kind == EntityKind::type) return declared_type(at->second.id);
    if (at->second.kind == EntityKind::poison) return std::nullopt;
  }
  std::vector<std::string> known = {"int", "long", "float", "double", "bool"};
  for (const auto& [text, entity] : top_.names) {
    if (entity.kind == EntityKind::type) known.push_back(text);
  }
  std::vector<std::string> help = suggest(name.text, known);
  if (help.empty()) {
    help = {"types are int, long, float, double, bool and those declared by `type`"};
  }
  return error(name.span, "unknown type " + in_quotes(name.text), help);
}

std::optional<Type> Checker::declared_type(SymbolId id) {
  check_type(id);
  return types_[static_cast<std::size_t>(id)];
}

void Checker::check_type(SymbolId id) {
  auto index = static_cast<std::size_t>(id);
  const TypeDecl& decl = checked_.program.types[index];
  if (type_progress_[index] == Progress::active) {
    error(decl.name.span, "type " + in_quotes(decl.name.text) + " contains itself");
  }
  if (type_progress_[index] != Progress::waiting) return;
  type_progress_[index] = Progress::active;
  const Depth depth(*this, decl.name.span, 1);
  if (depth) types_[index] = decl.alias ? type_named(*decl.alias) : record_type(decl);
  type_progress_[index] = Progress::done;
}

std::optional<Type> Checker::record_type(const TypeDecl& decl) {
  RecordType record{decl.name.text, {}};
  bool good = true;
  for (const FieldDecl& field : decl.fields) {
    std::optional<Type> type = type_named(field.type);
    if (type && type->is_record()) {
      error(field.type.span, "a field is a number or a bool, not a record",
            {"declare the fields of " + in_quotes(field.type.text) + " here"});
    }
    for (const RecordField& other : record.fields) {
      if (other.name != field.name.text) continue;
      error(field.name.span, "field " + in_quotes(other.name) + " is declared twice");
      good = false;
    }
    good = good && type && !type->is_record();
    record.fields.push_back({field.name.text, type ? type->scalar : Scalar::int32});
  }
  if (!good) return std::nullopt;
  checked_.records.push_back(std::move(record));
  return Type{Scalar::int32, static_cast<SymbolId>(checked_.records.size() - 1)};
}

} // namespace memlane::lang
