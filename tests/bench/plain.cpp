#include "plain.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

namespace memlane::bench {

namespace {

volatile std::int64_t sink; // keeps the compiler from removing loops

template <class F>
double seconds_of(F loop) {
  const auto begin = std::chrono::steady_clock::now();
  sink = loop();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<std::int32_t> random_words(std::int64_t n, std::int32_t below) {
  std::mt19937 generator(1);
  std::uniform_int_distribution<std::int32_t> number(0, below - 1);
  std::vector<std::int32_t> words(static_cast<std::size_t>(n));
  for (std::int32_t& word : words) word = number(generator);
  return words;
}

/// The word of the pattern's access number k.
std::uint32_t word_of(int pattern, std::uint32_t k, std::uint32_t n,
                      const std::vector<std::int32_t>& order) {
  switch (pattern) {
  case 0: return k;
  case 1: return 2 * k & (n - 1);
  case 2: return 32 * k & (n - 1);
  default: return static_cast<std::uint32_t>(order[k]);
  }
}

/// A hand-written simulation of a DMM with 32 banks and 32-bit numbers.
class NaiveDmm {
public:
  NaiveDmm(int pattern, std::uint32_t n)
      : pattern_(pattern), n_(n), memory_(n, 1),
        order_(random_words(n, static_cast<std::int32_t>(n))) {}

  /// `warps` warps make n accesses in all, round-robin.
  std::int64_t run() {
    std::vector<Warp> all(warps);
    const std::uint32_t rounds = n_ / (width * warps);
    std::uint32_t turn = 0;
    for (std::uint32_t done = 0; done < warps;) {
      std::uint32_t tried = 0;
      while (tried < warps && (all[turn].next == rounds || all[turn].ready > time_)) {
        turn = (turn + 1) % warps;
        ++tried;
      }
      if (tried == warps) {
        ++time_;
        continue;
      }
      Warp& warp = all[turn];
      time_ += stages((warp.next * warps + turn) * width);
      warp.ready = time_ + latency - 1;
      end_ = std::max(end_, warp.ready);
      done += ++warp.next == rounds ? 1 : 0;
      turn = (turn + 1) % warps;
    }
    return static_cast<std::int64_t>(sum_ + end_);
  }

private:
  static constexpr std::uint32_t width = 32, warps = 32, latency = 8;
  struct Warp {
    std::uint64_t ready = 0;
    std::uint32_t next = 0;
  };

  /// Stages of the request with accesses k to k + 31: the most words in one bank.
  std::uint32_t stages(std::uint32_t k) {
    std::uint32_t counts[width] = {}, most = 0;
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      const std::uint32_t word = word_of(pattern_, k + lane, n_, order_), bank = word % width;
      sum_ += static_cast<std::uint64_t>(memory_[word]);
      std::uint32_t* slots = slots_ + bank * width;
      std::uint32_t at = 0;
      while (at < counts[bank] && slots[at] != word) ++at;
      if (at < counts[bank]) continue;
      slots[at] = word;
      most = std::max(most, ++counts[bank]);
    }
    return most;
  }

  int pattern_;
  std::uint32_t n_;
  std::vector<std::int32_t> memory_, order_;
  std::uint32_t slots_[width * width] = {};
  std::uint64_t time_ = 0, sum_ = 0, end_ = 0;
};

} // namespace

double naive_dmm(int pattern, std::int64_t n) {
  NaiveDmm dmm(pattern, static_cast<std::uint32_t>(n));
  return seconds_of([&] { return dmm.run(); });
}

double plain_sum(std::int64_t n) {
  auto words = random_words(n, 10);
  return seconds_of([&] {
    std::int32_t* a = words.data();
    for (std::int64_t half = n / 2; half > 0; half /= 2)
      for (std::int64_t i = 0; i < half; ++i) a[i] = a[i] + a[i + half];
    return std::int64_t{a[0]};
  });
}

double plain_prefix_sums(std::int64_t n) {
  auto words = random_words(2 * n, 10);
  return seconds_of([&] {
    std::int32_t* h = words.data();
    for (std::int64_t size = n / 2; size > 0; size /= 2)
      for (std::int64_t i = 0; i < size; ++i)
        h[size + i] = h[2 * size + 2 * i] + h[2 * size + 2 * i + 1];
    for (std::int64_t size = 1; size < n; size *= 2) {
      for (std::int64_t i = 0; i < size; ++i) h[2 * size + 2 * i + 1] = h[size + i];
      for (std::int64_t i = 0; i < size - 1; ++i) h[2 * size + 2 * i + 2] += h[size + i];
    }
    return std::int64_t{h[2 * n - 1]};
  });
}

double plain_multiply(std::int64_t n) {
  const auto a = random_words(n * n, 10), b = random_words(n * n, 10);
  std::vector<std::int32_t> c(static_cast<std::size_t>(n * n));
  return seconds_of([&] {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        std::int32_t sum = 0;
        for (std::int64_t k = 0; k < n; ++k)
          sum += a[static_cast<std::size_t>(i * n + k)] * b[static_cast<std::size_t>(k * n + j)];
        c[static_cast<std::size_t>(i * n + j)] = sum;
      }
    return std::int64_t{c[static_cast<std::size_t>(n)]};
  });
}

double plain_gather(std::int64_t n) {
  const auto order = random_words(n, static_cast<std::int32_t>(n));
  const std::vector<std::int32_t> a(static_cast<std::size_t>(n), 1);
  return seconds_of([&] {
    std::int64_t sum = 0;
    for (const std::int32_t i : order) sum += a[static_cast<std::size_t>(i)];
    return sum;
  });
}

} // namespace memlane::bench
