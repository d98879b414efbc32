#include "plain.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

namespace memlane::bench {

namespace {

volatile std::int64_t sink; // results go here, so that loops are not optimised away

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

/// Which word access number k of the pattern names.
std::int64_t word_of(int pattern, std::int64_t k, std::int64_t n,
                     const std::vector<std::int32_t>& order) {
  switch (pattern) {
  case 0: return k;
  case 1: return 2 * k & (n - 1);
  case 2: return 32 * k & (n - 1);
  default: return order[static_cast<std::size_t>(k)];
  }
}

} // namespace

double naive_dmm(int pattern, std::int64_t n) {
  constexpr std::int64_t width = 32, warps = 32, latency = 8;
  const std::vector<std::int32_t> memory(static_cast<std::size_t>(n), 1);
  const auto order = random_words(n, static_cast<std::int32_t>(n));
  struct Warp {
    std::int64_t next = 0, ready = 0;
  };
  return seconds_of([&] {
    std::vector<Warp> all(warps);
    std::vector<std::int64_t> in_bank(width), slots(width * width);
    const std::int64_t rounds = n / (width * warps);
    std::int64_t time = 0, sum = 0, turn = 0, done = 0, end = 0;
    while (done < warps) {
      std::int64_t tried = 0;
      while (tried < warps && (all[static_cast<std::size_t>(turn)].next == rounds ||
                               all[static_cast<std::size_t>(turn)].ready > time)) {
        turn = (turn + 1) % warps;
        ++tried;
      }
      if (tried == warps) {
        ++time;
        continue;
      }
      Warp& warp = all[static_cast<std::size_t>(turn)];
      std::fill(in_bank.begin(), in_bank.end(), 0);
      std::int64_t stages = 0;
      for (std::int64_t lane = 0; lane < width; ++lane) {
        const std::int64_t k = (warp.next * warps + turn) * width + lane;
        const std::int64_t word = word_of(pattern, k, n, order);
        sum += memory[static_cast<std::size_t>(word)];
        const std::int64_t bank = word % width;
        std::int64_t& count = in_bank[static_cast<std::size_t>(bank)];
        const auto first = slots.begin() + bank * width;
        if (std::find(first, first + count, word) != first + count) continue;
        first[count++] = word;
        stages = std::max(stages, count);
      }
      time += stages;
      warp.ready = time + latency - 1;
      end = std::max(end, warp.ready);
      done += ++warp.next == rounds ? 1 : 0;
      turn = (turn + 1) % warps;
    }
    return sum + end;
  });
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
