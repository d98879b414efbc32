#include "vectors.hpp"

#if defined(__x86_64__) && !defined(MEMLANE_PTX_PLAIN)
#define MEMLANE_PTX_VECTORS
#include <cpuid.h>
#endif

namespace memlane::ptx {

#ifdef MEMLANE_PTX_VECTORS
namespace {

/// Whether the processor converts floats of 16 bits: __builtin_cpu_supports of clang 14 does not
/// know the name.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

} // namespace
#endif

const std::vector<InstructionSet>& instruction_sets() {
  static const std::vector<InstructionSet> sets = [] {
    std::vector<InstructionSet> made{
        {"plain", plain::choose, plain::choose_access, plain::find_neighbours, plain::are_moved}};
#ifdef MEMLANE_PTX_VECTORS
    __builtin_cpu_init();
    const bool halves = __builtin_cpu_supports("fma") != 0 && has_f16c();
    if (halves && __builtin_cpu_supports("avx2") != 0)
      made.push_back(
          {"avx2", avx2::choose, avx2::choose_access, avx2::find_neighbours, avx2::are_moved});
    if (halves && __builtin_cpu_supports("avx512f") != 0 &&
        __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
        __builtin_cpu_supports("avx512vl") != 0)
      made.push_back({"avx512", avx512::choose, avx512::choose_access, avx512::find_neighbours,
                      avx512::are_moved});
#endif
    return made;
  }();
  return sets;
}

} // namespace memlane::ptx
