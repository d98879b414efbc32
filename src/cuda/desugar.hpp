// From a checked program to the device tree: the state of one emission, a file for each part of it.
#pragma once

#include "device_tree.hpp"
#include "known_values.hpp"
#include "names.hpp"
#include "race_fences.hpp"
#include "warp_hazards.hpp"

#include "memlane/cuda/emit.hpp"
#include "memlane/lang/builtins.hpp"
#include "memlane/machine/spec.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace memlane::cuda {

// The parts of emitted files that are the same in all of them.

/// What is included, and of the prelude the parts that declare functions which are called.
std::string prelude_of(const std::set<std::string>& called);
/// The harness without what it includes.
std::string harness_part();

/// What a line of measurements says of a program, without its parameters: members of JSON.
std::string facts_json(const std::string& program, const std::string& sha256,
                       const std::string& variant,
                       const std::vector<std::pair<std::string, std::string>>& replaced,
                       const MachineSpec& machine, const std::string& problem);

/// What an array name denotes at one place.
struct ArrayRef {
  lang::SymbolId root = -1;  ///< a memory, shared or local array, or a kernel's formal
  Expr base;                 ///< what is indexed
  Expr offset = integer(0);  ///< where element 0 is, row-major
  std::vector<Expr> extents; ///< their values where the array was named
  bool whole = true;         ///< the root itself, in all its dimensions
  bool pointer = false;      ///< a formal: rows, its extents beside it
};

/// More shared memory than this is asked for by the launch.
inline constexpr std::int64_t most_static_bytes = 48 * 1024;

/// What the launches that come to a function have in common.
struct LaunchSizes {
  std::int64_t least_threads = 1, most_threads = 1;
  std::optional<std::int64_t> threads, blocks; ///< set if equal in all launches of all runs
};

/// A fn as a function: as the program has it, and its name in C++.
struct WrittenFn {
  Function function; ///< named as in the program
  Expr name;
};

/// The C++ function whose statements are made.
struct FunctionContext {
  bool host = false;
  LaunchSizes sizes{};
  bool dynamic_shared = false;      ///< the kernel's launch gives the size of shared memory
  std::vector<WrittenFn> lambdas{}; ///< fns, in the order of their need
  std::set<std::string> kept{};     ///< names of values that loops keep
  std::map<std::string, lang::SymbolId> shared_names{}; ///< arrays in dynamic shared memory
  std::optional<Expr> mask{}; ///< the lanes that run here; none: the whole warp
  bool in_fn = false;         ///< the statements are a fn's
};

/// A kernel or proc as it is called.
struct DeviceFunction {
  std::string name;
  std::set<Capture> captures;
};

/// The iterations of a forall.
struct IterationSpace {
  std::vector<Expr> lows, lengths;     ///< indexed by range
  Expr count;                          ///< number of all iterations
  ir::Scalar type = ir::Scalar::int32; ///< type of the counter
  bool narrow = false;                 ///< ints do where the program has longs
  bool invariant = true;               ///< the bounds keep their values in the loop
  std::string indices;                 ///< their names, side by side
};

/// Makes the device tree of a checked program; see emit_cuda().
class Desugarer {
public:
  Desugarer(const EmitRequest& request, const ir::Program& lowered);
  Result<File> run();
  /// Loops that may wait for other blocks.
  const Diagnostics& warnings() const { return fences_.warnings(); }
  /// Parameters that the text depends on.
  const std::set<lang::SymbolId>& fixed_params() const { return fixed_params_; }

private:
  // desugar_program.cpp
  void choose_fixed();
  void fix(const lang::TExpr& expr);
  void fix_sync(const lang::TFunction& function);
  void know_fixed();
  void find_members();
  void unsupported(Span span, const std::string& what, std::vector<std::string> help);
  Block constants(const std::set<std::string>& letters);
  void record_types();
  void tables();
  void top_level_shared();
  const std::set<lang::SymbolId>& written_in(const lang::TFunction& function);
  void each_launch(const std::function<void(const lang::TStatement&)>& visit) const;
  void find_hazards();
  void each_reached(const lang::TFunction& function,
                    const std::function<void(const lang::TFunction&)>& visit) const;
  void each_statement_of(const lang::TFunction& function,
                         const std::function<void(const lang::TStatement&)>& visit) const;

  // desugar_host.cpp
  class RunValues;
  void host_part();
  bool repeatable();
  void members();
  void sizes(Block& out);
  Function host_function(const std::string& name, const std::function<void(Block&)>& add);
  Function host_function(const std::string& name, lang::SymbolId id);
  void allocate(Block& out);
  void allocate_offsets(lang::SymbolId array, Block& out);
  void fill(Block& out);
  void fill_array(lang::SymbolId id, std::int32_t field, Block& out);
  int lowered_array(const std::string& name) const;

  // desugar_expressions.cpp
  Expr expr(const lang::TExpr& e);
  std::vector<Expr> exprs(const std::vector<lang::TExpr>& all);
  Expr exact(const lang::TExpr& e);
  Expr exact(Expr code, ir::Scalar type, const lang::TExpr* e = nullptr);
  Expr conversion(const lang::TExpr& e);
  Expr field(const lang::TExpr& e);
  Expr atomic(const lang::TExpr& e);
  Expr of_warp(const lang::TExpr& e);
  Expr letter(const lang::TExpr& e);
  Expr run_value(const lang::TExpr& e);
  Expr special(ir::Special special);
  Expr machine_letter(const std::string& letter);
  bool is_word(const lang::TExpr& e) const;
  Expr word_value(const lang::TExpr& e, Expr code) const;
  Expr call_with_operands(const std::string& function, const lang::TExpr& e,
                          const std::string& argument = "");
  const lang::VariableSymbol& variable(lang::SymbolId id) const;
  std::string declare_variable(lang::SymbolId variable);
  std::string declare_variable(lang::SymbolId variable, ir::Scalar type);
  std::string typed(lang::SymbolId variable, const std::string& type) const;
  std::string numbered(const std::string& wish) {
    return names_.fresh(wish + std::to_string(++numbered_));
  }
  Expr keep(Block& out, const std::string& type, const std::string& own, Expr value,
            const std::string& comment = "");
  std::string kept_name(const std::string& wish);
  Expr random(const lang::TExpr& e);
  Expr in_order(const lang::TExpr& e);
  static bool draws_in_several(const std::vector<lang::TExpr>& operands);
  lang::TExpr evaluated(const lang::TExpr& e, Block& out);
  lang::TExpr drawn_first(const lang::TExpr& e, Block& out);
  lang::ArraySlice drawn_first(lang::ArraySlice slice, Block& out);
  std::optional<lang::TStatement> evaluated_first(const lang::TStatement& s, Block& out);

  // desugar_operators.cpp
  Expr operation(const lang::TExpr& e);
  Expr builtin_call(const lang::TExpr& e, const lang::Builtin& builtin);
  Expr call_by_type(const std::string& function, const lang::TExpr& e);
  Expr arithmetic(const std::string& op, const lang::TExpr& e);
  Expr wrapping(const std::string& op, const lang::TExpr& e);
  bool known_overflow(const lang::TExpr& e);
  Expr power(const lang::TExpr& e);
  Expr comparison(const lang::TExpr& e);

  // desugar_calls.cpp: fns
  Expr fn_call(const lang::TExpr& e);
  Expr bound_parts(const lang::TExpr& e);
  Block fn_block(const lang::TExpr& call);
  Expr function_for(Function function, const std::function<Block()>& body);

  // desugar_arrays.cpp
  ArrayRef resolve(lang::SymbolId id);
  ArrayRef slice(const lang::ArraySlice& slice);
  Expr number(const ArrayRef& array, const std::vector<Expr>& indices);
  Expr word(const ArrayRef& array, const std::vector<lang::TExpr>& indices);
  Expr placed(const ArrayRef& array, const std::vector<Expr>& indices);
  Expr place(const ArrayRef& array, lang::SymbolId id, std::int32_t field, Expr at);
  Statement store(const ArrayRef& array, const lang::TStatement& s, Expr at, Expr value);
  std::string shared_field(const lang::ArraySymbol& array, const lang::RecordField& field) const;
  Expr element(const lang::TExpr& e);
  Expr constant(const lang::TExpr& e);
  std::string typed_words(lang::SymbolId array, const std::string& type) const;
  void declare_array_statement(const lang::TStatement& s, Block& out);
  void declare_shared_statement(const lang::TStatement& s, ArrayRef& array, Block& out);
  std::vector<Expr> declare_shared(lang::SymbolId id, const std::string& own, Block& out);
  void declare_local_array(const lang::TStatement& s, const ArrayRef& array, Block& out);
  void declare_view(const lang::TStatement& s, Block& out);

  // desugar_arrays.cpp: layouts
  Expr word_function(lang::SymbolId root, bool flat);
  Expr word_of_number(lang::SymbolId root, const std::string& number);
  Expr word_body(lang::SymbolId root, Expr row, Expr column, std::optional<Expr> number);
  Expr words_of(lang::SymbolId root);
  std::int64_t words_now(lang::SymbolId root);
  Expr static_size(Expr words, lang::SymbolId root);
  Expr elements_of(lang::SymbolId root);
  Expr row_length(lang::SymbolId root);
  Expr row_offsets(lang::SymbolId root);
  bool has_rows(lang::SymbolId root) const;
  bool has_row_offsets(lang::SymbolId root) const;
  bool is_swizzled(lang::SymbolId root) const;
  bool is_strided(lang::SymbolId root) const;
  Expr swizzled(lang::SymbolId root, const Expr& number);
  Expr mapped(lang::SymbolId root, const Expr& number);
  Expr strided(lang::SymbolId root, const std::vector<Expr>& indices);
  std::int64_t strided_words_now(const lang::ArraySymbol& symbol);
  Expr swizzle_tile(lang::SymbolId root);

  // desugar_statements.cpp
  void block(const std::vector<lang::TStatement>& body, Block& out);
  Block block(const std::vector<lang::TStatement>& body);
  void statement(const lang::TStatement& s, Block& out);
  std::string source_of(Span span) const;
  void relate(Span span, Block& out, std::size_t first = 0) const;
  void write(const lang::TStatement& s, Block& out);
  void assign_variable(const lang::TStatement& s, Block& out);
  void declare_value(const lang::TStatement& s, Block& out);
  void assign_element(const lang::TStatement& s, Block& out);
  std::pair<Expr, Expr> index_and_value(const lang::TStatement& s, const ArrayRef& array,
                                        Block& out);
  void assertion(const lang::TStatement& s, Block& out);
  static void add_comments(const std::vector<std::string>& lines, Block& out);
  Statement warp_sync() const { return simple(Statement::sync_warp, context_->mask); }
  void print_line(const lang::TStatement& s, Block& out);
  void draw_printed(const lang::TStatement& s, Block& out);

  // desugar_control.cpp
  Expr choice(const lang::TExpr& e);
  Expr choice(const lang::TExpr& e, Expr condition, const std::optional<Expr>& then,
              const std::optional<Expr>& otherwise);
  void if_statement(const lang::TStatement& s, Block& out);
  void while_loop(const lang::TStatement& s, Block& out);
  void for_loop_statement(const lang::TStatement& s, Block& out);
  bool multiply_by_wmma(const lang::TStatement& s, Block& out);
  Expr lanes() const { return context_->mask.value_or(literal("0xffffffffu", ir::Scalar::int32)); }
  Expr declare_mask(Block& out);
  void begin_masked_round(const Expr& mask, Block& out, const std::function<Expr()>& more);
  bool bind_counter(const lang::TStatement& s);
  static Statement advance(const lang::TStatement& s, const Expr& counter, const Expr& step);
  std::optional<Interval> ends_of(const lang::TExpr& e);
  std::optional<Interval> counter_bounds(const lang::TStatement& s);
  bool may_pass_range(const lang::TStatement& s);
  bool is_invariant(const lang::TExpr& e) const;

  // desugar_forall.cpp
  struct ThreadRange {
    Expr first, end, step;
  };
  void forall(const lang::TStatement& s, Block& out);
  void forall_loop(const lang::TStatement& s, Block& out);
  void forall_rows(const lang::TStatement& s, Block& out);
  struct Rows;
  Rows first_row(const lang::TStatement& s, Block& out);
  void carry(const Rows& rows, std::size_t k, Block& out);
  Block leading_loops(const lang::TStatement& s, std::size_t k,
                      const std::function<Block()>& inner);
  IterationSpace iteration_space(const lang::TStatement& s, Block* out);
  ThreadRange thread_range(const lang::TStatement& s, const IterationSpace& space,
                           const std::string& own, Block& out);
  void decode_indices(const lang::TStatement& s, const IterationSpace& space,
                      const std::string& number, Block& out);
  std::string declare_index(lang::SymbolId index, bool narrow);
  Interval index_bounds(const lang::TRange& range);
  bool counts_with_int(const lang::TStatement& s);
  bool fits_int_now(const lang::TStatement& s);
  void bind_indices(const lang::TStatement& s, const IterationSpace& space);
  Expr length(const lang::TRange& range, const Expr& low);
  bool is_extent(const Expr& e) const;

  // desugar_forall.cpp: forall sync
  struct SyncLoop;
  void forall_sync(const lang::TStatement& s, Block& out);
  bool check_rounds(const lang::TStatement& s, std::optional<std::int64_t> rounds);
  SyncLoop sync_loop(const lang::TStatement& s, std::int64_t rounds, Block& out);
  Block each_round(const SyncLoop& loop, Block body);
  Block each_iteration(const SyncLoop& loop, const std::function<void(Block&)>& add);
  void declare_registers(SyncLoop& loop, Block& out);
  void sync_reads(const SyncLoop& loop, const std::vector<lang::TStatement>& body, Block& out);
  void sync_read(const SyncLoop& loop, const lang::TStatement& s, Block& out);
  void sync_writes(const SyncLoop& loop, Block& out);
  std::optional<std::int64_t> sync_rounds(const lang::TStatement& s);

  // desugar_calls.cpp
  using ProcKey = std::tuple<const lang::TFunction*, bool, bool>; ///< host; dynamic shared memory
  using Frame = std::function<Block(const std::set<Capture>&, Block& body)>;
  void call_proc(const lang::TStatement& s, Block& out);
  void write_proc(const lang::TFunction& proc, const ProcKey& key);
  bool takes_extent(lang::SymbolId formal, std::size_t dimension) const;
  std::string element_name(const lang::ArraySymbol& symbol) const;
  Parameter array_parameter(lang::SymbolId id, const std::string& own, bool written,
                            bool counted) const;
  std::vector<Parameter> extent_formals(lang::SymbolId formal, ArrayRef& array);
  std::vector<Parameter> formals_of(const lang::TFunction& function,
                                    const std::vector<ArrayRef>& arrays);
  std::vector<Expr> actuals_of(const lang::TStatement& s);
  static Expr value_of(const Capture& capture);
  std::string global_name(const Capture& capture) const;
  std::string words_name(const Capture& capture) const;
  std::vector<Parameter> captured(const std::set<Capture>& captures,
                                  const std::set<lang::SymbolId>& written, bool kernel);
  Statement declare_special(ir::Special special) const;
  Needs open(Function& function, const Frame& frame = {});
  void inline_call(const lang::TStatement& s, Block& out);
  bool must_inline(const lang::TStatement& s);

  // desugar_launches.cpp
  void launch(const lang::TStatement& s, Block& out);
  void concurrent(const lang::TStatement& s, Block& out);
  std::vector<Expr> launch_actuals(const lang::TStatement& s, std::vector<ArrayRef>& arrays,
                                   std::string& key);
  DeviceFunction write_kernel(const lang::TFunction& function, const std::vector<ArrayRef>& arrays);
  std::set<lang::SymbolId> written_by(const lang::TFunction& kernel,
                                      const std::vector<ArrayRef>& arrays);
  LaunchSizes sizes_of_launches(const lang::TFunction& function);
  Expr launched_threads(const lang::TStatement& s);

  // desugar_launches.cpp: shared memory
  Expr dynamic_bytes(const lang::TFunction& function, const std::set<Capture>& captures);
  std::int64_t shared_bytes(const lang::TFunction& function);
  bool sized_by_launch(lang::SymbolId shared) const;
  bool needs_dynamic(const lang::TFunction& function);
  void check_sized(const lang::TFunction& function);
  std::int64_t all_words(lang::SymbolId shared);
  void check_capacity(const lang::TFunction& function);
  std::set<lang::SymbolId> shared_of(const lang::TFunction& function) const;
  void take_array(const Capture& capture, bool copied, bool written, Block& before, Block& body);
  Block kernel_frame(const std::set<Capture>& captures, const std::set<lang::SymbolId>& written,
                     Block& body);
  bool on_dmm() const { return request_.machine.model == Model::dmm; }

  const EmitRequest& request_;
  const lang::Checked& checked_;
  const ir::Program& lowered_;
  KnownValues values_;
  Names names_;
  Comments comments_;
  WarpHazards hazards_;
  RaceFences fences_;
  Diagnostics errors_;
  File file_;

  std::set<lang::SymbolId> fixed_params_, fixed_consts_;
  std::set<lang::SymbolId> member_variables_, member_arrays_; ///< what verify mentions of main
  std::set<lang::SymbolId> used_variables_, used_arrays_;     ///< those that are read, or passed on
  std::map<lang::SymbolId, Expr> variables_;                  ///< what a variable is in C++
  std::map<lang::SymbolId, ArrayRef> arrays_; ///< formals, views and locals, where visible
  std::map<const lang::TFunction*, std::set<lang::SymbolId>> written_; ///< arrays and formals
  std::set<lang::SymbolId> static_shared_; ///< top-level ones that are declared with a size
  std::vector<Expr> extents_;              ///< extents of memory arrays: at least 1
  std::vector<WrittenFn> fns_;             ///< the file's, in order of need
  std::map<ProcKey, DeviceFunction> procs_;
  std::map<std::string, DeviceFunction> kernels_; ///< keyed by function and arrays
  FunctionContext* context_ = nullptr;
  int random_array_ = -1;
  std::vector<lang::VariableSymbol> added_variables_; ///< variables that the program does not have
  int numbered_ = 0;
  std::vector<Block> before_continue_; ///< each open loop's statements that a `continue` runs first
  std::optional<Expr> launched_threads_; ///< what `threads` is in sizes that a launch asks for
};

inline std::string operator_of(lang::AssignOp op) {
  return op == lang::AssignOp::add ? "+" : op == lang::AssignOp::sub ? "-" : "*";
}

/// An integer has its own type, a long beyond 32 bits; reals have a point.
Expr value_literal(ir::Scalar type, ir::Value value);

} // namespace memlane::cuda
