#include "emit_draws.hpp"

namespace memlane::cuda {

using namespace lang;

namespace {

DrawCount plus(DrawCount count, const DrawCount& more) {
  count.known += more.known;
  count.terms.insert(count.terms.end(), more.terms.begin(), more.terms.end());
  return count;
}

bool is_none(const DrawCount& count) { return count.known == 0 && count.terms.empty(); }

} // namespace

std::vector<const TExpr*> DrawSites::number() {
  sites_.clear(), entangled_.clear(), count_ = {};
  for (std::size_t id = 0; id < checked_.arrays.size(); ++id) {
    const ArraySymbol& array = checked_.arrays[id];
    if (array.kind != ArrayKind::memory || !array.used || array.initial_list) continue;
    const int fields = array.element.is_record()
                           ? int(checked_.records[std::size_t(array.element.record)].fields.size())
                           : 1;
    for (int field = 0; field < fields; ++field) {
      into_ = &sites_[{DrawSource::initial, SymbolId(id), field}];
      for (const TExpr& value : array.initial) expression(value);
    }
  }
  for (const auto kind : {DrawSource::main, DrawSource::verify}) {
    const SymbolId id = kind == DrawSource::main ? checked_.main : checked_.verify;
    into_ = &sites_[{kind}];
    if (id >= 0) body(checked_.functions[std::size_t(id)].body);
  }
  return entangled_;
}

const DrawCount& DrawSites::site(const DrawSource& source, Span span, int nth) const {
  static const DrawCount never; // of a place that no run comes to
  const auto sites = sites_.find(source);
  if (sites == sites_.end()) return never;
  const auto found = sites->second.find({span.file, span.begin});
  if (found == sites->second.end() || std::size_t(nth) >= found->second.size()) return never;
  return found->second[std::size_t(nth)];
}

// ---- What lowering knows: as Constants::evaluate has it ----

DrawSites::Known DrawSites::all_known(const std::vector<TExpr>& operands) {
  Known all = Known::yes;
  for (const TExpr& operand : operands) {
    const Known one = known(operand);
    if (one == Known::no) return Known::no;
    if (one == Known::depends) all = Known::depends;
  }
  return all;
}

DrawSites::Known DrawSites::known_choice(const TExpr& e) {
  const Known first = known(e.operands[0]);
  if (first != Known::yes) return first;
  const auto value = values_.value(e.operands[0]);
  const bool conditional = e.kind == TExprKind::conditional;
  if (value && conditional) return known(e.operands[value->truth() ? 1 : 2]);
  if (value)
    return value->truth() == (e.kind == TExprKind::logical_or) ? Known::yes : known(e.operands[1]);
  const Known second = known(e.operands[1]);
  const Known other = conditional ? known(e.operands[2]) : Known::yes;
  return second == other ? second : Known::depends;
}

/// A block is executed before the run where nothing in it comes from the run itself.
DrawSites::Known DrawSites::known_block(const TExpr& call) {
  if (call.block.empty()) return Known::yes;
  const bool of_run = contains(call, [](const TExpr& part) {
    return part.kind == TExprKind::element || part.kind == TExprKind::initial ||
           part.kind == TExprKind::random || part.kind == TExprKind::special;
  });
  return of_run ? Known::no : Known::yes;
}

DrawSites::Known DrawSites::known(const TExpr& e) {
  switch (e.kind) {
  case TExprKind::literal:
  case TExprKind::param:
  case TExprKind::constant:
  case TExprKind::letter: return Known::yes;
  case TExprKind::variable: {
    const auto found = bound_.find(e.symbol);
    return found == bound_.end() ? Known::no : found->second;
  }
  case TExprKind::lookup:
  case TExprKind::operation:
  case TExprKind::comparison:
  case TExprKind::logical_not:
  case TExprKind::convert:
  case TExprKind::is_pow2: return all_known(e.operands);
  case TExprKind::logical_and:
  case TExprKind::logical_or:
  case TExprKind::conditional: return known_choice(e);
  case TExprKind::fn_call: {
    Known all = known_block(e);
    for (const Binding& binding : e.bindings) {
      const Known one = known(binding.value);
      if (one == Known::no) return Known::no;
      if (one == Known::depends) all = Known::depends;
      bound_[binding.variable] = one;
      values_.bind(binding.variable, values_.value(binding.value));
    }
    const Known result = e.block.empty() ? known(e.operands[0]) : Known::yes;
    for (const Binding& binding : e.bindings) bound_.erase(binding.variable);
    return result == Known::yes ? all : result;
  }
  default: return Known::no;
  }
}

// ---- The order of lowering ----

/// The emitted text has both ways, so places of what is left out are noted, but not numbered.
template <class Part>
void DrawSites::left_out(Part part) {
  const DrawCount before = count_;
  part();
  count_ = before;
}

template <class Yes, class No>
void DrawSites::choice(const TExpr& condition, Yes yes, No no) {
  const Known decided = known(condition);
  if (decided == Known::depends) entangled_.push_back(&condition);
  if (decided != Known::yes) {
    expression(condition);
    yes();
    return no();
  }
  left_out([&] { expression(condition); });
  if (const auto value = values_.value(condition)) {
    if (!value->truth()) left_out(yes);
    if (value->truth()) yes();
    if (value->truth()) return left_out(no);
    return no();
  }
  // Both begin with the same number.
  const DrawCount before = count_;
  const auto length = [&](const auto& part) {
    count_ = before;
    part();
    DrawCount more = count_;
    more.known -= before.known;
    more.terms.erase(more.terms.begin(), more.terms.begin() + std::ptrdiff_t(before.terms.size()));
    return more;
  };
  const DrawCount taken = length(yes), otherwise = length(no);
  count_ = before;
  if (is_none(taken) && is_none(otherwise)) return;
  const bool same =
      taken.terms.empty() && otherwise.terms.empty() && taken.known == otherwise.known;
  count_ = plus(before, same ? taken : DrawCount{0, {{&condition, {taken, otherwise}}}});
}

void DrawSites::draw(const TExpr& e) {
  for (const TExpr& operand : e.operands) expression(operand);
  (*into_)[{e.span.file, e.span.begin}].push_back(count_);
  ++count_.known;
}

void DrawSites::logical(const TExpr& e) {
  const auto second = [&] { expression(e.operands[1]); };
  const auto nothing = [] {};
  if (e.kind == TExprKind::logical_and) return choice(e.operands[0], second, nothing);
  choice(e.operands[0], nothing, second);
}

void DrawSites::expression(const TExpr& e) {
  if (!draws(e)) return;
  switch (e.kind) {
  case TExprKind::random: return draw(e);
  case TExprKind::logical_and:
  case TExprKind::logical_or: return logical(e);
  case TExprKind::conditional:
    return choice(
        e.operands[0], [&] { expression(e.operands[1]); }, [&] { expression(e.operands[2]); });
  case TExprKind::fn_call: {
    const auto parts = [&] {
      for (const Binding& binding : e.bindings) expression(binding.value);
      if (!e.block.empty()) return body(e.block);
      expression(e.operands[0]);
    };
    const Known folded = e.type.is_record() ? Known::no : known(e);
    if (folded == Known::depends) entangled_.push_back(&e);
    return folded == Known::yes ? left_out(parts) : parts();
  }
  default:
    for (const TExpr& operand : e.operands) expression(operand);
  }
}

void DrawSites::slice(const ArraySlice& slice) {
  for (const TExpr& lead : slice.lead) expression(lead);
  for (const TExpr& bound : slice.range) expression(bound);
}

void DrawSites::body(const std::vector<TStatement>& statements) {
  for (const TStatement& s : statements) statement(s);
}

void DrawSites::statement(const TStatement& s) {
  const auto all = [&](const std::vector<TExpr>& list) {
    for (const TExpr& e : list) expression(e);
  };
  switch (s.kind) {
  case TStatementKind::if_:
    return choice(
        *s.value, [&] { body(s.body); }, [&] { body(s.alternative); });
  case TStatementKind::assign_element:
    if (s.assign_op != AssignOp::set) all(s.indices);
    expression(*s.value);
    if (s.assign_op == AssignOp::set) all(s.indices);
    return;
  case TStatementKind::declare_array:
    all(checked_.arrays[std::size_t(s.symbol)].extents);
    return all(checked_.arrays[std::size_t(s.symbol)].initial);
  case TStatementKind::declare_view: return slice(*checked_.arrays[std::size_t(s.symbol)].target);
  case TStatementKind::call:
  case TStatementKind::launch:
    for (const TActual& actual : s.actuals) {
      if (actual.value) expression(*actual.value);
      if (actual.array) slice(*actual.array);
    }
    if (s.kind == TStatementKind::call) return body(checked_.functions[std::size_t(s.symbol)].body);
    break;
  default: break;
  }
  if (s.value) expression(*s.value);
  all(s.expressions);
  for (const TRange& range : s.ranges) expression(range.lo), expression(range.hi);
  if (s.blocks) expression(*s.blocks);
  if (s.threads) expression(*s.threads);
  body(s.body);
}

} // namespace memlane::cuda
