// What lanes say of their faults: the element, the asserted values, the overflow behind an index.
#include "lanes.hpp"

#include "memlane/ir/arithmetic.hpp"
#include "memlane/ir/flow.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace memlane {

using ir::Instruction;
using ir::Opcode;

std::vector<std::string> remedies_for_index(std::int64_t extent) {
  if (extent < 1) return {"the array has no elements"};
  return {fmt::format("the indices are 0 to {}: choose another range, or write an `if` around it",
                      extent - 1)};
}

Diagnostic Fault::diagnostic(const Sources& sources, const std::string& where) const {
  if (!wrap) return error_at(span, text(where), help);
  Diagnostic error =
      error_at(span, fmt::format("index {}{}: {}", wrap->made, where, ir::text(*wrap, sources)));
  error.help.push_back(message); // names the array
  error.help.insert(error.help.end(), help.begin(), help.end());
  return error;
}

/// Looks for integer overflow in the computation of a wrong index or slice.
void Lanes::find_wraps(const Instruction& in, int lane) {
  const auto value = [&](ir::Register r) { return row(r)[lane]; };
  fault_.wrap = find_wrap(*function_, pc_, in.a, value);
  if (!fault_.wrap && in.op == Opcode::slice) fault_.wrap = find_wrap(*function_, pc_, in.b, value);
}

void Lanes::bound_fault(const Instruction& in, int lane) {
  const ir::BoundSite& site = program_->bounds[static_cast<std::size_t>(in.immediate)];
  const std::int64_t a = row(in.a)[lane].integer(), b = row(in.b)[lane].integer();
  const std::string dimension =
      site.dimensions == 1
          ? ""
          : fmt::format(" in dimension {} of {}", site.dimension + 1, site.dimensions);
  if (in.op == Opcode::bound) {
    fail(lane, fmt::format("index {} is outside array {} (0..{}{})", a, site.array, b, dimension),
         remedies_for_index(b));
  } else if (a > b) {
    fail(lane, fmt::format("slice {}..{} of array {} ends before it begins", a, b, site.array));
  } else {
    fail(lane,
         fmt::format("slice {}..{} is outside array {} (0..{}{})", a, b, site.array,
                     row(in.c)[lane].integer(), dimension),
         {"a slice lo..hi leaves hi out"});
  }
  find_wraps(in, lane);
}

void Lanes::assert_fault(const Instruction& in, int lane) {
  fail(lane, "assert failed");
  fault_.detail = shortened(program_->messages[static_cast<std::size_t>(in.immediate)]);
  fault_.help = compared_values(in.a, lane);
  if (std::string named = named_values(in.immediate, lane); !named.empty())
    fault_.help.push_back(std::move(named));
  fault_.assertion = true;
}

// The values of the variables in the condition: `i = 17, x = 2.5`.
std::string Lanes::named_values(std::int64_t message, int lane) {
  constexpr std::size_t most = 16;
  const auto& asserts = function_->asserts;
  const auto site = std::find_if(asserts.begin(), asserts.end(),
                                 [&](const auto& known) { return known.message == message; });
  if (site == asserts.end()) return {};
  std::string text;
  for (std::size_t k = 0; k < site->variables.size() && k < most; ++k) {
    const ir::NamedRegister& variable = site->variables[k];
    text += fmt::format("{}{} = {}", k == 0 ? "" : ", ", variable.name,
                        to_string(variable.type, row(variable.reg)[lane]));
  }
  return site->variables.size() > most ? text + ", …" : text;
}

// The operands of the comparison that computed the condition, if they still have their values.
std::vector<std::string> Lanes::compared_values(ir::Register condition, int lane) {
  for (std::size_t at = pc_; at-- > 0;) {
    const Instruction& in = function_->code[at];
    if (ir::is_control(in.op)) return {};
    if (in.d != condition) continue;
    if (!ir::is_relation(in.op) || in.a == in.d || in.b == in.d) return {};
    for (std::size_t later = at + 1; later < pc_; ++later)
      if (const ir::Register d = function_->code[later].d; d == in.a || d == in.b) return {};
    return {fmt::format("the compared values are {} and {}", to_string(in.type, row(in.a)[lane]),
                        to_string(in.type, row(in.b)[lane]))};
  }
  return {};
}

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
