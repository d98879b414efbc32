// What lanes say of their faults: the element, the asserted values, the overflow behind an index.
#include "lanes.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

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

} // namespace memlane
