// Tests with many cases that are alike try a part of them where another configuration tries all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memlane::test {

#ifdef MEMLANE_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// Of so many random cases, those that are tried: under sanitizers, where each takes about ten
/// times as long, a tenth.
constexpr std::uint64_t tried(std::uint64_t cases) { return sanitized ? (cases + 9) / 10 : cases; }

#ifdef MEMLANE_EVERY_CASE
inline constexpr bool every_case = true; // the preset `nightly`
#else
inline constexpr bool every_case = false;
#endif

/// Whether a test runs case k of a list, of which it runs every n-th, and all in the preset
/// `nightly`.
constexpr bool has_turn(std::size_t k, std::size_t n) { return every_case || k % n == 0; }

} // namespace memlane::test
