// Values of what is known before a run: parameters, constants, machine letters.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/lang/evaluate.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/values.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memlane::lang {

/// Binds parameters and constants in declaration order, then evaluates constant expressions.
class Constants : private Environment {
public:
  /// params: constants only as these need them, and no conditions; tried_params: nor limits.
  enum class Bind { all, params, tried_params };
  Constants(const Checked& program, const Bindings& bindings, const Sources& sources,
            Bind what = Bind::all);
  Constants(const Constants&) = delete;
  Constants& operator=(const Constants&) = delete;

  /// The value of an expression, or none if it depends on more than constants or would trap.
  /// Cost: the size of the expression.
  std::optional<ir::Value> fold(const TExpr& expr);
  /// The value of an expression that must be constant; 0, with an error added, otherwise.
  ir::Value require(const TExpr& expr);
  /// A positive extent of an array, computed without a wrap; 1, with an error added, otherwise.
  std::int64_t extent(const TExpr& expr, const std::string& array);
  /// The words of a table, whose values are known by now.
  const TableWords& table(SymbolId id) { return *evaluator_.table(id); }

  /// Parameters with their values, in declaration order.
  std::vector<ir::Constant> params() const;
  /// The same, then scalar constants.
  std::vector<ir::Constant> listing();

  /// Adds an error for each parameter that breaks its `where`.
  void check_conditions();

  Diagnostics& errors() { return errors_; }
  /// Once it has stopped, nothing has a value any more.
  Watch& watch() { return evaluator_.watch(); }
  /// The machine's letters whose values have been asked for.
  const std::set<std::string>& asked_letters() const { return asked_letters_; }

private:
  Evaluation param(SymbolId id) override;
  Evaluation letter(const TExpr& e) override;
  const Limits& limits() const override {
    if (what_ == Bind::tried_params) return Environment::limits();
    return bindings_.limits ? *bindings_.limits : sources_.limits();
  }
  Evaluation bind_param(const ParamSymbol& param);
  Evaluation value_of_option(const ParamSymbol& param, const ParamValue& set);
  Evaluation evaluate_option(const ParamSymbol& param, const TExpr& typed);
  void bind_params();
  void bind_const(SymbolId id);
  bool is_set(const ParamSymbol& param) const;
  std::vector<std::string> named_by_default(const ParamSymbol& param) const;
  std::vector<std::string> remedies(const ParamSymbol& param) const;
  void report(const NoValue& problem);

  const Checked& program_;
  const Bindings& bindings_;
  const Sources& sources_;
  Bind what_;
  Diagnostics errors_;
  std::set<std::string> asked_letters_;
  std::vector<std::optional<Evaluation>> params_;
  std::vector<bool> being_bound_;
  Evaluator evaluator_;
};

} // namespace memlane::lang
