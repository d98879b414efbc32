// Calls of procs: each with levels of its own for the variables of the proc.
#include "uniformity.hpp"

namespace memlane::lang {

/// The levels of a call's arguments.
UniformityChecker::Levels UniformityChecker::formal_levels(const TStatement& s) {
  const TFunction& function = checked_.function(s.symbol);
  Levels levels;
  for (std::size_t i = 0; i < s.actuals.size(); ++i) {
    SymbolId formal = function.formals[i].symbol;
    if (s.actuals[i].value) levels[formal] = of(*s.actuals[i].value);
    if (!s.actuals[i].array) continue;
    const ArraySlice& slice = *s.actuals[i].array;
    check_slice(slice);
    Level level{host_ ? Uniformity::launch : Uniformity::constant, slice.span, "an extent"};
    for (const TExpr& e : slice.range) level = join(level, of(e));
    // Without a range, the part of a formal has extents of the formal.
    const ArraySymbol& given = checked_.array(slice.array);
    for (SymbolId extent : given.extent_names) {
      if (slice.range.empty() && extent >= 0) level = join(level, variables_[extent]);
    }
    for (SymbolId extent : checked_.array(formal).extent_names) {
      if (extent >= 0) levels[extent] = level;
    }
  }
  return levels;
}

/// Identifies everything that the levels within a call depend on.
std::string UniformityChecker::call_key(const TStatement& s, const Control& control,
                                        const Levels& given,
                                        const std::map<SymbolId, SymbolId>& arrays) {
  auto number = [](Uniformity u) { return std::to_string(static_cast<int>(u)); };
  std::string key = std::to_string(s.symbol) + (host_ ? "h" : "k");
  key += number(control.level.uniformity);
  for (const auto& [formal, root] : arrays) {
    key += "a" + std::to_string(root) + ":" + number(arrays_[root].uniformity);
  }
  for (const auto& [id, level] : given) key += "," + number(level.uniformity);
  return key;
}

/// Raises the levels of local arrays that a call writes.
void UniformityChecker::apply(const Levels& arrays) {
  for (const auto& [root, level] : arrays) raise(arrays_, root, level);
}

void UniformityChecker::call(const TStatement& s, const Control& control) {
  const TFunction& function = checked_.function(s.symbol);
  Levels variables = formal_levels(s);
  std::map<SymbolId, SymbolId> formals;
  for (std::size_t i = 0; i < s.actuals.size(); ++i) {
    if (!s.actuals[i].array) continue;
    formals[function.formals[i].symbol] = root_array(checked_, s.actuals[i].array->array, formals_);
  }
  bool apart = forall_ != nullptr || control.level.uniformity == Uniformity::thread;
  bool parallel = proc_holds_parallel(s.symbol);
  if (parallel) {
    require_together(s, control,
                     in_quotes(function.name) + ", which holds a `forall` or `barrier`,");
  }
  bool blamed = blamed_ || (parallel && apart);
  std::string key = call_key(s, control, variables, formals);
  auto known = settled_.find(key);
  bool fresh = reporting_ && walked_.insert(key + (blamed ? "b" : "")).second;
  if (known != settled_.end() && !fresh) return apply(known->second);

  std::swap(blamed_, blamed);
  std::swap(variables_, variables);
  std::swap(formals_, formals);
  Levels arrays = arrays_;
  std::map<const TStatement*, Control> breaks;
  std::swap(breaks_, breaks);
  std::int64_t rises = rises_;
  trail_.push_back(s.span);
  settle(function.body, control);
  trail_.pop_back();
  rises_ = rises; // the caller does not depend on the proc's own variables
  std::swap(breaks_, breaks);
  std::swap(arrays_, arrays);
  std::swap(formals_, formals);
  std::swap(variables_, variables);
  std::swap(blamed_, blamed);
  Levels& left = settled_[key];
  for (const auto& [formal, root] : formals) left[root] = arrays[root];
  apply(left);
}

} // namespace memlane::lang
