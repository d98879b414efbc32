// Inclusive scans of a block's numbers. The host scans the sums of blocks with the same kernel, and
// adds them in a third launch.

#define KERNEL extern "C" __global__ void

extern __shared__ unsigned s[];

// Each thread adds the number k before its own, for k = 1, 2, 4, … (Kogge and Stone). New sums lie
// in the second half until all threads have read the old ones.
KERNEL kogge_stone(unsigned* out, unsigned* sums, const unsigned* in, int n) {
  const unsigned t = threadIdx.x, size = blockDim.x;
  const int i = blockIdx.x * size + t;
  if (i < n) s[t] = in[i];
  __syncthreads();
  for (unsigned k = 1; k < size; k *= 2) {
    if (t >= k) s[size + t] = s[t] + s[t - k];
    __syncthreads();
    if (t >= k) s[t] = s[size + t];
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
  if (t == size - 1) sums[blockIdx.x] = s[t];
}

// A tree of sums up, and one down; a thread has two numbers (Brent and Kung).
KERNEL brent_kung(unsigned* out, unsigned* sums, const unsigned* in, int n) {
  const unsigned t = threadIdx.x, size = 2 * blockDim.x;
  const int i = blockIdx.x * size + t;
  s[t] = i < n ? in[i] : 0;
  s[t + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : 0;
  for (unsigned k = 1; k < size; k *= 2) {
    __syncthreads();
    const unsigned at = 2 * k * (t + 1) - 1;
    if (at < size) s[at] += s[at - k];
  }
  for (unsigned k = size / 4; k > 0; k /= 2) {
    __syncthreads();
    const unsigned at = 2 * k * (t + 1) - 1;
    if (at + k < size) s[at + k] += s[at];
  }
  __syncthreads();
  if (i < n) out[i] = s[t];
  if (i + blockDim.x < n) out[i + blockDim.x] = s[t + blockDim.x];
  if (t == 0) sums[blockIdx.x] = s[size - 1];
}

// Each thread scans a few numbers side by side; sums over the threads' last ones go up and down a
// tree, where they lie; and each thread adds the last one of the thread before.
KERNEL three_phases(unsigned* out, unsigned* sums, const unsigned* in, int n, int of_thread) {
  const unsigned t = threadIdx.x, size = of_thread * blockDim.x, first = t * of_thread;
  for (unsigned k = t; k < size; k += blockDim.x) {
    const int i = blockIdx.x * size + k;
    s[k] = i < n ? in[i] : 0;
  }
  __syncthreads();
  unsigned sum = 0;
  for (unsigned k = first; k < first + of_thread; ++k) s[k] = sum += s[k];
  for (unsigned k = of_thread; k < size; k *= 2) {
    __syncthreads();
    const unsigned at = 2 * k * (t + 1) - 1;
    if (at < size) s[at] += s[at - k];
  }
  for (unsigned k = size / 4; k >= of_thread; k /= 2) {
    __syncthreads();
    const unsigned at = 2 * k * (t + 1) - 1;
    if (at + k < size) s[at + k] += s[at];
  }
  __syncthreads();
  if (t > 0) {
    const unsigned before = s[first - 1];
    for (unsigned k = first; k < first + of_thread - 1; ++k) s[k] += before;
  }
  __syncthreads();
  for (unsigned k = t; k < size; k += blockDim.x) {
    const int i = blockIdx.x * size + k;
    if (i < n) out[i] = s[k];
  }
  if (t == 0) sums[blockIdx.x] = s[size - 1];
}

KERNEL add_sums(unsigned* out, const unsigned* sums, int n, int of_block) {
  const int i = blockIdx.x * of_block + threadIdx.x;
  if (blockIdx.x == 0) return;
  for (int k = i; k < min(n, (int)(blockIdx.x + 1) * of_block); k += blockDim.x)
    out[k] += sums[blockIdx.x - 1];
}
