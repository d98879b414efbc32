#include "wraps.hpp"

#include "memlane/ir/arithmetic.hpp"
#include "memlane/ir/flow.hpp"

#include <array>

namespace memlane {

namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Register;
using ir::Value;
using ir::Wrap;

/// Recomputes the value of a register.
class Recomputation {
public:
  Recomputation(const ir::Function& function, std::size_t at,
                const std::function<Value(Register)>& value, bool meant)
      : code_(function.code), at_(at), value_(value), meant_(meant) {}

  /// The register's value before instruction `before`, and the first wrap in its computation.
  struct Outcome {
    std::optional<Value> value; ///< none: unknown
    std::optional<Wrap> wrap;
  };

  Outcome of(Register r, std::size_t before) {
    const bool kept = last_write(r, before, at_) == none;
    const std::optional<Value> now = kept ? std::optional(value_(r)) : std::nullopt;
    // If several paths assign the register, the last one in the code need not be the one taken.
    for (std::size_t end = before; steps_ < most_steps;) {
      const std::size_t write = last_write(r, 0, end);
      if (write == none) break;
      const Outcome made = result(write);
      if (made.value && (!now || *made.value == *now)) return made;
      if (!now) break;
      end = write;
    }
    return {now, {}};
  }

private:
  static constexpr std::size_t none = SIZE_MAX;
  static constexpr int most_steps = 2000;

  /// The last instruction of begin … end - 1 that writes the register.
  std::size_t last_write(Register r, std::size_t begin, std::size_t end) const {
    for (std::size_t k = end; k-- > begin;)
      if (code_[k].d == r && ir::has_operand(code_[k], 'd')) return k;
    return none;
  }

  Outcome result(std::size_t at) {
    ++steps_;
    const Instruction& in = code_[at];
    if (in.op == Opcode::constant) return {Value::of(in.immediate), {}};
    const bool computes = in.op == Opcode::move || in.op == Opcode::convert ||
                          (in.op >= Opcode::add && in.op < Opcode::sqrt);
    if (!computes || !ir::is_integer(in.type)) return {};
    const auto from = in.op == Opcode::convert ? static_cast<ir::Scalar>(in.immediate) : in.type;
    if (!ir::is_integer(from)) return {};
    std::array<Value, 3> operands{};
    std::optional<Wrap> wrap;
    std::size_t k = 0;
    for (const auto& [letter, r] : {std::pair{'a', in.a}, {'b', in.b}, {'c', in.c}}) {
      if (!ir::has_operand(in, letter) || r < 0) continue;
      const Outcome operand = of(r, at);
      if (!operand.value) return {};
      operands.at(k++) = *operand.value;
      if (!wrap) wrap = operand.wrap;
    }
    const ir::Outcome done = ir::apply(in.op, in.type, operands[0], operands[1], operands[2], from);
    if (done.trap) return {};
    if (!meant_ && ir::takes_some_bits(in.op)) wrap.reset();
    if (!wrap)
      wrap = ir::wrap_of(in.op, in.type, from, operands[0], operands[1], done.value, in.span);
    return {done.value, wrap};
  }

  const std::vector<Instruction>& code_;
  std::size_t at_;
  const std::function<Value(Register)>& value_;
  bool meant_;
  int steps_ = 0;
};

} // namespace

std::optional<ir::Wrap> find_wrap(const ir::Function& function, std::size_t at, Register index,
                                  const std::function<Value(Register)>& value, bool meant) {
  std::optional<Wrap> wrap = Recomputation(function, at, value, meant).of(index, at).wrap;
  if (wrap) wrap->made = value(index).integer();
  return wrap;
}

} // namespace memlane
