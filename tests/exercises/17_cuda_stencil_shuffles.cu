// The lanes of a warp pass their words on: no shared memory is needed.
extern "C" __global__ void stencil(int *c, const int *a, int n) {
  const int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 128 + t;
  const int own = a[i], behind = lane < 6 ? a[i + 32] : 0;
  int sum = own;
  for (int k = 1; k < 7; ++k) {
    const int inside = __shfl_sync(0xffffffffu, own, lane + k);
    const int outside = __shfl_sync(0xffffffffu, behind, lane + k - 32);
    sum += lane + k < 32 ? inside : outside;
  }
  c[i] = sum;
}
