// Programs that end in different ways, as their first argument says.

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void write_at(int* to, int index) {
  to[index + threadIdx.x] = 1; // line 8
}

int main(int count, char** words) {
  const char* way = count > 1 ? words[1] : "";
  int* x;
  cudaMalloc(&x, 128);
  write_at<<<1, 32>>>(x, 0);
  if (std::strcmp(way, "fault") == 0) {
    write_at<<<1, 32>>>(x, 7);
    if (count > 2) return 0; // it does not look at errors
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(error));
    return error == cudaErrorIllegalAddress ? 3 : 4;
  }
  if (std::strcmp(way, "abort") == 0) std::abort();
  if (std::strcmp(way, "crash") == 0) *(volatile int*)8 = 1;
  if (std::strcmp(way, "status") == 0) return std::atoi(words[2]);
  // Echoes its arguments and its input.
  for (int k = 1; k < count; ++k) std::printf("[%s]", words[k]);
  for (int c; (c = std::getchar()) != EOF;) std::putchar(c);
  return 0;
}
