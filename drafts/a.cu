#include <cassert>
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_fp16.h>
__constant__ float coef[16];
__device__ int counter = 3;
__device__ double table[4] = {1.0, 2.5, 3.0, 4.0};
__device__ __noinline__ float helper(float x, int n) { for (int i = 0; i < n; ++i) x = x * 1.5f + coef[i & 15]; return x; }
typedef float (*fp)(float, int);
__device__ fp fps[2] = {helper, helper};
__global__ void k(const float* __restrict__ a, float4* b, int n, double z, fp f) {
  __shared__ float s[32][33];
  extern __shared__ int dyn[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float loc[20];
  for (int q = 0; q < n; ++q) loc[(q * 7) % 20] = a[q];
  s[t % 32][t / 32] = a[i]; dyn[t] = t;
  __syncthreads();
  if (i < n) { float v = helper(s[t / 32][t % 32], n); v += __shfl_down_sync(~0u, v, 4); atomicAdd(&counter, int(v)); b[i] = make_float4(v, sqrtf(v), __expf(v), loc[n % 20]); }
  unsigned m = __ballot_sync(~0u, t & 1); if (m == 5) printf("hello %d %f\n", t, z);
  switch (n) { case 0: dyn[0] = 5; break; case 1: dyn[1] = 7; break; case 2: dyn[2] = 9; break; case 3: dyn[5] = 1; break; case 4: dyn[6]=2; break; case 5: dyn[8] = 3; break; }
  b[0].x = f(z, n) + fps[n&1](1.f, 2);
  atomicAdd((double*)b, z); atomicCAS(&counter, 1, 2);
  __half h = __float2half(a[1]); h = __hadd(h, h); b[1].y = __half2float(h);
  assert(n > 0);
}
__global__ void coop(int* x) { auto g = cooperative_groups::this_grid(); x[g.thread_rank()] = 1; g.sync(); }
int main() { float* a; cudaMalloc(&a, 4000); k<<<2, 32, 100>>>(a, (float4*)a, 3, 1.0, nullptr); cudaDeviceSynchronize(); printf("%s\n", cudaGetErrorString(cudaGetLastError())); }
