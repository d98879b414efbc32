#include "vectors.hpp"

namespace memlane::ptx {

#if !defined(__x86_64__)
ChooseHandler best_handlers() { return plain::choose; }
#else
ChooseHandler best_handlers() {
  __builtin_cpu_init();
  const bool halves = __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("f16c") != 0;
  if (halves && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0)
    return avx512::choose;
  if (halves && __builtin_cpu_supports("avx2") != 0) return avx2::choose;
  return plain::choose;
}
#endif

} // namespace memlane::ptx
