#include "data_flow.hpp"

#include "checker.hpp"

namespace memlane::lang {

namespace {

template <class List>
decltype(auto) at(List& list, std::int32_t id) {
  return list[static_cast<std::size_t>(id)];
}

} // namespace

DataFlow::DataFlow(const Checked& checked)
    : checked_(checked), assigns_(checked.variables.size() + checked.arrays.size()),
      bodies_(checked.functions.size()), in_memory_(checked.arrays.size(), false) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    statements(checked.functions[i].body, bodies_[i]);
  }
  holds_.resize(assigns_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) link(static_cast<SymbolId>(i));
}

DataFlow::Node DataFlow::node_of_array(SymbolId id) const {
  const SymbolId root = root_array(checked_, id);
  const ArrayKind kind = checked_.array(root).kind;
  if (kind == ArrayKind::memory || kind == ArrayKind::shared) return memory;
  return static_cast<Node>(checked_.variables.size()) + root;
}

DataFlow::Node DataFlow::node_of(const TFormal& formal) const {
  return formal.array ? node_of_array(formal.symbol) : formal.symbol;
}

DataFlow::Node DataFlow::new_node() {
  assigns_.emplace_back();
  return static_cast<Node>(assigns_.size()) - 1;
}

void DataFlow::assign(Node from, Node target, Body& into) {
  if (target == memory || target == nothing) return; // its elements are data anyway
  if (from == memory) {
    into.sources.push_back(target);
  } else {
    at(assigns_, from).push_back(target);
  }
}

/// Adds what the expression reads outside index brackets. A fn's parameters are nodes between its
/// arguments and its body, so that nested calls are walked once.
void DataFlow::reads(const TExpr& e, Node target, Body& into) {
  switch (e.kind) {
  case TExprKind::element:
    for (const TExpr& index : e.operands) fns_in(index, into);
    return assign(node_of_array(e.symbol), target, into);
  case TExprKind::atomic: // its values go into memory; what follows them are indices
    for (std::size_t k = 0; k < e.operands.size(); ++k)
      k < values_of_atomic(e.op) ? reads(e.operands[k], nothing, into)
                                 : fns_in(e.operands[k], into);
    return assign(memory, target, into);
  case TExprKind::initial: return assign(memory, target, into);
  case TExprKind::lookup:
    for (const TExpr& index : e.operands) fns_in(index, into);
    return;
  case TExprKind::variable: return assign(e.symbol, target, into);
  default: break;
  }
  for (const auto& [parameter, value] : e.bindings) {
    reads(value, parameter, into);
    assign(parameter, target, into);
  }
  for (const TExpr& operand : e.operands) reads(operand, target, into);
  if (e.block.empty()) return;
  const Node fn = new_node(); // stands for all that is in the block
  statements(e.block, into, fn);
  assign(fn, target, into);
}

/// Adds what blocks of fns assign, and what atomics give to fns, in an expression whose value is
/// not assigned.
void DataFlow::fns_in(const TExpr& e, Body& into) {
  const bool assigns = contains(
      e, [](const TExpr& part) { return !part.block.empty() || part.kind == TExprKind::atomic; });
  if (assigns) reads(e, nothing, into);
}

/// `fn`: the node of the block of a fn that they are in. Conditions and bounds assign nothing, and
/// indices of loops are no data; in a fn's block they are part of what it reads.
void DataFlow::statements(const std::vector<TStatement>& body, Body& into, Node fn) {
  for (const TStatement& s : body) {
    if (s.kind == TStatementKind::call) {
      into.calls.push_back(call(s, into));
    } else if (s.kind == TStatementKind::launch) {
      into.launches.push_back(call(s, into));
    } else {
      const Node assigned = s.kind == TStatementKind::assign_element ? node_of_array(s.symbol)
                            : is_assignment(s.kind)                  ? s.symbol
                                                                     : fn;
      each_use(s, [&](const TExpr& e, Use use) {
        const Node target = use == Use::value ? assigned : fn;
        use == Use::index || target == nothing ? fns_in(e, into) : reads(e, target, into);
      });
      if (fn != nothing && assigned != fn) assign(assigned, fn, into);
    }
    statements(s.body, into, fn);
    statements(s.alternative, into, fn);
  }
}

DataFlow::Call DataFlow::call(const TStatement& s, Body& into) {
  Call result;
  result.callee = s.symbol;
  for (const TActual& actual : s.actuals) {
    if (actual.array) {
      for (const TExpr& lead : actual.array->lead) fns_in(lead, into);
      for (const TExpr& bound : actual.array->range) fns_in(bound, into);
      result.actuals.push_back(node_of_array(actual.array->array));
      continue;
    }
    result.actuals.push_back(new_node());
    reads(*actual.value, result.actuals.back(), into);
  }
  return result;
}

/// Adds what its procs assign to its arrays, innermost procs first.
void DataFlow::link(SymbolId function) {
  Body& body = at(bodies_, function);
  if (std::exchange(body.linked, true)) return;
  for (const Call& call : body.calls) {
    link(call.callee);
    for (const auto& [from, to] : at(bodies_, call.callee).effects) {
      assign(from < 0 ? memory : at(call.actuals, from), at(call.actuals, to), body);
    }
  }
  find_effects(checked_.function(function), body);
}

void DataFlow::find_effects(const TFunction& function, Body& body) {
  std::vector<std::int32_t> arrays;
  for (std::size_t i = 0; i < function.formals.size(); ++i) {
    if (function.formals[i].array) arrays.push_back(static_cast<std::int32_t>(i));
  }
  if (arrays.empty() || function.kind != FunctionKind::proc) return;
  const auto note = [&](std::int32_t from) {
    for (std::int32_t to : arrays) {
      if (to != from && at(holds_, node_of(at(function.formals, to)))) {
        body.effects.push_back({from, to});
      }
    }
  };
  spread(body.sources);
  note(-1);
  for (std::size_t i = 0; i < function.formals.size(); ++i) {
    spread({node_of(function.formals[i])});
    note(static_cast<std::int32_t>(i));
  }
  forget();
}

/// Marks everything that is assigned from the seeds, directly or not.
void DataFlow::spread(const std::vector<Node>& seeds) {
  forget();
  const auto reach = [&](Node node) {
    if (node == memory || at(holds_, node)) return;
    at(holds_, node) = true;
    reached_.push_back(node);
  };
  for (Node seed : seeds) reach(seed);
  for (std::size_t next = 0; next < reached_.size(); ++next) {
    for (Node target : at(assigns_, reached_[next])) reach(target);
  }
}

void DataFlow::forget() {
  for (Node node : reached_) at(holds_, node) = false;
  reached_.clear();
  for (SymbolId id : given_memory_) at(in_memory_, id) = false;
  given_memory_.clear();
}

void DataFlow::enter(SymbolId function, const std::vector<Holds>& given) {
  std::vector<Node> seeds = at(bodies_, function).sources;
  const std::vector<TFormal>& formals = checked_.function(function).formals;
  for (std::size_t i = 0; i < formals.size(); ++i) {
    if (given[i] != Holds::no_data) seeds.push_back(node_of(formals[i]));
  }
  spread(seeds);
  for (std::size_t i = 0; i < formals.size(); ++i) {
    if (!formals[i].array || given[i] != Holds::memory) continue;
    at(in_memory_, formals[i].symbol) = true;
    given_memory_.push_back(formals[i].symbol);
  }
}

Holds DataFlow::variable(SymbolId id) const {
  return at(holds_, id) ? Holds::data : Holds::no_data;
}

Holds DataFlow::array(SymbolId id) const {
  const Node node = node_of_array(id);
  if (node == memory) return Holds::memory;
  if (at(in_memory_, node - static_cast<Node>(checked_.variables.size()))) return Holds::memory;
  return at(holds_, node) ? Holds::data : Holds::no_data;
}

/// Connects arguments with formals; arrays are passed by reference.
void DataFlow::connect(const Call& call, std::vector<Node>& seeds) {
  const std::vector<TFormal>& formals = checked_.function(call.callee).formals;
  for (std::size_t i = 0; i < formals.size(); ++i) {
    const Node actual = call.actuals[i], formal = node_of(formals[i]);
    if (actual == memory) {
      seeds.push_back(formal);
      continue;
    }
    at(assigns_, actual).push_back(formal);
    if (formals[i].array) at(assigns_, formal).push_back(actual);
  }
}

std::vector<bool> DataFlow::anywhere() {
  const std::vector<std::vector<Node>> within = assigns_;
  std::vector<Node> seeds;
  for (const Body& body : bodies_) {
    seeds.insert(seeds.end(), body.sources.begin(), body.sources.end());
    for (const Call& call : body.calls) connect(call, seeds);
    for (const Call& launch : body.launches) connect(launch, seeds);
  }
  spread(seeds);
  assigns_ = within;
  std::vector<bool> result(holds_.begin(),
                           holds_.begin() + static_cast<std::ptrdiff_t>(checked_.variables.size()));
  forget();
  return result;
}

} // namespace memlane::lang
