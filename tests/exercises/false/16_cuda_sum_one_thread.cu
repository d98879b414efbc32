// One thread adds up all words of its block.
extern "C" __global__ void sums(int *s, const int *a, int n) {
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < 256; ++i) sum += a[blockIdx.x * 256 + i];
  s[blockIdx.x] = sum;
}
