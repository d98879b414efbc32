// The copy lies in every second word of shared memory.
extern "C" __global__ void stencil(int *c, const int *a, int n) {
  __shared__ int part[2 * 134];
  const int t = threadIdx.x, first = blockIdx.x * 128;
  part[2 * t] = a[first + t];
  if (t < 6) part[2 * (128 + t)] = a[first + 128 + t];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 7; ++k) sum += part[2 * (t + k)];
  c[first + t] = sum;
}
