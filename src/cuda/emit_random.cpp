// Random numbers, which host code and initial values draw: the same ones, in the same order.
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

/// What draws is evaluated once, in a statement of its own: a name that stands for it.
TExpr Emitter::settled(const TExpr& e, const std::function<void(const std::string&)>& line) {
  if (!draws(e)) return e;
  const std::string name = fresh_name(fmt::format("part{}", ++unnamed_));
  line(fmt::format("const {} {} = {};", type_name(e.type), name, text(e)));
  TExpr stands;
  stands.kind = TExprKind::variable;
  stands.type = e.type;
  stands.span = e.span;
  stands.symbol = -1000 - unnamed_;
  substituted_[stands.symbol] = {name, Code::primary, e.type.scalar};
  return stands;
}

/// C++ leaves the order of operands open; the order of draws matters.
Code Emitter::in_order(const TExpr& e) {
  TExpr last = e;
  std::string statements;
  const auto line = [&](const std::string& one) { statements += one + " "; };
  for (TExpr& operand : last.operands) operand = settled(operand, line);
  return {fmt::format("[&] {{ {}return {}; }}()", statements, text(last)), Code::primary,
          e.type.scalar};
}

bool Emitter::draws_in_several(const std::vector<TExpr>& operands) {
  return std::count_if(operands.begin(), operands.end(), draws) > 1;
}

ArraySlice Emitter::settled(ArraySlice slice, Writer& out) {
  const auto line = [&](const std::string& one) { out.line(one); };
  for (TExpr& lead : slice.lead) lead = settled(lead, line);
  for (TExpr& bound : slice.range) bound = settled(bound, line);
  return slice;
}

/// A call or launch whose arguments draw, in their order, before it; nothing if C++ has the order.
std::optional<TStatement> Emitter::settled(const TStatement& s, Writer& out) {
  int drawing = 0;
  each_expression(s, [&](const TExpr& e) { drawing += draws(e) ? 1 : 0; });
  const bool sliced = std::any_of(s.actuals.begin(), s.actuals.end(), [](const TActual& actual) {
    if (!actual.array) return false;
    const ArraySlice& slice = *actual.array;
    return std::any_of(slice.lead.begin(), slice.lead.end(), draws) ||
           std::any_of(slice.range.begin(), slice.range.end(), draws);
  });
  if (drawing < 2 && !sliced) return std::nullopt;
  TStatement own = s;
  const auto line = [&](const std::string& one) { out.line(one); };
  for (TActual& actual : own.actuals) {
    if (actual.value) actual.value = settled(*actual.value, line);
    if (actual.array) actual.array = settled(*actual.array, out);
  }
  if (own.blocks) own.blocks = settled(*own.blocks, line);
  if (own.threads) own.threads = settled(*own.threads, line);
  return own;
}

Code Emitter::random(const TExpr& e) {
  if (draws_in_several(e.operands)) return in_order(e);
  const std::string type = scalar_name(e.type.scalar);
  const std::string bounds =
      fmt::format("{}, {}", exact(e.operands[0]).text, exact(e.operands[1]).text);
  if (random_array_ >= 0)
    return {
        fmt::format("random_element<{}>({}, {}, index, {})", type, random_array_, e.symbol, bounds),
        Code::primary, e.type.scalar};
  return {fmt::format("random_draw<{}>({}, {})", type, e.symbol, bounds), Code::primary,
          e.type.scalar};
}

} // namespace memlane::cuda
