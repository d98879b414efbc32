// c = a b of floats, n x l and l x n, row by row in memory, in the steps by which Boehm 2022 makes
// it faster. n is a multiple of 128, l one of 32. Blocks are of 32 x 32 threads where nothing else
// is said.

#define KERNEL extern "C" __global__ void

// Neighbouring threads have neighbouring rows.
KERNEL down_columns(float* c, const float* a, const float* b, int n, int l) {
  const int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < l; ++k) sum += a[row * l + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// Neighbouring threads have neighbouring columns.
KERNEL along_rows(float* c, const float* a, const float* b, int n, int l) {
  const int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < l; ++k) sum += a[row * l + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// By tiles in shared memory.
KERNEL by_tiles(float* c, const float* a, const float* b, int n, int l) {
  __shared__ float left[32][32], right[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
  float sum = 0;
  for (int first = 0; first < l; first += 32) {
    left[y][x] = a[row * l + first + x];
    right[y][x] = b[(first + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += left[y][k] * right[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// Tiles of 64 x 64, by 512 threads: each keeps 8 sums of a column in registers.
KERNEL by_columns_of_8(float* c, const float* a, const float* b, int n, int l) {
  __shared__ float left[64 * 8], right[8 * 64];
  const int t = threadIdx.x, x = t % 64, y = t / 64;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[8] = {};
  for (int first = 0; first < l; first += 8) {
    left[t] = a[(row + t / 8) * l + first + t % 8];
    right[t] = b[(first + y) * n + column + x];
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
      const float of_b = right[k * 64 + x];
      for (int i = 0; i < 8; ++i) sum[i] += left[(y * 8 + i) * 8 + k] * of_b;
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i) c[(row + y * 8 + i) * n + column + x] = sum[i];
}

// Tiles of 128 x 128, by 256 threads: each keeps a square of 8 x 8 sums.
KERNEL by_squares_of_8(float* c, const float* a, const float* b, int n, int l) {
  __shared__ float left[128 * 8], right[8 * 128];
  const int t = threadIdx.x, x = t % 16, y = t / 16;
  const int row = blockIdx.y * 128, column = blockIdx.x * 128;
  float sum[8][8] = {};
  for (int first = 0; first < l; first += 8) {
    for (int k = 0; k < 128; k += 32)
      left[(t / 8 + k) * 8 + t % 8] = a[(row + t / 8 + k) * l + first + t % 8];
    for (int k = 0; k < 8; k += 2)
      right[(t / 128 + k) * 128 + t % 128] = b[(first + t / 128 + k) * n + column + t % 128];
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
      float of_a[8], of_b[8];
      for (int i = 0; i < 8; ++i) of_a[i] = left[(y * 8 + i) * 8 + k];
      for (int j = 0; j < 8; ++j) of_b[j] = right[k * 128 + x * 8 + j];
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) sum[i][j] += of_a[i] * of_b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) c[(row + y * 8 + i) * n + column + x * 8 + j] = sum[i][j];
}

// From here on, accesses to global memory are of 4 words, and tiles of a lie by columns.

__device__ float4 four_of(const float* from) { return *reinterpret_cast<const float4*>(from); }

__device__ void store_four(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1], from[2], from[3]);
}

// A tile of a: 128 rows of `depth` words from a's word (row, first) on, by `threads` threads.
template <int depth, int threads>
__device__ void load_left(float* left, const float* a, int row, int first, int l) {
  for (int t = threadIdx.x; t < 128 * depth / 4; t += threads) {
    const int y = t / (depth / 4), x = t % (depth / 4) * 4;
    const float4 four = four_of(a + (row + y) * l + first + x);
    left[(x + 0) * 128 + y] = four.x;
    left[(x + 1) * 128 + y] = four.y;
    left[(x + 2) * 128 + y] = four.z;
    left[(x + 3) * 128 + y] = four.w;
  }
}

// Where a tile of b keeps its row k, column 8 x + j.
struct Plain {
  static constexpr int row = 128;
  static __device__ int at(int k, int x, int j) { return k * row + x * 8 + j; }
};
// The words of one j lie side by side: what 16 threads read at once is in 16 banks.
struct Spread {
  static constexpr int row = 128;
  static __device__ int at(int k, int x, int j) { return (k * 8 + j) * 16 + x; }
};
// Five spare words behind each row.
struct Padded {
  static constexpr int row = 128 + 5;
  static __device__ int at(int k, int x, int j) { return k * row + x * 8 + j; }
};

// Squares of 8 x 8 sums by 256 threads, and tiles of `depth` words.
template <int depth, class Right>
__device__ void product(float* c, const float* a, const float* b, int n, int l) {
  __shared__ float left[depth * 128], right[depth * Right::row];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const int row = blockIdx.y * 128, column = blockIdx.x * 128;
  float sum[8][8] = {};
  for (int first = 0; first < l; first += depth) {
    load_left<depth, 256>(left, a, row, first, l);
    for (int t = threadIdx.x; t < depth * 32; t += 256) {
      const int k = t / 32, of_x = t % 32 / 2, j = t % 2 * 4;
      const float4 four = four_of(b + (first + k) * n + column + t % 32 * 4);
      const float words[4] = {four.x, four.y, four.z, four.w};
      if (Right::row % 4 == 0 && Right::at(0, 0, 1) == 1)
        store_four(right + Right::at(k, of_x, j), words);
      else
        for (int i = 0; i < 4; ++i) right[Right::at(k, of_x, j + i)] = words[i];
    }
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      float of_a[8], of_b[8];
      for (int i = 0; i < 8; ++i) of_a[i] = left[k * 128 + y * 8 + i];
      for (int j = 0; j < 8; ++j) of_b[j] = right[Right::at(k, x, j)];
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) sum[i][j] += of_a[i] * of_b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; j += 4)
      store_four(c + (row + y * 8 + i) * n + column + x * 8 + j, sum[i] + j);
}

KERNEL by_vectors(float* c, const float* a, const float* b, int n, int l) {
  product<8, Plain>(c, a, b, n, l);
}
KERNEL by_spread_words(float* c, const float* a, const float* b, int n, int l) {
  product<8, Spread>(c, a, b, n, l);
}
// Two blocks have to fit into the registers of a multiprocessor.
KERNEL __launch_bounds__(256, 2)
    by_padded_rows(float* c, const float* a, const float* b, int n, int l) {
  product<8, Padded>(c, a, b, n, l);
}
KERNEL by_deeper_tiles(float* c, const float* a, const float* b, int n, int l) {
  product<16, Plain>(c, a, b, n, l);
}

// 128 threads: each warp has a part of 64 x 64 of the tile, each thread four pieces of 8 x 4 in it.
KERNEL by_tiles_of_warps(float* c, const float* a, const float* b, int n, int l) {
  constexpr int depth = 16;
  __shared__ float left[depth * 128], right[depth * 128];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int x = warp % 2 * 64 + lane % 4 * 4, y = warp / 2 * 64 + lane / 4 * 8;
  const int row = blockIdx.y * 128, column = blockIdx.x * 128;
  float sum[8][16] = {};
  for (int first = 0; first < l; first += depth) {
    load_left<depth, 128>(left, a, row, first, l);
    for (int t = threadIdx.x; t < depth * 32; t += 128)
      *reinterpret_cast<float4*>(right + t * 4) =
          four_of(b + (first + t / 32) * n + column + t % 32 * 4);
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      float of_a[8], of_b[16];
      for (int i = 0; i < 8; ++i) of_a[i] = left[k * 128 + y + i];
      for (int j = 0; j < 16; ++j) of_b[j] = right[k * 128 + x + j / 4 * 16 + j % 4];
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 16; ++j) sum[i][j] += of_a[i] * of_b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 16; j += 4)
      store_four(c + (row + y + i) * n + column + x + j / 4 * 16 + j % 4, sum[i] + j);
}
