// Kernels whose sectors and bank conflicts others measured with Nsight Compute (counted.csv), written
// from the description of their accesses.

// Sums of blocks of 256: threads whose number is a multiple of 2k add their neighbour.
extern "C" __global__ void reduce0(const int *in, int *out) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int k = 1; k < 256; k *= 2) {
    if (t % (2 * k) == 0) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// The first threads add, at distances that meet in few banks.
extern "C" __global__ void reduce1(const int *in, int *out) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int k = 1; k < 256; k *= 2) {
    const int i = 2 * k * t;
    if (i < 256) s[i] += s[i + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__device__ void halve(int *s, int t) {
  for (int k = 128; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
}

// The first half adds the second.
extern "C" __global__ void reduce2(const int *in, int *out) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  halve(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

// The same for blocks of 512 words: each thread adds two as it loads them.
extern "C" __global__ void reduce3(const int *in, int *out) {
  __shared__ int s[256];
  const int t = threadIdx.x, first = blockIdx.x * 512 + t;
  s[t] = in[first] + in[first + 256];
  __syncthreads();
  halve(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// C = A B by tiles of 32 × 32; the grid covers the whole tiles of C alone. Where 32 does not divide n, the
// last tile of a row reads on behind it, as the measured kernels do.
template <bool turned>
__device__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float part_a[32][32], part_b[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
  float sum = 0;
  for (int first = 0; first < n; first += 32) {
    (turned ? part_a[x][y] : part_a[y][x]) = a[row * n + first + x];
    part_b[y][x] = b[(first + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += (turned ? part_a[k][y] : part_a[y][k]) * part_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void matrix_product(const float *a, const float *b, float *c, int n) {
  product<false>(a, b, c, n);
}
// The tile of A is stored by columns, which all lie in one bank.
extern "C" __global__ void matrix_product_turned(const float *a, const float *b, float *c, int n) {
  product<true>(a, b, c, n);
}

// 240 blocks of 6 warps; each warp counts bytes in a histogram of its own in shared memory.
extern "C" __global__ void histogram(const unsigned *in, unsigned *out, int words) {
  __shared__ unsigned counts[6][256];
  unsigned *mine = counts[threadIdx.x / 32];
  for (int k = threadIdx.x; k < 6 * 256; k += 192) (&counts[0][0])[k] = 0;
  __syncthreads();
  for (int k = blockIdx.x * 192 + threadIdx.x; k < words; k += gridDim.x * 192) {
    const unsigned four = in[k];
    for (int byte = 0; byte < 32; byte += 8) atomicAdd(&mine[four >> byte & 255], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += 192) {
    unsigned sum = 0;
    for (int warp = 0; warp < 6; ++warp) sum += counts[warp][bin];
    out[blockIdx.x * 256 + bin] = sum;
  }
}
