// How far the value of an expression may differ between threads.
#include "uniformity.hpp"

namespace memlane::lang {

Level join(const Level& a, const Level& b) { return a.uniformity < b.uniformity ? b : a; }

void UniformityChecker::raise(Levels& levels, SymbolId id, const Level& level) {
  Level& known = levels[id];
  if (known.uniformity >= level.uniformity) return;
  known = level;
  ++rises_;
}

Level UniformityChecker::of_special(const TExpr& e) const {
  std::string name = in_quotes(ir::name_of(e.special));
  switch (e.special) {
  case ir::Special::threads:
  case ir::Special::blocks:
  case ir::Special::warps: return {Uniformity::launch, e.span, name + " belongs to the launch"};
  case ir::Special::block: return {Uniformity::block, e.span, name + " differs between blocks"};
  case ir::Special::thread:
  case ir::Special::lane:
  case ir::Special::warp:
  case ir::Special::index: break;
  }
  return {Uniformity::thread, e.span, name + " differs between the threads of a block"};
}

/// An element at an index that is the same for all threads of a block is the same for all: a
/// different value would be a race.
Level UniformityChecker::of_element(const TExpr& e) {
  Level level;
  for (const TExpr& index : e.operands) level = join(level, of(index));
  SymbolId root = root_array(checked_, e.symbol, formals_);
  if (checked_.array(root).kind == ArrayKind::local) {
    return join(level, arrays_[root]);
  }
  if (host_) return join(level, {Uniformity::launch, e.span, "an element of memory"});
  return join(level, {Uniformity::block, e.span, "an element may differ between blocks"});
}

Level UniformityChecker::of(const TExpr& e) {
  for (const auto& [variable, value] : e.bindings) {
    variables_[variable] = of(value);
    VariableSymbol& symbol = checked_.variable(variable);
    symbol.uniformity = std::max(symbol.uniformity, variables_[variable].uniformity);
  }
  switch (e.kind) {
  case TExprKind::special: return of_special(e);
  case TExprKind::element:
  case TExprKind::initial: return of_element(e);
  case TExprKind::variable: return variables_[e.symbol];
  case TExprKind::random: return {Uniformity::launch, e.span, "a random number"};
  default: break;
  }
  if (!e.block.empty()) return of_block(e.block);
  Level level;
  for (const TExpr& operand : e.operands) level = join(level, of(operand));
  return level;
}

/// The level of the value that a fn's block returns. A block has no barriers, so divergent threads
/// may call it.
Level UniformityChecker::of_block(const std::vector<TStatement>& block) {
  std::vector<const TStatement*> loops;
  Control skipped, returned;
  Level result;
  const auto swap_state = [&] {
    std::swap(loops_, loops);
    std::swap(skipped_, skipped);
    std::swap(returned_, returned);
    std::swap(result_, result);
  };
  swap_state();
  walk(block, {});
  swap_state();
  return result;
}

} // namespace memlane::lang
