#include <cuda_fp16.h>
__device__ __noinline__ int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
__device__ __noinline__ int twice(int n) { return 2 * n; }
__device__ __noinline__ int thrice(int n) { return 3 * n; }
typedef int (*fp)(int);
__device__ fp table[2] = {twice, thrice};
extern "C" __global__ void collatz(const int* x, int* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; long long v = x[i] + 1; int s = 0; while (v != 1) { if (v & 1) v = 3 * v + 1; else v /= 2; if (++s > 500) break; } y[i] = s; }
extern "C" __global__ void calls(const int* x, int* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = fact(x[i] % 10) + table[x[i] & 1](i); }
extern "C" __global__ void switches(const int* x, int* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; int r = 0; switch (x[i] % 8) { case 0: r = i * 3; break; case 1: r = i ^ 77; break; case 2: r = i / 3; break; case 3: r = i % 7; break; case 4: r = -i; break; case 5: r = i << 2; break; case 6: r = __popc(i); break; default: r = __clz(i); } y[i] = r; }
extern "C" __global__ void locals(const int* x, int* y, int n) { int a[16]; int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < 16; ++k) a[(k * 5 + x[i]) & 15] = k + i; int s = 0; for (int k = 0; k < x[i] % 16; ++k) s += a[k] * k; y[i] = s; }
extern "C" __global__ void sums(const int* x, int* y, int n) { extern __shared__ int s[]; int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x; int v = x[i]; for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(~0u, v, o); if (t % 32 == 0) s[t / 32] = v; __syncthreads(); if (t < 32) { v = t < blockDim.x / 32 ? s[t] : 0; for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o); if (t == 0) { y[blockIdx.x] = v; atomicAdd(y + 1000, v); } } y[2000 + i] = __syncthreads_count(x[i] & 1); }
extern "C" __global__ void floats(const int* x, int* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; double d = x[i] * 0.37 - 100; float f = x[i] * 0.01f; __half h = __float2half(f); y[i] = (int)(sin(d) * 1e6) + (int)(sqrtf(f) * 1000) + __half2int_rn(__hmul(h, h)) + (int)(exp(d * 0.01) * 100) + (int)(f / 3.f * 77) + __double2int_rd(d) + (x[i] / 7) % 5; }
