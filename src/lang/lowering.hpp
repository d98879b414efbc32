// The state of one lowering and its parts: the function that is built, arrays, expressions,
// statements, whole programs.
#pragma once

#include "constants.hpp"

#include "memlane/ir/program.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/walk.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memlane::lang {

// Builds one function of instructions: registers, the constants it uses, structured jumps.

/// An integer that is known now, or in a register.
struct Operand {
  bool known = true;
  std::int64_t value = 0;
  ir::Register reg = -1;

  static Operand of(std::int64_t v) { return {true, v, -1}; }
  static Operand in(ir::Register r) { return {false, 0, r}; }
};

class FunctionBuilder {
public:
  FunctionBuilder(std::string name, Span span);

  /// A register that lives until the enclosing `Scope` ends.
  ir::Register fresh();
  /// The number of the next register; variables declared so far have smaller ones.
  ir::Register next_register() const { return next_; }
  /// A register that holds a value or a special throughout: set once, before all other code.
  ir::Register constant(ir::Scalar type, ir::Value value);
  ir::Register special(ir::Special which);
  ir::Register reg(Operand operand);
  /// A register in which the launch puts the extent of an array that it sizes.
  ir::Register launch_extent(std::int32_t array, std::int32_t dimension);

  ir::Instruction& emit(ir::Opcode op, ir::Scalar type, ir::Register d, ir::Register a = -1,
                        ir::Register b = -1, ir::Register c = -1, std::int64_t immediate = 0);
  /// d = op(a, b) in 64-bit integers, known operands folded.
  Operand integer(ir::Opcode op, Operand a, Operand b);
  /// The source place of the instructions that follow.
  void at(Span span) { span_ = span; }
  Span place() const { return span_; }
  /// Whether the instructions that follow are part of a statement that is written `racy`.
  bool racy() const { return racy_; }
  void set_racy(bool racy) { racy_ = racy; }

  /// A place to jump to; jumps may come before it is known.
  using Label = std::size_t;
  Label label();
  void jump(ir::Opcode op, Label target, ir::Register a = -1);
  void bind(Label label);

  std::int32_t local(std::string name, ir::Scalar type);
  void share(std::int32_t array);
  void add_assert(ir::AssertSite site) { function_.asserts.push_back(std::move(site)); }
  /// Reserves the registers and arrays of another function: verify continues with main's.
  void reserve(std::int32_t registers, const std::vector<ir::LocalArray>& locals);
  /// The register holds a variable of the source from here to the end of the scope.
  void variable(std::string name, ir::Scalar type, ir::Register reg, Span span);
  void formal(ir::Register reg) { function_.formals.push_back(reg); }

  /// Adds the prologue of constants and the end, and resolves the jumps.
  ir::Function finish();
  /// The final number of a register; after `finish`.
  ir::Register settled(ir::Register r) const;

  /// Instructions emitted while it lives belong to one statement (ir::Statement), or to none.
  class Statement {
  public:
    enum class Costs : std::uint8_t { never, always, with_requests };
    Statement(FunctionBuilder& builder, Span span, Costs costs);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

  private:
    FunctionBuilder& builder_;
    Costs costs_;
    std::int32_t outer_;
    std::size_t first_;
  };

  /// Frees the registers taken within a lexical scope, and ends its variables.
  class Scope {
  public:
    explicit Scope(FunctionBuilder& builder)
        : builder_(builder), mark_(builder.next_), variables_(builder.open_variables_.size()) {}
    ~Scope() {
      builder_.next_ = mark_;
      builder_.end_variables(variables_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

  private:
    FunctionBuilder& builder_;
    ir::Register mark_;
    std::size_t variables_; ///< variables that were open before
  };

private:
  /// The number of the next constant or special.
  ir::Register next_pooled() const;

  void number_statements();
  void end_variables(std::size_t left);

  ir::Function function_;
  Span span_;
  bool racy_ = false;
  std::int32_t statement_ = -1;             ///< the statement that instructions belong to
  std::vector<std::size_t> open_variables_; ///< indices into Function::variables, in scope
  ir::Register next_ = 0;
  ir::Register pool_begin_ = 0;
  std::vector<std::pair<bool, std::int64_t>> labels_; ///< bound?, instruction number
  /// Constants and specials have numbers from `pooled` on; `finish` puts them after all others.
  std::map<std::pair<ir::Scalar, std::uint64_t>, ir::Register> constants_;
  std::map<ir::Special, ir::Register> specials_;
  std::map<std::pair<std::int32_t, std::int32_t>, ir::Register> launch_extents_;
};

// The lowering of a program.

/// The registers of a value: one, or one a field of a record.
using Registers = std::vector<ir::Register>;

/// What an array name denotes at one place: a root array, or a range of one.
struct ArrayRef {
  bool local = false;              ///< roots index Function::locals, not Program::arrays
  std::vector<std::int32_t> roots; ///< one, or one a field of a record
  std::vector<Operand> extents;    ///< unknown where the launch sizes a shared array at top level
  Operand offset = Operand::of(0); ///< row-major number of element 0 in the root
  std::string name;
};

/// Lowers a checked program; see lower().
class Lowering {
public:
  Lowering(const Checked& program, const Bindings& bindings, const Sources& sources);
  Result<ir::Program> run();
  Declared declare(); ///< see lang::declare()

private:
  // lower_program.cpp
  Diagnostics errors();
  bool declare_arrays();
  void declare_array(SymbolId id);
  bool declare_extents(const ArraySymbol& symbol, ir::Array& array, ArrayRef& ref);
  std::int32_t value_function(const std::string& name, Span span,
                              const std::function<void(ir::Register)>& add);
  std::int32_t extent_function(const ArraySymbol& symbol, const TExpr& extent);
  std::int32_t initial_function(const ArraySymbol& symbol, std::size_t field);
  void lower_list(const ArraySymbol& symbol, std::size_t field, ir::Register result);
  std::int32_t layout_function(const ArraySymbol& symbol, const ir::Array& array);
  void bind_layout(const ArraySymbol& symbol, ir::Array& array);
  void bind_swizzle(const ArraySymbol& symbol, ir::Array& array);
  void bind_bits(const ArraySymbol& symbol, ir::Array& array);
  void bind_strides(const ArraySymbol& symbol, ir::Array& array);
  std::int32_t host(SymbolId function);
  std::int32_t kernel(const TFunction& function, const std::vector<ArrayRef>& arrays);
  std::int32_t add_function(ir::Function function);

  // lower_program.cpp: accesses of arrays
  ArrayRef resolve(SymbolId id);
  ArrayRef slice(const ArraySlice& slice);
  Operand number(const ArrayRef& ref, const std::vector<TExpr>& indices);
  Operand checked_index(const ArrayRef& ref, const TExpr& index, std::size_t dimension,
                        std::size_t dimensions, Operand bound);
  std::int64_t bound_site(const ArrayRef& ref, std::size_t dimension, std::size_t dimensions);
  ir::Register load(const ArrayRef& ref, std::size_t field, Operand number, const TExpr& expr);
  void store(const ArrayRef& ref, std::size_t field, Operand number, ir::Register value,
             ir::Scalar type);

  // lower_expressions.cpp
  Registers lower(const TExpr& expr);
  ir::Register scalar(const TExpr& expr) { return lower(expr)[0]; }
  Operand operand(const TExpr& expr);
  Registers special(ir::Special which);
  void lower_into(const TExpr& expr, const Registers& target);
  Registers lower_element(const TExpr& expr);
  ir::Register lower_atomic(const TExpr& expr, bool old_is_used);
  Registers lower_field(const TExpr& expr);
  ir::Register lower_lookup(const TExpr& expr);
  ir::Register lower_operation(const TExpr& expr);
  bool is_part_of_operator(const TExpr& expr);
  void lower_operands(const TExpr& expr, Registers& values);
  ir::Register emit_operation(const TExpr& expr, Registers::const_iterator& next);
  ir::Register lower_of_warp(const TExpr& expr);
  Registers lower_conditional(const TExpr& expr);
  ir::Register lower_logical(const TExpr& expr);
  Registers lower_fn(const TExpr& expr);
  Registers lower_fn_block(const TExpr& expr);
  ir::Register lower_comparison(const TExpr& expr);
  bool simple(const TExpr& expr) const;
  Registers fresh(Type type);
  void move(const Registers& to, const Registers& from, Type type);
  const Registers& variable(SymbolId id);
  void bind_variable(SymbolId id, Registers registers);
  std::string variable_name(const VariableSymbol& symbol, std::size_t field) const;

  // lower_statements.cpp
  FunctionBuilder::Statement costed(Span span, bool data);
  FunctionBuilder::Statement evaluation(const TExpr& expr);
  ir::Register evaluate(const TExpr& expr);
  Operand evaluate_bound(const TExpr& expr);
  void block(const std::vector<TStatement>& body);
  void statement(const TStatement& s);
  void assign_variable(const TStatement& s);
  void assign_element(const TStatement& s);
  Operand keep(Operand operand);
  void declare(const TStatement& s);
  void fill(const ArraySymbol& symbol, const ArrayRef& ref, Operand size);
  void lower_if(const TStatement& s);
  void lower_while(const TStatement& s);
  Operand bound_of_followed(const TStatement& s, Operand to, Operand step);
  void lower_for(const TStatement& s);
  void check_step(const TStatement& s, ir::Register step);
  void loop_body(const std::vector<TStatement>& body);
  void open_loop(FunctionBuilder::Label end);
  void close_loop(FunctionBuilder::Label end);
  void leave_loops(int outermost);
  void lower_return(const TStatement& s);
  void lower_print(const TStatement& s);
  void lower_call(const TStatement& s);
  void bind_formal(SymbolId id, ArrayRef ref);
  void lower_concurrent(const TStatement& s);
  void lower_launch(const TStatement& s);
  std::int64_t message(std::string text);
  void lower_assert(const TStatement& s);
  void add_named(const TExpr& expr, std::set<SymbolId>& taken,
                 std::vector<ir::NamedRegister>& named);

  // lower_control.cpp
  struct IterationRange { ///< the iterations a thread runs: first, first + step, … below end
    Operand first, step, end;
  };
  /// Iterations whose ranges depend on earlier indices: a row for each combination of the leading
  /// indices in the least ranges that hold them all.
  struct Rows {
    std::vector<Operand> lows, lengths; ///< of the leading ranges
    Operand count;
    ir::Register row = -1, first = -1; ///< the thread's present row, the number of its first
                                       ///< iteration
  };
  void lower_forall(const TStatement& s);
  Rows rows_of(const TStatement& s);
  std::pair<Operand, Operand> outermost_bounds(const TStatement& s, std::size_t k,
                                               const Rows& rows);
  void bind_row(const TStatement& s, const Rows& rows, Operand row);
  Operand row_length(const TStatement& s, const Rows& rows, Operand row);
  Operand sum_of_rows(const TStatement& s, const Rows& rows);
  void find_row(const TStatement& s, const Rows& rows, Operand iteration);
  Operand count_iterations(const TStatement& s, const std::vector<Operand>& lows,
                           const std::vector<Operand>& highs, const std::vector<Operand>& lengths);
  IterationRange iteration_range(const TStatement& s, Operand iterations);
  void bind_indices(const TStatement& s, Operand iteration, const std::vector<Operand>& lows,
                    const std::vector<Operand>& lengths);

  FunctionBuilder& code() { return *builder_; }

  const Checked& checked_;
  bool awaits_reads_; ///< Bindings
  Constants constants_;
  Watch& watch_; ///< of the constants, too
  ir::Program program_;

  FunctionBuilder* builder_ = nullptr;
  ir::Register forall_registers_ = 0; ///< variables around the forall have smaller ones
  bool in_kernel_ = false;            ///< calls of fns are counted
  bool deferring_ = false;            ///< stores of a `forall sync` wait for the write phase

  /// What `break`, `continue` and `return` leave. Open loops of the function are numbered from the
  /// outermost, 0. Code that lanes may leave early is also a loop.
  struct Leaving {
    static constexpr int nothing = 1 << 30;
    struct Loop {
      int itself, body; ///< what break and continue leave
    };
    struct Fn {
      int block; ///< what return leaves; `nothing`: all that follows is skipped by conditions
      Registers result;
    };
    std::vector<FunctionBuilder::Label> exits; ///< where a block goes when no lane is left in it
    std::vector<int> outer;                    ///< each open loop's `outermost` around it
    int outermost = nothing; ///< the outermost loop that the code since the last join leaves
    std::vector<Loop> loops; ///< loops of the source
    std::vector<Fn> fns;
  };
  Leaving leaving_; ///< state of the function being lowered
  std::unordered_map<SymbolId, Registers> variables_;
  std::unordered_map<SymbolId, ArrayRef> arrays_; ///< formals, views and locals, where visible
  std::unordered_map<SymbolId, ArrayRef> global_arrays_;
  std::map<std::string, std::int32_t> kernels_; ///< keyed by name and array arguments
  /// Keyed by the members of ir::BoundSite.
  std::map<std::tuple<std::string, int, int>, std::int64_t> bound_sites_;
  ir::Register index_ = -1; ///< index of the element being filled, in a local array's initial value
};

} // namespace memlane::lang
