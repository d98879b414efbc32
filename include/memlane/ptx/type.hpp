// Types and the dotted words of PTX (PTX ISA 9.0, sections 5.2 and 8 to 9).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace memlane::ptx {

// X(name, bits, letter): b bits without a meaning, u unsigned, s signed, f floating, p predicate.
#define MEMLANE_PTX_TYPES(X)                                                                       \
  X(none, 0, '-')                                                                                  \
  X(pred, 1, 'p')                                                                                  \
  X(b8, 8, 'b')                                                                                    \
  X(b16, 16, 'b')                                                                                  \
  X(b32, 32, 'b')                                                                                  \
  X(b64, 64, 'b')                                                                                  \
  X(b128, 128, 'b')                                                                                \
  X(u8, 8, 'u')                                                                                    \
  X(u16, 16, 'u')                                                                                  \
  X(u16x2, 32, 'u')                                                                                \
  X(u32, 32, 'u')                                                                                  \
  X(u64, 64, 'u')                                                                                  \
  X(s8, 8, 's')                                                                                    \
  X(s16, 16, 's')                                                                                  \
  X(s16x2, 32, 's')                                                                                \
  X(s32, 32, 's')                                                                                  \
  X(s64, 64, 's')                                                                                  \
  X(f16, 16, 'f')                                                                                  \
  X(f16x2, 32, 'f')                                                                                \
  X(bf16, 16, 'f')                                                                                 \
  X(bf16x2, 32, 'f')                                                                               \
  X(e4m3x2, 16, 'f')                                                                               \
  X(e5m2x2, 16, 'f')                                                                               \
  X(e2m3x2, 16, 'f')                                                                               \
  X(e3m2x2, 16, 'f')                                                                               \
  X(e2m1x2, 8, 'f')                                                                                \
  X(ue8m0x2, 16, 'f')                                                                              \
  X(tf32, 32, 'f')                                                                                 \
  X(f32, 32, 'f')                                                                                  \
  X(f64, 64, 'f')

enum class Type : std::uint8_t {
#define MEMLANE_PTX_TYPE(name, bits, letter) name,
  MEMLANE_PTX_TYPES(MEMLANE_PTX_TYPE)
#undef MEMLANE_PTX_TYPE
};

/// The type of this name without its dot; nothing: there is none.
std::optional<Type> type_named(std::string_view name);
std::string_view name_of(Type type);
/// 1 of a predicate.
int bits_of(Type type);
/// Bytes in memory; of a predicate 1.
inline int bytes_of(Type type) { return (bits_of(type) + 7) / 8; }
/// Its letter in MEMLANE_PTX_TYPES.
char kind_of(Type type);
inline bool is_signed(Type type) { return kind_of(type) == 's'; }
inline bool is_float(Type type) { return kind_of(type) == 'f'; }
/// Two numbers of 8 bits or fewer.
constexpr bool is_small_pair(Type type) { return type >= Type::e4m3x2 && type <= Type::ue8m0x2; }

// The words behind an opcode that are no types, X(enumerator, spelling). Some are one word with
// several meanings, which the opcode tells apart: `lo` of mul and of setp.
// clang-format off
#define MEMLANE_PTX_WORDS(X)                                                                       \
  /* rounding, and how exact */                                                                    \
  X(rn, "rn") X(rz, "rz") X(rm, "rm") X(rp, "rp") X(rs, "rs") X(rni, "rni") X(rzi, "rzi")          \
  X(rmi, "rmi") X(rpi, "rpi") X(rna, "rna") X(ftz, "ftz") X(sat, "sat") X(approx, "approx")        \
  X(full, "full") X(noftz, "noftz") X(relu, "relu") X(satfinite, "satfinite") X(NaN, "NaN")        \
  X(xorsign, "xorsign") X(abs, "abs") X(oob, "oob")                                                \
  /* parts of products, carries, shifts, permutations, bits */                                     \
  X(lo, "lo") X(hi, "hi") X(wide, "wide") X(cc, "cc") X(l, "l") X(r, "r") X(clamp, "clamp")        \
  X(wrap, "wrap") X(f4e, "f4e") X(b4e, "b4e") X(rc8, "rc8") X(ecl, "ecl") X(ecr, "ecr")            \
  X(rc16, "rc16") X(shiftamt, "shiftamt")                                                          \
  /* comparisons, tests */                                                                         \
  X(eq, "eq") X(ne, "ne") X(lt, "lt") X(le, "le") X(gt, "gt") X(ge, "ge") X(ls, "ls")              \
  X(hs, "hs") X(equ, "equ") X(neu, "neu") X(ltu, "ltu") X(leu, "leu") X(gtu, "gtu")                \
  X(geu, "geu") X(num, "num") X(nan, "nan") X(finite, "finite")                                    \
  X(infinite, "infinite") X(number, "number") X(notanumber, "notanumber") X(normal, "normal")      \
  X(subnormal, "subnormal")                                                                        \
  /* operations of atom, red, redux, bar.red, setp */                                              \
  X(and_, "and") X(or_, "or") X(xor_, "xor") X(add, "add") X(min, "min") X(max, "max")             \
  X(inc, "inc") X(dec, "dec") X(exch, "exch") X(cas, "cas") X(popc, "popc")                        \
  /* spaces */                                                                                     \
  X(global, "global") X(shared, "shared") X(shared_cta, "shared::cta")                             \
  X(shared_cluster, "shared::cluster") X(local, "local") X(const_, "const") X(param, "param")      \
  X(param_entry, "param::entry") X(param_func, "param::func") X(to, "to")                          \
  /* order and scope */                                                                            \
  X(weak, "weak") X(volatile_, "volatile") X(relaxed, "relaxed") X(acquire, "acquire")             \
  X(release, "release") X(acq_rel, "acq_rel") X(sc, "sc") X(mmio, "mmio") X(cta, "cta")            \
  X(cluster, "cluster") X(gpu, "gpu") X(sys, "sys") X(gl, "gl")                                    \
  /* caches: no effect here */                                                                     \
  X(ca, "ca") X(cg, "cg") X(cs, "cs") X(lu, "lu") X(cv, "cv") X(wb, "wb") X(wt, "wt")              \
  X(nc, "nc") X(L1, "L1") X(L2, "L2") X(cache_hint, "L2::cache_hint") X(L2_64, "L2::64B")          \
  X(L2_128, "L2::128B") X(L2_256, "L2::256B") X(evict_normal, "L1::evict_normal")                  \
  X(evict_unchanged, "L1::evict_unchanged") X(evict_first, "L1::evict_first")                      \
  X(evict_last, "L1::evict_last") X(no_allocate, "L1::no_allocate")                                \
  X(L2_evict_first, "L2::evict_first") X(L2_evict_last, "L2::evict_last")                          \
  X(L2_evict_normal, "L2::evict_normal")                                                           \
  /* vectors and matrices */                                                                       \
  X(v2, "v2") X(v4, "v4") X(v8, "v8") X(m8n8, "m8n8") X(x1, "x1") X(x2, "x2") X(x4, "x4")          \
  X(trans, "trans") X(load, "load") X(store, "store") X(mma, "mma") X(matrix_a, "a")               \
  X(matrix_b, "b") X(matrix_c, "c") X(matrix_d, "d") X(row, "row") X(col, "col")                   \
  X(m16n16k16, "m16n16k16") X(m32n8k16, "m32n8k16") X(m8n32k16, "m8n32k16")                        \
  X(m16n16k8, "m16n16k8") X(m8n8k4, "m8n8k4") X(m8n8k16, "m8n8k16") X(m16n8k4, "m16n8k4")          \
  X(m16n8k8, "m16n8k8") X(m16n8k16, "m16n8k16") X(m16n8k32, "m16n8k32")                            \
  /* warps and blocks */                                                                           \
  X(sync, "sync") X(aligned, "aligned") X(arrive, "arrive") X(red, "red") X(warp, "warp")          \
  X(all, "all") X(any, "any") X(uni, "uni") X(ballot, "ballot") X(up, "up") X(down, "down")        \
  X(bfly, "bfly") X(idx, "idx")                                                                    \
  /* asynchronous copies */                                                                        \
  X(async, "async") X(commit_group, "commit_group") X(wait_group, "wait_group")                    \
  X(wait_all, "wait_all") X(bulk, "bulk") X(launch_dependents, "launch_dependents")                \
  X(wait, "wait")                                                                                  \
  /* mbarriers */                                                                                  \
  X(mbarrier, "mbarrier") X(init, "init") X(inval, "inval") X(arrive_drop, "arrive_drop")          \
  X(no_complete, "noComplete") X(noinc, "noinc") X(test_wait, "test_wait")                         \
  X(try_wait, "try_wait") X(parity, "parity") X(pending_count, "pending_count")                    \
  /* textures and surfaces: their shapes, how they are read, what is asked of them */              \
  X(shape_1d, "1d") X(shape_2d, "2d") X(shape_3d, "3d") X(shape_a1d, "a1d") X(shape_a2d, "a2d")    \
  X(shape_cube, "cube") X(shape_acube, "acube")                                                    \
  X(base, "base") X(level, "level") X(grad, "grad") X(channel_g, "g") X(trap, "trap")              \
  X(zero, "zero") X(width, "width") X(height, "height") X(depth, "depth")                          \
  X(array_size, "array_size")
// clang-format on

enum class Word : std::uint8_t {
#define MEMLANE_PTX_WORD(name, spelling) name,
  MEMLANE_PTX_WORDS(MEMLANE_PTX_WORD)
#undef MEMLANE_PTX_WORD
      count,
};

std::optional<Word> word_named(std::string_view spelling);
std::string_view name_of(Word word);

/// A set of words.
class Words {
public:
  void add(Word word) { bits_[place(word)] |= bit(word); }
  bool has(Word word) const { return (bits_[place(word)] & bit(word)) != 0; }
  template <class... More>
  bool any(More... words) const {
    return (has(words) || ...);
  }
  bool operator==(const Words&) const = default;

private:
  static constexpr std::size_t place(Word word) { return static_cast<std::size_t>(word) / 64; }
  static constexpr std::uint64_t bit(Word word) {
    return std::uint64_t{1} << (static_cast<std::size_t>(word) % 64);
  }
  std::array<std::uint64_t, 4> bits_{};
  static_assert(static_cast<std::size_t>(Word::count) <= 256);
};

} // namespace memlane::ptx
