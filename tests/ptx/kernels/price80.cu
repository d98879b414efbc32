// Instructions of compute capability 8.0: asynchronous copies, matrices from shared memory.
// arch: compute_80
extern "C" __global__ void copies(int* out, const int4* in) {
  __shared__ int4 part[128];
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&part[threadIdx.x]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + threadIdx.x));
  asm volatile("cp.async.wait_all;" ::);
  __syncthreads();
  const int* words = reinterpret_cast<const int*>(part);
  out[threadIdx.x] = words[(threadIdx.x * 4) % 512];
}
extern "C" __global__ void matrices(unsigned* out, const int4* in) {
  __shared__ int4 part[64];
  if (threadIdx.x < 32) part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  unsigned a, b, row = static_cast<unsigned>(__cvta_generic_to_shared(&part[threadIdx.x % 16 * 2]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(a), "=r"(b)
               : "r"(row));
  out[2 * threadIdx.x] = a;
  out[2 * threadIdx.x + 1] = b;
}
