// Messages and scopes.
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
  if (is_reserved(name.text) || is_special(name.text) || name.text == "index" ||
      (callable && find_builtin(name.text, false))) {
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

} // namespace memlane::lang
