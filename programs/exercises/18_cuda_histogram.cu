// Exercise 18: a histogram in CUDA. count[v] is how often v, from 0 to 31, occurs among the n
// numbers of a; count begins with zeros; n is a multiple of 1024.
//
// It is launched as histogram<<<n/1024, 256>>>(count, a, n), so a thread has four numbers, and
// priced on an HMM (hmm-titan-plain). Required: right for every n, no races, a read coalesced, at
// most one addition to global memory for each block and value. The kernel below is right, but
// every number is an addition to global memory.

extern "C" __global__ void histogram(int *count, const int *a, int n) {
  for (int i = 0; i < 4; ++i)
    atomicAdd(&count[a[blockIdx.x * 1024 + i * 256 + threadIdx.x]], 1);
}
