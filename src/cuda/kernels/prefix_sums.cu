// Prefix sums of n numbers in one pass, for comparison with programs/scan/prefix_hmm.lane. Each
// block scans a tile and adds the sum of the tiles before it, which it finds by looking back; each
// word is read and written once. The algorithm, not the code, is that of Merrill and Garland's
// "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016).
#include "harness.cuh"

constexpr int threads = 256;
constexpr int words = 16; // the words of a thread
constexpr int tile = threads * words;
constexpr unsigned whole_warp = 0xffffffffu;

// A tile's status in the upper half of a word and a sum in the lower half, which change atomically.
using TileState = unsigned long long;
constexpr TileState sum_of_tile = 1ull << 32; // the sum of the tile
constexpr TileState sum_so_far = 2ull << 32;  // the sum of the tile and all before it
__device__ int sum_of(TileState states) { return int(unsigned(states)); }
__device__ void publish(TileState* at, TileState status, int sum) {
  atomicExch(at, status | unsigned(sum));
}

/// The sum of all tiles before this one. A warp reads 32 tiles at a time, the nearest one in lane
/// 0.
__device__ int look_back(TileState* states, int this_tile) {
  const int lane = int(threadIdx.x % 32);
  int sum = 0;
  for (int nearest = this_tile - 1; nearest >= 0; nearest -= 32) {
    const int at = nearest - lane;
    TileState k = sum_so_far; // the sum before the first tile is 0
    if (at >= 0) do
        k = atomicAdd(&states[at], 0ull);
      while (k == 0);
    const unsigned complete = __ballot_sync(whole_warp, (k & sum_so_far) != 0);
    // Lanes up to the first one with the sum so far.
    const int needed = complete == 0 ? 32 : __ffs(int(complete));
    int x = lane < needed ? sum_of(k) : 0;
    for (int distance = 16; distance > 0; distance /= 2)
      x += __shfl_xor_sync(whole_warp, x, distance);
    sum += x;
    if (complete != 0) break;
  }
  return sum;
}

/// Inclusive prefix sums over the block's threads, and the total.
__device__ int scan_block(int x, int& all) {
  __shared__ int of_warp[threads / 32];
  const int lane = int(threadIdx.x % 32), warp = int(threadIdx.x / 32);
  for (int distance = 1; distance < 32; distance *= 2) {
    const int y = __shfl_up_sync(whole_warp, x, distance);
    if (lane >= distance) x += y;
  }
  if (lane == 31) of_warp[warp] = x;
  __syncthreads();
  int before = 0;
  all = 0;
  for (int k = 0; k < threads / 32; ++k) {
    if (k == warp) before = all;
    all += of_warp[k];
  }
  return before + x;
}

// One padding word in 32 makes the distance of the threads' words odd, which avoids bank conflicts.
__device__ constexpr int place(int i) { return i + i / 32; }

__global__ void prefix_sums(int* a, int n, TileState* states, unsigned* next_tile) {
  __shared__ int x[place(tile)];
  __shared__ int this_tile, carry;
  // Blocks take tiles in the order in which they start, so that earlier tiles have running blocks.
  if (threadIdx.x == 0) this_tile = int(atomicAdd(next_tile, 1u));
  __syncthreads();
  const long long base = (long long)this_tile * tile;
  for (int k = 0; k < words; ++k) {
    const int i = k * threads + int(threadIdx.x);
    x[place(i)] = base + i < n ? a[base + i] : 0;
  }
  __syncthreads();
  int sums[words];
  int sum = 0;
  for (int k = 0; k < words; ++k) sums[k] = sum += x[place(int(threadIdx.x) * words + k)];
  int all = 0;
  int before = scan_block(sum, all) - sum;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0 && this_tile > 0) publish(&states[this_tile], sum_of_tile, all);
    const int earlier = look_back(states, this_tile);
    if (threadIdx.x == 0) {
      publish(&states[this_tile], sum_so_far, int(unsigned(earlier) + unsigned(all)));
      carry = earlier;
    }
  }
  __syncthreads();
  before += carry;
  for (int k = 0; k < words; ++k) x[place(int(threadIdx.x) * words + k)] = before + sums[k];
  __syncthreads();
  for (int k = 0; k < words; ++k) {
    const int i = k * threads + int(threadIdx.x);
    if (base + i < n) a[base + i] = x[place(i)];
  }
}

/// Resets the tiles for the next run.
__global__ void reset(TileState* states, int tiles, unsigned* next_tile) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < tiles) states[i] = 0;
  if (i == 0) *next_tile = 0;
}

struct Program {
  static constexpr const char* facts = MEMLANE_FACTS;
  static constexpr bool repeatable = true;
  int n = 4096;
  harness::Memory<int> a;
  harness::Memory<TileState> states;
  harness::Memory<unsigned> next_tile;

  int tiles() const { return int((n + (long long)tile - 1) / tile); }
  void sizes(harness::Options& options) {
    options.take("n", n);
    options.require(n >= 1, "n", "n >= 1");
  }
  std::string parameters() const { return "{\"n\": " + std::to_string(n) + "}"; }
  void allocate() {
    a.allocate("a", {n});
    states.allocate("states", {tiles()});
    next_tile.allocate("next_tile", {1});
  }
  void fill() {
    for (int i = 0; i < n; ++i) a.fill(i, harness::random_element(0, 0, i, 0, 9));
  }
  void run() {
    harness::launch(reset, (tiles() + threads - 1) / threads, threads, 0, states.device(), tiles(),
                    next_tile.device());
    harness::launch(prefix_sums, tiles(), threads, 0, a.device(), n, states.device(),
                    next_tile.device());
  }
  void verify() {
    unsigned s = 0;
    for (int i = 0; i < n; ++i) {
      s += unsigned(a.initial(i));
      harness::insist(a[i] == int(s), "a word of a is not the sum of the numbers up to it");
    }
  }
};

int main(int count, char** words) { return harness::run<Program>(count, words); }
