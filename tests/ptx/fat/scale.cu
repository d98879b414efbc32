// Small kernels whose fat binaries are kept beside this file, so that tests need no nvcc. make.sh
// makes them anew.

__constant__ float factors[4];
__device__ int calls;

struct Change {
  float factor;
  char unused;
  double added;
};

// The parameters have holes between them.
extern "C" __global__ void scale(float* x, int n, Change change) {
  __shared__ float turned[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  turned[threadIdx.x % 64] = change.factor;
  __syncthreads();
  if (i >= n) return;
  x[i] = x[i] * turned[(threadIdx.x + 1) % 64] * factors[i % 4] + (float)change.added;
  atomicAdd(&calls, 1);
}

extern "C" __global__ void write_at(int* to, int index) { to[index + threadIdx.x] = 1; }

extern "C" __global__ void dynamic_sum(const int* x, int* sum) {
  extern __shared__ int values[];
  values[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x != 0) return;
  int all = 0;
  for (int k = 0; k < (int)blockDim.x; ++k) all += values[k];
  *sum = all;
}

extern "C" __global__ void __launch_bounds__(64) bounded(int* x) { x[threadIdx.x] = threadIdx.x; }
