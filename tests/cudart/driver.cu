// Calls the driver.

#include <cuda.h>

int main() {
  int count = 0;
  return cuInit(0) != CUDA_SUCCESS || cudaGetDeviceCount(&count) != cudaSuccess;
}
