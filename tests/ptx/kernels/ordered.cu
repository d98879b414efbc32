// A word that one block hands to the next: with an order, and without one.

extern "C" __global__ void released(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
  } else {
    int seen;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    if (seen != 0) *out = *data;
  }
}

extern "C" __global__ void relaxed(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
  } else {
    int seen;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    if (seen != 0) *out = *data;
  }
}

// Blocks that wait for each other by an update that changes nothing.
extern "C" __global__ void all_arrive(unsigned* count, int* out) {
  atomicAdd(count, 1);
  while (atomicAdd(count, 0) < gridDim.x) {}
  out[blockIdx.x] = 1;
}
