// Neighbouring threads add neighbouring words.
extern "C" __global__ void sums(int *s, const int *a, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = a[blockIdx.x * 256 + t];
  for (int left = 128; left > 0; left /= 2) {
    __syncthreads();
    if (t < left) part[t] += part[t + left];
  }
  if (t == 0) s[blockIdx.x] = part[0];
}
