#include "names.hpp"

#include "counts.hpp"

#include "memlane/lang/walk.hpp"

#include <algorithm>
#include <array>

namespace memlane::claims {
namespace {

constexpr std::array<FunctionEntry, 15> functions = {{
    {"min", Function::min, 1, any_number},
    {"max", Function::max, 1, any_number},
    {"abs", Function::abs, 1, 1},
    {"log2", Function::log2, 1, 1},
    {"sqrt", Function::sqrt, 1, 1},
    {"floor", Function::floor, 1, 1},
    {"ceil", Function::ceil, 1, 1},
    {"ceil_div", Function::ceil_div, 2, 2},
    {"mod", Function::mod, 2, 2},
    {"mulmod", Function::mulmod, 3, 3},
    {"is_pow2", Function::is_pow2, 1, 1},
    {"int", Function::to_integer, 1, 1},
    {"long", Function::to_integer, 1, 1},
    {"float", Function::to_real, 1, 1},
    {"double", Function::to_real, 1, 1},
}};

/// Letters of any machine (programs/README.md, "Names") and the costs beside them.
constexpr std::array<std::string_view, 17> letter_names = {"w",
                                                           "b",
                                                           "width",
                                                           "d",
                                                           "k",
                                                           "mps",
                                                           "p",
                                                           "l",
                                                           "L",
                                                           "M",
                                                           "Z",
                                                           "U",
                                                           "P",
                                                           "capacity",
                                                           "instruction_cost",
                                                           "barrier_cost",
                                                           "launch_cost"};
constexpr std::array<std::string_view, 2> setting_names = {"lockstep", "volatile"};

template <class Declarations>
auto declared(const Declarations& declarations, std::string_view name)
    -> decltype(declarations.data()) {
  const auto it = std::find_if(declarations.begin(), declarations.end(),
                               [&](const auto& d) { return d.name.text == name; });
  return it == declarations.end() ? nullptr : &*it;
}

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_arrays(const std::vector<lang::Statement>& body, std::set<std::string>& names) {
  for (const lang::Statement& statement : body) {
    if (statement.arrays)
      for (const auto& array : statement.arrays->arrays) names.insert(array.name.text);
    add_arrays(statement.body, names);
    add_arrays(statement.alternative, names);
  }
}

/// The expressions of a fn's body or block.
void each_of_fn(const lang::FnDecl& fn, const std::function<void(const lang::Expr&)>& visit) {
  if (fn.has_block) return lang::each_expression(fn.block, visit);
  visit(fn.body);
}

void visit_names(const lang::Program& program, const lang::Expr& expr,
                 const std::function<void(const lang::Expr&)>& visit, std::set<std::string>& seen) {
  using lang::ExprKind;
  if (expr.kind == ExprKind::name || expr.kind == ExprKind::field) visit(expr);
  if (expr.kind == ExprKind::field) return; // its operand is a kernel, a fn or an array
  if (expr.kind == ExprKind::name || expr.kind == ExprKind::call)
    if (const lang::FnDecl* fn = find_fn(program, expr.name); fn && seen.insert(expr.name).second)
      each_of_fn(*fn, [&](const lang::Expr& e) { visit_names(program, e, visit, seen); });
  for (const lang::Expr& operand : expr.operands) visit_names(program, operand, visit, seen);
}

} // namespace

const lang::ParamDecl* find_param(const lang::Program& program, std::string_view name) {
  return declared(program.params, name);
}
const lang::ConstDecl* find_const(const lang::Program& program, std::string_view name) {
  return declared(program.consts, name);
}
const lang::FnDecl* find_fn(const lang::Program& program, std::string_view name) {
  return declared(program.fns, name);
}
const lang::KernelDecl* find_kernel(const lang::Program& program, std::string_view name) {
  const lang::KernelDecl* kernel = declared(program.kernels, name);
  return kernel && !kernel->proc ? kernel : nullptr;
}

std::set<std::string> array_names(const lang::Program& program) {
  std::set<std::string> names;
  for (const auto& declaration : program.arrays)
    for (const auto& array : declaration.arrays) names.insert(array.name.text);
  for (const auto& kernel : program.kernels) add_arrays(kernel.body, names);
  return names;
}

std::string resolve_type(const lang::Program& program, std::string_view name) {
  std::string type(name);
  for (std::size_t step = 0; step <= program.types.size(); ++step) {
    const lang::TypeDecl* declaration = declared(program.types, type);
    if (!declaration || !declaration->alias) break;
    type = declaration->alias->text;
  }
  return type;
}

NameKind classify(const lang::Program& program, std::string_view name) {
  if (find_param(program, name)) return NameKind::param;
  if (const lang::ConstDecl* constant = find_const(program, name))
    return constant->extents.empty() && !constant->value.list ? NameKind::constant
                                                              : NameKind::table;
  if (find_fn(program, name)) return NameKind::fn;
  if (contains(letter_names, name)) return NameKind::letter;
  if (contains(setting_names, name)) return NameKind::setting;
  if (is_run_count(name)) return NameKind::count;
  if (is_later_count(name)) return NameKind::later_count;
  if (find_kernel(program, name)) return NameKind::kernel;
  if (array_names(program).count(std::string(name)) > 0) return NameKind::array;
  return NameKind::unknown;
}

const FunctionEntry* find_function(const lang::Program& program, std::string_view name) {
  const std::string resolved = resolve_type(program, name);
  const auto* it = std::find_if(functions.begin(), functions.end(),
                                [&](const FunctionEntry& entry) { return entry.name == resolved; });
  return it == functions.end() ? nullptr : it;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const FunctionEntry& entry : functions) names.emplace_back(entry.name);
  return names;
}

std::vector<std::string> value_names(const lang::Program& program) {
  std::vector<std::string> names = run_count_names();
  for (const auto& param : program.params) names.push_back(param.name.text);
  for (const auto& constant : program.consts) names.push_back(constant.name.text);
  for (const auto& fn : program.fns) names.push_back(fn.name.text);
  // Letters of machines to come are known, but no advice.
  for (std::string_view letter : letter_names)
    if (letter != "Z" && letter != "U" && letter != "P") names.emplace_back(letter);
  names.insert(names.end(), setting_names.begin(), setting_names.end());
  return names;
}

void for_each_name(const lang::Program& program, const lang::Expr& expr,
                   const std::function<void(const lang::Expr&)>& visit) {
  std::set<std::string> seen;
  visit_names(program, expr, visit, seen);
}

} // namespace memlane::claims
