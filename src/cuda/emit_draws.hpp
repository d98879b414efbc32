// The numbers of the places that draw random numbers. Lowering numbers them, and leaves out what
// the parameters decide against, so that a number may depend on parameters that have other values
// when the emitted program runs: then it is an expression of them.
#pragma once

#include "emit_values.hpp"

#include <map>
#include <utility>
#include <vector>

namespace memlane::cuda {

/// How many places were numbered before: some, and those behind conditions on parameters.
struct DrawCount {
  struct Term {
    const lang::TExpr* condition = nullptr;
    std::vector<DrawCount> yes_no; ///< two
  };
  std::int64_t known = 0;
  std::vector<Term> terms;
};

/// What draws: an array's initial values, one of its fields, main, verify.
struct DrawSource {
  enum Kind { initial, main, verify } kind = main;
  lang::SymbolId array = -1;
  int field = 0;
  bool operator<(const DrawSource& other) const {
    return std::tie(kind, array, field) < std::tie(other.kind, other.array, other.field);
  }
};

/// Goes through a program in the order of lowering.
class DrawSites {
public:
  DrawSites(const lang::Checked& checked, EmitValues& values)
      : checked_(checked), values_(values) {}

  /// Numbers all places anew, under what `values` knows. Gives the conditions that are too
  /// entangled to be written: their parameters have to be fixed.
  std::vector<const lang::TExpr*> number();

  /// The number of the place at `span` that comes `nth` in the source's order.
  const DrawCount& site(const DrawSource& source, Span span, int nth) const;

private:
  enum class Known { no, yes, depends };
  Known known(const lang::TExpr& e);
  Known all_known(const std::vector<lang::TExpr>& operands);
  Known known_choice(const lang::TExpr& e);
  Known known_block(const lang::TExpr& call);

  void expression(const lang::TExpr& e);
  void logical(const lang::TExpr& e);
  void draw(const lang::TExpr& e);
  void body(const std::vector<lang::TStatement>& statements);
  void statement(const lang::TStatement& s);
  void slice(const lang::ArraySlice& slice);
  /// Two ways; lowering takes one if it knows the condition, else both.
  template <class Yes, class No>
  void choice(const lang::TExpr& condition, Yes yes, No no);
  template <class Part>
  void left_out(Part part);

  using Sites = std::map<std::pair<std::int32_t, std::uint32_t>, std::vector<DrawCount>>;

  const lang::Checked& checked_;
  EmitValues& values_;
  std::map<lang::SymbolId, Known> bound_; ///< formals of fns that lowering may fold
  std::map<DrawSource, Sites> sites_;
  Sites* into_ = nullptr;
  DrawCount count_;
  std::vector<const lang::TExpr*> entangled_;
};

} // namespace memlane::cuda
