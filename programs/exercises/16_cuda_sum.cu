// Exercise 16: sums in CUDA. Each block adds up 256 numbers: s[k] is the sum of a[256 * k] to
// a[256 * k + 255]; n is a multiple of 256.
//
// It is launched as sums<<<n/256, 256>>>(s, a, n) and priced on an HMM (hmm-titan-plain). Required:
// right for every n, no races, each number read once and coalesced, sums in shared memory without
// bank conflicts, and few time units: at most 1.1 times 2 L + 24 l for each block of a
// multiprocessor. The kernel below is right, but the words that neighbouring threads add lie
// further apart in each round.

extern "C" __global__ void sums(int *s, const int *a, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = a[blockIdx.x * 256 + t];
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    if (t < 128 / step) part[2 * step * t] += part[2 * step * t + step];
  }
  if (t == 0) s[blockIdx.x] = part[0];
}
