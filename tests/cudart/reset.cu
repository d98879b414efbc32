// After cudaDeviceReset memory is gone, variables have their first values again, and kernels are
// still the ones that they were.
#include <cstdio>

__device__ int number = 5;
__managed__ int both = 7;

__global__ void first(int* x) {
  x[threadIdx.x] = number + both;
  __syncthreads();
  if (threadIdx.x == 0) number = both = 0;
}
__global__ void second(int* x) { x[threadIdx.x] = 2 * number; }
__global__ void third(int* x, int* y) { y[threadIdx.x] = x[32 * threadIdx.x]; }

namespace {

bool failed = false;

void expect(bool so, const char* what) {
  if (!so) std::printf("reset: not so: %s\n", what);
  failed = failed || !so;
}
int last_of(const int* x) {
  int value = -1;
  cudaMemcpy(&value, x + 31, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

} // namespace

int main() {
  int *x = nullptr, *y = nullptr;
  cudaMalloc(&x, 4096);
  first<<<1, 32>>>(x);
  expect(last_of(x) == 12, "first values");
  second<<<1, 32>>>(x);
  expect(last_of(x) == 0, "new values");
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
  expect(cudaDeviceReset() == cudaSuccess, "a reset");
  std::size_t free_bytes = 0, all = 0;
  cudaMemGetInfo(&free_bytes, &all);
  expect(free_bytes == all, "all memory is free");
  expect(both == 7, "the first value of managed memory");
  std::size_t heap = 0;
  cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
  expect(heap == 8 << 20, "the first limit of the heap");
  cudaMalloc(&x, 4096);
  cudaMalloc(&y, 128);
  cudaMemset(x, 0, 4096);
  third<<<1, 32>>>(x, y);
  expect(last_of(y) == 0, "a kernel that was not launched before");
  second<<<1, 32>>>(x);
  expect(last_of(x) == 10, "first values again");
  first<<<1, 32>>>(x);
  expect(last_of(x) == 12, "also of managed memory");
  cudaDeviceReset();
  std::printf("reset: %s\n", failed ? "failed" : "ok");
  return failed ? 1 : 0;
}
