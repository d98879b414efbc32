// Each thread reads four neighbouring numbers, so neighbouring threads are four words apart.
extern "C" __global__ void histogram(int *count, const int *a, int n) {
  __shared__ int own[32];
  const int t = threadIdx.x;
  if (t < 32) own[t] = 0;
  __syncthreads();
  for (int i = 0; i < 4; ++i) atomicAdd(&own[a[blockIdx.x * 1024 + 4 * t + i]], 1);
  __syncthreads();
  if (t < 32) atomicAdd(&count[t], own[t]);
}
