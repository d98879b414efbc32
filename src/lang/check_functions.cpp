// Kernels, procs and host code; calls of procs, launches, and the call graph.
#include "checker.hpp"
#include "suggestions.hpp"

#include "memlane/support/suggest.hpp"

#include <algorithm>
#include <functional>

namespace memlane::lang {

// Kernels, procs and host code.

void Checker::declare_functions() {
  const Program& program = checked_.program;
  for (const KernelDecl& kernel : program.kernels) {
    TFunction function;
    function.name = kernel.name.text;
    function.doc = kernel.doc;
    function.span = kernel.name.span;
    function.kind = kernel.proc ? FunctionKind::proc : FunctionKind::kernel;
    declare_formals(kernel, function);
    checked_.functions.push_back(std::move(function));
  }
  for (const HostDecl& host : program.hosts) {
    SymbolId& id = host.verify ? checked_.verify : checked_.main;
    if (id >= 0) continue;
    TFunction function;
    function.name = host.verify ? "verify" : "main";
    function.kind = host.verify ? FunctionKind::verify : FunctionKind::main;
    function.span = host.span;
    id = static_cast<SymbolId>(checked_.functions.size());
    checked_.functions.push_back(std::move(function));
  }
}

/// Symbols for formals and the extents their brackets bind; -1 where the type is wrong.
void Checker::declare_formals(const KernelDecl& kernel, TFunction& function) {
  for (const Formal& formal : kernel.formals) {
    TFormal typed;
    typed.array = formal.array;
    std::optional<Type> type = type_named(formal.type);
    if (!formal.array) {
      if (type) typed.symbol = new_variable(formal.name.text, formal.name.span, *type, false);
      function.formals.push_back(typed);
      continue;
    }
    const SymbolId id = add_array(formal.name, ArrayKind::formal);
    ArraySymbol& symbol = checked_.array(id);
    symbol.rank = static_cast<std::int32_t>(formal.extents.size());
    symbol.used = true;
    for (const Name& extent : formal.extents) {
      symbol.extent_names.push_back(
          extent.text == "_" ? -1 : new_variable(extent.text, extent.span, int_type, false));
    }
    if (symbol.rank > 3) {
      error(formal.name.span, "an array has one, two or three dimensions");
      type.reset();
    }
    if (type) symbol.element = *type;
    array_good_.back() = type.has_value();
    if (type) typed.symbol = id;
    function.formals.push_back(typed);
  }
}

void Checker::check_kernel(SymbolId id, const KernelDecl& kernel) {
  function_kind_ = kernel.proc ? FunctionKind::proc : FunctionKind::kernel;
  function_name_ = kernel.name.text;
  Isolated isolated(*this, Setting::code);
  locals_.emplace_back();
  const std::vector<TFormal> formals = checked_.function(id).formals;
  for (std::size_t i = 0; i < formals.size(); ++i) {
    const Formal& formal = kernel.formals[i];
    declare_local(formal.name, formals[i].array ? EntityKind::array : EntityKind::variable,
                  formals[i].symbol);
    for (std::size_t j = 0; formal.array && j < formal.extents.size(); ++j) {
      const Name& name = formal.extents[j];
      if (name.text == "_") continue;
      SymbolId extent = -1;
      if (formals[i].symbol >= 0) {
        const auto& array = checked_.array(formals[i].symbol);
        extent = array.extent_names[j];
      }
      declare_local(name, EntityKind::variable, extent);
    }
  }
  loops_ = 0;
  std::vector<TStatement> body;
  statements(kernel.body, body);
  checked_.function(id).body = std::move(body);
  function_name_.clear();
}

void Checker::check_host(SymbolId id, const HostDecl& host) {
  function_kind_ = host.verify ? FunctionKind::verify : FunctionKind::main;
  function_name_ = host.verify ? "verify" : "main";
  Isolated isolated(*this, Setting::code);
  if (host.verify) locals_.push_back(main_scope_);
  locals_.emplace_back();
  loops_ = 0;
  std::vector<TStatement> body;
  statements(host.body, body);
  checked_.function(id).body = std::move(body);
  if (!host.verify) {
    main_scope_ = std::move(locals_.back());
    main_scope_.hideable = true;
  }
  function_name_.clear();
}

void Checker::find_recursive_procs() {
  const std::vector<KernelDecl>& kernels = checked_.program.kernels;
  std::vector<std::vector<CallSite>> calls(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    each_statement(kernels[i].body, [&](const Statement& s) {
      if (s.kind != StatementKind::call) return;
      auto found = top_.names.find(s.name.text);
      if (found == top_.names.end() || found->second.kind != EntityKind::function) return;
      auto callee = static_cast<std::size_t>(found->second.id);
      if (kernels[callee].proc) calls[i].push_back({callee, s.name.span});
    });
  }
  const auto cycle = [&](const std::vector<std::size_t>& members, const CallSite& site) {
    std::string chain;
    for (std::size_t i : members) chain += kernels[i].name.text + " calls ";
    procs_recursive_ = true;
    error(site.span,
          "procs are inlined and cannot be recursive: " + chain + kernels[site.callee].name.text,
          {"repeat with `while` or `for`, in host code if launches are to follow each other"});
  };
  const auto too_deep = [&](std::size_t, const CallSite& site) {
    if (!procs_recursive_) calls_too_deep(site.span, "procs");
    procs_recursive_ = true;
  };
  find_call_faults(calls, {cycle, too_deep});
}

// Calls of procs, launches of kernels, and their arguments.

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

namespace {

class CallWalk {
public:
  CallWalk(const std::vector<std::vector<CallSite>>& calls, const CallFaults& faults)
      : calls_(calls), faults_(faults), states_(calls.size()) {}

  void run() {
    for (std::size_t at = 0; at < calls_.size(); ++at)
      if (!states_[at].seen) visit(at);
  }

private:
  struct State {
    bool seen = false;
    bool active = false;
    int depth = 0; ///< the longest chain of calls below it
  };

  void visit(std::size_t at) {
    states_[at] = {true, true, 0};
    path_.push_back(at);
    for (const CallSite& site : calls_[at]) follow(at, site);
    path_.pop_back();
    states_[at].active = false;
  }

  /// A chain that is too deep is not followed, since the walk itself recurses.
  void follow(std::size_t at, const CallSite& site) {
    State& callee = states_[site.callee];
    if (callee.active) return report_cycle(site);
    const bool far = path_.size() >= static_cast<std::size_t>(deepest_calls);
    if (!callee.seen && !far) visit(site.callee);
    int& depth = states_[at].depth;
    const bool was_deep = depth > deepest_calls;
    depth = std::max(depth, callee.seen ? callee.depth + 1 : deepest_calls + 1);
    if (depth > deepest_calls && !was_deep) faults_.too_deep(at, site);
  }

  void report_cycle(const CallSite& site) {
    const auto first = std::find(path_.begin(), path_.end(), site.callee);
    faults_.cycle({first, path_.end()}, site);
  }

  const std::vector<std::vector<CallSite>>& calls_;
  const CallFaults& faults_;
  std::vector<State> states_;
  std::vector<std::size_t> path_;
};

} // namespace

void find_call_faults(const std::vector<std::vector<CallSite>>& calls, const CallFaults& faults) {
  CallWalk(calls, faults).run();
}

} // namespace memlane::lang
