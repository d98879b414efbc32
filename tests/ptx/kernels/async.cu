// arch: compute_80
// Copies that do not wait, and matrices of eight times eight.
#include <cuda_pipeline.h>

extern "C" __global__ void copies(const int4* from, int4* to, int n) {
  __shared__ int4 row[2][64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&row[0][t], &from[t], 16);
  __pipeline_commit();
  for (int k = 0; k < n; ++k) {
    if (k + 1 < n) __pipeline_memcpy_async(&row[(k + 1) % 2][t], &from[(k + 1) * 64 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int4 value = row[k % 2][63 - t];
    value.x += k;
    to[k * 64 + t] = value;
    __syncthreads();
  }
}
/// Four matrices: y has 8 words for each lane, the second four of transposed matrices.
extern "C" __global__ void matrices(const unsigned short* from, unsigned* to) {
  __shared__ __align__(16) unsigned short rows[256];
  const int t = threadIdx.x;
  for (int k = 0; k < 8; ++k) rows[8 * t + k] = from[8 * t + k];
  __syncwarp();
  const unsigned at = (unsigned)__cvta_generic_to_shared(&rows[8 * t]);
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at));
  for (int k = 0; k < 4; ++k) to[8 * t + k] = r[k];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at));
  for (int k = 0; k < 4; ++k) to[8 * t + 4 + k] = r[k];
}
