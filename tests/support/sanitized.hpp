// Tests with many cases have fewer of them under sanitizers, where each takes about ten times as
// long.
#pragma once

namespace memlane::test {

#ifdef MEMLANE_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

} // namespace memlane::test
