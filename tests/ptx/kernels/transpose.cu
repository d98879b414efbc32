// Three transposes of a matrix of n x n floats, in tiles of 32 x 32 by blocks of 32 x 8 threads.

extern "C" __global__ void transpose_naive(const float* from, float* to, int n) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) to[column * n + row + k] = from[(row + k) * n + column];
}

template <int width>
__device__ void transpose_tile(const float* from, float* to, int n) {
  __shared__ float tile[32][width];
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    tile[threadIdx.y + k][threadIdx.x] = from[(row + k) * n + column];
  __syncthreads();
  const int to_column = blockIdx.y * 32 + threadIdx.x, to_row = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    to[(to_row + k) * n + to_column] = tile[threadIdx.x][threadIdx.y + k];
}
extern "C" __global__ void transpose_tiled(const float* from, float* to, int n) {
  transpose_tile<32>(from, to, n);
}
extern "C" __global__ void transpose_padded(const float* from, float* to, int n) {
  transpose_tile<33>(from, to, n);
}
