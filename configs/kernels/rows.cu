// Each thread adds up 8 words of its own, which follow each other in shared memory.

#define KERNEL extern "C" __global__ void

KERNEL rows(int* sums) {
  __shared__ int s[8 * 32];
  for (int k = 0; k < 8; ++k) s[k * 32 + threadIdx.x] = k;
  __syncthreads();
  const int* const row = s + threadIdx.x * 8;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum = sum * 3 + row[k];
  sums[threadIdx.x] = sum;
}
