// Two files that are linked as one module (nvcc -rdc=true): the first uses what the second defines.

extern __device__ int total;
__device__ int twice(int x);
static __device__ int own(int x) { return x + 1; }

extern "C" __global__ void use_other(int* x) {
  x[threadIdx.x] = own(twice(x[threadIdx.x]));
  atomicAdd(&total, 1);
}
