// Atomics and wide elements: those of the definition's examples, and others whose prices both ways
// of pricing have to agree on.

// Warp 0 adds to one word in four lanes, warp 1 to four words, warp 2 reads them.
extern "C" __global__ void three_warps(int* words) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane >= 4) return;
  if (warp == 0) {
    atomicAdd(words, 1);
  } else if (warp == 1) {
    atomicAdd(words + lane, 1);
  } else {
    asm volatile("{ .reg .u32 word; ld.global.u32 word, [%0]; }" ::"l"(words + lane));
  }
}

// Three lanes add to word 0 of shared memory, one to word 32, in the same bank.
extern "C" __global__ void shared_words() {
  __shared__ int words[64];
  asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(
      static_cast<unsigned>(__cvta_generic_to_shared(&words[threadIdx.x < 3 ? 0 : 32]))));
}

// One request for doubles that are `step` apart.
extern "C" __global__ void doubles_of_shared(int step) {
  __shared__ double part[128];
  asm volatile("st.shared.f64 [%0], %1;" ::"r"(static_cast<unsigned>(
                   __cvta_generic_to_shared(&part[threadIdx.x * step]))),
               "d"(1.0));
}
extern "C" __global__ void doubles_of_global(const double* from, int step) {
  asm volatile("{ .reg .f64 x; ld.global.f64 x, [%0]; }" ::"l"(from + threadIdx.x * step));
}
// One request for words that are `step` apart.
extern "C" __global__ void words_of_global(const int* from, int first, int step) {
  asm volatile("{ .reg .u32 x; ld.global.u32 x, [%0]; }" ::"l"(from + first + threadIdx.x * step));
}

// Every thread counts its numbers in global memory, and reads plainly between.
extern "C" __global__ void counts(int* bins, const int* data, int n, int size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[data[i] % size], 1);
}

// A counter of the whole grid, in a loop whose rounds are equal.
extern "C" __global__ void counter(unsigned* count, int rounds) {
  for (int k = 0; k < rounds; ++k) {
    atomicAdd(count, 1);
    atomicAdd(count + 32 + threadIdx.x % 4, 2);
  }
}

// Elements of 8 and of 2 bytes, compare and swap, addresses of either memory, results that are used.
extern "C" __global__ void mixed(unsigned long long* longs, unsigned short* shorts, int* out) {
  __shared__ unsigned long long own[96];
  __shared__ int counter[4];
  for (int k = threadIdx.x; k < 96; k += blockDim.x) own[k] = 0;
  if (threadIdx.x < 4) counter[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&own[threadIdx.x * 7 % 96], 1ull);
  atomicMax(&longs[threadIdx.x * 5 % 48], static_cast<unsigned long long>(threadIdx.x));
  atomicCAS(&shorts[threadIdx.x % 24], static_cast<unsigned short>(0),
            static_cast<unsigned short>(1));
  int* const either = threadIdx.x % 3 == 0 ? &out[threadIdx.x % 8] : &counter[threadIdx.x % 4];
  int old = atomicAdd(either, 1);
  if (old % 2 == 0) atomicExch(&counter[old % 4], 0);
  __syncthreads();
  atomicAdd(&longs[48 + threadIdx.x % 48], own[threadIdx.x % 96]);
}
