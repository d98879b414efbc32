// Optimised sum of n numbers, for comparison with programs/reduction/sum_hmm.lane. Threads add
// vectors of four words in registers, warps add with shuffles, and the last block to finish adds
// the blocks' sums.
#include "harness.cuh"

constexpr int threads = 256;
constexpr int words_of_vector = 4;
constexpr int blocks_of_multiprocessor = 8;

__device__ int warp_sum(int x) {
  for (int distance = 16; distance > 0; distance /= 2)
    x += __shfl_down_sync(0xffffffffu, x, distance);
  return x; // lane 0 has the sum
}

__device__ int block_sum(int x) {
  __shared__ int of_warp[32];
  x = warp_sum(x);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x < 32) x = warp_sum(threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0);
  __syncthreads();
  return x; // thread 0 has the sum
}

__global__ void sum(const int* __restrict__ a, long long n, int* sums, unsigned* blocks_done) {
  const long long step = (long long)gridDim.x * blockDim.x;
  const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const int4* const vectors = reinterpret_cast<const int4*>(a);
  int s = 0;
  for (long long i = first; i < n / words_of_vector; i += step) {
    const int4 v = vectors[i];
    s += (v.x + v.y) + (v.z + v.w);
  }
  for (long long i = n / words_of_vector * words_of_vector + first; i < n; i += step) s += a[i];
  s = block_sum(s);

  __shared__ bool last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = s;
    __threadfence(); // publishes the sum before the counter
    last = atomicInc(blocks_done, gridDim.x - 1) == gridDim.x - 1; // wraps to 0 for the next run
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  s = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
    s += static_cast<volatile int*>(sums)[i];
  s = block_sum(s);
  if (threadIdx.x == 0) sums[0] = s;
}

struct Program {
  static constexpr const char* facts = MEMLANE_FACTS;
  static constexpr bool repeatable = true;
  int n = 4096;
  long long blocks = 1;
  harness::Memory<int> a, sums;
  harness::Memory<unsigned> blocks_done;

  void sizes(harness::Options& options) {
    options.take("n", n);
    options.require(n >= 1, "n", "n >= 1");
  }
  std::string parameters() const { return "{\"n\": " + std::to_string(n) + "}"; }
  void allocate() {
    const long long vectors = n / words_of_vector;
    const long long most =
        (long long)harness::find_device().multiprocessors * blocks_of_multiprocessor;
    blocks = std::max(1ll, std::min((vectors + threads - 1) / threads, most));
    a.allocate("a", {n});
    sums.allocate("sums", {blocks});
    blocks_done.allocate("blocks_done", {1});
  }
  void fill() {
    for (int i = 0; i < n; ++i) a.fill(i, harness::random_element(0, 0, i, 0, 9));
  }
  void run() {
    harness::launch(sum, blocks, threads, 0, a.input(), n, sums.device(), blocks_done.device());
  }
  void verify() {
    unsigned s = 0;
    for (int i = 0; i < n; ++i) s += unsigned(a.initial(i));
    harness::insist(sums[0] == int(s), "sums[0] is not the sum of a");
  }
};

int main(int count, char** words) { return harness::run<Program>(count, words); }
