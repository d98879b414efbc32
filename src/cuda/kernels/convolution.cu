// Optimised convolution of an n x n image with (2v + 1) x (2v + 1) coefficients, for comparison
// with programs/convolution/convolution.lane. A block computes 32 x 32 pixels. Each thread keeps
// the sums of four pixels of a column in registers, so that a pixel read from shared memory is used
// up to four times. Loops of small filters are unrolled.
#include "harness.cuh"

constexpr int side = 32;
constexpr int own = 4; // pixels of a thread, in one column
constexpr int threads = side * side / own;
constexpr int any_size = -1;

template <int known_v>
__global__ void convolve(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ c,
                         int n, int any_v) {
  const int v = known_v == any_size ? any_v : known_v;
  const int window = 2 * v + 1, width = side + 2 * v;
  DYNAMIC_SHARED(memory);
  int* const pixels = reinterpret_cast<int*>(memory); // the block's pixels with a border of v
  int* const weights = pixels + width * width;
  const int blocks_of_side = (n + side - 1) / side;
  const int i0 = int(blockIdx.x) / blocks_of_side * side,
            j0 = int(blockIdx.x) % blocks_of_side * side;
  for (int at = int(threadIdx.x); at < width * width; at += threads) {
    const int i = i0 + at / width - v, j = j0 + at % width - v;
    pixels[at] = 0 <= i && i < n && 0 <= j && j < n ? a[(long long)i * n + j] : 0;
  }
  for (int at = int(threadIdx.x); at < window * window; at += threads) weights[at] = b[at];
  __syncthreads();

  const int column = int(threadIdx.x) % side, row = int(threadIdx.x) / side * own;
  int sums[own] = {};
  for (int y = 0; y < window + own - 1; ++y) // reads each row of pixels once, for all four sums
#pragma unroll
    for (int x = 0; x < window; ++x) {
      const int pixel = pixels[(row + y) * width + column + x];
#pragma unroll
      for (int e = 0; e < own; ++e)
        if (0 <= y - e && y - e < window) sums[e] += pixel * weights[(y - e) * window + x];
    }
#pragma unroll
  for (int e = 0; e < own; ++e)
    if (i0 + row + e < n && j0 + column < n)
      c[(long long)(i0 + row + e) * n + j0 + column] = sums[e];
}

struct Program {
  static constexpr const char* facts = MEMLANE_FACTS;
  static constexpr bool repeatable = true;
  int n = 64, v = 1;
  harness::Memory<int> a, b, c;

  int window() const { return 2 * v + 1; }
  void sizes(harness::Options& options) {
    options.take("n", n);
    options.take("v", v);
    options.require(n >= 1, "n", "n >= 1");
    options.require(0 <= v && v <= 32, "v", "0 <= v <= 32");
  }
  std::string parameters() const {
    return "{\"n\": " + std::to_string(n) + ", \"v\": " + std::to_string(v) + "}";
  }
  void allocate() {
    a.allocate("a", {(long long)n * n});
    b.allocate("b", {window() * window()});
    c.allocate("c", {(long long)n * n});
  }
  void fill() {
    for (long long i = 0; i < (long long)n * n; ++i)
      a.fill(i, harness::random_element(0, 0, i, 0, 255));
    const double radius = std::max(1, v);
    for (int s = -v; s <= v; ++s)
      for (int t = -v; t <= v; ++t)
        b.fill((s + v) * window() + t + v,
               int(16 * std::exp(-(s * s + t * t) / (2.0 * radius * radius))));
  }
  void run() {
    const long long blocks_of_side = (n + side - 1) / side, width = side + 2 * v;
    const long long bytes = (width * width + window() * window()) * (long long)sizeof(int);
    auto* const kernel = v == 1   ? convolve<1>
                         : v == 2 ? convolve<2>
                         : v == 3 ? convolve<3>
                                  : convolve<any_size>;
    harness::launch(kernel, blocks_of_side * blocks_of_side, threads, bytes, a.input(), b.input(),
                    c.device(), n, v);
  }
  /// Every pixel of a small image, 2048 of a large one.
  void verify() {
    const long long pixels = (long long)n * n;
    for (long long trial = 0; trial < std::min(pixels, 2048ll); ++trial) {
      const long long at = pixels <= 2048
                               ? trial
                               : harness::random_integer(harness::host_stream(0),
                                                         std::uint64_t(trial), 0, pixels - 1);
      unsigned sum = 0;
      for (int s = -v; s <= v; ++s)
        for (int t = -v; t <= v; ++t) {
          const long long i = at / n + s, j = at % n + t;
          if (0 <= i && i < n && 0 <= j && j < n)
            sum += unsigned(a.initial(i * n + j)) * unsigned(b.initial((s + v) * window() + t + v));
        }
      harness::insist(c.get(at) == int(sum),
                      "a pixel of c is not the weighted sum of its neighbours");
    }
  }
};

int main(int count, char** words) { return harness::run<Program>(count, words); }
