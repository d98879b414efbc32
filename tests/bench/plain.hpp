// Plain C++ loops with which the benchmark compares the engine. Each returns the seconds of its
// loop, without the initialisation of its arrays.
#pragma once

#include <cstdint>

namespace memlane::bench {

/// n accesses by 1024 threads of a DMM of width 32 and latency 8, as an event loop over time units.
double naive_dmm(int pattern, std::int64_t n);
/// The additions of sum.lane, level by level.
double plain_sum(std::int64_t n);
/// The additions and copies of prefix_sums.lane on its heap.
double plain_prefix_sums(std::int64_t n);
/// c = a b of n x n ints, i, j, k.
double plain_multiply(std::int64_t n);
/// s += a[order[i]] for n words in random order.
double plain_gather(std::int64_t n);

} // namespace memlane::bench
