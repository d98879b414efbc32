// The table of PTX's opcodes: what the decoder accepts, what the documentation says, and which
// opcodes the executor has (PTX ISA 9.0, section 9.7). Everything else about opcodes comes from it.
//
// Operand letters: d destination; q a predicate beside it (`d|q`); a b c e sources; m memory
// operand; n a second one; i integer constant; p source predicate; T label; F function and its
// lists; L list of labels. A letter in capitals above, or after `?`, may be missing.
#pragma once

#include "memlane/ptx/type.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace memlane::ptx {

/// What an operation does beside computing a value from its sources.
enum class Effects : std::uint8_t {
  none,
  reads,   ///< of memory
  writes,  ///< to memory
  updates, ///< reads and writes it at once: an atomic
  control, ///< changes where lanes go on
  warp,    ///< looks at other lanes of its warp
  block,   ///< waits for other warps, or orders memory
  host,    ///< what the host sees: a trap
};

// X(opcode, mnemonic, operands, types, words, effects, meaning)
// `types`: those of the instruction, as many lists as it has types, separated by `/`.
// `words`: those allowed beside the types. `round` stands for rn rz rm rp, `cmp` for comparisons,
// `space` for spaces, `order` for order and scope, `cache` for caches.
#define MEMLANE_PTX_OPCODES(X)                                                                     \
  /* integers and floating point */                                                                \
  X(add, "add", "dab", "u16 u16x2 u32 u64 s16 s16x2 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64",        \
    "round ftz sat cc", none, "d = a + b")                                                         \
  X(addc, "addc", "dab", "u32 s32 u64 s64", "cc", none, "d = a + b + carry")                       \
  X(sub, "sub", "dab", "u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64",                    \
    "round ftz sat cc", none, "d = a - b")                                                         \
  X(subc, "subc", "dab", "u32 s32 u64 s64", "cc", none, "d = a - b - 1 + carry")                   \
  X(mul, "mul", "dab", "u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64",                    \
    "lo hi wide round ftz sat", none, "d = a * b: its lower or upper half, or all of it")          \
  X(mad, "mad", "dabc", "u16 u32 u64 s16 s32 s64 f32 f64", "lo hi wide round ftz sat cc", none,    \
    "d = a * b + c")                                                                               \
  X(madc, "madc", "dabc", "u32 s32 u64 s64", "lo hi cc", none, "d = a * b + c + carry")            \
  X(mul24, "mul24", "dab", "u32 s32", "lo hi", none, "the product of 24 bits each")                \
  X(mad24, "mad24", "dabc", "u32 s32", "lo hi", none, "the same, and a sum")                       \
  X(sad, "sad", "dabc", "u16 u32 u64 s16 s32 s64", "", none, "d = c + |a - b|")                    \
  X(div, "div", "dab", "u16 u32 u64 s16 s32 s64 f32 f64", "approx full round ftz", none,           \
    "d = a / b")                                                                                   \
  X(rem, "rem", "dab", "u16 u32 u64 s16 s32 s64", "", none, "the remainder, of a's sign")          \
  X(abs, "abs", "da", "s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64", "ftz", none, "d = |a|")         \
  X(neg, "neg", "da", "s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64", "ftz", none, "d = -a")          \
  X(min, "min", "dab", "u16 u16x2 u32 u64 s16 s16x2 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64",        \
    "ftz NaN relu", none, "the smaller")                                                           \
  X(max, "max", "dab", "u16 u16x2 u32 u64 s16 s16x2 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64",        \
    "ftz NaN relu", none, "the larger")                                                            \
  X(fma, "fma", "dabc", "f16 f16x2 bf16 bf16x2 f32 f64", "round ftz sat relu", none,               \
    "d = a * b + c, rounded once")                                                                 \
  X(rcp, "rcp", "da", "f32 f64", "approx round ftz", none, "d = 1 / a")                            \
  X(sqrt, "sqrt", "da", "f32 f64", "approx round ftz", none, "the square root")                    \
  X(rsqrt, "rsqrt", "da", "f32 f64", "approx ftz", none, "d = 1 / sqrt(a)")                        \
  X(sin, "sin", "da", "f32", "approx ftz", none, "the sine")                                       \
  X(cos, "cos", "da", "f32", "approx ftz", none, "the cosine")                                     \
  X(lg2, "lg2", "da", "f32", "approx ftz", none, "the logarithm to base 2")                        \
  X(ex2, "ex2", "da", "f32 f16 f16x2 bf16 bf16x2", "approx ftz", none, "d = 2^a")                  \
  X(tanh, "tanh", "da", "f32 f16 f16x2 bf16 bf16x2", "approx", none, "the hyperbolic tangent")     \
  X(copysign, "copysign", "dab", "f32 f64", "", none, "b with the sign of a")                      \
  X(testp, "testp", "da", "f32 f64", "finite infinite number notanumber normal subnormal", none,   \
    "whether a is of this kind")                                                                   \
  /* bits */                                                                                       \
  X(and_, "and", "dab", "pred b16 b32 b64", "", none, "bit by bit")                                \
  X(or_, "or", "dab", "pred b16 b32 b64", "", none, "bit by bit")                                  \
  X(xor_, "xor", "dab", "pred b16 b32 b64", "", none, "bit by bit")                                \
  X(not_, "not", "da", "pred b16 b32 b64", "", none, "bit by bit")                                 \
  X(cnot, "cnot", "da", "b16 b32 b64", "", none, "1 if a is 0, else 0")                            \
  X(lop3, "lop3", "d?qabci?p", "b32", "or and", none, "any function of three bits")                \
  X(shl, "shl", "dab", "b16 b32 b64", "", none, "a shifted to the left")                           \
  X(shr, "shr", "dab", "b16 b32 b64 u16 u32 u64 s16 s32 s64", "", none,                            \
    "a shifted to the right, with its sign if its type has one")                                   \
  X(shf, "shf", "dabc", "b32", "l r clamp wrap", none, "two words shifted together")               \
  X(prmt, "prmt", "dabc", "b32", "f4e b4e rc8 ecl ecr rc16", none, "chosen bytes")                 \
  X(bfe, "bfe", "dabc", "u32 u64 s32 s64", "", none, "a field of bits")                            \
  X(bfi, "bfi", "dabce", "b32 b64", "", none, "a with a field of bits from b")                     \
  X(bfind, "bfind", "da", "u32 u64 s32 s64", "shiftamt", none, "the place of the first bit")       \
  X(brev, "brev", "da", "b32 b64", "", none, "the bits in reverse order")                          \
  X(clz, "clz", "da", "b32 b64", "", none, "zeros before the first one")                           \
  X(popc, "popc", "da", "b32 b64", "", none, "how many bits are one")                              \
  X(bmsk, "bmsk", "dab", "b32", "clamp wrap", none, "a field of ones")                             \
  X(szext, "szext", "dab", "u32 s32", "clamp wrap", none, "a value of b bits extended")            \
  X(fns, "fns", "dabc", "b32", "", none, "the place of the n-th one")                              \
  X(dp4a, "dp4a", "dabc", "u32 s32/u32 s32", "", none, "a product of four bytes each, and c")      \
  X(dp2a, "dp2a", "dabc", "u32 s32/u32 s32", "lo hi", none, "likewise of two")                     \
  X(vabsdiff2, "vabsdiff2", "dabc", "u32 s32/u32 s32/u32 s32", "sat add", none,                    \
    "|a - b| of two halves each, or their sum and c")                                              \
  X(vabsdiff4, "vabsdiff4", "dabc", "u32 s32/u32 s32/u32 s32", "sat add", none,                    \
    "|a - b| of four bytes each, or their sum and c")                                              \
  /* moves and conversions */                                                                      \
  X(mov, "mov", "da", "pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f16x2 f32 f64", "", none,      \
    "a copy, an address, or a vector packed or taken apart")                                       \
  X(cvt, "cvt", "da?b?c",                                                                          \
    "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 tf32 f32 f64 f16x2 bf16x2 e4m3x2 e5m2x2 e2m3x2 "       \
    "e3m2x2 e2m1x2 ue8m0x2/u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64 f16x2 bf16x2 e4m3x2 "    \
    "e5m2x2 e2m3x2 e3m2x2 e2m1x2 ue8m0x2",                                                         \
    "round rs rni rzi rmi rpi rna ftz sat relu satfinite", none, "a in another type")              \
  X(cvta, "cvta", "da", "u32 u64", "to space", none, "an address in a space or of any")            \
  X(isspacep, "isspacep", "da", "", "space", none, "whether an address is of the space")           \
  X(selp, "selp", "dabp", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", "", none, "p ? a : b")    \
  X(slct, "slct", "dabc", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64/s32 f32", "ftz", none,      \
    "c >= 0 ? a : b")                                                                              \
  X(setp, "setp", "d?qab?p", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64",  \
    "cmp and or xor ftz", none, "whether a comparison holds, and a predicate")                     \
  X(set, "set", "dab?p",                                                                           \
    "u16 u32 s32 f16 f16x2 bf16 bf16x2 f32/b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 "    \
    "bf16x2 f32 f64",                                                                              \
    "cmp and or xor ftz", none, "the same as a number")                                            \
  /* memory */                                                                                     \
  X(ld, "ld", "dm?c", "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64",                  \
    "space order cache v2 v4 v8", reads, "a word or a vector from memory")                         \
  X(ldu, "ldu", "dm", "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64", "space v2 v4",       \
    reads, "a word that is equal for all lanes")                                                   \
  X(st, "st", "ma?c", "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64",                  \
    "space order cache v2 v4 v8", writes, "a word or a vector to memory")                          \
  X(atom, "atom", "dma?b?c", "b16 b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64",          \
    "space order cache noftz add min max inc dec exch cas and or xor", updates,                    \
    "an update of a word at once, and what it was")                                                \
  X(red, "red", "ma?c", "b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64",                   \
    "space order cache noftz add min max inc dec and or xor", updates,                             \
    "an update of a word at once")                                                                 \
  X(cp, "cp", "?m?n?i?a?c", "b64",                                                                 \
    "async space cache commit_group wait_group wait_all mbarrier arrive noinc", writes,            \
    "an asynchronous copy from global to shared memory, and waiting for it")                       \
  X(ldmatrix, "ldmatrix", "dm", "b16", "sync aligned m8n8 x1 x2 x4 trans space", reads,            \
    "rows of matrices of eight times eight")                                                       \
  X(wmma, "wmma", "?d?m?a?b?c",                                                                    \
    "f16 bf16 tf32 f32 f64 s8 u8 s32/f16 bf16 tf32 f32 f64 s8 u8/f16 bf16 tf32 f64 s8 u8/"         \
    "f32 f64 s32",                                                                                 \
    "load store mma sync aligned a b c d row col space rn satfinite "                              \
    "m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4",                                                 \
    warp, "d = a * b + c of matrices, and their parts from and to memory")                         \
  X(mma, "mma", "dabc",                                                                            \
    "f16 f32 f64 s32/f16 bf16 tf32 f64 s8 u8/f16 bf16 tf32 f64 s8 u8/f16 f32 f64 s32",             \
    "sync aligned row col rn satfinite "                                                           \
    "m8n8k4 m8n8k16 m16n8k4 m16n8k8 m16n8k16 m16n8k32",                                            \
    warp, "d = a * b + c of matrices")                                                             \
  X(tex, "tex", "d?qma?b?c", "u32 s32 f32/s32 f32",                                                \
    "base level grad 1d 2d 3d a1d a2d cube acube v4", reads,                                       \
    "a texel of a texture, or a mean of those around a place")                                     \
  X(tld4, "tld4", "d?qma", "u32 s32 f32/f32", "r g b a 2d a2d v4", reads,                          \
    "one channel of the four texels around a place")                                               \
  X(txq, "txq", "dm", "b32", "width height depth array_size", none, "the size of a texture")       \
  X(suld, "suld", "dma", "b8 b16 b32 b64", "b 1d 2d 3d a1d a2d v2 v4 trap clamp zero cache",       \
    reads, "a word or a vector from a surface")                                                    \
  X(sust, "sust", "mab", "b8 b16 b32 b64", "b 1d 2d 3d a1d a2d v2 v4 trap clamp zero cache",       \
    writes, "a word or a vector to a surface")                                                     \
  X(suq, "suq", "dm", "b32", "width height depth array_size", none, "the size of a surface")       \
  X(alloca, "alloca", "da?i", "u32 u64", "", none,                                                 \
    "local memory of a size that is known at run time")                                            \
  X(stacksave, "stacksave", "d", "u32 u64", "", none, "how much of it there is")                   \
  X(stackrestore, "stackrestore", "a", "u32 u64", "", none, "frees what came behind that")         \
  X(prefetch, "prefetch", "m", "", "space L1 L2 L2::evict_last", none, "no effect here")           \
  X(prefetchu, "prefetchu", "m", "", "L1", none, "no effect here")                                 \
  X(discard, "discard", "mi", "", "space L2", none, "no effect here")                              \
  /* where lanes go on */                                                                          \
  X(bra, "bra", "T", "", "uni", control, "lanes go on at a label")                                 \
  X(brx, "brx", "aL", "", "idx uni", control, "lanes go on at a label of a list")                  \
  X(call, "call", "F", "", "uni", control, "lanes execute a function")                             \
  X(ret, "ret", "", "", "uni", control, "lanes go back to the call, or end")                       \
  X(exit, "exit", "", "", "", control, "lanes end")                                                \
  X(trap, "trap", "", "", "", host, "the launch is over with an error")                            \
  X(brkpt, "brkpt", "", "", "", none, "no effect here")                                            \
  X(nanosleep, "nanosleep", "a", "u32", "", none, "other warps go on first")                       \
  X(pmevent, "pmevent", "i", "", "", none, "no effect here")                                       \
  X(griddepcontrol, "griddepcontrol", "", "", "launch_dependents wait", none, "no effect here")    \
  /* warps and blocks */                                                                           \
  X(bar, "bar", "?d?a?b?p", "pred u32", "warp sync arrive red popc and or cta", block,             \
    "warps of a block wait for each other")                                                        \
  X(barrier, "barrier", "?d?a?b?p", "pred u32", "sync arrive red popc and or aligned cta", block,  \
    "warps of a block wait for each other")                                                        \
  X(mbarrier, "mbarrier", "?d?m?a?b", "b64",                                                       \
    "init inval arrive arrive_drop noComplete test_wait try_wait parity pending_count release "    \
    "acquire relaxed cta space",                                                                   \
    updates, "arrivals at a barrier in shared memory, and waits for all")                          \
  X(membar, "membar", "", "", "cta gl sys", block, "what was written before is seen before")       \
  X(fence, "fence", "", "", "sc acq_rel cta cluster gpu sys", block,                               \
    "what was written before is seen before")                                                      \
  X(shfl, "shfl", "d?qabc?e", "b32", "sync up down bfly idx", warp, "a value of another lane")     \
  X(vote, "vote", "dp?a", "pred b32", "sync all any uni ballot", warp, "a predicate of all lanes") \
  X(match, "match", "d?qab", "b32 b64", "any all sync", warp, "which lanes have the same value")   \
  X(activemask, "activemask", "d", "b32", "", warp, "the lanes that are active")                   \
  X(redux, "redux", "dab", "b32 u32 s32", "sync add min max and or xor", warp,                     \
    "a sum or another reduction of all lanes")                                                     \
  X(elect, "elect", "dqa", "", "sync", warp, "one lane of several")

enum class Opcode : std::uint8_t {
#define MEMLANE_PTX_OPCODE(opcode, mnemonic, operands, types, words, effects, meaning) opcode,
  MEMLANE_PTX_OPCODES(MEMLANE_PTX_OPCODE)
#undef MEMLANE_PTX_OPCODE
};

/// A row of the table.
struct OpcodeRow {
  Opcode opcode = Opcode::add;
  std::string_view mnemonic, operands, types, words;
  Effects effects = Effects::none;
  std::string_view meaning;
};

/// In the order of the enumeration.
std::span<const OpcodeRow> opcode_rows();
const OpcodeRow& row_of(Opcode opcode);
/// Null: there is no such opcode, or memlane does not execute it.
const OpcodeRow* find_opcode(std::string_view mnemonic);
/// Opcodes that PTX has and memlane does not execute, such as `wgmma`: names to be refused with.
bool is_known_elsewhere(std::string_view mnemonic);

/// Whether its memory operand is a texture or surface object.
constexpr bool uses_object(Opcode opcode) { return opcode >= Opcode::tex && opcode <= Opcode::suq; }

/// Whether the row's instructions may have this word.
bool allows(const OpcodeRow& row, Word word);
/// The types that its `index`-th type may be, from 0; empty: it has none.
std::span<const Type> types_of(const OpcodeRow& row, std::size_t index);

} // namespace memlane::ptx
