// All threads add to one word of shared memory.
extern "C" __global__ void sums(int *s, const int *a, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, a[blockIdx.x * 256 + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) s[blockIdx.x] = sum;
}
