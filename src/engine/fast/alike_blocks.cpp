#include "alike_blocks.hpp"

#include "block_changes.hpp"
#include "fast/launch_run.hpp"

#include "memlane/ir/flow.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace memlane::fast {

using ir::Instruction;
using ir::Opcode;
using ir::Scalar;

namespace {

using namespace changes;

/// Follows the registers of a kernel through its code.
class AlikeProof {
public:
  explicit AlikeProof(const LaunchRun& launch)
      : launch_(launch), code_(launch.kernel.code), flow_(launch.kernel) {}

  AlikeBlocks prove() {
    for (std::size_t at = 0; at < code_.size(); ++at)
      for (const std::size_t next : flow_.after(at))
        if (next != at + 1) {
          before_[next];
          if (next <= at) heads_.insert(next);
        }
    begin();
    for (int pass = 0; changed_ && found_.steps; ++pass) {
      if (pass == most_passes) return {};
      grows_ = pass < 2;
      changed_ = false;
      walk();
    }
    return found_;
  }

private:
  static constexpr int most_passes = 12;
  using Registers = std::vector<Change>;

  void begin() {
    Registers& first = before_[0].emplace(static_cast<std::size_t>(launch_.kernel.registers));
    for (std::size_t f = 0; f < launch_.formals.size(); ++f) {
      const std::int64_t value = launch_.formals[f].integer(); // of a real number: not looked at
      if (value > -most_change && value < most_change)
        first[static_cast<std::size_t>(launch_.kernel.formals[f])] = constant(value);
    }
  }

  /// Registers pass from each instruction to the next, and to the targets of jumps.
  void walk() {
    Registers registers;
    bool reached = false;
    for (std::size_t at = 0; at < code_.size() && found_.steps; ++at) {
      if (const auto known = before_.find(at); known != before_.end()) {
        if (reached) join(at, registers);
        reached = known->second.has_value();
        if (reached) registers = *known->second;
      }
      if (!reached) continue;
      look(code_[at], registers);
      const Instruction& in = code_[at];
      if (ir::has_operand(in, 'd') && in.d >= 0) {
        const Change result = fitting(in, result_of(in, registers));
        registers[static_cast<std::size_t>(in.d)] = result;
      }
      reached = false;
      for (const std::size_t next : flow_.after(at)) {
        if (next == at + 1)
          reached = true;
        else
          join(next, registers);
      }
      keep_within(at, registers);
    }
  }

  void join(std::size_t at, const Registers& more) {
    std::optional<Registers>& known = before_[at];
    if (!known) {
      known = more;
      changed_ = true;
      return;
    }
    for (std::size_t r = 0; r < more.size(); ++r) {
      Change joined = either((*known)[r], more[r]);
      if (joined == (*known)[r]) continue;
      if (heads_.contains(at)) widen(joined.values, (*known)[r].values);
      if (!grows_ && joined.most > (*known)[r].most) joined = unknown; // it would never end
      (*known)[r] = joined;
      changed_ = true;
    }
  }

  /// Ends of a range that move from round to round move as far as they can: else a loop would take
  /// as many passes as it has rounds.
  static void widen(std::optional<OfBlocks>& joined, const std::optional<OfBlocks>& known) {
    if (!joined || !known) return;
    if (joined->least < known->least) joined->least = -most_change;
    if (joined->most > known->most) joined->most = most_change;
  }

  /// What the condition of a loop, computed just before it, says of lanes that go on.
  void keep_within(std::size_t at, Registers& registers) const {
    if (code_[at].op != Opcode::while_ || at == 0 || before_.contains(at)) return;
    const Instruction& less = code_[at - 1];
    const bool strict = less.op == Opcode::lt;
    if (!(strict || less.op == Opcode::le) || !ir::is_integer(less.type) || less.d != code_[at].a ||
        less.d == less.a || less.d == less.b)
      return;
    std::optional<OfBlocks>& low = registers[static_cast<std::size_t>(less.a)].values;
    std::optional<OfBlocks>& high = registers[static_cast<std::size_t>(less.b)].values;
    if (!low || !high) return;
    if (!low->by_block) low->most = std::min(low->most, high->most - (strict ? 1 : 0));
    if (!high->by_block) high->least = std::max(high->least, low->least + (strict ? 1 : 0));
  }

  const Change& of(const Registers& registers, ir::Register r) const {
    return registers[static_cast<std::size_t>(r)];
  }
  /// Calls f with each operand.
  template <class F>
  bool all(const Instruction& in, const Registers& registers, F f) const {
    for (const auto& [letter, r] : {std::pair{'a', in.a}, {'b', in.b}, {'c', in.c}})
      if (ir::has_operand(in, letter) && r >= 0 && !f(of(registers, r))) return false;
    return true;
  }
  bool all_same(const Instruction& in, const Registers& registers) const {
    return all(in, registers, [](const Change& operand) { return operand.is_same(); });
  }

  // What an instruction asks for, and the errors that it may find.

  void look(const Instruction& in, Registers& registers) {
    switch (ir::group_of(in.op)) {
    case ir::OpcodeGroup::value:
    case ir::OpcodeGroup::arithmetic:
    case ir::OpcodeGroup::comparison:
      if (!all_same(in, registers) && may_trap(in, registers)) found_.checks = false;
      return;
    case ir::OpcodeGroup::access: return look_at_request(in, of(registers, in.a));
    case ir::OpcodeGroup::control:
      if (ir::has_operand(in, 'a') && !of(registers, in.a).is_same()) found_.steps = false;
      return;
    case ir::OpcodeGroup::check: return check(in, registers);
    case ir::OpcodeGroup::own:
      if (!all_same(in, registers)) found_.checks = false;
      return;
    case ir::OpcodeGroup::warp: // a block's lanes may ask an inactive one
      if (in.b >= 0 && !of(registers, in.b).is_same()) found_.checks = false;
      return;
    case ir::OpcodeGroup::draw:
    case ir::OpcodeGroup::snapshot: found_.checks = false; return;
    case ir::OpcodeGroup::print: found_.steps = false; return;
    case ir::OpcodeGroup::drain:
    case ir::OpcodeGroup::parallel:
    case ir::OpcodeGroup::call:
    case ir::OpcodeGroup::launch:
    case ir::OpcodeGroup::end: return;
    }
  }

  /// Requests are alike if their words are moved by a multiple of w, and their places with them; or
  /// if all lanes ask for one word, whichever it is.
  void look_at_request(const Instruction& in, const Change& element) {
    const auto array = static_cast<std::size_t>(in.immediate);
    const bool moves = launch_.arrays[array].placement->kind == LayoutKind::rows;
    const std::int64_t width = launch_.machine.width;
    const std::int64_t words = launch_.arrays[array].words;
    const bool one_word = words == 1 && element.values && element.values->by_block;
    const bool alike = element.is_same() || one_word ||
                       (element.known && !element.narrow && moves &&
                        element.multiple % width * words % width == 0);
    if (!alike) found_.steps = false;
  }

  /// An index that is inside in the first and in the last block is inside in all.
  void check(const Instruction& in, Registers& registers) {
    const auto checked = [&](ir::Register r) {
      Change& index = registers[static_cast<std::size_t>(r)];
      if (!index.known || index.course == Course::free) found_.checks = false;
      index.narrow = false;
    };
    if (in.op == Opcode::bound) {
      checked(in.a);
      if (!of(registers, in.b).is_same()) found_.checks = false;
    } else if (!all_same(in, registers)) {
      found_.checks = false;
    }
  }

  /// Whether the instruction may fail with some operands of these changes.
  bool may_trap(const Instruction& in, const Registers& registers) const {
    switch (in.op) {
    case Opcode::div:
    case Opcode::rem:
    case Opcode::mod:
    case Opcode::ceil_div: return ir::is_integer(in.type) && divisor(in, registers) == 0;
    case Opcode::pow:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::log2:
    case Opcode::mulmod:
    case Opcode::invmod:
    case Opcode::iterations: return ir::is_integer(in.type);
    case Opcode::convert: return ir::is_real(static_cast<Scalar>(in.immediate));
    default: return false;
    }
  }

  /// The positive constant that the second operand is; 0: it is none.
  std::int64_t divisor(const Instruction& in, const Registers& registers) const {
    const std::optional<OfBlocks>& by = of(registers, in.b).values;
    return by && by->is_constant() && by->least > 0 ? by->least : 0;
  }

  // What an instruction computes.

  Change result_of(const Instruction& in, const Registers& registers) const {
    switch (ir::group_of(in.op)) {
    case ir::OpcodeGroup::value: return value_of(in, registers);
    case ir::OpcodeGroup::arithmetic:
      if (ir::is_integer(in.type)) return computed(in, registers);
      break;
    case ir::OpcodeGroup::comparison:
      if (ir::is_integer(in.type) && is_decided(in, registers)) return {};
      break;
    case ir::OpcodeGroup::warp: break;
    default: return in.op == Opcode::lookup && all_same(in, registers) ? Change{} : unknown;
    }
    return all_same(in, registers) ? Change{} : unknown;
  }

  Change value_of(const Instruction& in, const Registers& registers) const {
    switch (in.op) {
    case Opcode::constant: return ir::is_integer(in.type) ? constant(in.immediate) : Change{};
    case Opcode::special: return special(static_cast<ir::Special>(in.immediate));
    case Opcode::select:
      return of(registers, in.a).is_same() ? either(of(registers, in.b), of(registers, in.c))
                                           : unknown;
    case Opcode::convert:
      if (of(registers, in.a).is_same() && !ir::is_integer(static_cast<Scalar>(in.immediate)))
        return {};
      if (!ir::is_integer(in.type) || !ir::is_integer(static_cast<Scalar>(in.immediate)))
        return of(registers, in.a).is_same() ? Change{} : unknown;
      return of(registers, in.a);
    default: return of(registers, in.a); // move
    }
  }

  Change special(ir::Special which) const {
    const std::int64_t blocks = launch_.shape.blocks;
    switch (which) {
    case ir::Special::block: return of_values({0, blocks - 1, 0, blocks - 1});
    case ir::Special::blocks: return constant(blocks);
    case ir::Special::thread: return of_lanes(0, launch_.shape.threads - 1);
    case ir::Special::threads: return constant(launch_.shape.threads);
    case ir::Special::lane: return of_lanes(0, launch_.machine.width - 1);
    case ir::Special::warp: return of_lanes(0, launch_.warps_of_block - 1);
    case ir::Special::warps: return constant(launch_.warps_of_block);
    case ir::Special::index: break;
    }
    return {};
  }

  Change computed(const Instruction& in, const Registers& registers) const {
    const Change& a = of(registers, in.a);
    if (!all(in, registers, [](const Change& operand) { return operand.known; })) return unknown;
    const auto b = [&]() -> const Change& { return of(registers, in.b); };
    const bool same = all_same(in, registers);
    switch (in.op) {
    case Opcode::add: return add(a, b());
    case Opcode::sub: return add(a, negate(b()));
    case Opcode::neg: return negate(a);
    case Opcode::mul:
      if (b().values && b().values->is_constant()) return times(a, b().values->least);
      if (a.values && a.values->is_constant()) return times(b(), a.values->least);
      break;
    case Opcode::div:
    case Opcode::ceil_div:
    case Opcode::rem:
    case Opcode::mod: {
      const std::int64_t by = divisor(in, registers);
      if (by == 0 || !a.values || !a.values->by_block || a.values->least < 0) break;
      if (in.op == Opcode::rem || in.op == Opcode::mod) return remainder(a, by);
      return quotient(a, by, in.op == Opcode::ceil_div);
    }
    default: break;
    }
    return same ? Change{} : unknown;
  }

  /// Whether the values of both sides are never, or always, in the order that is asked for.
  bool is_decided(const Instruction& in, const Registers& registers) const {
    if (!ir::is_relation(in.op)) return false;
    const std::optional<OfBlocks>&a = of(registers, in.a).values, &b = of(registers, in.b).values;
    if (!a || !b) return false;
    switch (in.op) {
    case Opcode::lt: return a->most < b->least || a->least >= b->most;
    case Opcode::le: return a->most <= b->least || a->least > b->most;
    default: return a->most < b->least || b->most < a->least;
    }
  }

  /// The result as its type holds it.
  Change fitting(const Instruction& in, Change result) const {
    if (!result.known || !ir::is_integer(in.type)) return result;
    const bool narrow = in.type == Scalar::int32;
    const std::int64_t most = narrow ? most_int : most_change;
    if (result.values && (result.values->least < -most || result.values->most >= most))
      result.values.reset();
    if (result.is_same()) {
      result.narrow = false;
      return result;
    }
    if (result.most >= most || (!narrow && result.narrow)) return unknown;
    result.narrow = narrow && !result.values && (result.narrow || in.op != Opcode::move);
    return result;
  }

  const LaunchRun& launch_;
  const std::vector<Instruction>& code_;
  ir::FlowGraph flow_;
  std::map<std::size_t, std::optional<Registers>> before_; ///< where paths join
  std::set<std::size_t> heads_;                            ///< of loops
  AlikeBlocks found_{true, true};
  bool changed_ = true, grows_ = true;
};

} // namespace

AlikeBlocks alike_blocks(const LaunchRun& launch) {
  const MachineSpec& machine = launch.machine;
  constexpr std::size_t most_numbers = std::size_t{1} << 22;
  if (machine.is_beyond_papers() || launch.followed || launch.keyed || launch.ordered ||
      launch.shape.blocks < 3 ||
      launch.kernel.code.size() * static_cast<std::size_t>(launch.kernel.registers) > most_numbers)
    return {};
  return AlikeProof(launch).prove();
}

} // namespace memlane::fast
