// CUDA kernels of our own, as nvcc compiled them, against values computed here.
#include "program.hpp"
#include "scalar.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

namespace memlane::test {

namespace {

std::vector<int> some_numbers(std::size_t count, int below) {
  std::vector<int> made(count);
  std::uint32_t state = 12345;
  for (int& one : made) {
    state = state * 1664525 + 1013904223;
    one = static_cast<int>((state >> 8) % static_cast<std::uint32_t>(below));
  }
  return made;
}
std::vector<float> some_floats(std::size_t count) {
  std::vector<float> made(count);
  const std::vector<int> numbers = some_numbers(count, 4001);
  for (std::size_t k = 0; k < count; ++k) made[k] = static_cast<float>(numbers[k] - 2000) * 0.37F;
  return made;
}

void check(const Launched& launched) {
  INFO(launched.fault);
  CHECK(launched.result.faults.empty());
  CHECK_FALSE(launched.result.waits_for_ever);
}

/// The first place where two rows differ; none: they are equal.
template <class T>
void same(const std::vector<T>& is, const std::vector<T>& wanted) {
  REQUIRE(is.size() == wanted.size());
  for (std::size_t k = 0; k < is.size(); ++k)
    if (std::memcmp(&is[k], &wanted[k], sizeof(T)) != 0) {
      INFO("at " << k);
      CHECK(is[k] == wanted[k]);
      return;
    }
  SUCCEED();
}

} // namespace

TEST_CASE("transposes") {
  Program program = Program::of_kernels("transpose");
  const std::size_t n = 96;
  std::vector<float> from(n * n), to(n * n), wanted(n * n);
  std::iota(from.begin(), from.end(), 1.0F);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) wanted[j * n + i] = from[i * n + j];
  program.give(from), program.give(to);
  for (const char* const kernel : {"transpose_naive", "transpose_tiled", "transpose_padded"}) {
    INFO(kernel);
    std::fill(to.begin(), to.end(), 0.0F);
    check(program.launch(kernel, {3, 3, 1}, {32, 8, 1}, from, to, 96));
    same(to, wanted);
  }
}

TEST_CASE("seven reductions") {
  Program program = Program::of_kernels("reduction");
  const int n = 5000;
  const std::vector<int> numbers = some_numbers(n, 1000);
  std::vector<int> x = numbers, sums(20);
  const int wanted = std::accumulate(x.begin(), x.end(), 0);
  program.give(x), program.give(sums);
  const std::map<std::string, int> elements_of_block{
      {"reduce_divergent", 256}, {"reduce_strided", 256},   {"reduce_sequential", 256},
      {"reduce_two", 512},       {"reduce_last_warp", 512}, {"reduce_unrolled", 512},
      {"reduce_shuffle", 1000}};
  for (const auto& [kernel, elements] : elements_of_block) {
    INFO(kernel);
    std::fill(sums.begin(), sums.end(), 0);
    program.dynamic_shared = kernel == "reduce_two" ? 1024 : 0;
    check(program.launch(kernel, {(n + elements - 1) / elements, 1, 1}, {256, 1, 1}, x, sums, n));
    CHECK(std::accumulate(sums.begin(), sums.end(), 0) == wanted);
  }
}

TEST_CASE("scans of blocks and of a grid that looks back") {
  Program program = Program::of_kernels("scan");
  std::vector<int> x = some_numbers(2048, 100), y(2048), wanted(2048);
  program.give(x), program.give(y);
  const auto scan = [&](std::size_t block, bool own) {
    for (std::size_t first = 0; first < x.size(); first += block)
      for (std::size_t k = 0, sum = 0; k < block; ++k) {
        if (own) sum += static_cast<std::size_t>(x[first + k]);
        wanted[first + k] = static_cast<int>(sum);
        if (!own) sum += static_cast<std::size_t>(x[first + k]);
      }
  };
  check(program.launch("scan_steps", {8, 1, 1}, {256, 1, 1}, x, y));
  scan(256, true);
  same(y, wanted);
  check(program.launch("scan_tree", {4, 1, 1}, {256, 1, 1}, x, y));
  scan(512, false);
  same(y, wanted);
  check(program.launch("scan_shuffle", {4, 1, 1}, {512, 1, 1}, x, y));
  scan(512, true);
  same(y, wanted);
  std::vector<int> states(4 * 16), ticket(1);
  program.give(states), program.give(ticket);
  check(program.launch("scan_look_back", {16, 1, 1}, {128, 1, 1}, x, y, states, ticket));
  scan(2048, true);
  same(y, wanted);
  // Blocks that wait for later ones.
  std::fill(states.begin(), states.end(), 0);
  std::fill(y.begin(), y.end(), 0);
  check(program.launch("scan_waits_for_last", {12, 1, 1}, {32, 1, 1}, x, y, states));
  CHECK(y[0] == std::accumulate(x.begin(), x.begin() + 12, 0));
}

TEST_CASE("a histogram and every atomic update") {
  Program program = Program::of_kernels("histogram");
  std::vector<unsigned char> x;
  for (const int one : some_numbers(10000, 200)) x.push_back(static_cast<unsigned char>(one));
  std::vector<unsigned> counts(64), wanted(64);
  for (const unsigned char one : x) ++wanted[one % 64];
  program.give(x), program.give(counts);
  check(program.launch("histogram", {3, 1, 1}, {128, 1, 1}, x, counts, 10000));
  same(counts, wanted);

  const int n = 128;
  std::vector<int> numbers{0, 0, 0, 0, -1, 0, 0, 0, 3, 5, 0, -4, 0};
  std::vector<std::uint64_t> wide{1, 0, 0};
  std::vector<float> real{1.0F};
  std::vector<double> real64{2.0};
  program.give(numbers), program.give(wide), program.give(real), program.give(real64);
  check(program.launch("atomics", {2, 1, 1}, {64, 1, 1}, numbers, wide, real, real64));
  std::vector<int> expected{n * (n - 1) / 2, -n, -50, n - 1, -1, 0, 0, 0, 3, n, n - 5, n - 1, 1};
  for (int t = 0; t < n; ++t) {
    expected[4] &= ~(1 << t % 31);
    expected[5] |= 1 << t % 31;
    expected[6] ^= t;
    expected[7] = expected[7] >= 10 ? 0 : expected[7] + 1;
    expected[8] = expected[8] == 0 || expected[8] > 10 ? 10 : expected[8] - 1;
  }
  same(numbers, expected);
  same(wide, {1 + (std::uint64_t{n} << 33), std::uint64_t{n - 1} << 40, 7});
  same(real, {1.0F + 0.5F * n});
  same(real64, {2.0 + 0.25 * n});
}

TEST_CASE("sgemm with register tiles") {
  Program program = Program::of_kernels("sgemm");
  const std::size_t n = 128;
  std::vector<float> a = some_floats(n * n), b = some_floats(n * n), c(n * n), wanted(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        wanted[i * n + j] = std::fma(a[i * n + k], b[k * n + j], wanted[i * n + j]);
  program.give(a), program.give(b), program.give(c);
  check(program.launch("sgemm", {2, 2, 1}, {256, 1, 1}, a, b, c, 128));
  same(c, wanted);
}

TEST_CASE("a stencil") {
  Program program = Program::of_kernels("stencil");
  const int n = 50;
  std::vector<float> from = some_floats(n * n), to(n * n), wanted(n * n);
  const auto at = [&](int i, int j) {
    return i >= 0 && i < n && j >= 0 && j < n ? from[static_cast<std::size_t>(i * n + j)] : 0.0F;
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      wanted[static_cast<std::size_t>(i * n + j)] =
          ((((at(i, j) + at(i - 1, j)) + at(i + 1, j)) + at(i, j - 1)) + at(i, j + 1)) / 5.0F;
  program.give(from), program.give(to);
  check(program.launch("stencil", {4, 4, 1}, {16, 16, 1}, from, to, n));
  same(to, wanted);
}

TEST_CASE("lanes of a warp see each other") {
  Program program = Program::of_kernels("warp");
  std::vector<int> x = some_numbers(64, 97), y(64 * 12);
  program.give(x), program.give(y);
  check(program.launch("lanes", {1, 1, 1}, {64, 1, 1}, x, y));
  std::vector<int> wanted(64 * 12);
  for (std::size_t t = 0; t < 64; ++t) {
    const std::size_t first = t / 32 * 32;
    int* const own = &wanted[12 * t];
    unsigned odd = 0, same4 = 0, exclusive = 0;
    int sum = 0, least = 1 << 30;
    unsigned most = 0;
    for (std::size_t l = 0; l < 32; ++l) {
      const int value = x[first + l];
      odd |= static_cast<unsigned>(value & 1) << l;
      same4 |= static_cast<unsigned>(value % 4 == x[t] % 4) << l;
      own[1] |= value == 5;
      sum += value;
      least = std::min(least, value - 50);
      most = std::max(most, static_cast<unsigned>(value - 50));
      exclusive ^= static_cast<unsigned>(value);
    }
    own[0] = static_cast<int>(odd);
    own[2] = 1;
    own[3] = static_cast<int>(same4);
    own[4] = -1;
    own[5] = 1;
    own[6] = sum;
    own[7] = least;
    own[8] = static_cast<int>(most);
    own[9] = static_cast<int>(exclusive);
    own[10] = x[t / 8 * 8 + (t + 3) % 8];
    own[11] = x[t % 16 >= 2 ? t - 2 : t];
  }
  same(y, wanted);
}

TEST_CASE("operations of some lanes of a warp") {
  Program program = Program::of_kernels("warp");
  std::vector<int> x = some_numbers(32, 97), y(32 * 6, -7);
  x[5] = 1;
  program.give(x), program.give(y);
  const Launched strict = program.launch("some_lanes", {1, 1, 1}, {32, 1, 1}, x, y);
  CHECK(strict.fault.find("warp.cu:34: error: thread (0, 0, 0) of block (0, 0, 0) reaches a "
                          "barrier without the other lanes") == 0);
  program.state.allowed.set(static_cast<std::size_t>(ptx::FaultKind::parted_barrier));
  check(program.launch("some_lanes", {1, 1, 1}, {32, 1, 1}, x, y));
  CHECK(program.state.faults.size() == 1);
  unsigned mask = 0, odd = 0;
  int sum = 0, first = -1;
  for (std::size_t t = 0; t < 32; ++t)
    if (x[t] % 3 == 0) {
      mask |= 1u << t;
      sum += x[t];
      odd |= static_cast<unsigned>(x[t] % 2) << t;
      if (first < 0) first = x[t];
    }
  for (std::size_t t = 0; t < 32; ++t) {
    INFO(t);
    const bool chosen = x[t] % 3 == 0;
    CHECK(y[6 * t] == (chosen ? static_cast<int>(mask) : -7));
    CHECK(y[6 * t + 1] == (chosen ? sum : -7));
    CHECK(y[6 * t + 2] == (chosen ? static_cast<int>(odd) : -7));
    CHECK(y[6 * t + 3] == (chosen ? first : -7));
    if (chosen && x[t] % 2) CHECK(y[6 * t + 4] == static_cast<int>(odd));
    CHECK(y[6 * t + 5] == 2);
  }
}

TEST_CASE("a cooperative grid, and tiles of a warp") {
  Program program = Program::of_kernels("cooperative");
  std::vector<int> x = some_numbers(3000, 100), sums(6), total(1), y(4);
  program.give(x), program.give(sums), program.give(total), program.give(y);
  const int wanted = std::accumulate(x.begin(), x.end(), 0);
  program.state.cooperative = true;
  check(program.launch("grid_sum", {6, 1, 1}, {64, 1, 1}, x, sums, 3000, total));
  same(sums, std::vector<int>(6, wanted));
  check(program.launch("tile_sum", {1, 1, 1}, {32, 1, 1}, x, y));
  for (std::size_t k = 0; k < 4; ++k)
    CHECK(y[k] == std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(8 * k),
                                  x.begin() + static_cast<std::ptrdiff_t>(8 * k + 8), 0));
  // Without a cooperative launch grid.sync() traps.
  program.state.cooperative = false;
  const Launched launched = program.launch("grid_sum", {1, 1, 1}, {32, 1, 1}, x, sums, 3000, total);
  INFO(launched.fault);
  CHECK(launched.fault.find("cooperative.cu") != std::string::npos);
  CHECK(launched.fault.find("executes a trap") != std::string::npos);
}

TEST_CASE("printf") {
  Program program = Program::of_kernels("print");
  const Launched launched = program.launch("print", {2, 1, 1}, {4, 1, 1});
  check(launched);
  std::string wanted;
  for (int block = 0; block < 2; ++block) {
    for (int t = 0; t < 4; ++t)
      wanted += "block " + std::to_string(block) + " thread " + std::to_string(t) +
                (t % 2 ? " odd\n" : " even\n");
    char line[400];
    std::snprintf(line, sizeof line,
                  "%5d|%-5d|%05d|%+d|%u|%x|%X|%#o|%c|%%|%lld|%llu|%.3f|%10.2e|%g|%s|%5s|%-5s|%*d|%."
                  "*f\n",
                  42, 42, 42, 42, 4000000000u, 255, 255, 8, 'c', -5000000000ll,
                  18000000000000000000ull, 3.14159, 12345.678, 1e-10, "text", "ab", "ab", 6, 7, 2,
                  2.71828);
    wanted += line;
  }
  CHECK(launched.printed == wanted);
  program.state.printed = {};
  program.state.printed.most_bytes = 60;
  CHECK(program.launch("print", {2, 1, 1}, {4, 1, 1}).printed.size() <= 60);
  CHECK(program.state.printed.lost() > 0);
}

TEST_CASE("functions, switches, arrays of a thread, loops") {
  Program program = Program::of_kernels("calls");
  const std::size_t n = 96;
  std::vector<int> x = some_numbers(n, 1000), y(n), wanted(n);
  program.give(x), program.give(y);
  const auto compare = [&](const char* kernel, auto expected, auto... arguments) {
    INFO(kernel);
    std::fill(y.begin(), y.end(), -99);
    check(program.launch(kernel, {1, 1, 1}, {static_cast<std::int64_t>(n), 1, 1}, x, y,
                         arguments...));
    for (std::size_t t = 0; t < n; ++t) wanted[t] = expected(x[t], static_cast<int>(t));
    same(y, wanted);
  };
  struct Recursive {
    static int factorial(int k) { return k <= 1 ? 1 : k * factorial(k - 1); }
    static int ackermann(int m, int k) {
      if (m == 0) return k + 1;
      return k == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, k - 1));
    }
  };
  compare("recursion", [](int v, int) {
    return Recursive::factorial(v % 10) + Recursive::ackermann(v % 3, v % 4);
  });
  compare("pointers", [](int v, int t) {
    int sum = 0;
    for (int k = 0; k < v % 5; ++k) {
      const int a = t + k, which = (v + k) % 3;
      sum += which == 0 ? 2 * a : which == 1 ? 3 * a : a * a;
    }
    return sum;
  });
  compare("switches", [](int v, int t) {
    switch (v % 9) {
    case 0: return t * 3;
    case 1: return t ^ 77;
    case 2: return t / 3 + t % 7;
    case 3: return t % 7;
    case 4: return -t;
    case 5: return t << 2;
    case 6: return std::popcount(static_cast<unsigned>(t));
    case 7: return 1234;
    default: return std::countl_zero(static_cast<unsigned>(t));
    }
  });
  compare("local_arrays", [](int v, int t) {
    int own[16], sum = 0;
    for (int k = 0; k < 16; ++k) own[(k * 5 + v) & 15] = k + t;
    for (int k = 0; k < v % 16; ++k) sum += own[k] * k;
    return sum;
  });
  compare(
      "loops",
      [](int v, int) {
        int sum = 0;
        for (int i = 0; i < v % 20; ++i) {
          if (i % 3 == 1) continue;
          for (int j = i;; ++j) {
            if (j * i > 40) break;
            if (j > 14) return -sum;
            if ((j + v) % 7 == 0) continue;
            sum += j;
            if (j > 12) break;
          }
          if (sum > 500) break;
        }
        return sum;
      },
      14);
  compare("collatz", [](int v, int) {
    std::int64_t value = v + 1;
    int steps = 0;
    while (value != 1) {
      value = value & 1 ? 3 * value + 1 : value / 2;
      if (++steps > 500) break;
    }
    return steps;
  });
}

TEST_CASE("lanes of a warp that wait for each other's lock") {
  Program program = Program::of_kernels("calls");
  std::vector<int> lock(1), count(1);
  program.give(lock), program.give(count);
  check(program.launch("locks", {2, 1, 1}, {64, 1, 1}, lock, count));
  CHECK(count[0] == 128);
}

TEST_CASE("lanes of a warp take a lock one after the other and meet behind the loop") {
  Program program = Program::of_kernels("waits");
  const std::size_t threads = 2 * 64;
  std::vector<int> lock(1), count(1), order(threads + 1);
  program.give(lock), program.give(count), program.give(order);
  check(program.launch("lock_lanes", {2, 1, 1}, {64, 1, 1}, lock, count, order));
  CHECK(count[0] == static_cast<int>(threads));
  CHECK(order.back() == 2); // each block has passed its barrier
  order.pop_back();
  std::sort(order.begin(), order.end());
  for (std::size_t k = 0; k < threads; ++k) CHECK(order[k] == static_cast<int>(k));
}

TEST_CASE("blocks wait for each other by an atomic that changes nothing") {
  Program program = Program::of_kernels("ordered");
  std::vector<unsigned> count(1);
  std::vector<int> out(4);
  program.give(count), program.give(out);
  check(program.launch("all_arrive", {4, 1, 1}, {1, 1, 1}, count, out));
  CHECK(out == std::vector<int>(4, 1));
}

TEST_CASE("numbers of 16, 32 and 64 bits") {
  Program program = Program::of_kernels("numbers");
  const std::size_t n = 64;
  std::vector<float> x = some_floats(n + 1), f(8 * n);
  std::vector<double> d(n + 1), e(8 * n);
  for (std::size_t k = 0; k <= n; ++k) d[k] = static_cast<double>(x[k]) * 1.1;
  std::vector<unsigned short> h(8 * n);
  program.give(x), program.give(f), program.give(d), program.give(e), program.give(h);
  check(program.launch("floats", {1, 1, 1}, {64, 1, 1}, x, f));
  check(program.launch("doubles", {1, 1, 1}, {64, 1, 1}, d, e));
  check(program.launch("halves", {1, 1, 1}, {64, 1, 1}, x, h));
  const auto near = [](double is, double wanted, double error) {
    INFO(is << " " << wanted);
    CHECK((is == wanted || std::fabs(is - wanted) <= error * std::max(1e-3, std::fabs(wanted))));
  };
  for (std::size_t t = 0; t < n; ++t) {
    INFO(t << ": " << x[t]);
    const float a = x[t], b = x[t + 1];
    const float* const own = &f[8 * t];
    CHECK(own[0] == a / b);
    CHECK(own[1] == std::sqrt(std::fabs(a)));
    CHECK(own[2] == std::fma(a, b, a));
    near(own[3], std::sin(static_cast<double>(a)), 1e-6);
    near(own[4], std::exp(static_cast<double>(a) * 0.01), 1e-5);
    CHECK(own[5] == std::floor(a));
    near(own[6], static_cast<double>(a) / b, 1e-6);
    near(own[7], std::tanh(static_cast<double>(a) * 0.01), 1e-5);
    const double c = d[t], g = d[t + 1];
    const double* const wide = &e[8 * t];
    CHECK(wide[0] == c / g);
    CHECK(wide[1] == std::sqrt(std::fabs(c)));
    CHECK(wide[2] == std::fma(c, g, c));
    near(wide[3], std::sin(c), 1e-14);
    near(wide[4], std::exp(c * 0.01), 1e-14);
    CHECK(wide[5] == std::floor(c));
    CHECK(wide[6] == std::nearbyint(c));
    CHECK(wide[7] == static_cast<double>(static_cast<float>(c)));
    // One rounding of each: sums and products of f16 are exact doubles.
    const auto bits = [](double value) { return half_of(value); };
    const unsigned short* const half = &h[8 * t];
    const double pd = number_of_half(half_of(static_cast<double>(a))),
                 qd = number_of_half(half_of(static_cast<double>(b)));
    CHECK(half[0] == bits(pd + qd));
    CHECK(half[1] == bits(pd * qd));
    CHECK(half[2] == bits(pd * qd + pd));
    CHECK(half[3] == bits(pd - qd));
    CHECK(half[6] == (pd < qd ? 1 : 0));
    CHECK(half[7] == bits(std::trunc(static_cast<double>(a))));
    const auto brain = [](float value) {
      const auto whole = std::bit_cast<std::uint32_t>(value);
      return static_cast<std::uint16_t>((whole + 0x7fff + (whole >> 16 & 1)) >> 16);
    };
    const auto wider = [](std::uint16_t value) {
      return std::bit_cast<float>(std::uint32_t{value} << 16);
    };
    CHECK(half[5] == brain(std::max(wider(brain(a)), wider(brain(b)))));
  }
}

TEST_CASE("integers of 64 bits") {
  Program program = Program::of_kernels("numbers");
  const std::size_t n = 64;
  std::vector<std::int64_t> x(n + 1), y(8 * n);
  std::uint64_t state = 88172645463325252;
  for (std::int64_t& one : x) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    one = static_cast<std::int64_t>(state) >> (state % 60);
  }
  x[3] = INT64_MIN, x[4] = -1, x[7] = 0;
  program.give(x), program.give(y);
  check(program.launch("integers", {1, 1, 1}, {64, 1, 1}, x, y));
  for (std::size_t t = 0; t < n; ++t) {
    INFO(t << ": " << x[t] << " " << x[t + 1]);
    const std::int64_t a = x[t], b = x[t + 1];
    const auto ua = static_cast<std::uint64_t>(a);
    const bool overflows = a == INT64_MIN && b == -1;
    const std::int64_t* const own = &y[8 * t];
    CHECK(own[0] == (b == 0 ? 0 : overflows ? a : a / b));
    CHECK(own[1] == (b == 0 || overflows ? 0 : a % b));
    __extension__ using Wide = __int128;
    CHECK(own[2] == static_cast<std::int64_t>(static_cast<Wide>(a) * b >> 64));
    std::uint64_t reversed = 0;
    for (int k = 0; k < 64; ++k) reversed |= (ua >> k & 1) << (63 - k);
    CHECK(own[3] == static_cast<std::int64_t>(reversed));
    CHECK(own[4] == std::popcount(ua) * 100 + std::countl_zero(ua));
    const auto low = static_cast<std::uint32_t>(ua), low_b = static_cast<std::uint32_t>(b);
    CHECK(own[5] ==
          static_cast<std::int64_t>(static_cast<std::uint32_t>(
              static_cast<std::uint32_t>(static_cast<std::int32_t>(low) / 7) + low_b % 13)));
  }
}

TEST_CASE("asynchronous copies and matrices") {
  Program program = Program::of_kernels("async");
  std::vector<int> from = some_numbers(4 * 64 * 5, 10000), to(from.size()), wanted(from.size());
  program.give(from), program.give(to);
  check(program.launch("copies", {1, 1, 1}, {64, 1, 1}, from, to, 5));
  for (std::size_t k = 0; k < 5; ++k)
    for (std::size_t t = 0; t < 64; ++t)
      for (std::size_t i = 0; i < 4; ++i)
        wanted[4 * (k * 64 + t) + i] =
            from[4 * (k * 64 + 63 - t) + i] + (i == 0 ? static_cast<int>(k) : 0);
  same(to, wanted);
  std::vector<unsigned short> rows(256);
  for (std::size_t k = 0; k < 256; ++k) rows[k] = static_cast<unsigned short>(k * 257);
  std::vector<unsigned> words(256), expected(256);
  program.give(rows), program.give(words);
  check(program.launch("matrices", {1, 1, 1}, {32, 1, 1}, rows, words));
  for (std::size_t l = 0; l < 32; ++l)
    for (std::size_t m = 0; m < 4; ++m) {
      const auto at = [&](std::size_t row, std::size_t column) {
        return unsigned{rows[64 * m + 8 * row + column]};
      };
      expected[8 * l + m] = at(l / 4, l % 4 * 2) | at(l / 4, l % 4 * 2 + 1) << 16;
      expected[8 * l + 4 + m] = at(l % 4 * 2, l / 4) | at(l % 4 * 2 + 1, l / 4) << 16;
    }
  same(words, expected);
}

TEST_CASE("structures are parameters by value") {
  Program program = Program::of_kernels("structures");
  struct Table {
    int of[6];
    short more[3];
  };
  const Table table{{1, 2, 3, 4, 5, 6}, {7, -8, 9}};
  std::vector<int> y(64), wanted(64);
  program.give(y);
  check(program.launch("by_value", {1, 1, 1}, {64, 1, 1}, table, y));
  for (int t = 0; t < 64; ++t)
    wanted[static_cast<std::size_t>(t)] = table.of[t % 6] * 10 + table.more[t % 3];
  same(y, wanted);
  check(program.launch("passed", {1, 1, 1}, {64, 1, 1}, table, y));
  for (int t = 0; t < 64; ++t)
    wanted[static_cast<std::size_t>(t)] = (table.of[t % 6] + t + 64) * 10 + t;
  same(y, wanted);
}

TEST_CASE("constants and variables of a module") {
  Program program = Program::of_kernels("variables");
  std::vector<float> y(64), wanted(64);
  program.give(y);
  std::int64_t bytes = 0;
  std::uint8_t* const coefficients = program.image->variable("coefficients", &bytes);
  REQUIRE(bytes == 64);
  for (int k = 0; k < 16; ++k) std::memcpy(coefficients + 4 * k, &k, 4);
  check(program.launch("variables", {1, 1, 1}, {64, 1, 1}, y));
  const float known[4] = {1.5F, -2.0F, 0.25F, 1e10F};
  const double table[4] = {1.0, 2.5, 3.0, 4.0};
  const short matrix[2][3] = {{1, 2, 3}, {-4, -5, -6}};
  for (int t = 0; t < 64; ++t) {
    float sum = static_cast<float>(t % 16) + known[t % 4];
    sum = sum + static_cast<float>(table[t % 4]);
    sum = sum + static_cast<float>(matrix[t % 2][t % 3]);
    wanted[static_cast<std::size_t>(t)] = sum + static_cast<float>("hello"[t % 5]);
  }
  same(y, wanted);
  int counter = 0;
  std::memcpy(&counter, program.image->variable("counter"), 4);
  CHECK(counter == 3 + 64);
}

TEST_CASE("barriers with numbers, counts and subsets") {
  Program program = Program::of_kernels("barriers");
  std::vector<int> x = some_numbers(128, 90), y(192), wanted(192);
  program.give(x), program.give(y);
  check(program.launch("producers", {1, 1, 1}, {64, 1, 1}, x, y));
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t t = 0; t < 32; ++t) wanted[32 * k + t] = x[32 * k + 31 - t];
  same(std::vector<int>(y.begin(), y.begin() + 128),
       std::vector<int>(wanted.begin(), wanted.begin() + 128));
  check(program.launch("votes", {1, 1, 1}, {64, 1, 1}, x, y));
  const auto threes = std::count_if(x.begin(), x.begin() + 64, [](int v) { return v % 3 == 0; });
  for (std::size_t t = 0; t < 64; ++t) {
    CHECK(y[3 * t] == threes);
    CHECK(y[3 * t + 1] != 0);
    CHECK(y[3 * t + 2] == 0);
  }
  check(program.launch("two_ways", {1, 1, 1}, {64, 1, 1}, x, y));
  for (std::size_t t = 0; t < 64; ++t) CHECK(y[t] == (x[63 - t] % 2 ? x[63 - t] : -x[63 - t]));
  check(program.launch("ended", {1, 1, 1}, {128, 1, 1}, x, y));
  for (std::size_t t = 0; t < 96; ++t)
    if (t % 4 != 3) CHECK(y[t] == x[t % 4 == 2 ? t : t ^ 1]);
}

} // namespace memlane::test
