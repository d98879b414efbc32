// Exercise 15: a transpose in CUDA. Compute c[x * n + y] = a[y * n + x] for an n x n matrix; n is a
// multiple of 32.
//
// It is launched as transpose<<<(n/32, n/32), (32, 8)>>>(c, a, n) and priced on an HMM
// (hmm-titan-plain). Required: right for every n, no races, all requests to global memory coalesced
// (at most 4 n^2/32 stages of global memory, which needs a tile), no bank conflicts, and the 32 * 32
// words of the tile alone in shared memory.
// The kernel below is right, coalesced and small, but a column of its tile lies in one bank.

extern "C" __global__ void transpose(float *c, const float *a, int n) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  for (int j = threadIdx.y; j < 32; j += 8)
    tile[j][threadIdx.x] = a[(y + j) * n + x + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8)
    c[(x + j) * n + y + threadIdx.x] = tile[threadIdx.x][j];
}
