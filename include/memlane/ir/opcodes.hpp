// The instruction table: opcodes, mnemonics, operands, effects, groups. Everything else about
// instructions that can be generated (the enum, names, the disassembly, operand checks, what passes
// ask about effects) comes from here.
//
// Operand letters: d destination register; a b c source registers; i immediate integer;
// v immediate value of the instruction's type; T jump target; A array; B bound site; F local array;
// U table; S special register; M message; L launch site; f fn (for call counts); s source type.
//
// Effect letters, beyond registers, a thread's own arrays and which lanes are active: r reads
// memory by a request; w writes memory by one; p prints; o another effect on the run: a draw,
// threads that wait for others, a counted call, a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memlane::ir {

/// What the engines and passes do with an instruction depends on its group; a `switch` over groups
/// names them all, so that a new one does not compile where it is forgotten.
enum class OpcodeGroup : std::uint8_t {
  value,      ///< a register from registers or the instruction itself
  arithmetic, ///< a register from registers: `apply` of operands of the instruction's type
  comparison, ///< likewise, a boolean
  draw,       ///< a random number: the order of draws matters
  access,     ///< a request of the warp
  snapshot,   ///< reads memory as main found it
  own,        ///< a thread's own arrays, constant tables: no requests
  warp,       ///< a register from those of the warp's active lanes; a boolean, or of some lanes
  // Groups without a type of their own.
  drain,    ///< requests of the stores that are queued
  check,    ///< traps or does nothing
  control,  ///< changes the active lanes or where they go on
  parallel, ///< what threads do together: barriers, foralls
  call,
  print,
  launch, ///< kernels' launches, and what orders them
  end,
};

// X(opcode, mnemonic, operands, effects, group)
#define MEMLANE_VALUE_OPCODES(X)                                                                   \
  X(constant, "const", "dv", "", value)                                                            \
  X(move, "move", "da", "", value)                                                                 \
  X(special, "special", "dS", "", value)                                                           \
  X(convert, "convert", "das", "", value)                                                          \
  X(select, "select", "dabc", "", value) /* d = a ? b : c */
// Operands and result of the instruction's type.
#define MEMLANE_ARITHMETIC_OPCODES(X)                                                              \
  X(add, "add", "dab", "", arithmetic)                                                             \
  X(sub, "sub", "dab", "", arithmetic)                                                             \
  X(mul, "mul", "dab", "", arithmetic)                                                             \
  X(div, "div", "dab", "", arithmetic) /* integers truncate; traps on 0 */                         \
  X(rem, "rem", "dab", "", arithmetic) /* sign of the dividend; traps on 0 */                      \
  X(mod, "mod", "dab", "", arithmetic) /* never negative for b > 0; traps on 0 */                  \
  X(pow, "pow", "dab", "", arithmetic) /* integers: traps on a negative exponent */                \
  X(neg, "neg", "da", "", arithmetic)                                                              \
  X(bit_not, "not", "da", "", arithmetic)                                                          \
  X(bit_and, "and", "dab", "", arithmetic)                                                         \
  X(bit_or, "or", "dab", "", arithmetic)                                                           \
  X(bit_xor, "xor", "dab", "", arithmetic)                                                         \
  X(shl, "shl", "dab", "", arithmetic) /* traps unless 0 <= b < bits */                            \
  X(shr, "shr", "dab", "", arithmetic) /* arithmetic; traps unless 0 <= b < bits */                \
  X(min, "min", "dab", "", arithmetic)                                                             \
  X(max, "max", "dab", "", arithmetic)                                                             \
  X(abs, "abs", "da", "", arithmetic)                                                              \
  X(log2, "log2", "da", "", arithmetic)          /* integers: floor, traps on a < 1 */             \
  X(ceil_div, "ceil_div", "dab", "", arithmetic) /* integers; traps on 0 */                        \
  X(mulmod, "mulmod", "dabc", "", arithmetic)    /* (a * b) mod c, no overflow; traps on c < 1 */  \
  X(invmod, "invmod", "dab", "", arithmetic) /* inverse of a modulo b; traps if there is none */   \
  X(iterations, "iterations", "dabc", "", arithmetic) /* a * max(0, c - b); traps beyond 2^62 */   \
  X(sqrt, "sqrt", "da", "", arithmetic)                                                            \
  X(sin, "sin", "da", "", arithmetic)                                                              \
  X(cos, "cos", "da", "", arithmetic)                                                              \
  X(exp, "exp", "da", "", arithmetic)
// Operands of the instruction's type, result boolean.
#define MEMLANE_COMPARISON_OPCODES(X)                                                              \
  X(eq, "eq", "dab", "", comparison)                                                               \
  X(ne, "ne", "dab", "", comparison)                                                               \
  X(lt, "lt", "dab", "", comparison)                                                               \
  X(le, "le", "dab", "", comparison)                                                               \
  X(is_pow2, "is_pow2", "da", "", comparison)                                                      \
  X(logical_not, "lnot", "da", "", comparison)
// One request of the warp each; a is the element's row-major number. d of an atomic is the old
// value; -1: the program does not use it.
#define MEMLANE_ACCESS_OPCODES(X)                                                                  \
  X(load, "load", "dAa", "r", access)                                                              \
  X(store, "store", "Aab", "w", access)                                                            \
  X(defer, "defer", "Aab", "w", access) /* a store that the warp's next drain makes */             \
  X(atomic_add, "atomic.add", "dAab", "rw", access)                                                \
  X(atomic_sub, "atomic.sub", "dAab", "rw", access)                                                \
  X(atomic_min, "atomic.min", "dAab", "rw", access)                                                \
  X(atomic_max, "atomic.max", "dAab", "rw", access)                                                \
  X(atomic_and, "atomic.and", "dAab", "rw", access)                                                \
  X(atomic_or, "atomic.or", "dAab", "rw", access)                                                  \
  X(atomic_xor, "atomic.xor", "dAab", "rw", access)                                                \
  X(atomic_exchange, "atomic.exchange", "dAab", "rw", access)                                      \
  X(atomic_cas, "atomic.cas", "dAabc", "rw", access) /* b where the element is c */
#define MEMLANE_CHECK_OPCODES(X)                                                                   \
  X(bound, "bound", "abB", "", check)  /* traps unless 0 <= a < b */                               \
  X(slice, "slice", "abcB", "", check) /* traps unless 0 <= a <= b <= c */                         \
  X(assert_, "assert", "aM", "", check)                                                            \
  X(trap, "trap", "M", "", check)
// A thread's own arrays and constant tables: no requests.
#define MEMLANE_OWN_OPCODES(X)                                                                     \
  X(local_new, "local.new", "Fa", "", own) /* a zeroed array of a elements */                      \
  X(local_load, "local.load", "dFa", "", own)                                                      \
  X(local_store, "local.store", "Fab", "", own)                                                    \
  X(lookup, "lookup", "dUa", "", own)
// Registers of the active lanes, in rising order; operands of the instruction's type.
#define MEMLANE_WARP_OPCODES(X)                                                                    \
  X(shuffle, "shuffle", "dab", "", warp)       /* a of lane b; traps unless that lane is active */ \
  X(shuffle_up, "shuffle.up", "dab", "", warp) /* a of the lane b below; else its own */           \
  X(shuffle_down, "shuffle.down", "dab", "", warp) /* a of the lane b above; else its own */       \
  X(shuffle_xor, "shuffle.xor", "dab", "", warp)   /* a of lane (lane xor b) */                    \
  X(ballot, "ballot", "da", "", warp)              /* bit i: a of lane i; a long */                \
  X(any, "any", "da", "", warp)                                                                    \
  X(all, "all", "da", "", warp)                                                                    \
  X(warp_sum, "warp.sum", "da", "", warp)                                                          \
  X(warp_min, "warp.min", "da", "", warp)                                                          \
  X(warp_max, "warp.max", "da", "", warp)                                                          \
  X(match, "match", "da", "", warp)   /* bit i: whether lane i has the same a; a long */           \
  X(tensor, "tensor", "da", "", warp) /* a: the time of a product of tiles, already computed */
// Structured control under a mask of active lanes.
#define MEMLANE_CONTROL_OPCODES(X)                                                                 \
  X(if_, "if", "aT", "", control)    /* keep lanes with a; none: jump to T, the matching else */   \
  X(else_, "else", "T", "", control) /* the other lanes; none: jump to T, the matching endif */    \
  X(endif, "endif", "", "", control) /* lanes rejoin */                                            \
  /* lanes that leave the loop wait for the others at endloop; with no again in it, a stretch of   \
     code that lanes may leave early */                                                            \
  X(loop, "loop", "", "", control)                                                                 \
  X(while_, "while", "aT", "", control) /* lanes without a leave; none left: to T, the endloop */  \
  X(break_, "break", "i", "", control) /* active lanes leave the innermost loop and i around it */ \
  X(exit, "exit", "T", "", control)    /* no lane active: jump to T */                             \
  X(again, "again", "T", "", control)  /* jump back to T, behind the loop */                       \
  X(endloop, "endloop", "", "", control)
#define MEMLANE_PARALLEL_OPCODES(X)                                                                \
  X(barrier, "barrier", "", "o", parallel)                                                         \
  /* iterations begin: independent of each other until endforall; immediate 1: over the threads of \
     all blocks */                                                                                 \
  X(forall, "forall", "", "o", parallel)                                                           \
  X(iteration, "iteration", "a", "o", parallel) /* this lane now runs iteration number a */        \
  X(endforall, "endforall", "", "o", parallel)
// Host code only.
#define MEMLANE_LAUNCH_OPCODES(X)                                                                  \
  X(launch, "launch", "L", "o", launch)                                                            \
  /* the launches up to the next endconcurrent are independent of each other */                    \
  X(concurrent, "concurrent", "", "o", launch)                                                     \
  X(endconcurrent, "endconcurrent", "", "o", launch)
// Groups of one opcode.
#define MEMLANE_SINGLE_OPCODES(X)                                                                  \
  /* a..b included for integers, [a, b) for reals; i: call site */                                 \
  X(random, "random", "dabi", "o", draw)                                                           \
  X(drain, "drain", "", "o", drain) /* make the queued stores, in order, a request each */         \
  X(initial, "initial", "dAa", "o", snapshot) /* verify: the element as main found it */           \
  X(call, "call", "f", "o", call)             /* counts a call of a fn */                          \
  /* adds a message, and a, if there is one, to a line; at its end, the line is shown: a message   \
     that ends it has no a */                                                                      \
  X(print, "print", "Ma", "p", print)                                                              \
  X(end, "end", "", "o", end)

#define MEMLANE_OPCODES(X)                                                                         \
  MEMLANE_VALUE_OPCODES(X)                                                                         \
  MEMLANE_ARITHMETIC_OPCODES(X)                                                                    \
  MEMLANE_COMPARISON_OPCODES(X)                                                                    \
  MEMLANE_ACCESS_OPCODES(X)                                                                        \
  MEMLANE_CHECK_OPCODES(X)                                                                         \
  MEMLANE_OWN_OPCODES(X)                                                                           \
  MEMLANE_WARP_OPCODES(X)                                                                          \
  MEMLANE_CONTROL_OPCODES(X)                                                                       \
  MEMLANE_PARALLEL_OPCODES(X) MEMLANE_LAUNCH_OPCODES(X) MEMLANE_SINGLE_OPCODES(X)

enum class Opcode : std::uint8_t {
#define MEMLANE_ENUM(opcode, mnemonic, operands, effects, group) opcode,
  MEMLANE_OPCODES(MEMLANE_ENUM)
#undef MEMLANE_ENUM
};

// The opcodes of a group, for a `switch` that names them all: each is its Opcode.
#define MEMLANE_SAME(opcode, mnemonic, operands, effects, group)                                   \
  opcode = static_cast<std::uint8_t>(Opcode::opcode),
enum class ValueOpcode : std::uint8_t { MEMLANE_VALUE_OPCODES(MEMLANE_SAME) };
enum class ArithmeticOpcode : std::uint8_t { MEMLANE_ARITHMETIC_OPCODES(MEMLANE_SAME) };
enum class ComparisonOpcode : std::uint8_t { MEMLANE_COMPARISON_OPCODES(MEMLANE_SAME) };
enum class CheckOpcode : std::uint8_t { MEMLANE_CHECK_OPCODES(MEMLANE_SAME) };
enum class ControlOpcode : std::uint8_t { MEMLANE_CONTROL_OPCODES(MEMLANE_SAME) };
enum class ParallelOpcode : std::uint8_t { MEMLANE_PARALLEL_OPCODES(MEMLANE_SAME) };
enum class LaunchOpcode : std::uint8_t { MEMLANE_LAUNCH_OPCODES(MEMLANE_SAME) };
enum class WarpOpcode : std::uint8_t { MEMLANE_WARP_OPCODES(MEMLANE_SAME) };
#undef MEMLANE_SAME

std::string_view mnemonic(Opcode op);
std::string_view operands(Opcode op);

inline constexpr OpcodeGroup opcode_groups[] = {
#define MEMLANE_GROUP(opcode, mnemonic, operands, effects, group) OpcodeGroup::group,
    MEMLANE_OPCODES(MEMLANE_GROUP)
#undef MEMLANE_GROUP
};

inline constexpr std::string_view opcode_effects[] = {
#define MEMLANE_EFFECTS(opcode, mnemonic, operands, effects, group) effects,
    MEMLANE_OPCODES(MEMLANE_EFFECTS)
#undef MEMLANE_EFFECTS
};

constexpr OpcodeGroup group_of(Opcode op) { return opcode_groups[static_cast<std::size_t>(op)]; }
constexpr std::string_view effects(Opcode op) {
  return opcode_effects[static_cast<std::size_t>(op)];
}
constexpr bool reads_memory(Opcode op) { return effects(op).find('r') != std::string_view::npos; }
constexpr bool writes_memory(Opcode op) { return effects(op).find('w') != std::string_view::npos; }

/// Its result is a function of its registers and itself, and it has no other effect but a trap.
constexpr bool computes(Opcode op) { return group_of(op) <= OpcodeGroup::comparison; }
/// Its result is a boolean, whatever the type of its operands.
constexpr bool compares(Opcode op) { return group_of(op) == OpcodeGroup::comparison; }
/// A load, a store, made at once or queued, or an atomic.
constexpr bool makes_request(Opcode op) { return group_of(op) == OpcodeGroup::access; }
/// Reads and writes elements at once.
constexpr bool is_atomic(Opcode op) { return op >= Opcode::atomic_add && op <= Opcode::atomic_cas; }
constexpr bool is_control(Opcode op) { return group_of(op) == OpcodeGroup::control; }
/// Compares two operands with ==, !=, < or <=.
constexpr bool is_relation(Opcode op) { return op >= Opcode::eq && op <= Opcode::le; }

/// What a special register holds.
enum class Special : std::uint8_t { thread, threads, block, blocks, lane, warp, warps, index };
std::string_view name_of(Special special);

} // namespace memlane::ir
