// Calls of procs, launches of kernels, and their arguments.
#include "checker.hpp"
#include "suggestions.hpp"

#include "memlane/support/suggest.hpp"

namespace memlane::lang {

/// The kernel or proc that a statement names.
const TFunction* Checker::callee(const Statement& s, SymbolId& id) {
  bool launch = s.kind == StatementKind::launch;
  FunctionKind wanted = launch ? FunctionKind::kernel : FunctionKind::proc;
  const Entity* found = lookup(s.name.text);
  if (found && found->kind == EntityKind::poison) return nullptr;
  if (!found || found->kind != EntityKind::function) {
    std::vector<std::string> known;
    for (const TFunction& function : checked_.functions) {
      if (function.kind == wanted) known.push_back(function.name);
    }
    std::string what = launch ? "kernel" : "proc";
    std::vector<std::string> help = did_you_mean(s.name.text, known);
    if (found && std::find(known.begin(), known.end(), s.name.text) != known.end())
      help = {"another " + in_quotes(s.name.text) + " hides the " + what + " here: rename one"};
    bool fn = found && found->kind == EntityKind::fn;
    if (fn) help = {"a fn is called in an expression"};
    if (auto suggestion = call_suggestion(s.name.text); !found && !launch && !suggestion.empty())
      help = suggestion;
    return error(s.name.span,
                 found ? in_quotes(s.name.text) + " is not a " + what
                       : "unknown " + what + " " + in_quotes(s.name.text),
                 help),
           nullptr;
  }
  const TFunction& function = checked_.function(found->id);
  if (function.kind != wanted)
    return error(s.name.span,
                 in_quotes(s.name.text) +
                     (launch ? " is a proc: it is called" : " is a kernel: it is launched"),
                 {launch ? "write " + s.name.text + "(…)"
                         : "in host code write launch " + s.name.text + "(…)"},
                 {note_at(function.span, "it is declared here")}),
           nullptr;
  id = found->id;
  return &function;
}

void Checker::call_statement(const Statement& s, std::vector<TStatement>& out) {
  const bool launch = s.kind == StatementKind::launch;
  TStatement typed =
      typed_statement(launch ? TStatementKind::launch : TStatementKind::call, s.span);
  const TFunction* function = callee(s, typed.symbol);
  bool good = function != nullptr;
  if (function && function->formals.size() != s.actuals.size()) {
    error(s.span,
          in_quotes(s.name.text) + " takes " + counted_noun(function->formals.size(), "argument") +
              but_given(s.actuals.size(), "argument"),
          {}, {note_at(function->span, "it is declared here")});
    good = false;
  }
  for (std::size_t i = 0; good && i < s.actuals.size(); ++i) {
    if (function->formals[i].symbol < 0) { // its type is wrong
      good = false;
      break;
    }
    std::optional<TActual> value = actual(s.actuals[i], function->formals[i]);
    if (value) typed.actuals.push_back(std::move(*value));
  }
  auto number = [&](const std::optional<Expr>& e, const std::string& what) -> Typed {
    if (!e) return std::nullopt;
    Typed value = expr(*e);
    if (!value || !require_integer(*value, what)) {
      good = false;
      return std::nullopt;
    }
    return value;
  };
  typed.blocks = number(s.blocks, "the number of blocks");
  typed.threads = number(s.threads, "the number of threads");
  if (good && typed.actuals.size() == s.actuals.size()) out.push_back(std::move(typed));
}

std::optional<TActual> Checker::actual(const Actual& given, const TFormal& formal) {
  if (formal.array) return array_actual(given, checked_.array(formal.symbol));
  const VariableSymbol variable = checked_.variable(formal.symbol);
  if (!given.value)
    return error(given.span, in_quotes(variable.name) + " is one value, not an array", {},
                 {note_at(variable.span, "it is declared here")});
  Typed value = coerce(expr(*given.value), variable.type, in_quotes(variable.name));
  if (!value) return std::nullopt;
  TActual result;
  result.value = std::move(*value);
  return result;
}

std::optional<TActual> Checker::array_actual(const Actual& given, const ArraySymbol& formal) {
  std::optional<ArraySlice> part = slice(given);
  if (!part) return std::nullopt;
  const ArraySymbol& array = checked_.array(part->array);
  Diagnostic note = note_at(formal.span, in_quotes(formal.name) + " is declared here");
  if (!(array.element == formal.element))
    return error(given.span,
                 "this is an array of " + name_of(array.element) + ", " + in_quotes(formal.name) +
                     " is an array of " + name_of(formal.element),
                 {}, {note});
  std::int32_t rank = part->rank_in(array.rank);
  if (rank != formal.rank)
    return error(given.span,
                 "this has " + counted_noun(static_cast<std::size_t>(rank), "dimension") + ", " +
                     in_quotes(formal.name) + " has " +
                     counted_noun(static_cast<std::size_t>(formal.rank), "dimension"),
                 {}, {note});
  TActual result;
  result.array = std::move(*part);
  return result;
}

} // namespace memlane::lang
