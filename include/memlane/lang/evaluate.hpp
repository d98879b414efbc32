// The value of an expression of the checked tree. Constants, `-D` values, claims and what CUDA
// emission knows are evaluated here and nowhere else.
//
// An operation on program types does what ir::apply says. One on exact numbers (Type::exact) never
// wraps or rounds: exact/number.hpp.
#pragma once

#include "memlane/ir/arithmetic.hpp"
#include "memlane/lang/exact/number.hpp"
#include "memlane/lang/typed.hpp"
#include "memlane/support/diagnostic.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace memlane::lang {

/// A value of its expression's type: a word, or a number where the type is exact.
struct Evaluated {
  std::variant<ir::Value, exact::Number> value;
  std::optional<ir::Wrap> wrap = {}; ///< the innermost operation behind it that wrapped around

  ir::Value word() const { return std::get<ir::Value>(value); }
  const exact::Number& number() const { return std::get<exact::Number>(value); }
};

/// Why an expression has no value.
struct NoValue {
  Diagnostic reason;
  bool inapplicable = false; ///< the machine or the run lacks what a claim names
};

using Evaluation = std::variant<Evaluated, NoValue>;

/// The values of the names in an expression.
class Environment {
public:
  virtual ~Environment() = default;
  virtual Evaluation param(SymbolId id) = 0;
  /// A letter or setting of the machine; booleans are words, numbers are int64 words.
  virtual Evaluation letter(const TExpr& e) = 0;
  /// A `count`, `fn_count`, `padding` or `layout` of a claim.
  virtual Evaluation property(const TExpr& e);
  /// A variable that the expression itself does not declare; nothing: it is not known.
  virtual std::optional<Evaluated> variable(SymbolId id);
  virtual bool knows_constant(SymbolId) const { return true; }
  /// May stop an evaluation: the reason of NoValue then has a `stop`.
  virtual const Limits& limits() const;
};

struct EvaluationRules {
  std::int64_t most_steps = 10'000'000; ///< statements of fns' blocks
  bool executes_counted = false;        ///< false: an expression that counts has no value
  bool approximates = false; ///< irrational numbers as doubles, if only a ratio is needed
  bool claim = false;        ///< messages are about a claim
};

/// Rules for expressions that the run can evaluate as well.
constexpr EvaluationRules folding_rules = {20'000, false, false, false};

/// The words of a constant table, row-major.
struct TableWords {
  std::vector<std::int64_t> extents;
  std::vector<ir::Value> words;
};

/// Evaluates expressions in one environment. Constants are evaluated once and kept.
class Evaluator {
public:
  /// Both must outlive it.
  Evaluator(const Checked& checked, Environment& environment, EvaluationRules rules)
      : rules(rules), checked_(&checked), environment_(&environment), watch_(environment.limits()),
        constants_(checked.consts.size()), tables_(checked.consts.size()) {}

  /// The value; nothing where `problem` says why. Cost: the size of the expression, and of blocks
  /// the statements that are executed.
  std::optional<Evaluated> value(const TExpr& e);
  /// An array's extent: at least 1, computed without a wrap.
  std::optional<std::int64_t> extent(const TExpr& e, const std::string& array,
                                     const Sources& sources);
  std::optional<Evaluated> constant(SymbolId id);
  /// Null where a word or an extent has no value.
  const TableWords* table(SymbolId id);

  NoValue problem() const;
  /// The first irrational number on the way, as `log2(3) is irrational`; empty: there was none.
  const std::string& irrational() const { return irrational_; }

  EvaluationRules rules;
  /// Whether the work must stop, also outside of this evaluator.
  Watch& watch() { return watch_; }

private:
  using Answer = std::optional<Evaluated>;
  enum class Completion { normal, broke, continued, returned, failed };
  struct Array { ///< an array in a fn's block
    std::vector<std::int64_t> extents;
    std::vector<ir::Value> words;
  };

  // evaluate.cpp
  bool go_on();
  Answer evaluate(const TExpr& e);
  Answer take(Evaluation evaluation);
  Answer fail(Span span, std::string message, std::vector<std::string> help = {});
  Answer unknown(Span span);
  Answer variable(const TExpr& e);
  Answer lookup(const TExpr& e);
  std::optional<std::int64_t> table_index(const TExpr& e, const std::string& table,
                                          std::int64_t extent);
  Answer operate(const TExpr& e, ir::Opcode op);
  Answer logical(const TExpr& e);
  Answer fn_call(const TExpr& e);

  // evaluate.cpp: exact numbers
  Answer give(Span span, exact::Number number);
  Answer exact_literal(const TExpr& e);
  Answer exact_conversion(const TExpr& e);
  Answer exact_operation(const TExpr& e, ir::Opcode op);
  Answer rounded(const TExpr& e);

  // evaluate_blocks.cpp
  bool step(Span at);
  Completion execute(const std::vector<TStatement>& body);
  Completion execute(const TStatement& s);
  Completion execute_loop(const TStatement& s);
  std::optional<std::vector<Evaluated>> loop_bounds(const TStatement& s);
  Answer next_index(const TStatement& s, const Evaluated& index, const Evaluated& by);
  bool declare_array(const TStatement& s);
  bool assign_element(const TStatement& s);
  ir::Value* element(SymbolId id, const std::vector<TExpr>& indices);

  const Checked* checked_;
  Environment* environment_;
  Watch watch_;
  std::vector<std::optional<Evaluation>> constants_; ///< keyed by symbol; none: not asked for yet
  std::vector<std::optional<TableWords>> tables_;
  /// Parameters of fns, and what their blocks declare.
  std::unordered_map<SymbolId, Evaluated> variables_;
  std::unordered_map<SymbolId, Array> arrays_;
  Evaluated returned_;
  NoValue problem_;
  /// Instead of `problem_`: most of these are never asked for, so none has a message yet.
  std::optional<Span> unknown_;
  std::string irrational_;
  std::int64_t steps_ = 0; ///< steps of the whole evaluation
  int depth_ = 0;
};

} // namespace memlane::lang
