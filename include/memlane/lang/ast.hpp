// The syntax tree of a .lane program: the grammar of programs/README.md as plain data.
#pragma once

#include "memlane/ir/opcodes.hpp"
#include "memlane/support/diagnostic.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::lang {

/// A name where it was written.
struct Name {
  std::string text;
  Span span;
};

enum class ExprKind {
  integer,    ///< `integer`
  real,       ///< `real`
  boolean,    ///< `integer` is 0 or 1
  name,       ///< `name`
  call,       ///< `name(operands…)`: a fn, a built-in, a record's or a type's constructor
  initial,    ///< `initial(name)`, then usually indexed
  element,    ///< operands[0] `[` operands[1…] `]`
  field,      ///< operands[0] `.` name
  negate,     ///< `-` operand
  complement, ///< `~` operand
  logical_not,
  binary,      ///< operands[0] op operands[1]
  comparison,  ///< operands[0] comparisons[0] operands[1] comparisons[1] operands[2] …
  logical_and, ///< two operands, the second evaluated only where it is needed
  logical_or,
  conditional, ///< `if` operands[0] `then` operands[1] `else` operands[2]
  atomic,      ///< `atomic` operands[0] op `=` operands[1]
};

/// `a > b` is `b < a`, turned.
struct Comparison {
  ir::Opcode op = ir::Opcode::eq; ///< eq, ne, lt or le
  bool turned = false;
  bool operator==(const Comparison&) const = default;
};

enum class AssignOp { set, add, sub, mul };

/// How programs write a binary operator: `+`, `xor`; a comparison, an assignment.
std::string_view spelling(ir::Opcode binary);
std::string_view spelling(Comparison comparison);
std::string_view spelling(AssignOp op);

struct Expr {
  ExprKind kind = ExprKind::integer;
  Span span;
  std::int64_t integer = 0;
  double real = 0;
  std::string name;
  ir::Opcode op = ir::Opcode::add; ///< operation of a binary operator
  std::vector<Comparison> comparisons;
  std::vector<Expr> operands;
};

/// An array argument: a scalar expression, an array's name, an array with leading indices, or a
/// slice `name[lead…, lo .. hi]`. A bare name parses as an expression of kind `name`, leading
/// indices as one of kind `element`; the checker knows what they denote.
struct Actual {
  Span span;
  std::optional<Expr> value;
  Name array;               ///< the array of a slice
  std::vector<Expr> lead;   ///< leading indices of a slice
  std::vector<Expr> bounds; ///< lo, hi of a slice
};

/// `expr`, or a list `[a, b, …]`.
struct Initializer {
  Span span;
  bool list = false;
  std::vector<Expr> values; ///< exactly one unless `list`
};

struct Range {
  Name index;
  Expr lo, hi;
};

enum class ArraySpace { memory, shared, local };

struct ArrayDeclarator {
  Name name;
  std::vector<Expr> extents;
};

/// `padded(1)`; of `strides((4, 8):(1, 32))` the arguments are the strides, without their brackets.
struct LayoutClause {
  Name name;
  std::vector<Expr> arguments;
  std::vector<Expr> sizes;        ///< before the ':', one for each argument; empty: there is none
  std::vector<std::size_t> modes; ///< how many of the sizes each part of the outermost bracket has
  Span shape;                     ///< of the sizes
  Span written;                   ///< all of it
};

/// `memory a[n], b[n]: int layout padded(1) = 0`
struct ArraysDecl {
  Span span;
  ArraySpace space = ArraySpace::memory;
  std::vector<ArrayDeclarator> arrays;
  Name type;
  std::optional<LayoutClause> layout;
  std::optional<Initializer> initial;
};

struct ViewDecl {
  Span span;
  Name name;
  Actual target;
};

enum class StatementKind {
  let,
  var, ///< `name`, optional `type`, expressions[0]
  arrays,
  view,
  assign, ///< `place` `assign_op` expressions[0]
  update, ///< expressions[0], an atomic whose value is not used
  tensor, ///< `place` `assign_op` expressions[0] * expressions[1]: tiles by their first elements
  if_,    ///< expressions[0], body, alternative (`else if` is an alternative of one `if_`)
  while_, ///< expressions[0], body
  for_,   ///< `name` = expressions[0] to/downto expressions[1] [step expressions[2]], body
  forall,
  barrier,
  break_,
  continue_,
  return_,    ///< expressions[0] is what the fn returns
  assert_,    ///< expressions[0], `text`
  print,      ///< `texts[0]` expressions[0] `texts[1]` … `texts.back()`
  concurrent, ///< body: its launches are independent of each other
  call,       ///< `name(actuals)`: a proc
  launch,     ///< `name(actuals)` with optional blocks, threads
};

enum class ForallKind { block, grid, sync };
enum class StepKind { add, multiply, divide }; ///< `step k`, `step *k`, `step /k`

struct Statement {
  StatementKind kind = StatementKind::barrier;
  Span span;
  Name name;
  std::optional<Name> type;
  std::vector<Expr> expressions;
  std::optional<ArraysDecl> arrays;
  std::optional<ViewDecl> view;
  std::optional<Expr> place; ///< kind `name`, `element` or `field`
  AssignOp assign_op = AssignOp::set;
  std::optional<Span> racy; ///< the word `racy` before `let`, `var` or an assignment
  bool down = false;        ///< `downto`
  StepKind step_kind = StepKind::add;
  ForallKind forall_kind = ForallKind::block;
  bool chunked = false; ///< consecutive iterations a thread
  std::vector<Range> ranges;
  std::vector<Actual> actuals;
  std::optional<Expr> blocks, threads;
  std::string text;               ///< what an assert says
  std::vector<std::string> texts; ///< what a print says before each expression, and after the last
  std::vector<Statement> body;
  std::vector<Statement> alternative;
};

struct UseDecl {
  Name program;
};

struct ParamDecl {
  Span span;
  std::string doc; ///< the `///` lines before it, or the `//` comment behind it
  Name name, type;
  Expr value;
  std::optional<Expr> where;
};

struct ConstDecl {
  Span span;
  Name name;
  std::vector<Expr> extents; ///< empty for a scalar
  std::optional<Name> type;
  Initializer value;
};

struct FieldDecl {
  Name name, type;
};

struct TypeDecl {
  Span span;
  Name name;
  std::optional<Name> alias;
  std::vector<FieldDecl> fields; ///< a record's fields, when there is no alias
};

struct FnDecl {
  Span span;
  Name name;
  std::vector<Name> parameters;
  bool parameterless = false; ///< written without brackets: used as a name
  bool has_block = false;
  Expr body;                    ///< an expression, where the fn has no block
  std::vector<Statement> block; ///< ends in `return` on every path
};

struct Formal {
  Name name;
  bool array = false;
  std::vector<Name> extents; ///< names bound to an array's extents; `_` binds none
  Name type;
};

struct KernelDecl {
  Span span;
  std::string doc;
  bool proc = false;
  Name name;
  std::vector<Formal> formals;
  std::vector<Statement> body;
};

struct HostDecl {
  Span span;
  bool verify = false;
  std::vector<Statement> body;
};

enum class ClaimKind { equal, at_most, at_least, about, big_o, omega, theta };

struct ClaimDecl {
  Span span;
  ClaimKind kind = ClaimKind::equal;
  Expr left;  ///< a formula over counts
  Expr right; ///< a formula over parameters, letters, fns, counts
  std::optional<Expr> when;
  std::vector<Name> machines; ///< the machines of `on`; empty: all
  std::string source;         ///< the string: where the claim is from
};

/// `races allowed "reason"`, `races allowed a, b "reason"`: races, of these arrays only, are
/// counted and the run continues.
struct RacesDecl {
  Span span;
  std::vector<Name> arrays; ///< empty: all
  std::string reason;
};

/// A whole program, after `use` and replacements from outside (`--fn`, `--type`, `--layout`).
struct Program {
  std::string path;
  std::string doc; ///< the `///` lines that open the file
  std::vector<UseDecl> uses;
  std::vector<ParamDecl> params;
  std::vector<ConstDecl> consts;
  std::vector<TypeDecl> types;
  std::vector<ArraysDecl> arrays;
  std::vector<ViewDecl> views;
  std::vector<FnDecl> fns;
  std::vector<KernelDecl> kernels;
  std::vector<HostDecl> hosts;
  std::vector<ClaimDecl> claims;
  std::vector<RacesDecl> races; ///< used programs' first
  std::vector<Span> racy;       ///< the words `racy`, used programs' first

  /// The reason for which every race is allowed; null: not every race is.
  const std::string* allows_all_races() const;
};

/// What `races allowed` and `racy` allow, in a line; empty: nothing.
std::string allowed_races(const Program& program);

} // namespace memlane::lang
