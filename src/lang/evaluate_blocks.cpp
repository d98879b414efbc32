// Blocks of fns, executed statement by statement.
#include "memlane/ir/arithmetic.hpp"
#include "memlane/lang/evaluate.hpp"
#include "memlane/lang/exact/number.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::lang {

namespace {

/// Maximum number of elements of a local array.
constexpr std::int64_t most_elements = 1000000;

} // namespace

bool Evaluator::step(Span at) {
  if (++steps_ <= rules.most_steps) return go_on();
  if (rules.claim)
    fail(at, fmt::format("more than {} steps: does every loop of its fns end, where '/' is exact?",
                         rules.most_steps));
  else
    fail(at, fmt::format("this takes more than {} steps before the run", rules.most_steps),
         {"does the loop end for these parameters?"});
  return false;
}

Evaluator::Completion Evaluator::execute(const std::vector<TStatement>& body) {
  for (const TStatement& s : body)
    if (const Completion completion = execute(s); completion != Completion::normal)
      return completion;
  return Completion::normal;
}

Evaluator::Completion Evaluator::execute(const TStatement& s) {
  if (!step(s.span)) return Completion::failed;
  switch (s.kind) {
  case TStatementKind::assign_variable: {
    Answer answer = value(*s.value);
    if (!answer) return Completion::failed;
    variables_.insert_or_assign(s.symbol, std::move(*answer));
    return Completion::normal;
  }
  case TStatementKind::declare_array:
    return declare_array(s) ? Completion::normal : Completion::failed;
  case TStatementKind::assign_element:
    return assign_element(s) ? Completion::normal : Completion::failed;
  case TStatementKind::if_: {
    const Answer condition = value(*s.value);
    if (!condition) return Completion::failed;
    return execute(condition->word().truth() ? s.body : s.alternative);
  }
  case TStatementKind::while_:
  case TStatementKind::for_: return execute_loop(s);
  case TStatementKind::break_: return Completion::broke;
  case TStatementKind::continue_: return Completion::continued;
  case TStatementKind::return_: {
    Answer answer = value(*s.value);
    if (!answer) return Completion::failed;
    returned_ = std::move(*answer);
    return Completion::returned;
  }
  case TStatementKind::update:
  case TStatementKind::assign_field: // records have no value here
  case TStatementKind::declare_view: // and these stand in no fn
  case TStatementKind::forall:
  case TStatementKind::barrier:
  case TStatementKind::assert_:
  case TStatementKind::print:
  case TStatementKind::concurrent:
  case TStatementKind::call:
  case TStatementKind::launch: break;
  }
  unknown(s.span);
  return Completion::failed;
}

namespace {

/// Whether an index has passed the bound of its loop.
bool is_beyond(bool down, const Evaluated& index, const Evaluated& bound) {
  if (const auto* number = std::get_if<exact::Number>(&index.value))
    return down ? *number < bound.number() : *number > bound.number();
  return down ? index.word().integer() < bound.word().integer()
              : index.word().integer() > bound.word().integer();
}

Evaluated whole(bool exact, std::int64_t i) {
  return exact ? Evaluated{exact::Number(i)} : Evaluated{ir::Value::of(i)};
}

} // namespace

/// From, to and step, which are evaluated once and are whole numbers.
std::optional<std::vector<Evaluated>> Evaluator::loop_bounds(const TStatement& s) {
  std::vector<Evaluated> bounds;
  bool exact = false;
  for (const TExpr& e : s.expressions) {
    Answer bound = value(e);
    if (!bound) return std::nullopt;
    exact = e.type.exact;
    if (exact && !bound->number().is_integer()) {
      fail(e.span, "a loop to " + bound->number().brief() + ", which is not whole");
      return std::nullopt;
    }
    bounds.push_back({std::move(bound->value)}); // an index does not inherit the wrap of its bound
  }
  if (bounds.size() == 2) bounds.push_back(whole(exact, 1));
  if (!is_beyond(true, bounds[2], whole(exact, s.step_kind == StepKind::add ? 1 : 2)))
    return bounds;
  if (exact)
    fail(s.span, "a loop with step " + bounds[2].number().brief());
  else
    fail(s.span, "the step of a loop is at least 1, a factor at least 2");
  return std::nullopt;
}

/// The index counts in 64 bits, as in code, or exactly.
Evaluator::Answer Evaluator::next_index(const TStatement& s, const Evaluated& index,
                                        const Evaluated& by) {
  const ir::Opcode op = step_of(s);
  if (std::holds_alternative<ir::Value>(index.value))
    return Evaluated{
        ir::apply(op, ir::Scalar::int64, index.word(), by.word(), {}, ir::Scalar::int64).value};
  return give(s.span, *exact::apply(op, true, index.number(), by.number(), {}).value);
}

/// Whether the next index of a loop over longs is none.
static bool passes_longs(const TStatement& s, const Evaluated& index, const Evaluated& by) {
  if (!std::holds_alternative<ir::Value>(index.value)) return false;
  const std::int64_t i = index.word().integer(), step = by.word().integer();
  std::int64_t next = 0;
  switch (step_of(s)) {
  case ir::Opcode::add: return __builtin_add_overflow(i, step, &next);
  case ir::Opcode::sub: return __builtin_sub_overflow(i, step, &next);
  case ir::Opcode::mul: return __builtin_mul_overflow(i, step, &next);
  default: return false;
  }
}

Evaluator::Completion Evaluator::execute_loop(const TStatement& s) {
  std::vector<Evaluated> bounds;
  if (s.kind == TStatementKind::for_) {
    auto known = loop_bounds(s);
    if (!known) return Completion::failed;
    bounds = std::move(*known);
  }
  for (;;) {
    if (s.kind == TStatementKind::for_) {
      if (is_beyond(s.down, bounds[0], bounds[1])) return Completion::normal;
      variables_.insert_or_assign(s.symbol, bounds[0]);
    } else {
      const Answer condition = value(*s.value);
      if (!condition) return Completion::failed;
      if (!condition->word().truth()) return Completion::normal;
    }
    if (!step(s.span)) return Completion::failed;
    const Completion completion = execute(s.body);
    if (completion == Completion::broke) return Completion::normal;
    if (completion == Completion::returned || completion == Completion::failed) return completion;
    if (s.kind != TStatementKind::for_) continue;
    if (passes_longs(s, bounds[0], bounds[2])) return Completion::normal;
    Answer next = next_index(s, bounds[0], bounds[2]);
    if (!next) return Completion::failed;
    bounds[0] = std::move(*next);
  }
}

bool Evaluator::declare_array(const TStatement& s) {
  const ArraySymbol& symbol = checked_->array(s.symbol);
  Array array;
  std::int64_t size = 1;
  for (const TExpr& e : symbol.extents) {
    const Answer extent = value(e);
    if (!extent) return false;
    array.extents.push_back(std::clamp<std::int64_t>(extent->word().integer(), 0, most_elements));
    size = std::min(size * array.extents.back(), most_elements + 1);
  }
  if (symbol.element.is_record() || size < 1 || size > most_elements || !symbol.initial.empty()) {
    fail(s.span, fmt::format("array {} is not known before the run", symbol.name),
         {fmt::format("before the run, a fn has arrays of up to {} numbers, without initial values",
                      most_elements)});
    return false;
  }
  steps_ += size;
  array.words.resize(static_cast<std::size_t>(size));
  arrays_[s.symbol] = std::move(array);
  return true;
}

ir::Value* Evaluator::element(SymbolId id, const std::vector<TExpr>& indices) {
  std::int64_t at = 0;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const Answer index = value(indices[k]);
    if (!index) return nullptr;
    const auto found = arrays_.find(id); // an index may have a call with arrays of its own
    if (found == arrays_.end()) return unknown(indices[k].span), nullptr;
    const std::int64_t extent = found->second.extents[k], i = index->word().integer();
    if (i < 0 || i >= extent) {
      fail(indices[k].span, fmt::format("index {} is outside array {} (0..{})", i,
                                        checked_->array(id).name, extent));
      return nullptr;
    }
    at = at * extent + i;
  }
  return &arrays_[id].words[static_cast<std::size_t>(at)];
}

bool Evaluator::assign_element(const TStatement& s) {
  const Answer answer = value(*s.value);
  ir::Value* word = answer ? element(s.symbol, s.indices) : nullptr;
  if (!word) return false;
  if (s.assign_op == AssignOp::set) {
    *word = answer->word();
    return true;
  }
  const ir::Scalar type = s.value->type.scalar;
  *word = ir::apply(opcode_of(s.assign_op), type, *word, answer->word(), {}, type).value;
  return true;
}

} // namespace memlane::lang
