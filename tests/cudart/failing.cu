// failing WHAT: mistakes that a program does not look at, and launches that cannot end.
#include <cooperative_groups.h>

#include <cstring>
#include <vector>

__global__ void sync_all(int* x) {
  cooperative_groups::this_grid().sync();
  x[0] = 1;
}
__global__ void wait_for(volatile int* x) {
  while (x[0] == 0) {
  }
  x[1] = 2;
}
__global__ void __launch_bounds__(64) few(int* x) { x[threadIdx.x] += 1; }
__global__ void increase(int* x) { x[threadIdx.x] += 1; }

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  std::vector<int> host(100);
  int* x;
  cudaMalloc(&x, 400);
  cudaMemset(x, 0, 400);
  if (std::strcmp(what, "calls") == 0) {
    for (int k = 0; k < 3; ++k) cudaMemcpy(x, host.data(), 500, cudaMemcpyHostToDevice);
    cudaMemcpy(x, host.data(), 400, cudaMemcpyDeviceToHost);
    void* all;
    cudaMalloc(&all, std::size_t{1} << 40);
    cudaMemset2D(x, 8, 0, 16, 2);
    cudaFree(x);
    cudaFree(x);
  }
  if (std::strcmp(what, "sync") == 0) sync_all<<<4, 64>>>(x);
  if (std::strcmp(what, "together") == 0) {
    void* arguments[] = {&x};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sync_all), 15, 1024, arguments, 0, nullptr);
  }
  if (std::strcmp(what, "timed") == 0) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    few<<<1, 64>>>(x);
    increase<<<1, 64>>>(x);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds;
    cudaEventElapsedTime(&milliseconds, begin, end);
  }
  if (std::strcmp(what, "race") == 0) {
    few<<<2, 64>>>(x);
    increase<<<1, 32>>>(reinterpret_cast<int*>(1 << 30));
  }
  if (std::strcmp(what, "wait") == 0) wait_for<<<2, 64>>>(x);
  if (std::strcmp(what, "host") == 0) increase<<<1, 32>>>(reinterpret_cast<int*>(1 << 30));
  if (std::strcmp(what, "bounds") == 0) {
    for (int k = 0; k < 3; ++k) few<<<1, 65>>>(x);
    few<<<0, 64>>>(x);
    few<<<1, 64>>>(x);
    few<<<1, 64, 60000>>>(x);
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 9;
}
