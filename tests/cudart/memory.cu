// The memory of the device, and local memory of a thread that is larger than that of any GPU.
#include <cstdio>
#include <cstring>

__global__ void large_array(int* x) {
  int own[1 << 18];
  for (int i = threadIdx.x; i < 1 << 18; ++i) own[i] = x[i % 32];
  x[threadIdx.x] = own[x[threadIdx.x] & ((1 << 18) - 1)];
}
__global__ void nothing() {}

int main(int count, char** words) {
  std::size_t free = 0, all = 0;
  int* x = nullptr;
  if (count > 1 && std::strcmp(words[1], "local") == 0) {
    cudaMalloc(&x, 128);
    large_array<<<1, 32>>>(x);
    std::printf("local: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
  }
  nothing<<<1, 1>>>();
  cudaMemGetInfo(&free, &all);
  std::printf("%zu bytes, %zu free\n", all, free);
  std::printf("too much: %s\n", cudaGetErrorName(cudaMalloc(&x, (1 << 20) + 1)));
  const cudaError_t half = cudaMalloc(&x, 1 << 19);
  cudaMemGetInfo(&free, &all);
  std::printf("half: %s, %zu free\n", cudaGetErrorName(half), free);
}
