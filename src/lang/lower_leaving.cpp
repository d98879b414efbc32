// break, continue and return. Lanes that leave wait for the others after the loop, at the end of
// its body, or after the fn's block.
#include "lowering.hpp"

#include "memlane/lang/walk.hpp"

#include <algorithm>
#include <utility>

namespace memlane::lang {

using enum ir::Opcode;

/// Opens a loop, or code that lanes may leave early, up to `end`.
void Lowering::open_loop(FunctionBuilder::Label end) {
  code().emit(loop, ir::Scalar::boolean, -1);
  leaving_.exits.push_back(end);
  leaving_.outer.push_back(std::exchange(leaving_.outermost, Leaving::nothing));
}

void Lowering::close_loop(FunctionBuilder::Label end) {
  code().bind(end);
  code().emit(endloop, ir::Scalar::boolean, -1);
  leaving_.exits.pop_back();
  const int outer = leaving_.outer.back();
  leaving_.outer.pop_back();
  const bool leaves_more = leaving_.outermost < static_cast<int>(leaving_.outer.size());
  if (leaves_more)
    code().jump(exit, leaving_.exits.back()); // all lanes may have left the outer one, too
  leaving_.outermost = leaves_more ? std::min(outer, leaving_.outermost) : outer;
}

/// All active lanes leave the loop with this number and the loops in it.
void Lowering::leave_loops(int outermost) {
  const int inner = static_cast<int>(leaving_.outer.size()) - 1 - outermost;
  code().emit(break_, ir::Scalar::boolean, -1, -1, -1, -1, inner);
  code().jump(exit, leaving_.exits.back());
  leaving_.outermost = std::min(leaving_.outermost, outermost);
}

/// The body of the innermost open loop.
void Lowering::loop_body(const std::vector<TStatement>& body) {
  const int itself = static_cast<int>(leaving_.outer.size()) - 1;
  const bool skips = holds_continue(body);
  const auto end = code().label();
  if (skips) open_loop(end);
  leaving_.loops.push_back({itself, itself + 1});
  block(body);
  leaving_.loops.pop_back();
  if (skips) close_loop(end);
}

/// Emits a fn's statements where it is called; they write only their own registers.
Registers Lowering::lower_fn_block(const TExpr& expr) {
  Registers result = fresh(expr.type);
  const bool early = returns_early(expr.block);
  const auto end = code().label();
  if (early) open_loop(end);
  const int number = static_cast<int>(leaving_.outer.size()) - 1;
  leaving_.fns.push_back({early ? number : Leaving::nothing, result});
  const bool deferring = std::exchange(deferring_, false);
  block(expr.block);
  deferring_ = deferring;
  leaving_.fns.pop_back();
  if (early) close_loop(end);
  return result;
}

void Lowering::lower_return(const TStatement& s) {
  const Leaving::Fn fn = leaving_.fns.back();
  lower_into(*s.value, fn.result);
  code().at(s.span);
  const auto leaving = costed(s.span, false);
  if (fn.block != Leaving::nothing) leave_loops(fn.block);
}

/// Evaluates all values before printing any.
void Lowering::lower_print(const TStatement& s) {
  std::vector<Registers> values;
  for (const TExpr& e : s.expressions) {
    const auto own = evaluation(e);
    values.push_back(lower(e));
  }
  code().at(s.span);
  const auto item = [&](std::string text, ir::Scalar type, ir::Register value) {
    code().emit(print, type, -1, value, -1, -1, message(std::move(text)));
  };
  std::string text;
  for (std::size_t k = 0; k < values.size(); ++k) {
    text += s.texts[k];
    const std::vector<ir::Scalar> types = fields(s.expressions[k].type);
    const bool record = s.expressions[k].type.is_record();
    for (std::size_t f = 0; f < types.size(); ++f) {
      text += !record ? "" : f == 0 ? "(" : ", ";
      item(std::exchange(text, ""), types[f], values[k][f]);
    }
    if (record) text = ")";
  }
  item(text + s.texts.back() + "\n", ir::Scalar::boolean, -1);
}

} // namespace memlane::lang
