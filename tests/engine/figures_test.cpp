// The checked values of configs/README.md, "Checked values", and the worked examples of the papers.
#include "script.hpp"
#include "support/catch.hpp"

#include <array>

using namespace memlane;
using namespace memlane::test;

namespace {

const Script figure{{{0, 0}, {read({7, 5, 15, 0})}}, {{0, 1}, {read({10, 11, 12, 9})}}};

/// n words read by p threads, p at a time.
Script contiguous(std::int64_t n, std::int64_t p, std::int64_t w, bool barriers = false) {
  Script script;
  for (std::int64_t first = 0; first < n; first += p) {
    add_access(script, p, w, false, [&](std::int64_t i) { return first + i < n ? first + i : -1; });
    if (barriers) add_barrier(script, p, w);
  }
  return script;
}

std::int64_t log2_of(std::int64_t n) { return n == 1 ? 0 : 1 + log2_of(n / 2); }

/// Nakano 2014, section 4: a[i] = a[i] + a[i + 2^t] for t = lg n - 1 down to 0.
Script optimal_sum(std::int64_t n, std::int64_t p, std::int64_t w) {
  Script script;
  for (std::int64_t half = n / 2; half >= 1; half /= 2) {
    for (std::int64_t first = 0; first < half; first += p) {
      const auto element = [&](std::int64_t i) { return first + i < half ? first + i : -1; };
      const auto partner = [&](std::int64_t i) { return first + i < half ? first + i + half : -1; };
      add_access(script, p, w, false, element);
      add_access(script, p, w, false, partner);
      add_access(script, p, w, true, element);
    }
    add_barrier(script, p, w);
  }
  return script;
}

/// The simple prefix-sums as a PRAM step: all reads, barrier, all writes, barrier; iterations
/// 2^t … n - 1 dealt to the threads from 2^t on.
Script simple_prefix_sync(std::int64_t n, std::int64_t p, std::int64_t w) {
  Script script;
  for (std::int64_t distance = 1; distance < n; distance *= 2) {
    for (const bool writes : {false, true}) {
      for (std::int64_t first = distance; first < n; first += p) {
        const auto element = [&](std::int64_t i) { return first + i < n ? first + i : -1; };
        const auto partner = [&](std::int64_t i) {
          return first + i < n ? first + i - distance : -1;
        };
        add_access(script, p, w, writes, element);
        if (!writes) add_access(script, p, w, false, partner);
      }
      add_barrier(script, p, w);
    }
  }
  return script;
}

/// The same with thread i for element i, in lockstep.
Script simple_prefix(std::int64_t n, std::int64_t w) {
  Script script;
  for (std::int64_t distance = 1; distance < n; distance *= 2) {
    const auto element = [&](std::int64_t i) { return i >= distance ? i : -1; };
    add_access(script, n, w, false, element);
    add_access(script, n, w, false,
               [&](std::int64_t i) { return i >= distance ? i - distance : -1; });
    add_access(script, n, w, true, element);
    add_barrier(script, n, w);
  }
  return script;
}

MachineSpec lockstep(MachineSpec machine) {
  machine.lockstep = true;
  return machine;
}

} // namespace

TEST_CASE("the papers' figures") {
  CHECK(time_of(dmm(4, 5), {1, 8, 0}, figure) == 7);
  CHECK(time_of(umm(4, 5), {1, 8, 0}, figure) == 9);
  CHECK(time_of(dmm(4, 4), {1, 8, 0}, figure) == 6);
  CHECK(time_of(umm(4, 6), {1, 8, 0}, figure) == 10);
}

TEST_CASE("one warp, and k requests to one bank") {
  const Script koike{{{0, 0}, {read({0, 1, 5, 10})}}};
  for (const std::int64_t l : {1, 2, 7, 400}) {
    CHECK(time_of(dmm(4, l), {1, 4, 0}, koike) == l + 1);
    CHECK(time_of(umm(4, l), {1, 4, 0}, koike) == l + 2);
    for (const std::int64_t k : {1, 3, 8}) {
      Lanes lanes(8, -1);
      for (std::int64_t i = 0; i < k; ++i) lanes[static_cast<std::size_t>(i)] = i * 8;
      CHECK(time_of(dmm(8, l), {1, 8, 0}, {{{0, 0}, {read(lanes)}}}) == k + l - 1);
    }
  }
  const Lanes i{0, 1, 2, 3};
  CHECK(time_of(umm(4, 5), {1, 4, 0}, {{{0, 0}, {read(i), read(i), write(i)}}}) == 15);
}

TEST_CASE("contiguous access, both cases of Nakano 2014, section 3") {
  for (const std::int64_t w : {1, 4, 32}) {
    for (const std::int64_t warps : {1, 2, 5, 16}) {
      for (const std::int64_t l : {1, 2, 5, 20, 100}) {
        for (const std::int64_t rounds : {1, 2, 7}) {
          const std::int64_t p = warps * w;
          const std::int64_t n = rounds * p;
          const std::int64_t expected = warps <= l ? n / p * l + warps - 1 : n / w + l - 1;
          CAPTURE(w, warps, l, rounds);
          CHECK(time_of(dmm(w, l), {1, p, 0}, contiguous(n, p, w)) == expected);
          CHECK(time_of(umm(w, l), {1, p, 0}, contiguous(n, p, w)) == expected);
          // Nakano & Ito 2014, lemma 1: the same in rounds.
          const std::int64_t in_rounds = rounds * (warps + l - 1);
          CHECK(time_of(lockstep(umm(w, l)), {1, p, 0}, contiguous(n, p, w)) == in_rounds);
          CHECK(time_of(umm(w, l), {1, p, 0}, contiguous(n, p, w, true)) == in_rounds);
        }
      }
    }
  }
}

TEST_CASE("contiguous access to fewer words than threads, and larger known times") {
  CHECK(time_of(umm(4, 5), {1, 64, 0}, contiguous(10, 64, 4)) == 3 + 5 - 1);
  CHECK(time_of(dmm(4, 5), {1, 6, 0}, contiguous(6, 6, 4)) == 2 + 5 - 1); // a partial warp
  CHECK(time_of(dmm(32, 20), {1, 256, 0}, contiguous(4096, 256, 32)) == 327);
  CHECK(time_of(umm(32, 20), {1, 1024, 0}, contiguous(4096, 1024, 32)) == 147);
}

TEST_CASE("optimal sum") {
  for (const auto& [n, p, w, l, time] : {std::array<std::int64_t, 5>{16, 8, 4, 5, 61},
                                         {1024, 128, 32, 20, 850},
                                         {4096, 1024, 32, 20, 952}}) {
    CHECK(time_of(dmm(w, l), {1, p, 0}, optimal_sum(n, p, w)) == time);
    CHECK(time_of(umm(w, l), {1, p, 0}, optimal_sum(n, p, w)) == time);
  }
  CHECK(time_of(umm(32, 30), {1, 64, 0}, optimal_sum(1024, 64, 32)) == 1894);
  CHECK(time_of(lockstep(umm(32, 30)), {1, 64, 0}, optimal_sum(1024, 64, 32)) == 1935);
}

TEST_CASE("optimal sum in lockstep, p = n/2: 3(n/w - 1 + lg w + (l - 1) lg n)") {
  for (const std::int64_t w : {2, 4, 32}) {
    for (std::int64_t n = 2 * w; n <= 32 * w; n *= 2) {
      for (const std::int64_t l : {1, 5, 30}) {
        const std::int64_t expected = 3 * (n / w - 1 + log2_of(w) + (l - 1) * log2_of(n));
        CHECK(time_of(lockstep(dmm(w, l)), {1, n / 2, 0}, optimal_sum(n, n / 2, w)) == expected);
        CHECK(time_of(lockstep(umm(w, l)), {1, n / 2, 0}, optimal_sum(n, n / 2, w)) == expected);
      }
    }
  }
  CHECK(time_of(lockstep(dmm(4, 5)), {1, 8, 0}, optimal_sum(16, 8, 4)) == 63);
}

TEST_CASE("simple prefix-sums") {
  CHECK(time_of(dmm(4, 5), {1, 8, 0}, simple_prefix_sync(16, 8, 4)) == 112);
  CHECK(time_of(umm(4, 5), {1, 8, 0}, simple_prefix_sync(16, 8, 4)) == 120);
  CHECK(time_of(dmm(32, 30), {1, 64, 0}, simple_prefix_sync(1024, 64, 32)) == 13069);
  CHECK(time_of(umm(32, 30), {1, 64, 0}, simple_prefix_sync(1024, 64, 32)) == 13229);
  for (const auto& [n, w, l] :
       {std::array<std::int64_t, 3>{16, 4, 5}, {64, 4, 1}, {1024, 32, 30}}) {
    const std::int64_t discrete = 3 * (log2_of(n) * (n / w + l - 1) - (n / w - 1));
    CHECK(time_of(lockstep(dmm(w, l)), {1, n, 0}, simple_prefix(n, w)) == discrete);
    CHECK(time_of(lockstep(umm(w, l)), {1, n, 0}, simple_prefix(n, w)) ==
          discrete + log2_of(w) * (n / w - 1));
  }
}

TEST_CASE("copy from global to shared in lockstep: Nakano & Ito 2014, lemma 2") {
  const std::int64_t w = 4, d = 3, p = 8, l = 2, L = 9, rounds = 5;
  Script script;
  for (std::int64_t block = 0; block < d; ++block) {
    for (std::int64_t r = 0; r < rounds; ++r) {
      const auto from = [&](std::int64_t i) { return (r * d + block) * p + i; };
      const auto to = [&](std::int64_t i) { return r * p + i; };
      add_access(script, p, w, false, from, block, UnitId::global);
      add_access(script, p, w, true, to, block, UnitId::shared);
    }
  }
  CHECK(time_of(lockstep(hmm(d, w, l, L)), {d, p, 0}, script) ==
        rounds * ((p * d / w + L - 1) + (p / w + l - 1)));
}
