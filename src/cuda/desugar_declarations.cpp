// What stands before the kernels: constants, types, tables, shared arrays.
#include "desugar.hpp"

#include "memlane/support/machine_names.hpp"

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

namespace {

std::string meaning_of(const std::string& letter) {
  if (letter == "w") return "// threads of a warp";
  if (letter == "p") return "// threads of a block, where a launch does not say";
  if (letter == "d" || letter == "k")
    return "// multiprocessors of the machine this was emitted for";
  return {};
}

} // namespace

/// Letters that the file mentions, fixed parameters and constants, in an order in which each is
/// known where it is used.
Block Desugarer::constants(const std::set<std::string>& letters) {
  FunctionContext nowhere;
  context_ = &nowhere;
  Block fixed, all;
  const auto add = [&](ir::Scalar type, const std::string& name, Expr value, Span place) {
    fixed.push_back(declare("constexpr " + scalar_name(type), names_.top(name), std::move(value),
                            comments_.behind(place)));
  };
  for (const SymbolId id : fixed_params_) {
    const ParamSymbol& param = checked_.param(id);
    TExpr itself;
    itself.kind = TExprKind::param, itself.symbol = id;
    if (const auto value = values_.value(itself))
      add(param.type, param.name, value_literal(param.type, *value), param.span);
  }
  for (const SymbolId id : fixed_consts_) {
    const ConstSymbol& of = checked_.constant(id);
    // A claim's constant need not be a number of C++.
    if (of.extents.empty() && values_.value(of.values[0]))
      add(of.type, of.name, constant(of.values[0]), of.span);
  }
  context_ = nullptr;
  std::set<std::string> mentioned = letters;
  Needs needs;
  add_needs(fixed, needs);
  mentioned.insert(needs.letters.begin(), needs.letters.end());
  for (const auto& [letter, value] : request_.bindings.letters) {
    if (mentioned.count(names_.top(letter)) == 0) continue;
    const bool wide = value > INT32_MAX || find_machine_name(letter)->wide;
    all.push_back(declare(wide ? "constexpr long long" : "constexpr int", names_.top(letter),
                          literal(std::to_string(value), ir::Scalar::int64), meaning_of(letter)));
  }
  all.insert(all.end(), fixed.begin(), fixed.end());
  return all;
}

void Desugarer::record_types() {
  for (const TypeDecl& type : checked_.program.types) {
    if (!type.alias || !names_.mentions_type(type.name.text)) continue;
    const std::string& alias = type.alias->text;
    const bool basic = alias == "int" || alias == "float" || alias == "double" || alias == "bool";
    file_.aliases.emplace_back(names_.top(type.name.text), alias == "long" ? "long long"
                                                           : basic         ? alias
                                                                           : names_.top(alias));
  }
  for (const RecordType& record : checked_.records) {
    file_.records.push_back({names_.top(record.name), {}});
    for (const RecordField& field : record.fields)
      file_.records.back().fields.push_back(
          {scalar_name(field.type), word_name(field.type), names_.top(field.name), field.name});
  }
}

/// Tables of constants as functions: so they are at hand on both sides.
void Desugarer::tables() {
  for (const ConstSymbol& table : checked_.consts) {
    if (table.extents.empty()) continue;
    std::int64_t words = 1;
    for (const TExpr& extent : table.extents) words *= values_.integer(extent).value_or(1);
    std::vector<Expr> values;
    for (std::int64_t i = 0; i < words; ++i) {
      const auto value = values_.value(table.values[table.list ? std::size_t(i) : 0]);
      values.push_back(value ? value_literal(table.type, *value) : integer(0));
    }
    const std::string type = scalar_name(table.type);
    Function function;
    function.result = "__host__ __device__ inline " + type;
    function.name = names_.top(table.name);
    function.parameters = {{"long long", "i"}};
    function.body = {declare_array("constexpr " + type, "words", literal("", ir::Scalar::int32),
                                   braces("", std::move(values))),
                     simple(Statement::return_, indexed(named("words"), named("i")))};
    function.comment = comments_.behind(table.span);
    file_.tables.push_back(std::move(function));
  }
}

/// Shared arrays of the program's top level, for all kernels that have room for static ones.
void Desugarer::top_level_shared() {
  FunctionContext nowhere;
  context_ = &nowhere;
  for (const SymbolId id : static_shared_) {
    const ArraySymbol& array = checked_.array(id);
    if (!array.top_level) continue;
    const std::size_t first = file_.shared.size();
    declare_shared(id, names_.top(array.name), file_.shared);
    file_.shared[first].comment = comments_.behind(array.span);
  }
  context_ = nullptr;
}

} // namespace memlane::cuda
