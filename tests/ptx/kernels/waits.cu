// Waits: for a lock that lanes of one warp take one after the other, and for other blocks.

extern "C" __global__ void lock_lanes(int* lock, int* count, int* order) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  const int at = *(volatile int*)count;
  order[at] = blockIdx.x * blockDim.x + threadIdx.x;
  *(volatile int*)count = at + 1;
  __threadfence();
  atomicExch(lock, 0);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&order[gridDim.x * blockDim.x], 1);
}

// Each block waits for the one before it; the first one looks a few times at what never comes.
extern "C" __global__ void after(volatile int* flags, int* out, int looks) {
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x)
      while (flags[blockIdx.x + 1] == 0) {}
    int seen = 0;
    for (int k = 0; k < looks; ++k) seen += flags[gridDim.x];
    out[blockIdx.x] = seen;
    __threadfence();
    flags[blockIdx.x] = 1;
  }
}

// The same, but with a sleep in the loop.
extern "C" __global__ void after_sleeping(volatile int* flags, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x + 1 < gridDim.x)
    while (flags[blockIdx.x + 1] == 0) __nanosleep(100);
  out[blockIdx.x] = 1;
  flags[blockIdx.x] = 1;
}
