// Barriers with numbers, counts and subsets.

/// Producers and consumers: 32 threads write, 32 read, four times.
extern "C" __global__ void producers(const int* x, int* y) {
  __shared__ int word[32];
  const int t = threadIdx.x % 32;
  for (int k = 0; k < 4; ++k) {
    if (threadIdx.x < 32) {
      word[t] = x[32 * k + t];
      asm volatile("barrier.arrive 1, 64;" ::: "memory");
      asm volatile("barrier.sync 2, 64;" ::: "memory");
    } else {
      asm volatile("barrier.sync 1, 64;" ::: "memory");
      y[32 * k + t] = word[31 - t];
      asm volatile("barrier.arrive 2, 64;" ::: "memory");
    }
  }
}
/// Reductions of the block: y has 3 numbers for each thread.
extern "C" __global__ void votes(const int* x, int* y) {
  const int t = threadIdx.x;
  y[3 * t] = __syncthreads_count(x[t] % 3 == 0);
  y[3 * t + 1] = __syncthreads_and(x[t] < 90);
  y[3 * t + 2] = __syncthreads_or(x[t] == 91);
}
/// Lanes of a warp come to the block's barrier on two ways.
extern "C" __global__ void two_ways(const int* x, int* y) {
  __shared__ int word[64];
  const int t = threadIdx.x;
  if (x[t] % 2) {
    word[t] = x[t];
    asm volatile("barrier.sync 0;" ::: "memory");
  } else {
    word[t] = -x[t];
    asm volatile("barrier.sync 0;" ::: "memory");
  }
  y[t] = word[63 - t];
}
/// Threads that have ended are not waited for.
extern "C" __global__ void ended(const int* x, int* y) {
  const int t = threadIdx.x;
  if (t % 4 == 3 || t >= 96) return;
  __shared__ int word[128];
  word[t] = x[t];
  __syncthreads();
  y[t] = word[t ^ 1 & (t % 4 == 2 ? 0 : 1)];
}
