// printf of every kind.
#include <cstdio>

__device__ const char* const names[2] = {"even", "odd"};

extern "C" __global__ void print() {
  const int t = threadIdx.x;
  printf("block %d thread %d %s\n", blockIdx.x, t, names[t % 2]);
  if (t == 3)
    printf("%5d|%-5d|%05d|%+d|%u|%x|%X|%#o|%c|%%|%lld|%llu|%.3f|%10.2e|%g|%s|%5s|%-5s|%*d|%.*f\n",
           42, 42, 42, 42, 4000000000u, 255, 255, 8, 'c', -5000000000ll, 18000000000000000000ull,
           3.14159, 12345.678, 1e-10, "text", "ab", "ab", 6, 7, 2, 2.71828);
}
