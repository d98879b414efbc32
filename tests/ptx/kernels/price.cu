// Kernels whose requests are known: the tests of pricing run them.
// 1024 x 1024 by blocks of 32 x 8 threads: each thread moves four elements.
constexpr int tile = 32, rows = 8;

extern "C" __global__ void transpose_naive(float* out, const float* in, int n) {
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows) out[x * n + y + j] = in[(y + j) * n + x];
}

template <int padding>
__device__ void transpose(float* out, const float* in, int n) {
  __shared__ float part[tile][tile + padding];
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows) part[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows) out[(y + j) * n + x] = part[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void transpose_tiled(float* out, const float* in, int n) {
  transpose<0>(out, in, n);
}
extern "C" __global__ void transpose_padded(float* out, const float* in, int n) {
  transpose<1>(out, in, n);
}

// A sum of each block; half of the warps ends at each step, before barriers of the others.
extern "C" __global__ void sums(int* out, const int* in, int n) {
  __shared__ int part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width /= 2) {
    if (threadIdx.x / 32 >= (width + 31) / 32) return;
    if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// Accesses of 1, 2, 8 and 16 bytes.
struct Mixed {
  unsigned char bytes[4096];
  short halves[4096];
  double doubles[4096];
  float4 fours[4096];
};
extern "C" __global__ void widths(Mixed* to, const Mixed* from, int stride) {
  __shared__ double shared_doubles[256];
  __shared__ float4 shared_fours[256];
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride % 4096, t = threadIdx.x;
  for (int k = t; k < 256; k += blockDim.x) {
    shared_doubles[k] = k;
    shared_fours[k] = make_float4(k, k, k, k);
  }
  __syncthreads();
  to->bytes[i] = from->bytes[i];
  to->halves[i] = from->halves[i];
  shared_doubles[t * stride % 256] = from->doubles[i];
  shared_fours[t * stride % 256] = from->fours[i];
  __syncthreads();
  to->doubles[i] = shared_doubles[(t * 3) % 256];
  to->fours[i] = shared_fours[(t * 5) % 256];
}

extern "C" __global__ void histogram(int* bins, const unsigned char* data, int n) {
  __shared__ int own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[data[i] % 64], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// Divergent loops: each thread has its own number of rounds.
extern "C" __global__ void rounds(int* out, const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k < i % 37; ++k) sum += in[(i * 7 + k * 13) % n];
  out[i] = sum;
}

// A function that is called, with addresses of any space.
__device__ __noinline__ int add_all(const int* from, int count, int stride) {
  int sum = 0;
  for (int k = 0; k < count; ++k) sum += from[k * stride];
  return sum;
}
extern "C" __global__ void calls(int* out, const int* in, int n) {
  __shared__ int part[512];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const int* from = threadIdx.x % 2 ? part : in;
  out[blockIdx.x * blockDim.x + threadIdx.x] = add_all(from + threadIdx.x % 32, 8, n);
}

// Blocks that wait for each other: the whole grid, and a chain from block to block.
__device__ void wait_for_grid(unsigned* arrived, unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (*static_cast<volatile unsigned*>(arrived) < gridDim.x * (round + 1)) {
    }
    __threadfence();
  }
  __syncthreads();
}
extern "C" __global__ void grid_steps(int* data, unsigned* arrived, int steps) {
  int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < steps; ++k) {
    int left = data[(k % 2) * n + (i + n - 1) % n];
    data[((k + 1) % 2) * n + i] = left + 1;
    wait_for_grid(arrived, k);
  }
}
extern "C" __global__ void chain(int* sums, volatile int* flags, const int* in) {
  // Later blocks begin: a block waits for the one behind it.
  if (threadIdx.x == 0) {
    int after = 0;
    if (blockIdx.x + 1 < gridDim.x) {
      while (flags[blockIdx.x + 1] == 0) {
      }
      __threadfence();
      after = sums[blockIdx.x + 1];
    }
    sums[blockIdx.x] = in[blockIdx.x] + after;
    __threadfence();
    flags[blockIdx.x] = 1;
  }
}
extern "C" __global__ void never(volatile int* flag) {
  while (*flag == 0) {
  }
}

// Races: a missing barrier; blocks that write one word.
extern "C" __global__ void no_barrier(int* out) {
  __shared__ int part[64];
  part[threadIdx.x] = 0;
  __syncthreads();
  part[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = part[63 - threadIdx.x];
}
extern "C" __global__ void same_word(int* out) {
  if (threadIdx.x == 0) out[0] = blockIdx.x;
}
extern "C" __global__ void bytes_beside(unsigned char* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
// An atomic beside a plain access: a race, but for who has updated the word himself, last of all.
extern "C" __global__ void read_beside_atomic(int* count, int* out) {
  if (blockIdx.x == 1) atomicAdd(count, 1);
  else out[blockIdx.x] = *count;
}
extern "C" __global__ void shared_beside_atomic(int* out) {
  __shared__ int count[2];
  if (threadIdx.x < 2) count[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&count[0], 1);
  else count[threadIdx.x % 2] = 5;
  __syncthreads();
  out[threadIdx.x] = count[0];
}
extern "C" __global__ void last_resets(unsigned* tickets, int* out) {
  __threadfence();
  if (atomicAdd(tickets, 1) != gridDim.x * blockDim.x - 1) return;
  *tickets = 0;
  out[0] = blockIdx.x;
}
extern "C" __global__ void add_to_one(int* count) { atomicAdd(count, 1); }
