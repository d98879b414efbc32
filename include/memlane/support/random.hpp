// Counter-based random numbers: number k of stream s under a seed is a pure function of the three,
// so results depend on no order of evaluation, thread count or standard library.
#pragma once

#include <cstdint>

namespace memlane {

/// 64 random bits, by the Philox4x32-10 function (Salmon et al. 2011) with the seed as
/// key and (counter, stream) as counter.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter);

/// An integer from lo to hi, inclusive, exactly uniformly distributed (by rejection).
/// Requires lo <= hi.
std::int64_t random_integer(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter,
                            std::int64_t lo, std::int64_t hi);

/// random_integer for counters first to first + count - 1, but faster.
void random_integers(std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
                     std::int64_t count, std::int64_t lo, std::int64_t hi, std::int64_t* numbers);

/// A real number in [lo, hi).
double random_real(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter, double lo,
                   double hi);

} // namespace memlane
