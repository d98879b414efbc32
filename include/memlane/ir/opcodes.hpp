// The instruction table: opcodes, mnemonics, operands. Everything else about instructions that can
// be generated (the enum, names, the disassembly, operand checks) comes from here.
//
// Operand letters: d destination register; a b c source registers; i immediate integer;
// v immediate value of the instruction's type; T jump target; A array; B bound site; F local array;
// U table; S special register; M message; L launch site; f fn (for call counts); s source type.
#pragma once

#include <cstdint>
#include <string_view>

namespace memlane::ir {

// X(opcode, mnemonic, operands)
#define MEMLANE_OPCODES(X)                                                                         \
  /* values */                                                                                     \
  X(constant, "const", "dv")                                                                       \
  X(move, "move", "da")                                                                            \
  X(special, "special", "dS")                                                                      \
  X(convert, "convert", "das")                                                                     \
  X(select, "select", "dabc") /* d = a ? b : c */                                                  \
  /* arithmetic: operands and result of the instruction's type */                                  \
  X(add, "add", "dab")                                                                             \
  X(sub, "sub", "dab")                                                                             \
  X(mul, "mul", "dab")                                                                             \
  X(div, "div", "dab") /* integers truncate; traps on 0 */                                         \
  X(rem, "rem", "dab") /* sign of the dividend; traps on 0 */                                      \
  X(mod, "mod", "dab") /* never negative for b > 0; traps on 0 */                                  \
  X(pow, "pow", "dab") /* integers: traps on a negative exponent */                                \
  X(neg, "neg", "da")                                                                              \
  X(bit_not, "not", "da")                                                                          \
  X(bit_and, "and", "dab")                                                                         \
  X(bit_or, "or", "dab")                                                                           \
  X(bit_xor, "xor", "dab")                                                                         \
  X(shl, "shl", "dab") /* traps unless 0 <= b < bits */                                            \
  X(shr, "shr", "dab") /* arithmetic; traps unless 0 <= b < bits */                                \
  X(min, "min", "dab")                                                                             \
  X(max, "max", "dab")                                                                             \
  X(abs, "abs", "da")                                                                              \
  X(log2, "log2", "da")               /* integers: floor, traps on a < 1 */                        \
  X(ceil_div, "ceil_div", "dab")      /* integers; traps on 0 */                                   \
  X(mulmod, "mulmod", "dabc")         /* (a * b) mod c, without overflow; traps on c < 1 */        \
  X(invmod, "invmod", "dab")          /* inverse of a modulo b; traps where there is none */       \
  X(iterations, "iterations", "dabc") /* a * max(0, c - b); traps beyond 2^62 */                   \
  X(sqrt, "sqrt", "da")                                                                            \
  X(sin, "sin", "da")                                                                              \
  X(cos, "cos", "da")                                                                              \
  X(exp, "exp", "da")                                                                              \
  X(random, "random", "dabi") /* a..b included for integers, [a, b) for reals; i: call site */     \
  /* comparisons: operands of the instruction's type, result boolean */                            \
  X(eq, "eq", "dab")                                                                               \
  X(ne, "ne", "dab")                                                                               \
  X(lt, "lt", "dab")                                                                               \
  X(le, "le", "dab")                                                                               \
  X(is_pow2, "is_pow2", "da")                                                                      \
  X(logical_not, "lnot", "da")                                                                     \
  /* memory: one request of the warp each; a is the element's row-major number */                  \
  X(load, "load", "dAa")                                                                           \
  X(store, "store", "Aab")                                                                         \
  X(defer, "defer", "Aab")     /* queue a store until the warp's next drain (`forall sync`) */     \
  X(drain, "drain", "")        /* make the queued stores, in order, a request each */              \
  X(initial, "initial", "dAa") /* verify: the element as main found it */                          \
  X(bound, "bound", "abB")     /* traps unless 0 <= a < b */                                       \
  X(slice, "slice", "abcB")    /* traps unless 0 <= a <= b <= c */                                 \
  /* a thread's own arrays and constant tables: no requests */                                     \
  X(local_new, "local.new", "Fa") /* a zeroed array of a elements */                               \
  X(local_load, "local.load", "dFa")                                                               \
  X(local_store, "local.store", "Fab")                                                             \
  X(lookup, "lookup", "dUa")                                                                       \
  /* structured control under a mask of active lanes */                                            \
  X(if_, "if", "aT")       /* keep lanes with a; none: jump to T, the matching else */             \
  X(else_, "else", "T")    /* swap to the other lanes; none: jump to T, the matching endif */      \
  X(endif, "endif", "")    /* lanes rejoin */                                                      \
  X(loop, "loop", "")      /* lanes that leave the loop wait for the others at endloop; with no    \
                              again in it, a stretch of code that lanes may leave early */         \
  X(while_, "while", "aT") /* lanes without a leave; none left: jump to T, the endloop */          \
  X(break_, "break", "i")  /* all active lanes leave the innermost loop and i around it */         \
  X(exit, "exit", "T")     /* no lane active: jump to T */                                         \
  X(again, "again", "T")   /* jump back to T, behind the loop */                                   \
  X(endloop, "endloop", "")                                                                        \
  /* parallel structure */                                                                         \
  X(barrier, "barrier", "")                                                                        \
  X(forall, "forall", "")        /* iterations begin: independent of each other until endforall;   \
                                    immediate 1: over the threads of all blocks */                 \
  X(iteration, "iteration", "a") /* this lane now runs iteration number a */                       \
  X(endforall, "endforall", "")                                                                    \
  X(call, "call", "f") /* counts a call of a fn */                                                 \
  /* checks and the host */                                                                        \
  X(assert_, "assert", "aM")                                                                       \
  X(print, "print", "Ma") /* adds a message, and a, if there is one, to a line; at its end, the    \
                             line is shown: a message that ends it has no a */                     \
  X(trap, "trap", "M")                                                                             \
  X(launch, "launch", "L")                                                                         \
  X(end, "end", "")

enum class Opcode : std::uint8_t {
#define MEMLANE_ENUM(opcode, mnemonic, operands) opcode,
  MEMLANE_OPCODES(MEMLANE_ENUM)
#undef MEMLANE_ENUM
};

std::string_view mnemonic(Opcode op);
std::string_view operands(Opcode op);

/// What a special register holds.
enum class Special : std::uint8_t { thread, threads, block, blocks, lane, warp, warps, index };
std::string_view name_of(Special special);

} // namespace memlane::ir
