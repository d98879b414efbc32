// What is known of values when a program is emitted.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/lang/evaluate.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/walk.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace memlane::cuda {

/// An array has no more: the harness refuses it before anything runs.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 30;

/// Whole numbers that an expression may have.
struct Interval {
  std::int64_t low = 0, high = 0;
};

/// Values under the parameters and the machine of the emission.
class KnownValues : private lang::Environment {
public:
  KnownValues(const lang::Checked& checked, const lang::Bindings& bindings,
              const ir::Program& lowered);
  KnownValues(const KnownValues&) = delete;
  KnownValues& operator=(const KnownValues&) = delete;

  /// From now on only these parameters and constants are known: the others may have other values
  /// when the emitted program runs.
  void know_only(const std::set<lang::SymbolId>& params, const std::set<lang::SymbolId>& consts);

  /// The value of an expression of literals, parameters, constants, letters and bound variables.
  std::optional<ir::Value> value(const lang::TExpr& expr);
  std::optional<std::int64_t> integer(const lang::TExpr& expr);
  /// Bounds of a whole number; of variables, those of the loops in `loops`.
  std::optional<Interval> interval(const lang::TExpr& expr);

  /// Numbers between which a whole number stays, whatever the parameters at run time: the ends of
  /// its type where nothing else is known. Sound where `interval` only knows the values of the
  /// emission.
  Interval bounds(const lang::TExpr& expr);
  /// Whether 32 bits hold it.
  bool fits_int(const lang::TExpr& expr);
  /// Whether a quotient or remainder may be that of the lowest number by -1, which is beyond the
  /// range of its type.
  bool may_overflow(const lang::TExpr& division);

  /// A variable stands for a value, or for an interval, until it is given another.
  void bind(lang::SymbolId variable, std::optional<ir::Value> value) { bound_[variable] = value; }
  void bind(lang::SymbolId variable, std::optional<Interval> interval) {
    loops_[variable] = interval;
  }
  /// A variable stays between these; of none, the ends of its type. What is not below a number
  /// alone may go up to that end.
  void bind_at_least(lang::SymbolId variable, std::int64_t low) {
    bounds_[variable] = {low, INT64_MAX};
  }
  void bind_bounds(lang::SymbolId variable, std::optional<Interval> bounds) {
    bounds_.erase(variable);
    if (bounds) bounds_[variable] = *bounds;
  }

  /// The parameters that an expression depends on, also by way of constants.
  void add_parameters(const lang::TExpr& expr, std::set<lang::SymbolId>& params) const;

private:
  lang::Evaluation param(lang::SymbolId id) override;
  lang::Evaluation letter(const lang::TExpr& e) override;
  std::optional<lang::Evaluated> variable(lang::SymbolId id) override;
  bool knows_constant(lang::SymbolId id) const override {
    return all_known_ || consts_.count(id) > 0;
  }
  std::optional<Interval> interval_of_operation(const lang::TExpr& expr);
  void each_limit(lang::SymbolId param,
                  const std::function<void(bool above, std::int64_t limit)>& visit);
  Interval bounds_of_param(lang::SymbolId id);
  Interval bounds_of_special(ir::Special special) const;
  Interval bounds_of_parts(const lang::TExpr& expr);

  const lang::Checked& checked_;
  const lang::Bindings& bindings_;
  std::map<std::string, ir::Value> named_;
  bool all_known_ = true;
  std::set<lang::SymbolId> params_, consts_;
  std::map<lang::SymbolId, std::optional<ir::Value>> bound_;
  std::map<lang::SymbolId, std::optional<Interval>> loops_;
  std::map<lang::SymbolId, Interval> bounds_;
  lang::Evaluator evaluator_;
};

} // namespace memlane::cuda
