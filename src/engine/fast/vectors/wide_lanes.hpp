// Loops over lanes without branches, in the widest vectors that the processor has. The compiler
// makes them twice from one source; both give the same results.
#pragma once

namespace memlane::fast {

#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
template <class F>
[[gnu::target("avx2")]] void each_wide_avx2(int lanes, F f) {
  for (int i = 0; i < lanes; ++i) f(i);
}
#endif

/// Calls f(i) for lanes 0 to lanes - 1. `f` holds what it needs by value.
template <class F>
void each_wide(int lanes, F f) {
#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
  if (__builtin_cpu_supports("avx2")) return each_wide_avx2(lanes, f);
#endif
  for (int i = 0; i < lanes; ++i) f(i);
}

} // namespace memlane::fast
