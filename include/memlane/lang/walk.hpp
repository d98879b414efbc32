// Walks over a checked program: every expression and statement once, in the order of the source.
// What a statement reads, writes and passes on is said here; passes add their own rules alone.
#pragma once

#include "memlane/lang/typed.hpp"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace memlane::lang {

/// The expression and all in it, the arguments and blocks of fns included. Cost: its size.
void each_part(const TExpr& expr, const std::function<void(const TExpr&)>& visit);

/// Whether `is` holds for a part of the expression.
bool contains(const TExpr& expr, const std::function<bool(const TExpr&)>& is);

constexpr bool is_assignment(TStatementKind kind) { return kind <= TStatementKind::assign_element; }

/// What an expression in a statement is for.
enum class Use : std::uint8_t {
  value,   ///< it is assigned, returned or passed
  index,   ///< of an element or a slice
  control, ///< a condition or bound; what is asserted or printed
};

/// The expressions that stand in the statement itself, not in its blocks.
void each_use(const TStatement& s, const std::function<void(const TExpr&, Use)>& visit);
void each_use(TStatement& s, const std::function<void(TExpr&, Use)>& visit);
void each_expression(const TStatement& s, const std::function<void(const TExpr&)>& visit);

/// The arrays that a call or launch passes, each with the formal that stands for it.
void each_passed(const Checked& checked, const TStatement& s,
                 const std::function<void(SymbolId formal, const ArraySlice&)>& visit);

/// Follows views (and formals, by `formals`) to the array declared with extents; a formal that is
/// not in `formals` is its own root.
SymbolId root_array(const Checked& checked, SymbolId array,
                    const std::map<SymbolId, SymbolId>& formals = {});

/// The words of a value: one, or one for each field.
std::vector<ir::Scalar> scalars_of(const Checked& checked, Type type);

/// An access to an element of an array.
struct ElementAccess {
  SymbolId array = -1;
  std::span<const TExpr> indices;
  bool reads = false, writes = false;
  bool atomic = false;
};

/// What a statement or expression does, with the fns that it calls, without the statement's inner
/// blocks and the body of a proc.
struct Effects {
  std::vector<ElementAccess> accesses; ///< those of expressions before the element it assigns
  SymbolId variable = -1;              ///< the variable that it assigns, or a field of it
};
Effects effects_of(const TExpr& expr);
Effects effects_of(const TStatement& s);

/// All statements of a body, those of inner blocks included; procs and fns are not entered.
void each_statement(const std::vector<TStatement>& body,
                    const std::function<void(const TStatement&)>& visit);

/// Whether it reads an element of an array.
bool reads_arrays(const TExpr& expr);

/// Whether it asks for random numbers.
bool draws(const TExpr& expr);

/// Whether a part of it is the special `threads`, so that each launch gives it a value.
bool mentions_threads(const TExpr& expr);

/// Whether the bounds of range k of a forall mention indices of earlier ranges: one for each of
/// these. None: the ranges before it are as long for each of their indices.
std::vector<std::size_t> ranges_before(const TStatement& forall, std::size_t k);
/// Whether some range does: the iterations are no rectangle.
bool is_triangular(const TStatement& forall);

/// The values that a fn's block may return.
std::vector<TExpr*> returned_values(std::vector<TStatement>& block);
std::vector<const TExpr*> returned_values(const std::vector<TStatement>& block);

/// All statements of a syntax tree's body, those of inner blocks included.
void each_statement(const std::vector<Statement>& body,
                    const std::function<void(const Statement&)>& visit);
/// The arrays that the body declares.
void each_array(const std::vector<Statement>& body,
                const std::function<void(const ArrayDeclarator&)>& visit);

/// The expressions of all statements of a syntax tree, of arrays and slices too, not the parts of
/// these expressions.
void each_expression(const std::vector<Statement>& body,
                     const std::function<void(const Expr&)>& visit);
/// Whether a statement of the body declares the name.
bool declares(const std::vector<Statement>& body, const std::string& name);

/// Whether a loop's body has a `continue` of that loop.
bool holds_continue(const std::vector<TStatement>& body);

/// Whether a `return` skips statements of the block, so that the threads that return wait for the
/// others.
bool returns_early(const std::vector<TStatement>& block);

} // namespace memlane::lang
