// The state of the uniformity analysis.
#pragma once

#include "checker.hpp"

namespace memlane::lang {

/// How far a value differs, and where the difference comes from.
struct Level {
  Uniformity uniformity = Uniformity::constant;
  Span span = {};
  std::string why = {};
};

/// The one that differs more; of equals the first.
Level join(const Level& a, const Level& b);

/// How threads diverge at a condition or bound: which of them continue, and where the others are.
enum class Divergence { holds, fails, loops, counts, broke, went_on, skipped, went_through };

/// The level of control flow at a place, and the condition or bound at which threads diverged.
struct Control {
  Level level;
  Span at = {};
  Divergence divergence = Divergence::holds;
};

/// Runs a function's body until no level rises any more, then once more to report errors.
class UniformityChecker {
public:
  UniformityChecker(Checked& checked, const Sources& sources, Diagnostics& errors, Watch& watch)
      : checked_(checked), sources_(sources), errors_(errors), watch_(watch) {}

  void run(const TFunction& function);

private:
  using Levels = std::map<SymbolId, Level>;

  // Values (uniformity_values.cpp).
  Level of(const TExpr& e);
  Level of_special(const TExpr& e) const;
  Level of_element(const TExpr& e);
  Level of_block(const std::vector<TStatement>& block);
  void raise(Levels& levels, SymbolId id, const Level& level);

  // Statements (uniformity.cpp).
  void settle(const std::vector<TStatement>& body, const Control& control);
  void walk(const std::vector<TStatement>& body, const Control& control);
  void statement(const TStatement& s, const Control& control);
  void assignment(const TStatement& s, const Control& control);
  void loop(const TStatement& s, const Control& control);
  void leave(const TStatement* loop, Control control);
  void skip(Control control);
  void forall(const TStatement& s, const Control& control);
  void call(const TStatement& s, const Control& control);
  Levels formal_levels(const TStatement& s);
  std::string call_key(const TStatement& s, const Control& control, const Levels& given,
                       const std::map<SymbolId, SymbolId>& arrays);
  void apply(const Levels& arrays);

  // Rules (uniformity.cpp).
  void require_together(const TStatement& s, const Control& control, const std::string& what);
  void require(const TExpr& e, Uniformity most, const std::string& what);
  void check_slice(const ArraySlice& slice);
  bool check_affine(const TExpr& e, const std::vector<SymbolId>& indices, Uniformity most);
  bool check_affine(const TStatement& s, std::size_t k, Uniformity most);
  bool holds_parallel(const std::vector<TStatement>& body) const;
  bool proc_holds_parallel(SymbolId proc) const;
  void error(Span span, std::string message, std::vector<Diagnostic> notes,
             std::vector<std::string> help = {});

  // Ranges of a forall (uniformity_values.cpp).
  void check_ranges(const TStatement& s);
  std::vector<std::string> idioms_of_nested(const TStatement& s) const;
  std::vector<std::string> idioms(ForallKind kind, const TRange& row, const TRange& range) const;
  std::string text(Span span) const;
  const std::string& name_of(const TRange& range) const;
  static Control narrow(const Control& control, const Level& level, Span at, Divergence divergence);

  Checked& checked_;
  const Sources& sources_;
  Diagnostics& errors_;
  Watch& watch_;
  bool backward_ = false; ///< the statements of a body are walked from its last
  std::set<std::string> reported_;
  bool host_ = false;                  ///< everything is launch-uniform
  bool reporting_ = false;             ///< the levels are settled
  bool blamed_ = false;                ///< a call around was reported for the barriers in its body
  const TStatement* forall_ = nullptr; ///< the forall around, if any
  Levels variables_;                   ///< levels in the function being walked
  Levels arrays_;                      ///< local arrays, by root
  std::map<SymbolId, SymbolId> formals_;
  std::map<const TStatement*, Control> breaks_; ///< what the breaks of each loop depend on
  std::vector<const TStatement*> loops_;
  Control skipped_;  ///< what the `continue`s before in this round depend on
  Control returned_; ///< what the returns before in this fn depend on
  Level result_;     ///< this fn's, so far
  std::vector<Span> trail_;
  std::int64_t rises_ = 0; ///< how often a level rose
  /// By call with its arguments: what the call leaves in its array arguments.
  std::map<std::string, Levels> settled_;
  std::set<std::string> walked_; ///< calls whose errors have been reported
  mutable std::map<SymbolId, bool> parallel_;
};

} // namespace memlane::lang
