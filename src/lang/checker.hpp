// The checker's state and its parts; each check_*.cpp holds the functions of one subject.
#pragma once

#include "lexer.hpp"

#include "memlane/lang/check.hpp"
#include "memlane/lang/walk.hpp"
#include "memlane/support/diagnostic.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::lang {

struct Builtin;

// The call graph: cycles, and chains of calls that are too long for the stack of passes that inline
// them.

/// Maximum depth of calls; no algorithm needs as many.
constexpr int deepest_calls = 500;

struct CallSite {
  std::size_t callee = 0;
  Span span;
};

/// Called for each fault of a call graph.
struct CallFaults {
  /// The members of a cycle, in order, and the call that closes it.
  std::function<void(const std::vector<std::size_t>&, const CallSite&)> cycle;
  /// A caller with a chain of more than `deepest_calls` calls below it, and the first call of the
  /// chain.
  std::function<void(std::size_t, const CallSite&)> too_deep;
};

/// `calls[i]` are those of the function with number i.
void find_call_faults(const std::vector<std::vector<CallSite>>& calls, const CallFaults& faults);

/// A typed expression; nothing after an error, so that what depends on it reports no further ones.
using Typed = std::optional<TExpr>;

enum class EntityKind : std::uint8_t {
  poison,   ///< declared, but wrongly: its uses are silent
  param,    ///< id: index of the declaration and into Checked::params
  constant, ///< likewise, consts
  variable, ///< id: index into Checked::variables
  value,    ///< a literal given to a fn, `value`
  array,    ///< id: index into Checked::arrays
  fn,       ///< id: index of the declaration and into Checked::fns
  type,     ///< id: index of the declaration
  function, ///< id: index into Checked::functions
  letter,
  special, ///< id: an ir::Special
};

/// What a name stands for.
struct Entity {
  EntityKind kind = EntityKind::poison;
  SymbolId id = -1;
  Span span = {};
  TExpr value = {};
};

struct Scope {
  std::map<std::string, Entity, std::less<>> names = {};
  bool hideable = false; ///< main's variables, as verify sees them
};

/// Where an expression stands, which decides what its names mean.
enum class Setting : std::uint8_t {
  code,
  constant,      ///< values of params and consts, extents
  shared_extent, ///< likewise, and `threads`
  initial,       ///< initial values of arrays: `index` and `random`
  claim,         ///< numbers are exact; counts have values
  defined_value, ///< an option's, `-D n=2*w`: numbers are exact
};

class Checker {
public:
  Checker(const Sources& sources, Program program, const CountNames& counts = {});
  Result<Checked> run();
  /// The value that an option gives a parameter. Such a checker does nothing else.
  Result<TExpr> defined_value(const Expr& e, const std::string& param);
  /// A condition that chooses runs, as the `when` of a claim. Such a checker does nothing else.
  Result<TExpr> condition_of_runs(const Expr& e);
  /// A number of a run, as a side of a claim. Such a checker does nothing else.
  Result<TExpr> number_of_runs(const Expr& e);
  /// Call it before if the value may name what the checked program `whole` declares.
  void take_names(const Checked& whole);

private:
  enum class Progress : std::uint8_t { waiting, active, done };

  // Messages (check_names.cpp).
  std::nullopt_t error(Span span, std::string message, std::vector<std::string> help = {},
                       std::vector<Diagnostic> notes = {});
  std::string text(Span span) const;

  // Names and scopes (check_names.cpp).
  const Entity* lookup(std::string_view name) const;
  bool is_special(const std::string& name) const;
  void declare_top(const Name& name, EntityKind kind, std::size_t id);
  void declare_local(const Name& name, EntityKind kind, SymbolId id);
  SymbolId new_variable(const std::string& name, Span span, Type type, bool assignable);
  void unknown_name(const std::string& name, Span span, bool call = false,
                    const std::string& way_out = "");
  std::vector<std::string> names_in_scope(bool call) const;
  std::vector<std::string> suggest(const std::string& name, const std::vector<std::string>& known);
  bool check_order(const Entity& entity, Span use);
  Typed name_value(const Expr& e);
  Typed param_value(const Entity& entity, Span span);
  Typed const_value(const Entity& entity, const Expr& e);
  Typed letter_value(const Expr& e) const;

  // Claims and `-D` values (check_formulas.cpp).
  bool is_formula() const;
  Type quotient_type(Type type) const;
  Type formula_type(Type type) const;
  Typed in_formula(Typed e) const;
  Typed exact_conversion(TExpr value, Type type, Span span);
  Typed no_arrays_in_claims(Span span);
  std::optional<Typed> claim_name(const Expr& e);
  Typed claim_field(const Expr& e);
  Typed kernel_count(const Expr& e, SymbolId kernel);
  std::optional<Typed> layout_comparison(const Expr& e);
  std::vector<std::string> claim_names() const;
  void check_claims();

  // Types and conversions (check_names.cpp, check_expressions.cpp).
  std::optional<Type> type_named(const Name& name);
  std::optional<Type> declared_type(SymbolId id);
  void check_type(SymbolId id);
  std::optional<Type> record_type(const TypeDecl& decl);
  std::string name_of(Type type) const;
  Typed coerce(Typed e, Type target, const std::string& target_name);
  bool unify(const std::vector<TExpr*>& operands);
  bool require_number(const TExpr& e, const std::string& what);
  bool require_integer(const TExpr& e, const std::string& what);
  bool require_bool(const TExpr& e, const std::string& what);
  bool add_integer(Typed e, const std::string& what, std::vector<TExpr>& to);

  // Expressions (check_expressions.cpp, check_arrays.cpp).
  Typed expr(const Expr& e);
  Typed expr_by_kind(const Expr& e);
  bool deeper(Span span, int levels);
  Typed negate(const Expr& e);
  Typed complement(const Expr& e);
  Typed binary(const Expr& e);
  Typed logical(const Expr& e);
  Typed conditional(const Expr& e);
  Typed condition(const Expr& e, const std::string& what);
  Typed field(const Expr& e);
  Typed field_of(TExpr record, const Expr& field);
  Typed element(const Expr& e);
  std::string indices_together(const Expr& e) const;
  void not_an_array(const Expr& e, const Entity* found);
  Typed initial_element(const Expr& e);
  Typed lookup_table(const Expr& e, SymbolId id);
  std::optional<std::vector<TExpr>> indices(const Expr& e, std::size_t rank);
  Typed comparison(const Expr& e);
  Typed compare(Comparison comparison, TExpr a, TExpr b, Span span);
  Typed chain(const Expr& e, std::size_t at, TExpr left, std::vector<TExpr>& operands);
  TExpr bind(TExpr e, TExpr& binder);

  // Calls in expressions (check_calls.cpp, builtins.cpp).
  Typed call(const Expr& e);
  Typed construct(const Expr& e, Type type);
  Typed explicit_conversion(const Expr& e, Type type);
  Typed builtin(const Expr& e);
  Typed fold(const Expr& e, ir::Opcode op, std::vector<TExpr> arguments);
  Typed real_function(const Expr& e, ir::Opcode op, std::vector<TExpr> arguments);
  Typed extreme(const Expr& e);
  Typed of_warp(const Expr& e, const Builtin& function);
  std::optional<std::vector<TExpr>> arguments(const Expr& e);
  Typed expand(SymbolId fn, std::vector<TExpr> arguments, Span span);
  Typed fn_body(SymbolId fn, Span span);
  void calls_too_deep(Span span, const std::string& what);
  void find_recursive_fns();
  void check_fn_parameters(const FnDecl& fn);
  void check_unused_fns();
  void walk_names(const FnDecl& fn);

  // fns with a block (check_calls.cpp).
  bool returns_always(const FnDecl& fn);
  bool stands_in_fn(const std::vector<Statement>& block);
  bool fn_may_write(SymbolId array, Span place);
  Typed fn_block(SymbolId fn, Span span);
  bool one_return_type(const FnDecl& fn, const std::vector<TExpr*>& values);

  // Top-level declarations (check.cpp).
  void declare_program();
  void check_param(SymbolId id);
  void check_const(SymbolId id);
  std::optional<std::vector<TExpr>> const_values(const ConstDecl& decl, Type& type);
  void check_where(SymbolId id);
  Typed constant_expr(const Expr& e, Setting setting, const std::string& what);
  bool require_constant(const TExpr& e, Setting setting, const std::string& what);
  void check_hosts_present();

  // Races (races.cpp).
  void check_races();
  void allow_races(const Name& name, const std::string& reason);
  void check_racy(const Statement& s, std::vector<TStatement>& out, std::size_t first);

  // Arrays and views, layouts and initial values, slices (check_arrays.cpp, check_layouts.cpp).
  void declare_top_arrays();
  void check_top_arrays();
  SymbolId add_array(const Name& name, ArrayKind kind);
  SymbolId new_array(const ArraysDecl& decl, const ArrayDeclarator& array,
                     std::optional<Type> type);
  void finish_array(SymbolId id, const ArraysDecl& decl, const ArrayDeclarator& array);
  void local_arrays(const ArraysDecl& decl, std::vector<TStatement>& out);
  void check_proc_extents();
  bool space_allowed(const ArraysDecl& decl, bool top_level);
  std::vector<std::string> layout_names() const;
  const Entity* layout_fn(const LayoutClause& layout);
  bool check_layout_arguments(SymbolId id, const LayoutClause& layout, LayoutKind built_in);
  bool check_strides(SymbolId id, const LayoutClause& layout);
  void check_layout(SymbolId id, const LayoutClause& layout);
  Typed call_with(SymbolId fn, const std::vector<SymbolId>& variables, Span span);
  void check_layout_fn(SymbolId id, const LayoutClause& layout, SymbolId fn);
  void check_initial(SymbolId id, const Initializer& initial);
  void top_view(SymbolId id);
  bool fits_view(const ViewDecl& view, SymbolId target);
  void local_view(const ViewDecl& view, std::vector<TStatement>& out);
  std::optional<ArraySlice> slice(const Actual& actual);
  bool fits_slice(const Actual& actual, const Name& name, std::int32_t rank);
  std::optional<SymbolId> array_named(const Name& name);
  std::optional<Name> array_of(const Actual& actual);

  // Statements (check_statements.cpp).
  std::vector<TStatement> block(const std::vector<Statement>& statements);
  void statements(const std::vector<Statement>& statements, std::vector<TStatement>& out);
  void statement(const Statement& s, std::vector<TStatement>& out);
  void concurrent(const Statement& s, std::vector<TStatement>& out);
  void leave_loop(const Statement& s, std::vector<TStatement>& out);
  void print(const Statement& s, std::vector<TStatement>& out);
  void if_or_while(const Statement& s, std::vector<TStatement>& out);
  void declaration(const Statement& s, std::vector<TStatement>& out);
  void assignment(const Statement& s, std::vector<TStatement>& out);
  bool assign_variable(const Statement& s, const Expr& place, const Expr* field,
                       std::vector<TStatement>& out);
  bool assign_element(const Statement& s, const Expr& place, const Expr* field,
                      std::vector<TStatement>& out);
  Typed assigned_value(const Statement& s, TExpr current, const std::string& target);
  void not_assignable(const Entity& entity, const Expr& place);
  void for_loop(const Statement& s, std::vector<TStatement>& out);
  void check_step(const Statement& s, const TExpr& step);
  void forall(const Statement& s, std::vector<TStatement>& out);
  void check_sync_body(const std::vector<Statement>& body);

  // Atomics (check_atomics.cpp).
  Typed value_with_update(const Expr& e);
  void update(const Statement& s, std::vector<TStatement>& out);
  bool is_update_call(const Statement& s) const;
  std::optional<ir::Opcode> update_named(const std::string& name) const;
  Typed atomic(const Expr& e, ir::Opcode op);

  // Products of tiles (check_tensor.cpp).
  struct Tile;
  void tensor(const Statement& s, std::vector<TStatement>& out);
  std::optional<Tile> tile(const Expr& e);
  friend class TileProduct;

  // Kernels, procs, host code, calls and launches (check_functions.cpp).
  void declare_functions();
  void declare_formals(const KernelDecl& kernel, TFunction& function);
  void check_kernel(SymbolId id, const KernelDecl& kernel);
  void check_host(SymbolId id, const HostDecl& host);
  void find_recursive_procs();
  void call_statement(const Statement& s, std::vector<TStatement>& out);
  const TFunction* callee(const Statement& s, SymbolId& id);
  std::optional<TActual> actual(const Actual& actual, const TFormal& formal);
  std::optional<TActual> array_actual(const Actual& actual, const ArraySymbol& formal);

  friend class Depth;

  /// Checks a part of the program on its own: other scopes and setting, no call trail.
  struct Isolated {
    Isolated(Checker& c, Setting s);
    ~Isolated();
    Isolated(const Isolated&) = delete;
    Isolated& operator=(const Isolated&) = delete;
    Checker& checker;
    std::vector<Scope> locals;
    std::vector<Span> trail;
    Setting setting;
  };

  const Sources& sources_;
  const CountNames counts_;
  Watch watch_;
  Checked checked_;
  Diagnostics errors_;
  std::set<std::string> reported_; ///< places with messages, and unknown names by function

  Scope builtin_; ///< letters and special names
  Scope top_;
  std::vector<Scope> locals_;
  std::vector<Span> trail_; ///< the calls of fns being expanded, outermost first
  Setting setting_ = Setting::code;
  Type element_type_; ///< type of the array whose initial value is being checked
  bool looking_ahead_ = false;
  std::string formula_ = "a claim"; ///< what messages call a formula about runs

  std::vector<Progress> type_progress_, param_progress_, const_progress_;
  std::vector<std::optional<Type>> types_;    ///< indexed by declaration; nothing: wrong
  std::vector<bool> param_good_, const_good_; ///< indexed by declaration
  std::vector<bool> array_good_;        ///< indexed by symbol: element type and rank are known
  SymbolId first_view_ = 0;             ///< symbol of the first top-level view
  std::vector<Progress> view_progress_; ///< indexed as top-level views
  std::vector<bool> fn_unusable_, fn_expanded_;
  std::int64_t tile_products_ = 0; ///< statements so far
  SymbolId draw_sites_ = 0; ///< draws so far, in code or in a top-level array's initial value
  std::int64_t expansions_ = 0;
  int depth_ = 0; ///< depth of the expression being checked, with the fns inlined
  bool too_deep_ = false;
  bool procs_recursive_ = false;
  std::size_t suggestions_ = 0; ///< names that unknown ones were compared with

  FunctionKind function_kind_ = FunctionKind::main;
  std::string function_name_; ///< "" outside of code
  int loops_ = 0; ///< loops around the statement, within the innermost forall, fn or concurrent
  bool loop_around_concurrent_ = false; ///< the innermost concurrent around it is in a loop
  bool in_forall_ = false;              ///< a forall is around the statement
  bool in_fn_block_ = false;
  const Expr* update_ = nullptr; ///< what may be an atomic
  Scope main_scope_;             ///< main's outermost names, which verify sees
};

/// Counts levels of an expression while it lives, since chains of fns may be deeper than the stack.
class Depth {
public:
  Depth(Checker& checker, Span span, std::size_t levels)
      : checker_(checker), levels_(static_cast<int>(levels)), fits_(checker.deeper(span, levels_)) {
  }
  ~Depth() { checker_.depth_ -= levels_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  explicit operator bool() const { return fits_; }

private:
  Checker& checker_;
  int levels_;
  bool fits_;
};

/// Adds an error, unless its place and message are among the reported ones, with notes on the calls
/// around it.
void add_error(Diagnostics& errors, std::set<std::string>& reported, Diagnostic error,
               const std::vector<Span>& trail);
/// "1 argument", "2 arguments".
std::string counted_noun(std::size_t n, const std::string& noun);
/// ", 1 argument is given", ", 2 arguments are given".
std::string but_given(std::size_t n, const std::string& noun);

bool is_number(Type type);
bool is_integer(Type type);
Type scalar_type(ir::Scalar scalar);
inline const Type bool_type{ir::Scalar::boolean, -1};
inline const Type int_type{ir::Scalar::int32, -1};
inline const Type long_type{ir::Scalar::int64, -1};
std::optional<ir::Scalar> scalar_named(std::string_view name);
TExpr literal(Type type, ir::Value value, Span span);
TExpr node(TExprKind kind, Type type, Span span, std::vector<TExpr> operands = {},
           SymbolId symbol = -1);
TExpr operation(ir::Opcode op, Type type, Span span, std::vector<TExpr> operands);
template <class... Operands>
std::vector<TExpr> operands_of(Operands... operands) {
  std::vector<TExpr> all;
  all.reserve(sizeof...(operands));
  (all.push_back(std::move(operands)), ...);
  return all;
}
TStatement typed_statement(TStatementKind kind, Span span, SymbolId symbol = -1);
bool can_retag(const TExpr& e, ir::Scalar target);
void retag(TExpr& e, ir::Scalar target);
/// The built-in fns and conversions of code, or of formulas.
std::vector<std::string> builtin_names(bool formula);

/// Checks where code is allowed, call by call (check_places.cpp). False: calls are nested too
/// deeply for other passes.
bool check_places(const Checked& checked, Diagnostics& errors);
/// Uniformity, call by call; fills VariableSymbol::uniformity (uniformity.cpp).
void check_uniformity(Checked& checked, const Sources& sources, Diagnostics& errors, Watch& watch);
/// What counts, configs/README.md section 6 (check_counted.cpp): fills VariableSymbol::data and the
/// marks of expressions and statements, adds variants of procs.
void mark_counted(Checked& checked);

} // namespace memlane::lang
