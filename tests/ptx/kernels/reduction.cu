// Seven ways to add n integers: each block of 256 threads writes the sum of its part.

__device__ int element(const int* x, int n, int at) { return at < n ? x[at] : 0; }

/// Neighbours first: threads of a warp part.
extern "C" __global__ void reduce_divergent(const int* x, int* sums, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = element(x, n, blockIdx.x * 256 + t);
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    if (t % (2 * step) == 0) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

/// The first threads work, on words that are far from each other.
extern "C" __global__ void reduce_strided(const int* x, int* sums, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = element(x, n, blockIdx.x * 256 + t);
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int at = 2 * step * t;
    if (at < 256) part[at] += part[at + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

/// The first threads work, on words side by side.
extern "C" __global__ void reduce_sequential(const int* x, int* sums, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = element(x, n, blockIdx.x * 256 + t);
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

/// Two elements for each thread.
extern "C" __global__ void reduce_two(const int* x, int* sums, int n) {
  extern __shared__ int dynamic[];
  const int t = threadIdx.x, at = blockIdx.x * 512 + t;
  dynamic[t] = element(x, n, at) + element(x, n, at + 256);
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) dynamic[t] += dynamic[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = dynamic[0];
}

/// The last warp needs no barriers of the block.
extern "C" __global__ void reduce_last_warp(const int* x, int* sums, int n) {
  __shared__ volatile int part[256];
  const int t = threadIdx.x, at = blockIdx.x * 512 + t;
  part[t] = element(x, n, at) + element(x, n, at + 256);
  __syncthreads();
  for (int step = 128; step >= 32; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t < 16)
    for (int step = 16; step > 0; step /= 2) {
      const int sum = part[t] + part[t + step];
      __syncwarp(0xffff);
      part[t] = sum;
      __syncwarp(0xffff);
    }
  if (t == 0) sums[blockIdx.x] = part[0];
}

/// Loops are gone: the size is known when this is compiled.
template <int size>
__device__ void reduce_known(const int* x, int* sums, int n) {
  __shared__ int part[size];
  const int t = threadIdx.x, at = blockIdx.x * 2 * size + t;
  part[t] = element(x, n, at) + element(x, n, at + size);
  __syncthreads();
#pragma unroll
  for (int step = size / 2; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
extern "C" __global__ void reduce_unrolled(const int* x, int* sums, int n) {
  reduce_known<256>(x, sums, n);
}

/// Many elements for each thread, and shuffles instead of shared memory.
extern "C" __global__ void reduce_shuffle(const int* x, int* sums, int n) {
  __shared__ int of_warp[8];
  const int t = threadIdx.x;
  int sum = 0;
  for (int at = blockIdx.x * 256 + t; at < n; at += gridDim.x * 256) sum += x[at];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (t % 32 == 0) of_warp[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < 8 ? of_warp[t] : 0;
    for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (t == 0) sums[blockIdx.x] = sum;
  }
}
