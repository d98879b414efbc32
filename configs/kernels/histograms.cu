// Histograms: each thread counts one number.

#define KERNEL extern "C" __global__ void

KERNEL global_bins(unsigned* bins, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(bins + in[i], 1);
}

// Each block counts in shared memory, and adds its counts at the end.
KERNEL shared_bins(unsigned* bins, const unsigned* in, int n, int count) {
  extern __shared__ unsigned own[];
  for (int bin = threadIdx.x; bin < count; bin += blockDim.x) own[bin] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(own + in[i], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < count; bin += blockDim.x) atomicAdd(bins + bin, own[bin]);
}
