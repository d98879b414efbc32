// A kernel that launches a kernel.
#include <cstdio>

__global__ void child(int* y) { *y = 1; }
__global__ void parent(int* y) { child<<<1, 1>>>(y); }

int main() {
  int* y = nullptr;
  std::printf("begins\n");
  cudaMalloc(&y, sizeof *y);
  parent<<<1, 1>>>(y);
  return cudaDeviceSynchronize();
}
