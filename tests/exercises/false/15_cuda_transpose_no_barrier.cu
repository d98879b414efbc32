// Nothing separates the two halves of the copy.
extern "C" __global__ void transpose(float *c, const float *a, int n) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  for (int j = threadIdx.y; j < 32; j += 8)
    tile[j][(threadIdx.x + j) % 32] = a[(y + j) * n + x + threadIdx.x];
  for (int j = threadIdx.y; j < 32; j += 8)
    c[(x + j) * n + y + threadIdx.x] = tile[threadIdx.x][(threadIdx.x + j) % 32];
}
