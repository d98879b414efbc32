// c = a b of n x n floats: blocks of 256 threads compute tiles of 64 x 64, each thread 4 x 4 of them
// in registers; loads are of four floats.
extern "C" __global__ void sgemm(const float* a, const float* b, float* c, int n) {
  __shared__ float left[16][64], right[16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int first = 0; first < n; first += 16) {
    const float4 of_a =
        *reinterpret_cast<const float4*>(&a[(row + t / 4) * n + first + t % 4 * 4]);
    left[t % 4 * 4 + 0][t / 4] = of_a.x;
    left[t % 4 * 4 + 1][t / 4] = of_a.y;
    left[t % 4 * 4 + 2][t / 4] = of_a.z;
    left[t % 4 * 4 + 3][t / 4] = of_a.w;
    *reinterpret_cast<float4*>(&right[ty][tx * 4]) =
        *reinterpret_cast<const float4*>(&b[(first + ty) * n + column + tx * 4]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 x = *reinterpret_cast<const float4*>(&left[k][ty * 4]);
      const float4 y = *reinterpret_cast<const float4*>(&right[k][tx * 4]);
      const float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += xs[i] * ys[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(&c[(row + ty * 4 + i) * n + column + tx * 4]) =
        make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
