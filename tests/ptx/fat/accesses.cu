// Kernels with few memory instructions of one kind each: the machine code of each is counted.

extern "C" {
__global__ void global_32(const int* from, int* to) { to[0] = from[threadIdx.x]; }
__global__ void global_64(const int2* from, int2* to) { to[0] = from[threadIdx.x]; }
__global__ void global_128(const int4* from, int4* to) { to[0] = from[threadIdx.x]; }
__global__ void bytes(const unsigned char* from, int* to) { to[0] = from[threadIdx.x]; }
__global__ void shared_128(int4* x) {
  __shared__ int4 words[64];
  words[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = words[threadIdx.x ^ 5];
}
__global__ void exchange(int* x) { x[77] = atomicExch(x + threadIdx.x, 4); }
__global__ void add(int* x) { atomicAdd(x, 4); }
__global__ void shared_add(int* x) {
  __shared__ int words[64];
  words[threadIdx.x] = 0;
  __syncthreads();
  x[5] = atomicAdd(words + x[threadIdx.x], 4);
}
}
