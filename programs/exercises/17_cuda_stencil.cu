// Exercise 17: a stencil in CUDA. Compute c[i] = a[i] + a[i + 1] + ... + a[i + 6]; a has n + 6
// numbers, c has n; n is a multiple of 128.
//
// It is launched as stencil<<<n/128, 128>>>(c, a, n) and priced on an HMM (hmm-titan-plain).
// Required: right for every n, no races, global memory read at most twice as often as there are
// words, no bank conflicts. The kernel below is right, but it reads each word seven times.

extern "C" __global__ void stencil(int *c, const int *a, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 7; ++k) sum += a[i + k];
  c[i] = sum;
}
