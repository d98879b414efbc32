// Steps that a machine issues in an order of its own, and shared reads that it merges.
// arch: compute_80

// Behind a write to shared memory, another read of global memory.
extern "C" __global__ void copies(const int* x, const int* y, int* z) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  s[32 + threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  z[threadIdx.x] = s[63 - threadIdx.x];
}

// Each thread adds up 8 of 9 words: only every second thread is aligned to 8 bytes.
extern "C" __global__ void odd_rows(int* z) {
  __shared__ int s[288];
  for (int k = 0; k < 9; ++k) s[k * 32 + threadIdx.x] = k;
  __syncthreads();
  const int* const row = s + threadIdx.x * 9;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum = sum * 3 + row[k];
  z[threadIdx.x] = sum;
}

// A write between the fourth and the fifth read.
extern "C" __global__ void rows_and_a_write(int* z) {
  __shared__ int s[512];
  for (int k = 0; k < 8; ++k) s[k * 32 + threadIdx.x] = k;
  __syncthreads();
  const int* const row = s + threadIdx.x * 8;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 6; ++k) sum = sum * 3 + row[k];
  s[256 + threadIdx.x] = sum;
#pragma unroll
  for (int k = 6; k < 8; ++k) sum = sum * 3 + row[k];
  z[threadIdx.x] = sum;
}

// c = a b of n x n floats: blocks of 256 threads compute tiles of 64 x 64, each thread 4 x 4 of them
// in registers, one word at a time.
extern "C" __global__ void narrow_sgemm(const float* a, const float* b, float* c, int n) {
  __shared__ float left[16][64], right[16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int first = 0; first < n; first += 16) {
    for (int k = 0; k < 4; ++k) {
      left[tx][ty + 16 * k] = a[(row + ty + 16 * k) * n + first + tx];
      right[t / 64 + 4 * k][t % 64] = b[(first + t / 64 + 4 * k) * n + column + t % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += left[k][ty * 4 + i] * right[k][tx * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row + ty * 4 + i) * n + column + tx * 4 + j] = sum[i][j];
}

// Between the copies, what no step moves across.
#define COPIES_AROUND(name, between)                                                               \
  extern "C" __global__ void around_##name(const int* x, const int* y, int* z, int n) {            \
    __shared__ int s[96];                                                                          \
    const int t = threadIdx.x;                                                                     \
    s[t] = x[t];                                                                                   \
    between;                                                                                       \
    s[32 + t] = y[t];                                                                              \
    __syncthreads();                                                                               \
    z[t] = s[63 - t];                                                                              \
  }

__device__ __noinline__ void write_word(int* word, int value) { *word = value; }

COPIES_AROUND(nothing, s[64 + t] = n)
COPIES_AROUND(an_atomic, atomicAdd(z + t, n))
COPIES_AROUND(a_volatile_write, *(volatile int*)(s + 64 + t) = n)
COPIES_AROUND(a_shuffle, s[64 + t] = __shfl_xor_sync(~0u, t * n, 1))
COPIES_AROUND(a_vote, s[64 + t] = __any_sync(~0u, t == n))
COPIES_AROUND(a_fence, __threadfence_block())
COPIES_AROUND(a_barrier, __syncthreads())
COPIES_AROUND(a_call, write_word(s + 64 + t, n))
COPIES_AROUND(some_lanes, if (t < n) s[64 + t] = n)
COPIES_AROUND(a_loop, _Pragma("unroll 1") for (int k = 0; k < n; ++k) s[64 + t] = k)
