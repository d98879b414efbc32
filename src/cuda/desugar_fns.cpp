// fns: functions of the file where they need nothing but their arguments, else lambdas of the
// function that calls them.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane::cuda {

using namespace lang;

/// The statements of a fn's block. Its variables are its own, whatever their names.
Block Desugarer::fn_block(const TExpr& call) {
  const bool outer = std::exchange(context_->in_fn, true);
  Block body = block(call.block);
  context_->in_fn = outer;
  return body;
}

/// Part of an expression with a name of its own, as `0 <= i + j < n` has.
Expr Desugarer::bound_parts(const TExpr& e) {
  Function parts;
  for (const Binding& binding : e.bindings) {
    const TExpr& value = binding.value;
    Expr code = expr(value);
    if (reads_arrays(value) || draws(value)) {
      const std::string own = numbered("part");
      code = keep(parts.body, names_.type(value.type), own, std::move(code));
      code.type = value.type.scalar;
    }
    variables_[binding.variable] = std::move(code);
  }
  if (e.block.empty()) {
    Expr result = expr(e.operands[0]);
    if (parts.body.empty()) return result;
    const ir::Scalar type = result.type;
    parts.body.push_back(simple(Statement::return_, std::move(result)));
    return call(lambda(std::move(parts)), {}, type);
  }
  parts.result = names_.type(e.type);
  for (Statement& s : fn_block(e)) parts.body.push_back(std::move(s));
  return call(lambda(std::move(parts)), {}, e.type.scalar);
}

/// The name of a C++ function with this body: one of the file if it needs nothing of the function
/// whose statements are made.
Expr Desugarer::function_for(Function wanted, const std::function<Block()>& body) {
  const std::set<std::string> kept = std::exchange(context_->kept, {});
  const std::optional<Expr> mask = std::exchange(context_->mask, {});
  wanted.body = body();
  context_->kept = kept, context_->mask = mask;
  Needs needs;
  add_needs(wanted.body, needs);
  std::vector<WrittenFn>& all = needs.none() ? fns_ : context_->lambdas;
  const auto same = std::find_if(
      all.begin(), all.end(), [&](const WrittenFn& written) { return written.function == wanted; });
  if (same != all.end()) return same->name;
  const auto taken = [&](const std::string& wish) {
    const auto is_it = [&](const WrittenFn& written) { return written.name.text == wish; };
    return std::any_of(fns_.begin(), fns_.end(), is_it) ||
           std::any_of(context_->lambdas.begin(), context_->lambdas.end(), is_it);
  };
  const std::string wish = names_.top(wanted.name);
  Expr own = named(wish);
  for (int version = 2; taken(own.text); ++version) own.text = fmt::format("{}_{}", wish, version);
  own.role = needs.none() ? Role::local : Role::lambda;
  all.push_back({std::move(wanted), own});
  return own;
}

Expr Desugarer::fn_call(const TExpr& e) {
  if (draws(e)) return bound_parts(e); // each call has sites of its own
  const TExpr* body = e.block.empty() ? &e.operands[0] : nullptr;
  if (body && e.bindings.empty() && (is_at_hand(body->kind) || body->kind == TExprKind::record))
    return expr(*body);
  std::vector<Expr> arguments;
  for (const Binding& binding : e.bindings) arguments.push_back(expr(binding.value));
  Function fn;
  fn.name = checked_.fns[std::size_t(e.symbol)], fn.result = names_.type(e.type);
  for (const Binding& binding : e.bindings)
    fn.parameters.push_back({names_.type(binding.value.type), declare_variable(binding.variable)});
  Expr own = function_for(std::move(fn), [&] {
    return body ? Block{simple(Statement::return_, expr(*body))} : fn_block(e);
  });
  return call(std::move(own), std::move(arguments), e.type.scalar);
}

} // namespace memlane::cuda
