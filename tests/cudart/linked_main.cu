// With tests/ptx/fat/part_a.cu and part_b.cu: three files linked by nvcc -rdc=true.

#include <cstdio>

extern "C" __global__ void use_other(int* x);
extern "C" __global__ void use_own(int* x);
extern __device__ int total;

int main() {
  int* x;
  cudaMallocManaged(&x, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) x[i] = i;
  use_other<<<1, 32>>>(x);
  use_own<<<1, 32>>>(x);
  int times = 0;
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpyFromSymbol(&times, total, sizeof times);
  for (int i = 0; i < 32; ++i)
    if (x[i] != 2 * i + 10 * (1 + i % 4) + 1 + 1000) return 2;
  if (times != 32) return 3;
  std::printf("linked: ok\n");
}
