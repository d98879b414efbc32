// What a name in a claim can denote, and the functions claims know.
#pragma once

#include "memlane/lang/ast.hpp"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::claims {

/// What the program declares comes first: letters and counts may be declared anew.
enum class NameKind {
  unknown,
  param,
  constant, ///< scalar
  table,
  fn,
  count,       ///< of the run (counts.hpp)
  later_count, ///< of the papers, not counted by this version
  letter,      ///< of the machine, or a cost of it
  setting,     ///< lockstep, volatile
  kernel,
  array,
};

NameKind classify(const lang::Program& program, std::string_view name);

const lang::ParamDecl* find_param(const lang::Program& program, std::string_view name);
const lang::ConstDecl* find_const(const lang::Program& program, std::string_view name);
const lang::FnDecl* find_fn(const lang::Program& program, std::string_view name);
/// A kernel, not a proc.
const lang::KernelDecl* find_kernel(const lang::Program& program, std::string_view name);
/// The names of all arrays, those that kernels and procs declare included.
std::set<std::string> array_names(const lang::Program& program);
/// `int` for a chain of aliases that ends there; the name itself if it is no alias.
std::string resolve_type(const lang::Program& program, std::string_view name);

enum class Function {
  min,
  max,
  abs,
  log2,
  sqrt,
  floor,
  ceil,
  ceil_div,
  mod,
  mulmod,
  is_pow2,
  to_integer, ///< int(x), long(x): truncates
  to_real,    ///< float(x), double(x): the same number
};

struct FunctionEntry {
  std::string_view name;
  Function function;
  std::size_t least;
  std::size_t most;
};

constexpr std::size_t any_number = 1000;
/// The function of this name, aliases of types looked through; null: none.
const FunctionEntry* find_function(const lang::Program& program, std::string_view name);
std::vector<std::string> function_names();

/// Names a claim may use as values, for "did you mean".
std::vector<std::string> value_names(const lang::Program& program);

/// Calls `visit` for every name and field expression of `expr`, fns looked into once each.
void for_each_name(const lang::Program& program, const lang::Expr& expr,
                   const std::function<void(const lang::Expr&)>& visit);

} // namespace memlane::claims
