// Kernels that go wrong.
#include <cassert>

extern "C" __global__ void asserts(int n) { assert(threadIdx.x < n); }
__device__ int inner(const int* x, int at) { return x[at]; }
__device__ int outer(const int* x, int at) { return inner(x, at + 1) + 1; }
extern "C" __global__ void outside(const int* x, int* y) {
  y[threadIdx.x] = outer(x, threadIdx.x);
}
extern "C" __global__ void writes(int* y, long long at) { y[at + threadIdx.x] = 1; }
extern "C" __global__ void uninitialised(int* y) {
  __shared__ int words[64];
  if (threadIdx.x < 31) words[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = words[threadIdx.x];
}
extern "C" __global__ void inactive(int* y) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) value = __shfl_sync(0xffff, value, threadIdx.x + 1);
  y[threadIdx.x] = value;
}
extern "C" __global__ void traps(int n) {
  if (blockIdx.x == n) __trap();
}
/// A block waits for what never comes.
extern "C" __global__ void waits(volatile int* flag) {
  while (*flag == 0) {
  }
}
/// Two barriers that wait for each other's warps.
extern "C" __global__ void parted(int* y) {
  if (threadIdx.x < 32)
    asm volatile("barrier.sync 1, 64;");
  else
    asm volatile("barrier.sync 2, 64;");
  y[threadIdx.x] = 1;
}
