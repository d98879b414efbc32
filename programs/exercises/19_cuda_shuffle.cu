// Exercise 19: warps in CUDA. s[k] is the sum of a[32 * k] to a[32 * k + 31]: the numbers of one
// warp; n is a multiple of 256.
//
// It is launched as warp_sums<<<n/256, 256>>>(s, a, n) and priced on an HMM (hmm-titan-plain).
// Required: right for every n, no races, each number read once and coalesced, no shared memory,
// each sum written by one lane: the threads of a warp pass numbers from register to register. The
// kernel below is right, but it adds in shared memory.

extern "C" __global__ void warp_sums(int *s, const int *a, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 256 + t;
  part[t] = a[i];
  for (int left = 16; left > 0; left /= 2) {
    __syncthreads();
    if (lane < left) part[t] += part[t + left];
  }
  if (lane == 0) s[i / 32] = part[t];
}
