// Builds one function of instructions: registers, the constants it uses, structured jumps.
#pragma once

#include "memlane/ir/program.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace memlane::lang {

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
    std::size_t variables_; ///< that were open before
  };

private:
  /// The number of the next constant or special.
  ir::Register next_pooled() const;

  void number_statements();
  void end_variables(std::size_t left);

  ir::Function function_;
  Span span_;
  bool racy_ = false;
  std::int32_t statement_ = -1;             ///< that instructions belong to
  std::vector<std::size_t> open_variables_; ///< of Function::variables: their scope has not ended
  ir::Register next_ = 0;
  ir::Register pool_begin_ = 0;
  std::vector<std::pair<bool, std::int64_t>> labels_; ///< bound?, instruction number
  /// Constants and specials have numbers from `pooled` on; `finish` puts them after all others.
  std::map<std::pair<ir::Scalar, std::uint64_t>, ir::Register> constants_;
  std::map<ir::Special, ir::Register> specials_;
  std::map<std::pair<std::int32_t, std::int32_t>, ir::Register> launch_extents_;
};

} // namespace memlane::lang
