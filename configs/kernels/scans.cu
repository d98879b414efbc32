// Inclusive scans of a block's numbers. The host scans the sums of blocks with the same kernel, and
// adds them in a third launch.

#define KERNEL extern "C" __global__ void

extern __shared__ unsigned s[];

// Each thread adds the number k before its own, for k = 1, 2, 4, … (Kogge and Stone).
KERNEL kogge_stone(unsigned* out, unsigned* sums, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    __syncthreads();
    const unsigned sum = threadIdx.x >= k ? s[threadIdx.x] + s[threadIdx.x - k] : 0;
    __syncthreads();
    if (threadIdx.x >= k) s[threadIdx.x] = sum;
  }
  if (i < n) out[i] = s[threadIdx.x];
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = s[threadIdx.x];
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

// Each thread scans a few numbers side by side, one scan is over the threads' last ones, and each
// thread adds the one before.
KERNEL three_phases(unsigned* out, unsigned* sums, const unsigned* in, int n, int of_thread) {
  const unsigned t = threadIdx.x, size = of_thread * blockDim.x;
  unsigned* const last = s + size;
  for (unsigned k = t; k < size; k += blockDim.x) {
    const int i = blockIdx.x * size + k;
    s[k] = i < n ? in[i] : 0;
  }
  __syncthreads();
  for (int k = 1; k < of_thread; ++k) s[t * of_thread + k] += s[t * of_thread + k - 1];
  last[t] = s[t * of_thread + of_thread - 1];
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    __syncthreads();
    const unsigned sum = t >= k ? last[t] + last[t - k] : 0;
    __syncthreads();
    if (t >= k) last[t] = sum;
  }
  __syncthreads();
  if (t > 0)
    for (int k = 0; k < of_thread; ++k) s[t * of_thread + k] += last[t - 1];
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
