// Transposes a matrix of n x n numbers by blocks of 32 x 8 threads, in three ways. The PTX beside
// is made by: nvcc -ptx -lineinfo -arch=compute_75 transpose.cu
constexpr int w = 32, rows = 8;

// Each thread writes down a column: 32 rows of `out` in every request.
extern "C" __global__ void naive(float* out, const float* in, int n) {
  int x = blockIdx.x * w + threadIdx.x, y = blockIdx.y * w + threadIdx.y;
  for (int j = 0; j < w; j += rows)
    out[x * n + y + j] = in[(y + j) * n + x];
}

// Through shared memory, whose banks have a column of the tile each: reads of a column conflict.
extern "C" __global__ void tiled(float* out, const float* in, int n) {
  __shared__ float part[w][w];
  int x = blockIdx.x * w + threadIdx.x, y = blockIdx.y * w + threadIdx.y;
  for (int j = 0; j < w; j += rows)
    part[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * w + threadIdx.x;
  y = blockIdx.x * w + threadIdx.y;
  for (int j = 0; j < w; j += rows)
    out[(y + j) * n + x] = part[threadIdx.x][threadIdx.y + j];
}

// With a spare word in each row, a column is in all banks.
extern "C" __global__ void padded(float* out, const float* in, int n) {
  __shared__ float part[w][w + 1];
  int x = blockIdx.x * w + threadIdx.x, y = blockIdx.y * w + threadIdx.y;
  for (int j = 0; j < w; j += rows)
    part[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * w + threadIdx.x;
  y = blockIdx.x * w + threadIdx.y;
  for (int j = 0; j < w; j += rows)
    out[(y + j) * n + x] = part[threadIdx.x][threadIdx.y + j];
}
