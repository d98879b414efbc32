// arch: compute_80
// Products of matrices on tensor cores.
#include <mma.h>

using namespace nvcuda;

/// c = a * b, all n × n and row by row; a warp computes 16 × 16 elements, a block has two.
extern "C" __global__ void tensor_product(const half* a, const half* b, float* c, int n) {
  __shared__ half part_a[16][16], part_b[2][16][16];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = 16 * blockIdx.y, column = 16 * (2 * blockIdx.x + warp);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> in_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> in_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    if (warp == 0)
      for (int i = lane; i < 256; i += 32) part_a[i / 16][i % 16] = a[(row + i / 16) * n + k + i % 16];
    for (int i = lane; i < 256; i += 32)
      part_b[warp][i / 16][i % 16] = b[(k + i / 16) * n + column + i % 16];
    __syncthreads();
    wmma::load_matrix_sync(in_a, &part_a[0][0], 16);
    wmma::load_matrix_sync(in_b, &part_b[warp][0][0], 16);
    wmma::mma_sync(sum, in_a, in_b, sum);
    __syncthreads();
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2;
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
