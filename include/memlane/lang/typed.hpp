// A checked program: every name resolved, every expression typed, fns inlined, conversions written
// out. Parameters, constants and machine letters stay symbols, so that one checked program serves
// every machine; lower.hpp gives them values.
#pragma once

#include "memlane/ir/arithmetic.hpp"
#include "memlane/ir/opcodes.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/lang/ast.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memlane::lang {

using SymbolId = std::int32_t;

/// A scalar, a record of scalars, or an exact number.
struct Type {
  ir::Scalar scalar = ir::Scalar::int32;
  SymbolId record = -1; ///< index into Checked::records; -1: a scalar
  /// A number of claims and `-D` values, of unbounded size and never rounded. Its scalar is int64
  /// for whole numbers, whose `/` truncates, else float64.
  bool exact = false;

  bool operator==(const Type&) const = default;
  bool is_record() const { return record >= 0; }
};

/// Exact and whole.
constexpr bool is_exact_whole(Type type) { return type.exact && ir::is_integer(type.scalar); }

struct RecordField {
  std::string name;
  ir::Scalar type = ir::Scalar::int32;
};

struct RecordType {
  std::string name;
  std::vector<RecordField> fields;
};

/// How far a value may differ between threads (programs/README.md, "Parallel code"), uniform ones
/// first.
enum class Uniformity : std::uint8_t { constant, launch, block, thread };

enum class TExprKind : std::uint8_t {
  literal,      ///< `value`; of exact type: the decimal number that the double is written as
  param,        ///< symbol: index into Checked::params
  constant,     ///< symbol: index into Checked::consts, a scalar one
  letter,       ///< `text`: a machine letter or name; int32 (int64 for M, Z, U, capacity); in
                ///< claims also a cost, or a boolean setting
  special,      ///< `special`: thread, threads, …
  index_number, ///< `index` of an initial value, in the element type's integer width (int32 unless
                ///< the element type is int64)
  variable,     ///< symbol: index into Checked::variables
  element,      ///< symbol: index into Checked::arrays; operands: one index a dimension
  initial,      ///< likewise, as main found it
  lookup,       ///< symbol: index into Checked::consts, a table; operands: the indices
  operation,    ///< `op` (arithmetic group) applied to operands of the node's type (mulmod: three)
  comparison,   ///< `op` (eq ne lt le) on two operands of one type; boolean (records: eq, ne)
  logical_not,
  logical_and, ///< two operands; the second evaluated only where the first is true
  logical_or,
  conditional, ///< three operands; arms of the node's type, evaluated where needed
  convert,     ///< operand's scalar type to the node's
  is_pow2,     ///< boolean, operand an integer
  of_warp,     ///< `op` (of the group warp) on the operand, and a lane, in the active lanes
  random,      ///< two operands of the node's type; symbol: the draw site, numbered from 0 in the
               ///< initial value of each array in memory, and from 0 in all code together
  fn_call,     ///< symbol: index into Checked::fns; operands[0]: the body, or `block` where the fn
               ///< has one; `bindings` before it. symbol -1: no fn's, only bindings for operands[0]
               ///< (to evaluate a part once)
  atomic,      ///< `op` (is_atomic) on an element of the array `symbol`, of the field `field` of a
          ///< record; operands: the value (of `cas`: expected, new), the indices; the old value
  record, ///< operands: the fields
  field,  ///< operands[0]: a record; symbol: the field's number
  // In claims and `-D` values only:
  floor,    ///< exact numbers only
  ceiling,  ///< likewise
  count,    ///< `text`: a count of the run; symbol: of that kernel's launches, or -1
  fn_count, ///< `text`: calls or steps; symbol: of that fn
  padding,  ///< `text`: an array
  layout,   ///< boolean: whether the layout of array `text` is operands[0].text
};

/// Whether a node is a known value (the kinds up to `variable`): using it again costs nothing and
/// cannot fail.
constexpr bool is_at_hand(TExprKind kind) { return kind <= TExprKind::variable; }

/// The operands of an atomic before its indices.
constexpr std::size_t values_of_atomic(ir::Opcode op) {
  return op == ir::Opcode::atomic_cas ? 2 : 1;
}

struct Binding;
struct TStatement;

struct TExpr {
  TExprKind kind = TExprKind::literal;
  Type type;
  Span span;
  ir::Value value;
  SymbolId symbol = -1;
  std::string text;
  ir::Special special = ir::Special::thread;
  ir::Opcode op = ir::Opcode::add;
  std::int32_t field = -1; ///< atomic
  /// operation, comparison, fn_call…: an operator that counts (configs/README.md section 6): it has
  /// a data operand, and stands in no index bracket, condition or fn.
  bool counted = false;
  /// The checker added this node: the `and` of a chain of comparisons, the inner operations of a
  /// min or max of several, a conversion that no call names, the choice between 1 and 0 of
  /// int(true).
  bool implied = false;
  std::vector<TExpr> operands;
  std::vector<Binding> bindings; ///< fn_call: arguments, in order
  std::vector<TStatement> block; ///< fn_call: every path ends in `return_`
};

/// A fn's parameter and what it is given.
struct Binding {
  SymbolId variable = -1;
  TExpr value;
};

/// A `let`, `var`, loop index, forall index, formal, bound extent or fn parameter. Each declaration
/// (and each expansion of a fn) is a symbol of its own.
struct VariableSymbol {
  std::string name;
  Span span;
  Type type;
  bool assignable = false;
  /// In some call, an assignment of it reads data. This includes data that host code reads and
  /// hands to kernels, so it is more than configs/README.md section 6 counts.
  bool data = false;
  Uniformity uniformity = Uniformity::constant;
};

enum class ArrayKind : std::uint8_t { memory, shared, local, formal, view };

/// Part of an array, or all of it: what a view denotes and an array formal is given.
struct ArraySlice {
  SymbolId array = -1;
  bool whole = true;        ///< else leading indices, or a range of the last dimension, or both
  std::vector<TExpr> lead;  ///< u[t]: fixes leading dimensions and keeps the others
  std::vector<TExpr> range; ///< lo, hi of X[i, lo .. hi], which has one dimension; else empty
  Span span;

  /// Dimensions of the part, of an array with `rank`.
  std::int32_t rank_in(std::int32_t rank) const {
    return range.empty() ? rank - static_cast<std::int32_t>(lead.size()) : 1;
  }
};

struct ArraySymbol {
  std::string name;
  Span span;
  ArrayKind kind = ArrayKind::memory;
  Type element;
  std::int32_t rank = 1;
  std::vector<TExpr> extents;             ///< memory, shared, local
  std::vector<SymbolId> extent_names;     ///< formal: variables its extents are bound to; -1: none
  std::optional<ArraySlice> target;       ///< view
  std::int32_t views = 0;                 ///< view: those from here to an array
  std::string layout;                     ///< "" = rows; a kind's name, or a fn's
  std::vector<TExpr> layout_arguments;    ///< of built-in layouts; of `strides` the strides
  std::vector<TExpr> layout_sizes;        ///< of `strides`: one for each, or none
  std::vector<std::size_t> layout_digits; ///< of `strides`: how many strides a dimension has
  std::optional<TExpr> layout_word;       ///< body of a fn over `layout_indices`, int64
  std::vector<SymbolId> layout_indices;
  std::vector<TExpr> initial; ///< none, one expression, or the elements of a list; element type
  bool initial_list = false;
  bool top_level = false;
  bool used = false;         ///< the program mentions it; others do not exist
  std::string races_allowed; ///< the reason of `races allowed`; empty: it does not name the array

  std::string layout_name() const { return layout.empty() ? "rows" : layout; }
  /// A fn may have the name of a built-in layout.
  LayoutKind layout_kind() const {
    if (layout_word) return LayoutKind::function;
    return layout_named(layout_name()).value_or(LayoutKind::function);
  }
};

struct ParamSymbol {
  std::string name;
  Span span;
  std::string doc;
  ir::Scalar type = ir::Scalar::int32;
  TExpr value; ///< the default
  std::optional<TExpr> where;
};

struct ConstSymbol {
  std::string name;
  Span span;
  ir::Scalar type = ir::Scalar::int32;
  std::vector<TExpr> extents; ///< empty: a scalar
  std::vector<TExpr> values;  ///< one, or a table's elements, row-major
  bool list = false;
};

enum class TStatementKind : std::uint8_t {
  assign_variable, ///< symbol = value (declaration or assignment; `+=` written out)
  assign_field,    ///< field number `field` of record variable symbol = value
  update,          ///< value: an atomic, whose old value is not used
  assign_element,  ///< array symbol [indices] assign_op value; `field` >= 0: of a record element
  declare_array,   ///< symbol: a local array (zeroed here) or a shared one of a kernel or proc
  declare_view,    ///< symbol: its slice is fixed here
  if_,             ///< value; body; alternative
  while_,          ///< value; body
  for_,            ///< variable symbol; expressions: from, to [, step]
  forall,
  barrier,
  break_,
  continue_,
  return_,    ///< value: of the fn around
  assert_,    ///< value; text
  print,      ///< expressions and texts, as of the syntax tree
  concurrent, ///< body
  call,       ///< symbol: index into Checked::functions, a proc; actuals
  launch,     ///< symbol: likewise, a kernel; actuals; blocks, threads
};

/// The operation of `+=`, `-=`, `*=`; not of `=`.
constexpr ir::Opcode opcode_of(AssignOp op) {
  return op == AssignOp::add   ? ir::Opcode::add
         : op == AssignOp::sub ? ir::Opcode::sub
                               : ir::Opcode::mul;
}

/// A scalar or an array for a formal.
struct TActual {
  std::optional<TExpr> value;
  bool data = false; ///< a proc's argument is TStatement::data
  std::optional<ArraySlice> array;
};

struct TRange {
  SymbolId index = -1;
  TExpr lo, hi; ///< both have the index's type
};

struct TStatement {
  TStatementKind kind = TStatementKind::barrier;
  Span span;
  SymbolId symbol = -1;
  bool declaration = false; ///< assign_variable: the initial value of a `let` or `var`
  std::int32_t field = -1;
  AssignOp assign_op = AssignOp::set; ///< assign_element: the target is read first unless `set`
  bool counted = false;               ///< the operator of `assign_op`
  bool racy = false;                  ///< assignments: written `racy`
  bool implied =
      false; ///< the checker added this assignment: a data statement by its requests only
  /// An assignment that is a data statement (configs/README.md section 6): it assigns or reads
  /// data, or makes a request.
  bool data = false;
  /// call: the body for arguments that hold data where these do, an index into Checked::variants;
  /// -1: that of the proc.
  std::int32_t variant = -1;
  std::optional<TExpr> value;
  std::vector<TExpr> indices;
  std::vector<TExpr> expressions;
  bool down = false;
  StepKind step_kind = StepKind::add;
  ForallKind forall_kind = ForallKind::block;
  bool chunked = false;
  std::vector<TRange> ranges;
  std::vector<TActual> actuals;
  std::optional<TExpr> blocks, threads;
  std::string text;
  std::vector<std::string> texts;
  std::vector<TStatement> body;
  std::vector<TStatement> alternative;
  /// for_: the loop multiplies tiles; the threads' own arrays of the sums and of both factors.
  std::vector<SymbolId> tiles;
};

/// What a `for` does to its index behind each round.
constexpr ir::Opcode step_of(const TStatement& s) {
  return s.step_kind == StepKind::multiply ? ir::Opcode::mul
         : s.step_kind == StepKind::divide ? ir::Opcode::div
         : s.down                          ? ir::Opcode::sub
                                           : ir::Opcode::add;
}

enum class FunctionKind : std::uint8_t { kernel, proc, main, verify };

struct TFormal {
  bool array = false;
  SymbolId symbol = -1; ///< variable or array symbol
};

struct TFunction {
  std::string name;
  std::string doc;
  Span span;
  FunctionKind kind = FunctionKind::kernel;
  std::vector<TFormal> formals;
  std::vector<TStatement> body;
};

/// The formulas of a claim: sides are exact numbers, `when` is a boolean.
struct ClaimFormulas {
  TExpr left, right;
  std::optional<TExpr> when;
};

struct Checked {
  Program program; ///< the tree it came from
  std::vector<RecordType> records;
  std::vector<ParamSymbol> params;
  std::vector<ConstSymbol> consts;
  std::vector<VariableSymbol> variables;
  std::vector<ArraySymbol> arrays; ///< top-level ones first, in declaration order
  std::vector<std::string> fns;
  std::vector<TFunction> functions;
  /// Bodies of procs once more, where calls differ in what counts.
  std::vector<std::vector<TStatement>> variants;
  std::vector<ClaimFormulas> claims; ///< indexed as Program::claims
  std::set<std::string> letters;     ///< letters of the machine that the code and its values name
  SymbolId main = -1;                ///< index into functions
  SymbolId verify = -1;

  const ParamSymbol& param(SymbolId id) const { return params[std::size_t(id)]; }
  const ConstSymbol& constant(SymbolId id) const { return consts[std::size_t(id)]; }
  const VariableSymbol& variable(SymbolId id) const { return variables[std::size_t(id)]; }
  const ArraySymbol& array(SymbolId id) const { return arrays[std::size_t(id)]; }
  const TFunction& function(SymbolId id) const { return functions[std::size_t(id)]; }
  ParamSymbol& param(SymbolId id) { return params[std::size_t(id)]; }
  ConstSymbol& constant(SymbolId id) { return consts[std::size_t(id)]; }
  VariableSymbol& variable(SymbolId id) { return variables[std::size_t(id)]; }
  ArraySymbol& array(SymbolId id) { return arrays[std::size_t(id)]; }
  TFunction& function(SymbolId id) { return functions[std::size_t(id)]; }
  const RecordType& record(Type type) const { return records[std::size_t(type.record)]; }
  const std::vector<RecordField>& fields(Type type) const { return record(type).fields; }
};

} // namespace memlane::lang
