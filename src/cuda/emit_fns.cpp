// fns: functions of the file where they need nothing but their arguments, else lambdas of the
// function that calls them.
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane::cuda {

using namespace lang;

namespace {

/// One statement stands on the line of its braces.
std::string braced(const std::string& statements) {
  return statements.find('\n') == std::string::npos ? "{ " + statements + " }"
                                                    : "{\n" + statements + "}";
}

} // namespace

/// The statements of a fn's block. Its variables are its own, whatever their names.
std::string Emitter::block_of(const TExpr& call) {
  Writer body;
  const bool outer = std::exchange(in_fn_block_, true);
  block(call.block, body);
  in_fn_block_ = outer;
  return body.text();
}

/// Part of an expression with a name of its own, as `0 <= i + j < n` has.
Code Emitter::bound_parts(const TExpr& e) {
  std::string statements;
  for (const Binding& binding : e.bindings) {
    const Code value = expr(binding.value);
    if (!reads_arrays(binding.value) && !draws(binding.value)) {
      substituted_[binding.variable] = value;
      continue;
    }
    const std::string name = fresh_name(fmt::format("part{}", ++unnamed_));
    statements +=
        fmt::format("const {} {} = {}; ", type_name(binding.value.type), name, value.text);
    substituted_[binding.variable] = {name, Code::primary, binding.value.type.scalar};
  }
  if (!e.block.empty())
    return {fmt::format("[&]() -> {} {{ {}\n{}}}()", type_name(e.type), statements, block_of(e)),
            Code::primary, e.type.scalar};
  const Code result = expr(e.operands[0]);
  if (statements.empty()) return result;
  return {fmt::format("[&] {{ {}return {}; }}()", statements, result.text), Code::primary,
          result.type};
}

/// The name of a C++ function whose statements `body` gives: one of the file if it needs nothing of
/// the function that is being written.
std::string Emitter::function_of(const std::string& name, const std::string& result,
                                 const std::vector<std::pair<std::string, std::string>>& formals,
                                 const std::function<std::string()>& body) {
  FunctionText needs;
  needs.host = function_->host;
  needs.written = function_->written;
  FunctionText* const outer = function_;
  function_ = &needs;
  const std::string text = body();
  function_ = outer;
  std::string parameters;
  for (const auto& [type, formal] : formals)
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", type, formal);
  const std::string key = fmt::format("{}({}) -> {} {}", name, parameters, result, text);
  const bool alone = !needs.host_arrays && needs.captures.empty() && needs.specials.empty() &&
                     needs.lambdas.empty() && needs.records.empty();
  std::map<std::string, std::string>& written = alone ? file_written_ : outer->written;
  if (!alone) {
    outer->captures.merge(needs.captures);
    outer->specials.merge(needs.specials);
    outer->records.merge(needs.records);
    for (const std::string& lambda : needs.lambdas) outer->lambdas.push_back(lambda);
    outer->written.merge(needs.written);
  }
  if (const auto found = written.find(key); found != written.end()) return found->second;
  const auto taken = [&](const std::string& wish) {
    const auto is_it = [&](const auto& entry) { return entry.second == wish; };
    return std::any_of(file_written_.begin(), file_written_.end(), is_it) ||
           std::any_of(outer->written.begin(), outer->written.end(), is_it);
  };
  std::string own = top_name(name);
  for (int version = 2; taken(own); ++version) own = fmt::format("{}_{}", top_name(name), version);
  if (alone) {
    file_functions_.push_back(fmt::format("__host__ __device__ inline {} {}({}) {}", result, own,
                                          parameters, braced(text)));
  } else {
    outer->lambdas.push_back(
        fmt::format("const auto {} = [&]({}) -> {} {};", own, parameters, result, braced(text)));
  }
  return written[key] = own;
}

/// The same, of an expression.
std::string Emitter::function_for(const std::string& name, const std::string& result,
                                  const std::vector<std::pair<std::string, std::string>>& formals,
                                  const std::function<std::string()>& value) {
  return function_of(name, result, formals, [&] { return returning(value()); });
}

Code Emitter::fn_call(const TExpr& e) {
  const std::string& name = checked_.fns[std::size_t(e.symbol)];
  if (draws(e)) { // each call has sites of its own
    const Code value = bound_parts(e);
    return value;
  }
  const TExpr* body = e.block.empty() ? &e.operands[0] : nullptr;
  if (body && e.bindings.empty() && (is_at_hand(body->kind) || body->kind == TExprKind::record))
    return expr(*body);
  std::vector<std::pair<std::string, std::string>> formals;
  std::string arguments;
  for (const Binding& binding : e.bindings) {
    const Code argument = expr(binding.value);
    arguments += (arguments.empty() ? "" : ", ") + argument.text;
  }
  for (const Binding& binding : e.bindings) {
    formals.emplace_back(type_name(binding.value.type), declare(binding.variable));
    substituted_.erase(binding.variable);
  }
  ir::Scalar type = e.type.scalar;
  const std::string own = function_of(name, type_name(e.type), formals, [&] {
    return body ? returning(expr(*body).text) : block_of(e);
  });
  return {fmt::format("{}({})", own, arguments), Code::primary, type};
}

} // namespace memlane::cuda
