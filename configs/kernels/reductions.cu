// Sums of n numbers, one launch a level: each block adds a part, and the next launch adds what the
// blocks have found. The well-known steps from divergent warps to unrolled ones.

#define KERNEL extern "C" __global__ void

extern __shared__ unsigned s[]; // a number of each thread

__device__ void load(const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
}

// The first addition happens while twice as many numbers are loaded.
__device__ void load_two(const unsigned* in, int n) {
  const int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
  unsigned sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  s[threadIdx.x] = sum;
  __syncthreads();
}

__device__ void store(unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// Every second, fourth, eighth … thread adds: the others of its warp idle.
KERNEL divergent(unsigned* out, const unsigned* in, int n) {
  load(in, n);
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    if (threadIdx.x % (2 * k) == 0) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  store(out);
}

// The first threads add numbers that are farther and farther apart: in few banks.
KERNEL conflicting(unsigned* out, const unsigned* in, int n) {
  load(in, n);
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    const unsigned i = 2 * k * threadIdx.x;
    if (i < blockDim.x) s[i] += s[i + k];
    __syncthreads();
  }
  store(out);
}

// The first threads add the second half to the first, until so many numbers are left.
__device__ void add_halves(unsigned left) {
  for (unsigned k = blockDim.x / 2; k >= left; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
}

KERNEL sequential(unsigned* out, const unsigned* in, int n) {
  load(in, n);
  add_halves(1);
  store(out);
}

KERNEL two_loads(unsigned* out, const unsigned* in, int n) {
  load_two(in, n);
  add_halves(1);
  store(out);
}

// One warp adds the last 64 numbers without barriers.
__device__ void add_in_warp() {
  if (threadIdx.x >= 32) return;
  volatile unsigned* const own = s + threadIdx.x;
  for (int k = 32; k > 0; k /= 2) {
    const unsigned sum = own[0] + own[k];
    __syncwarp();
    own[0] = sum;
    __syncwarp();
  }
}

KERNEL last_warp(unsigned* out, const unsigned* in, int n) {
  load_two(in, n);
  add_halves(64);
  add_in_warp();
  store(out);
}

// Blocks of at most 512 threads.
KERNEL unrolled(unsigned* out, const unsigned* in, int n) {
  load_two(in, n);
#pragma unroll
  for (unsigned k = 256; k >= 64; k /= 2) {
    if (blockDim.x < 2 * k) continue;
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  add_in_warp();
  store(out);
}

// Each thread adds as many numbers as the grid asks for. It reads two before it adds one, as
// machine code does.
KERNEL many_loads(unsigned* out, const unsigned* in, int n) {
  unsigned sum = 0;
  for (int i = blockIdx.x * 2 * blockDim.x + threadIdx.x; i < n; i += gridDim.x * 2 * blockDim.x) {
    const unsigned first = in[i];
    unsigned second = 0;
    if (i + blockDim.x < n) second = in[i + blockDim.x];
    sum += first + second;
  }
  s[threadIdx.x] = sum;
  __syncthreads();
  add_halves(64);
  add_in_warp();
  store(out);
}
