namespace harness {

/// Philox4x32-10 (Salmon et al. 2011).
struct Philox {
  std::uint32_t x[4];
  Philox(std::uint64_t stream, std::uint64_t counter)
      : x{std::uint32_t(counter), std::uint32_t(counter >> 32), std::uint32_t(stream),
          std::uint32_t(stream >> 32)} {}
  void scramble(std::uint64_t seed) {
    std::uint32_t key0 = std::uint32_t(seed), key1 = std::uint32_t(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = 0xD2511F53ull * x[0], b = 0xCD9E8D57ull * x[2];
      const std::uint32_t y0 = std::uint32_t(b >> 32) ^ x[1] ^ key0,
                          y2 = std::uint32_t(a >> 32) ^ x[3] ^ key1;
      x[0] = y0, x[1] = std::uint32_t(b), x[2] = y2, x[3] = std::uint32_t(a);
      key0 += 0x9E3779B9u, key1 += 0xBB67AE85u;
    }
  }
  std::uint64_t half(int k) const { return std::uint64_t(x[2 * k + 1]) << 32 | x[2 * k]; }
};

constexpr std::uint64_t initial_stream(std::uint64_t array, std::uint64_t site) {
  return 1ull << 60 | array << 32 | site;
}
constexpr std::uint64_t layout_stream(std::uint64_t array) { return 2ull << 60 | array << 32; }
constexpr std::uint64_t host_stream(std::uint64_t site) { return 3ull << 60 | site; }

/// An integer of lo..hi, each equally likely.
inline long long random_integer(std::uint64_t stream, std::uint64_t counter, long long lo,
                                long long hi) {
  if (lo > hi)
    fail("random(" + std::to_string(lo) + ", " + std::to_string(hi) + ") has nothing to draw from");
  const std::uint64_t base = std::uint64_t(lo), size = std::uint64_t(hi) - base + 1;
  const std::uint64_t unfair = size == 0 ? 0 : (0 - size) % size;
  Philox block(stream, counter);
  for (;;) {
    block.scramble(state.seed);
    for (int k = 0; k < 2; ++k) {
      const std::uint64_t bits = block.half(k);
      if (bits >= unfair) return (long long)(base + (size == 0 ? bits : bits % size));
    }
  }
}

/// A real number of [lo, hi).
template <class Real>
Real random_real(std::uint64_t stream, std::uint64_t counter, Real lo, Real hi) {
  if (!(lo < hi)) fail("random(lo, hi) of real numbers needs lo < hi");
  Philox block(stream, counter);
  block.scramble(state.seed);
  const double unit = double(block.half(0) >> 11) * 0x1p-53, extent = double(hi) - double(lo);
  double value = std::isfinite(extent) ? double(lo) + unit * extent
                                       : double(lo) * (1 - unit) + double(hi) * unit;
  if (!(value < double(hi))) value = std::nextafter(double(hi), double(lo));
  const Real rounded = Real(value);
  return rounded >= hi ? std::nextafter(hi, lo) : rounded;
}

/// An array of the program's memory: initial values are numbered by the element.
template <class T>
T random_element(int array, int site, long long element, T lo, T hi) {
  const std::uint64_t stream = initial_stream(std::uint64_t(array), std::uint64_t(site));
  if constexpr (std::is_integral_v<T>)
    return T(random_integer(stream, std::uint64_t(element), lo, hi));
  else
    return random_real<T>(stream, std::uint64_t(element), lo, hi);
}
/// The next one of the host code.
template <class T>
T random_draw(int site, T lo, T hi) {
  const std::uint64_t stream = host_stream(std::uint64_t(site)), draw = state.draws++;
  if constexpr (std::is_integral_v<T>)
    return T(random_integer(stream, draw, lo, hi));
  else
    return random_real<T>(stream, draw, lo, hi);
}

/// How far the rows of an array are rotated: by random_shift (each row by its own number), by
/// random_permute (row r by the number of r mod w).
inline std::vector<int> random_shifts(std::uint64_t stream,
                                      std::initializer_list<long long> extents,
                                      long long row_length) {
  long long elements = 1;
  for (const long long extent : extents) elements *= extent;
  std::vector<int> offsets;
  for (long long row = 0; row * row_length < elements; ++row)
    offsets.push_back(int(random_integer(stream, std::uint64_t(row), 0, row_length - 1)));
  return offsets;
}
inline std::vector<int> random_permutation(std::uint64_t stream, int width) {
  std::vector<int> sigma{};
  sigma.resize(std::size_t(width));
  for (int i = 0; i < width; ++i) sigma[i] = i;
  for (int last = width - 1; last > 0; --last)
    std::swap(sigma[last], sigma[random_integer(stream, std::uint64_t(last), 0, last)]);
  return sigma;
}

} // namespace harness
