// Where code may stand: kernels, main and verify, with the procs they call and the fns these use.
#include "checker.hpp"

#include <algorithm>
#include <utility>

namespace memlane::lang {

namespace {

/// Maximum number of calls after inlining procs; no algorithm needs as many.
constexpr std::int64_t most_calls = 100000;
/// Maximum depth of blocks after inlining procs: passes over them recurse.
constexpr int deepest_blocks = 1000;

class PlaceChecker {
public:
  PlaceChecker(const Checked& checked, Diagnostics& errors) : checked_(checked), errors_(errors) {
    if (checked.main >= 0) collect_main(checked_.function(checked.main).body);
  }

  /// Whether the walk stopped at this limit.
  bool too_deep() const { return too_deep_; }

  void run(const TFunction& function) {
    kind_ = function.kind;
    walk(function.body);
  }

private:
  bool host() const { return kind_ != FunctionKind::kernel; }

  void error(Span span, std::string message, std::vector<std::string> help = {}) {
    add_error(errors_, reported_, error_at(span, std::move(message), std::move(help)), trail_);
  }
  void nested(Span inner);

  /// What main declares, which verify may read but not write.
  void collect_main(const std::vector<TStatement>& body) {
    each_statement(body, [&](const TStatement& s) {
      if (s.kind == TStatementKind::assign_variable) main_variables_.insert(s.symbol);
      if (s.kind == TStatementKind::declare_array) main_arrays_.insert(s.symbol);
    });
  }

  void walk(const std::vector<TStatement>& body) {
    if (too_deep_ || body.empty()) return;
    if (++depth_ > deepest_blocks) {
      too_deep_ = true;
      error(body.front().span, "this is nested too deeply",
            {"with its procs inlined, at most " + std::to_string(deepest_blocks) +
             " blocks may be nested"});
    } else {
      for (const TStatement& s : body) statement(s);
    }
    --depth_;
  }

  void statement(const TStatement& s);
  void write(const TStatement& s);
  void call(const TStatement& s);
  void launch(const TStatement& s);
  void concurrent(const TStatement& s);
  void not_shared(SymbolId array, Span span);
  void expr(const TExpr& e);

  const Checked& checked_;
  Diagnostics& errors_;
  std::set<std::string> reported_;
  std::set<SymbolId> main_variables_, main_arrays_;
  FunctionKind kind_ = FunctionKind::main;
  Span refused_;                         ///< of the last operation of a warp in host code
  std::map<SymbolId, SymbolId> formals_; ///< array formals of the calls on the trail
  std::vector<Span> trail_;
  Span concurrent_; ///< the `concurrent` around the statement, in callers too
  std::int64_t calls_ = 0;
  int depth_ = 0; ///< nesting of blocks, in the procs on the trail too
  bool too_deep_ = false;
};

void PlaceChecker::statement(const TStatement& s) {
  each_expression(s, [&](const TExpr& e) { expr(e); });
  each_passed(checked_, s,
              [&](SymbolId, const ArraySlice& slice) { not_shared(slice.array, slice.span); });
  if (is_assignment(s.kind)) write(s);
  switch (s.kind) {
  case TStatementKind::declare_array: {
    const ArraySymbol& array = checked_.array(s.symbol);
    if (host() && array.kind == ArrayKind::shared) {
      error(s.span, "`shared` arrays belong to multiprocessors, not to the host",
            {"for an array of the host write var"});
    }
    for (const TExpr& e : array.extents) expr(e);
    for (const TExpr& e : array.initial) expr(e);
    break;
  }
  case TStatementKind::declare_view: {
    const ArraySlice& target = *checked_.array(s.symbol).target;
    for (const TExpr& e : target.lead) expr(e);
    for (const TExpr& e : target.range) expr(e);
    not_shared(target.array, target.span);
    break;
  }
  case TStatementKind::forall:
  case TStatementKind::barrier:
    if (host()) {
      error(s.span,
            std::string(s.kind == TStatementKind::forall ? "`forall`" : "`barrier`") +
                " is only allowed in kernels and in procs that kernels call",
            {"the host has one thread: write for"});
    }
    break;
  case TStatementKind::assert_:
    if (!host() && reads_arrays(*s.value)) {
      error(s.value->span, "an `assert` in a kernel reads no array", {"assert it in verify"});
    }
    break;
  case TStatementKind::print:
    for (const TExpr& e : s.expressions) {
      if (host() || !reads_arrays(e)) continue;
      error(e.span, "a `print` in a kernel reads no array",
            {"a request would cost time: name the value with 'let' where the kernel reads it, or "
             "print the array in main"});
    }
    break;
  case TStatementKind::call: call(s); break;
  case TStatementKind::launch: launch(s); break;
  case TStatementKind::concurrent: return concurrent(s);
  default: break;
  }
  walk(s.body);
  walk(s.alternative);
}

/// verify writes only what it declares.
void PlaceChecker::write(const TStatement& s) {
  const bool element = s.kind == TStatementKind::assign_element;
  if (kind_ != FunctionKind::verify) {
    if (element) not_shared(s.symbol, s.span);
    return;
  }
  if (!element) {
    if (!s.declaration && main_variables_.count(s.symbol) > 0) {
      error(s.span,
            "verify writes nothing of main's: " + in_quotes(checked_.variable(s.symbol).name) +
                " is a variable of main",
            {"declare a variable of verify's own"});
    }
    return;
  }
  SymbolId root = root_array(checked_, s.symbol, formals_);
  const ArraySymbol& array = checked_.array(root);
  if (array.kind != ArrayKind::local) {
    error(s.span,
          "verify writes nothing to memory: " + in_quotes(array.name) + " is only read here",
          {"declare an array of verify's own with var"});
  } else if (main_arrays_.count(root) > 0) {
    error(s.span,
          "verify writes nothing of main's: " + in_quotes(array.name) + " is an array of main");
  }
}

void PlaceChecker::call(const TStatement& s) {
  if (++calls_ > most_calls) {
    if (calls_ == most_calls + 1) {
      error(s.span,
            "more than " + std::to_string(most_calls) +
                " calls of procs, counted after inlining them",
            {"a proc that calls another twice doubles its calls: repeat with 'for'"});
    }
    return;
  }
  const TFunction& function = checked_.function(s.symbol);
  std::map<SymbolId, SymbolId> inner;
  each_passed(checked_, s, [&](SymbolId formal, const ArraySlice& slice) {
    inner[formal] = root_array(checked_, slice.array, formals_);
  });
  std::swap(formals_, inner);
  trail_.push_back(s.span);
  walk(function.body);
  trail_.pop_back();
  std::swap(formals_, inner);
}

void PlaceChecker::launch(const TStatement& s) {
  if (kind_ != FunctionKind::main) {
    error(s.span,
          host() ? "verify launches nothing: its checks are the host's"
                 : "`launch` is only allowed in host code",
          {host() ? "launch in main" : "a kernel calls procs"});
  }
  each_passed(checked_, s, [&](SymbolId, const ArraySlice& slice) {
    const ArraySymbol& root = checked_.array(root_array(checked_, slice.array, formals_));
    if (root.kind == ArrayKind::local)
      error(slice.span, in_quotes(root.name) + " is an array of the host: kernels see memory only",
            {"declare it at top level with memory"});
  });
}

void PlaceChecker::concurrent(const TStatement& s) {
  const Span word = {s.span.file, s.span.begin,
                     s.span.begin + static_cast<std::uint32_t>(sizeof "concurrent" - 1)};
  if (kind_ != FunctionKind::main)
    error(word,
          host() ? "verify launches nothing: a `concurrent` is for main"
                 : "`concurrent` is only allowed in host code",
          {host() ? "launch in main" : "a kernel launches nothing: its blocks are independent"});
  else if (concurrent_.known())
    nested(word);
  const Span outer = std::exchange(concurrent_, word);
  walk(s.body);
  concurrent_ = outer;
}

void PlaceChecker::nested(Span inner) {
  Diagnostic error = error_at(
      inner, "a `concurrent` stands in another one, and they do not nest",
      {"leave one of them out: all launches of the outer one are independent of each other anyway",
       "launches that must follow others belong behind the `concurrent` of those"});
  error.notes.push_back(note_at(concurrent_, "the outer one begins here"));
  add_error(errors_, reported_, std::move(error), trail_);
}

/// The host has no shared arrays.
void PlaceChecker::not_shared(SymbolId array, Span span) {
  const ArraySymbol& root = checked_.array(root_array(checked_, array, formals_));
  if (host() && root.kind == ArrayKind::shared)
    error(span, in_quotes(root.name) + " is shared: the host reads and writes memory only");
}

void PlaceChecker::expr(const TExpr& e) {
  switch (e.kind) {
  case TExprKind::special:
    // A product of tiles is refused once, as an operation of a warp.
    if (host() && e.span != refused_)
      error(e.span, in_quotes(ir::name_of(e.special)) +
                        " is only allowed in kernels and in procs that kernels call");
    break;
  case TExprKind::of_warp:
    if (host())
      error(refused_ = e.span,
            "an operation of a warp is only allowed in kernels and in procs that kernels "
            "call",
            {"host code has one thread"});
    break;
  case TExprKind::random:
    if (!host()) {
      error(e.span, "`random` is only allowed in initial values and host code",
            {"fill an array of memory with random(lo, hi) and read it"});
    }
    break;
  case TExprKind::initial:
    if (kind_ != FunctionKind::verify) {
      error(e.span, "`initial` is only allowed in verify", {"copy the array before it is written"});
    } else if (checked_.array(root_array(checked_, e.symbol, formals_)).kind != ArrayKind::memory) {
      error(e.span, "`initial` is of arrays in memory");
    }
    break;
  case TExprKind::element: not_shared(e.symbol, e.span); break;
  case TExprKind::atomic:
    if (host())
      error(e.span, "an atomic is only allowed in kernels and in procs that kernels call",
            {"host code has one thread: write x[i] += e"});
    else if (checked_.array(root_array(checked_, e.symbol, formals_)).kind == ArrayKind::local)
      error(e.span, "no other thread sees this array: it needs no atomic", {"write x[i] += e"});
    break;
  default: break;
  }
  for (const auto& [variable, value] : e.bindings) expr(value);
  bool fn = e.kind == TExprKind::fn_call && e.symbol >= 0;
  if (fn) trail_.push_back(e.span);
  for (const TExpr& operand : e.operands) expr(operand);
  walk(e.block);
  if (fn) trail_.pop_back();
}

} // namespace

bool check_places(const Checked& checked, Diagnostics& errors) {
  PlaceChecker checker(checked, errors);
  for (const TFunction& function : checked.functions) {
    if (function.kind != FunctionKind::proc) checker.run(function);
  }
  return !checker.too_deep();
}

} // namespace memlane::lang
