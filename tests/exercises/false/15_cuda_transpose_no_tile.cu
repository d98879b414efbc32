// Without a tile, a column of c is written by each warp.
extern "C" __global__ void transpose(float *c, const float *a, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
  for (int j = threadIdx.y; j < 32; j += 8) c[x * n + y + j] = a[(y + j) * n + x];
}
