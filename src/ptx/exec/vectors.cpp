#include "vectors.hpp"

namespace memlane::ptx {

const std::vector<InstructionSet>& instruction_sets() {
  static const std::vector<InstructionSet> sets = [] {
    std::vector<InstructionSet> made{{"plain", plain::choose, plain::choose_access}};
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool halves = __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("f16c") != 0;
    if (halves && __builtin_cpu_supports("avx2") != 0)
      made.push_back({"avx2", avx2::choose, avx2::choose_access});
    if (halves && __builtin_cpu_supports("avx512f") != 0 &&
        __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
        __builtin_cpu_supports("avx512vl") != 0)
      made.push_back({"avx512", avx512::choose, avx512::choose_access});
#endif
    return made;
  }();
  return sets;
}

} // namespace memlane::ptx
