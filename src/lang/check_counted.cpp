// What counts (configs/README.md section 6) is decided here alone: marks data statements and
// operators that count, in kernels, and in procs for each combination of arguments that hold data.
// Host code costs nothing.
#include "checker.hpp"
#include "data_flow.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

namespace memlane::lang {

namespace {

/// Where an expression stands, which decides whether its operators count; inner places come after
/// outer ones.
enum class Standing : std::uint8_t {
  operand,   ///< a statement's: operators with data count
  fn_body,   ///< a fn that is an expression: the call counts instead
  condition, ///< a conditional expression's: no operator counts
  brackets,  ///< an index: nothing is data
};

/// What an expression contains, with the fns that it calls.
struct Contents {
  bool data = false;     ///< outside index brackets
  bool counting = false; ///< an operator that counts
  bool requests = false; ///< an element of an array in memory, wherever it stands

  Contents& operator|=(const Contents& other) {
    data |= other.data;
    counting |= other.counting;
    requests |= other.requests;
    return *this;
  }
};

/// Whether the program writes an operator or a built-in fn here.
bool is_operator(const TExpr& e) {
  switch (e.kind) {
  case TExprKind::operation:
  case TExprKind::comparison:
  case TExprKind::logical_not:
  case TExprKind::logical_and:
  case TExprKind::logical_or:
  case TExprKind::is_pow2:
  case TExprKind::of_warp:
  case TExprKind::random: return !e.implied;
  default: return false;
  }
}

class OperatorMarker {
public:
  explicit OperatorMarker(Checked& checked) : checked_(checked), flow_(checked) {}

  void run();

private:
  /// A body to mark: of a kernel or proc with these contents of its formals.
  struct Instance {
    SymbolId function = -1;
    std::vector<Holds> given;
    bool operator<(const Instance& other) const {
      return std::tie(function, given) < std::tie(other.function, other.given);
    }
  };

  void mark_instance(const Instance& instance);
  std::int32_t variant_of(Instance instance);
  Contents mark(std::vector<TStatement>& body);
  Contents mark_statement(TStatement& s);
  void mark_call(TStatement& s);
  Contents contents(TExpr& e, Standing standing);
  Contents contents_of_call(TExpr& e, Standing standing);
  Contents contents_of_element(TExpr& e, Standing standing);

  Checked& checked_;
  DataFlow flow_;
  std::map<Instance, std::int32_t> variants_; ///< index into Checked::variants; -1: the body itself
  std::vector<bool> has_variant_;             ///< indexed by function
  std::queue<Instance> waiting_;
};

void OperatorMarker::run() {
  const std::vector<bool> data = flow_.anywhere();
  for (std::size_t i = 0; i < data.size(); ++i) checked_.variables[i].data = data[i];
  has_variant_.resize(checked_.functions.size());
  for (std::size_t i = 0; i < checked_.functions.size(); ++i) {
    const TFunction& function = checked_.functions[i];
    if (function.kind != FunctionKind::kernel) continue;
    Instance kernel{static_cast<SymbolId>(i), {}}; // its arguments are no data
    for (const TFormal& formal : function.formals) {
      kernel.given.push_back(formal.array ? Holds::memory : Holds::no_data);
    }
    variant_of(std::move(kernel));
  }
  for (; !waiting_.empty(); waiting_.pop()) mark_instance(waiting_.front());
}

/// The body for these arguments: the function's own for the first of them, else a copy.
std::int32_t OperatorMarker::variant_of(Instance instance) {
  auto [found, added] = variants_.try_emplace(instance, -1);
  if (!added) return found->second;
  const auto function = static_cast<std::size_t>(instance.function);
  if (has_variant_[function]) {
    found->second = static_cast<std::int32_t>(checked_.variants.size());
    checked_.variants.push_back(checked_.functions[function].body);
  }
  has_variant_[function] = true;
  waiting_.push(std::move(instance));
  return found->second;
}

void OperatorMarker::mark_instance(const Instance& instance) {
  flow_.enter(instance.function, instance.given);
  const std::int32_t variant = variants_.at(instance);
  const auto body = [&]() -> std::vector<TStatement>& {
    return variant < 0 ? checked_.function(instance.function).body
                       : checked_.variants[static_cast<std::size_t>(variant)];
  };
  std::vector<TStatement> marked = std::move(body()); // variants may be added meanwhile
  mark(marked);
  body() = std::move(marked);
}

/// What the body contains, with the blocks of fns.
Contents OperatorMarker::mark(std::vector<TStatement>& body) {
  Contents all;
  for (TStatement& s : body) {
    all |= mark_statement(s);
    all |= mark(s.body);
    all |= mark(s.alternative);
  }
  return all;
}

/// Operators of conditions, bounds and checks do not count; the statements of fns that they call
/// do. A fn's block returns a value as if it assigned it to a register.
Contents OperatorMarker::mark_statement(TStatement& s) {
  Contents all;
  if (s.kind == TStatementKind::call) {
    mark_call(s);
    return all;
  }
  each_use(s, [&](TExpr& e, Use use) {
    all |= contents(e, use == Use::value   ? Standing::operand
                       : use == Use::index ? Standing::brackets
                                           : Standing::condition);
  });
  if (s.kind == TStatementKind::return_) s.data = all.data || all.requests;
  if (!is_assignment(s.kind)) return all;
  Holds target = Holds::no_data; // a declaration that reads no data is free
  if (s.kind == TStatementKind::assign_element) {
    target = flow_.array(s.symbol);
  } else if (!s.declaration) {
    target = flow_.variable(s.symbol);
  }
  const bool data = all.data || target != Holds::no_data;
  s.data = (s.implied ? target == Holds::memory : data) || all.requests;
  s.counted = data && s.assign_op != AssignOp::set;
  return all;
}

void OperatorMarker::mark_call(TStatement& s) {
  Instance callee{s.symbol, {}};
  for (TActual& actual : s.actuals) {
    if (actual.array) {
      for (TExpr& lead : actual.array->lead) contents(lead, Standing::brackets);
      for (TExpr& bound : actual.array->range) contents(bound, Standing::brackets);
      callee.given.push_back(flow_.array(actual.array->array));
      continue;
    }
    const Contents argument = contents(*actual.value, Standing::operand);
    actual.data = argument.data || argument.requests;
    callee.given.push_back(argument.data ? Holds::data : Holds::no_data);
  }
  s.variant = variant_of(std::move(callee));
}

Contents OperatorMarker::contents(TExpr& e, Standing standing) {
  switch (e.kind) {
  case TExprKind::variable: {
    const bool data = flow_.variable(e.symbol) != Holds::no_data;
    return {standing != Standing::brackets && data, false, false};
  }
  case TExprKind::element:
  case TExprKind::lookup: return contents_of_element(e, standing);
  case TExprKind::fn_call: return contents_of_call(e, standing);
  case TExprKind::atomic: // all of a statement's value
    for (std::size_t k = 0; k < e.operands.size(); ++k)
      contents(e.operands[k], k < values_of_atomic(e.op) ? standing : Standing::brackets);
    e.counted = true;
    return {true, true, true};
  default: break;
  }
  Contents all;
  for (TExpr& operand : e.operands) {
    const bool condition =
        e.kind == TExprKind::conditional && !e.implied && &operand == &e.operands[0];
    all |= contents(operand, condition ? std::max(standing, Standing::condition) : standing);
  }
  if (e.kind == TExprKind::of_warp && e.op == ir::Opcode::tensor) {
    e.counted = true; // whatever the tiles hold
    all.counting = true;
    return all;
  }
  if (is_operator(e)) {
    e.counted = all.data && standing == Standing::operand;
    all.counting |= all.data && standing <= Standing::fn_body;
  }
  return all;
}

Contents OperatorMarker::contents_of_element(TExpr& e, Standing standing) {
  Contents all;
  for (TExpr& index : e.operands) all |= contents(index, Standing::brackets);
  if (e.kind == TExprKind::lookup) return all; // tables are no data
  const Holds held = flow_.array(e.symbol);
  all.requests |= held == Holds::memory;
  all.data = held != Holds::no_data && standing != Standing::brackets;
  return all;
}

/// Arguments stand where the call stands. All operators of a fn's expression count as one, the
/// call. Statements of a fn's block count by themselves, as those of a proc do, wherever it is
/// called; the call contains data if they do.
Contents OperatorMarker::contents_of_call(TExpr& e, Standing standing) {
  Contents all;
  for (auto& [parameter, value] : e.bindings) all |= contents(value, standing);
  if (e.symbol < 0) return all |= contents(e.operands[0], standing);
  if (!e.block.empty()) {
    all.data |= mark(e.block).data && standing != Standing::brackets;
    return all;
  }
  const Contents inside = contents(e.operands[0], std::max(standing, Standing::fn_body));
  e.counted = inside.counting && standing == Standing::operand;
  return all |= inside;
}

} // namespace

void mark_counted(Checked& checked) { OperatorMarker(checked).run(); }

} // namespace memlane::lang
