// How often each of 64 values is there: shared counts, added to the global ones.
extern "C" __global__ void histogram(const unsigned char* x, unsigned* counts, int n) {
  __shared__ unsigned own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x)
    atomicAdd(&own[x[at] % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

/// Every kind of atomic update, all threads on the same words: numbers[k] is updated by kind k.
extern "C" __global__ void atomics(int* numbers, unsigned long long* wide, float* real, double* real64) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&numbers[0], t);
  atomicSub(&numbers[1], 1);
  atomicMin(&numbers[2], t - 50);
  atomicMax(&numbers[3], t);
  atomicAnd(&numbers[4], ~(1 << t % 31));
  atomicOr(&numbers[5], 1 << t % 31);
  atomicXor(&numbers[6], t);
  atomicInc((unsigned*)&numbers[7], 10u);
  atomicDec((unsigned*)&numbers[8], 10u);
  if (atomicCAS(&numbers[9], t, t + 1) == t) atomicAdd(&numbers[10], 1);
  if (atomicExch(&numbers[11], t) < 0) atomicAdd(&numbers[12], 1);
  atomicAdd(&wide[0], 1ull << 33);
  atomicMax(&wide[1], (unsigned long long)t << 40);
  atomicCAS(&wide[2], 0ull, 7ull);
  atomicAdd(&real[0], 0.5f);
  atomicAdd(&real64[0], 0.25);
}
