// Values of what is known before a run: parameters, constants, machine letters.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/ir/wrap.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/typed.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace memlane::lang {

/// Binds parameters and constants in declaration order, then evaluates constant expressions.
class Constants {
public:
  Constants(const Checked& program, const Bindings& bindings, const Sources& sources);

  /// The value of an expression, or none if it depends on more than constants or would trap.
  /// Cost: the size of the expression.
  std::optional<ir::Value> fold(const TExpr& expr);
  /// The value of an expression that must be constant; 0, with an error added, otherwise.
  ir::Value require(const TExpr& expr);
  /// A positive extent of an array, computed without a wrap; 1, with an error added, otherwise.
  std::int64_t extent(const TExpr& expr, const std::string& array);

  const std::vector<ir::Value>& table(SymbolId id) const { return tables_[index(id)]; }
  const std::vector<std::int64_t>& table_extents(SymbolId id) const { return extents_[index(id)]; }

  /// Parameters and scalar constants with their values, in declaration order.
  std::vector<ir::Constant> listing() const;

  Diagnostics& errors() { return errors_; }
  /// Whether the letter p has been asked for.
  bool names_threads() const { return names_threads_; }

private:
  static std::size_t index(SymbolId id) { return static_cast<std::size_t>(id); }
  void bind_params();
  void bind_param(std::size_t i);
  void bind_const(std::size_t i);
  std::vector<std::string> ways_to_meet(const ParamSymbol& param) const;
  void check_conditions();

  /// How a statement of a fn's block ended.
  enum class Went { on, broke, skipped, returned, failed };
  /// An array of a fn's block.
  struct Array {
    std::vector<std::int64_t> extents;
    std::vector<ir::Value> values;
  };

  // constant_blocks.cpp
  std::optional<ir::Value> block_value(const TExpr& call);
  bool step(Span at);
  Went execute(const std::vector<TStatement>& body);
  Went execute(const TStatement& s);
  Went execute_loop(const TStatement& s);
  static std::int64_t next_index(const TStatement& s, std::int64_t i, std::int64_t step);
  bool declare_array(const TStatement& s);
  bool assign_element(const TStatement& s);
  ir::Value* element(SymbolId id, const std::vector<TExpr>& indices);

  std::optional<ir::Value> evaluate(const TExpr& expr);
  /// A value that is kept, and the wrap behind it, which `wrap_` does not take in.
  std::optional<ir::Value> evaluate(const TExpr& expr, std::optional<ir::Wrap>& wrap);
  std::optional<ir::Value> with_wrap(std::optional<ir::Value> value,
                                     const std::optional<ir::Wrap>& wrap);
  std::optional<ir::Value> evaluate_kind(const TExpr& expr);
  std::optional<ir::Value> letter(const TExpr& expr);
  std::optional<ir::Value> lookup(const TExpr& expr);
  std::optional<ir::Value> operate(const TExpr& expr, ir::Opcode op);
  std::optional<ir::Value> logical(const TExpr& expr);
  std::optional<ir::Value> fail(Span span, std::string message, std::vector<std::string> help = {});

  const Checked& program_;
  const Bindings& bindings_;
  const Sources& sources_;
  Diagnostics errors_;
  bool names_threads_ = false;
  bool quiet_ = false; ///< folding: a failure is no error
  std::vector<std::optional<ir::Value>> params_, consts_;
  std::vector<std::optional<ir::Wrap>> param_wraps_, const_wraps_;
  std::vector<std::vector<ir::Value>> tables_;
  std::vector<std::vector<std::int64_t>> extents_;
  /// During evaluation: parameters of fns, and what their blocks declare.
  std::unordered_map<SymbolId, ir::Value> variables_;
  std::unordered_map<SymbolId, Array> arrays_;
  std::unordered_map<SymbolId, std::optional<ir::Wrap>> variable_wraps_;
  ir::Value returned_;
  std::optional<ir::Wrap> returned_wrap_;
  std::optional<ir::Wrap> wrap_; ///< the innermost behind the value being computed
  std::int64_t steps_ = 0;       ///< of blocks, for the whole of what is evaluated
  int depth_ = 0;                ///< of the expression being evaluated
};

} // namespace memlane::lang
