// In each round, the lanes of a warp take the number of the lane that is left further.
extern "C" __global__ void warp_sums(int *s, const int *a, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  int sum = a[i];
  for (int left = 16; left > 0; left /= 2) sum += __shfl_down_sync(0xffffffffu, sum, left);
  if (threadIdx.x % 32 == 0) s[i / 32] = sum;
}
