// Nothing separates the copy from the sums.
extern "C" __global__ void stencil(int *c, const int *a, int n) {
  __shared__ int part[134];
  const int t = threadIdx.x, first = blockIdx.x * 128;
  part[t] = a[first + t];
  if (t < 6) part[128 + t] = a[first + 128 + t];
  int sum = 0;
  for (int k = 0; k < 7; ++k) sum += part[t + k];
  c[first + t] = sum;
}
