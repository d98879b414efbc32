// Requests of a warp on their way: what waits for which read. `volatile` keeps nvcc from moving and leaving out accesses.
// arch: compute_80

__device__ volatile int* at(volatile int* words) { return words + threadIdx.x; }

extern "C" __global__ void three_reads(volatile int* x, volatile int* y, volatile int* z) {
  volatile __shared__ int s[32];
  const int a = *at(x), b = *at(y), c = *at(z);
  s[threadIdx.x] = b;
  (void)a, (void)c;
}

// The second read needs the first one; the third does not.
extern "C" __global__ void chain_of_reads(volatile int* x, volatile int* y, volatile int* z) {
  const int a = *at(x);
  const int b = *at(y + a);
  *at(z) = b;
}

extern "C" __global__ void behind_a_fence(volatile int* x, volatile int* y) {
  *at(x) = 1;
  __threadfence();
  *at(y) = 2;
}

extern "C" __global__ void behind_a_barrier(volatile int* x, volatile int* y) {
  *at(x) = 1;
  __syncthreads();
  *at(y) = 2;
}

// A condition waits, in the lanes that ask.
extern "C" __global__ void conditions(volatile int* x, volatile int* y, volatile int* z) {
  const int a = *at(x);
  const int b = *at(y);
  if (a == 0) *at(z) = b;
}

__device__ __noinline__ int same(int value) { return value; }

// A call needs what it passes, and its caller what comes back.
extern "C" __global__ void calls(volatile int* x, volatile int* y, volatile int* z) {
  const int a = *at(x);
  const int b = *at(y);
  *at(z) = same(b);
  (void)a;
}

extern "C" __global__ void updates(int* x, volatile int* y, volatile int* z) {
  atomicAdd(x + threadIdx.x, 1);
  const int old = atomicAdd(x + threadIdx.x, 1);
  *at(y) = 3;
  *at(z) = old;
}
extern "C" __global__ void products(const unsigned *x, const unsigned *y, float *z) {
  const unsigned a = x[threadIdx.x], b = y[threadIdx.x];
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%5}, "
               "{%6, %6, %6, %6};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a), "r"(b), "f"(0.0F));
  z[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
