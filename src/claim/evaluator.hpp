// Values of the expressions in claims.
#pragma once

#include "problem.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/exact/number.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane::claims {

using exact::Integer;
using exact::Number;

struct Value {
  bool boolean = false; ///< else a number
  bool truth = false;
  Number number;
};

/// What irrational numbers are: exact, or doubles where only a ratio is wanted.
enum class Precision { exact, approximate };

/// Evaluates expressions in one run. After a function returned nothing, `problem` says why.
class Evaluator {
public:
  Evaluator(const lang::Program& program, const ClaimInputs& inputs, Precision precision)
      : program_(program), inputs_(inputs), precision_(precision) {}

  std::optional<Number> number(const lang::Expr& expr);
  std::optional<bool> condition(const lang::Expr& expr);
  const Problem& problem() const { return problem_; }
  /// The first irrational number on the way, as `log2(3)`; empty if there was none.
  const std::string& irrational() const { return irrational_; }

private:
  /// Fns are inlined and may loop, so a short text can stand for a long evaluation: this ends it.
  static constexpr int longest = 1000000;

  struct Argument {
    std::string name;
    Value value;
  };
  using Answer = std::optional<Value>;

  Answer evaluate(const lang::Expr& expr);
  Answer dispatch(const lang::Expr& expr);
  Answer name(const lang::Expr& expr);
  Answer constant(const std::string& name);
  Answer letter(const std::string& name);
  Answer setting(const std::string& name);
  Answer count(const std::string& name);
  Answer multiplicity(std::int64_t shared_words);
  Answer field(const lang::Expr& expr);
  Answer element(const lang::Expr& expr);
  Answer call(const lang::Expr& expr);
  Answer fn(const lang::FnDecl& fn, const lang::Expr& expr);

  // fn_blocks.cpp
  enum class Went { on, broke, skipped, returned, failed };
  Answer block_value(const lang::FnDecl& fn);
  Went execute(const std::vector<lang::Statement>& body);
  Went execute(const lang::Statement& s);
  Went execute_loop(const lang::Statement& s);
  bool assign(const lang::Statement& s);

  Answer logarithm(const Number& a);
  Answer root(const Number& a);
  Answer rounded(const lang::Expr& operand, bool up);
  Answer binary(const lang::Expr& expr);
  Answer bits(lang::BinaryOp op, const Number& a, const Number& b);
  Answer remainder(const Number& a, const Number& b, bool floored);
  Answer raise(const Number& a, const Number& exponent);
  Answer comparison(const lang::Expr& expr);
  /// The array of a name, by whose layout it is asked; null if there is none or several that
  /// differ, with the reason noted.
  const ir::Array* placed_array(const std::string& name);
  std::optional<Answer> layout_comparison(const lang::Expr& expr);

  static Problem too_many_steps();
  Answer fail(Problem problem);
  Answer give(Number number);
  /// The same for a result that may be irrational, called `what`: as a double, `nearest`, where a
  /// ratio is all that is wanted.
  Answer give_real(Number number, double nearest, const std::string& what);
  Answer extreme(const std::vector<Number>& numbers, bool greatest);
  Answer give(bool truth) { return Value{true, truth, {}}; }

  const lang::Program& program_;
  const ClaimInputs& inputs_;
  Precision precision_;
  std::string irrational_;
  std::vector<Argument> arguments_; ///< of the fn being evaluated, and what its block declares
  Value returned_;
  Problem problem_;
  int depth_ = 0;
  int steps_ = 0;
};

} // namespace memlane::claims
