// Kernels whose sectors and bank conflicts others have measured with Nsight Compute: the access patterns of kernels of
// NVIDIA's SDK, written anew. Blocks have 256 threads, those of products 32 x 32.

constexpr int threads = 256;

// Sums of 256 numbers a block; each kernel adds in another order.

__device__ void load(int* s, const int* in, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
}

__device__ void store(int* out, const int* s) {
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// Every second, fourth, eighth … thread adds: the others of its warp idle.
extern "C" __global__ void reduce0(int* out, const int* in, int n) {
  __shared__ int s[threads];
  load(s, in, n);
  for (int k = 1; k < threads; k *= 2) {
    if (threadIdx.x % (2 * k) == 0) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  store(out, s);
}

// The first threads add, at distances that are powers of two.
extern "C" __global__ void reduce1(int* out, const int* in, int n) {
  __shared__ int s[threads];
  load(s, in, n);
  for (int k = 1; k < threads; k *= 2) {
    const int i = 2 * k * threadIdx.x;
    if (i < threads) s[i] += s[i + k];
    __syncthreads();
  }
  store(out, s);
}

// The first threads add the second half to the first.
__device__ void add_halves(int* s) {
  for (int k = threads / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
}

extern "C" __global__ void reduce2(int* out, const int* in, int n) {
  __shared__ int s[threads];
  load(s, in, n);
  add_halves(s);
  store(out, s);
}

// The first addition happens while 512 numbers are loaded.
extern "C" __global__ void reduce3(int* out, const int* in, int n) {
  __shared__ int s[threads];
  const int i = blockIdx.x * 2 * threads + threadIdx.x;
  int sum = i < n ? in[i] : 0;
  if (i + threads < n) sum += in[i + threads];
  s[threadIdx.x] = sum;
  __syncthreads();
  add_halves(s);
  store(out, s);
}

extern "C" __global__ void vector_add(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// Products of n x n matrices by tiles. Where 32 does not divide n, the last tiles of rows and columns reach beyond them, and
// the last rows and columns of the product are left out, as the measured kernels do it.

constexpr int tile = 32;

// Transposed: the tile of the first matrix is stored so that each of its writes by a warp goes to one bank.
template <bool transposed>
__device__ void multiply(float* c, const float* a, const float* b, int n) {
  __shared__ float as[tile][tile], bs[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
  float sum = 0;
  for (int first = 0; first < n; first += tile) {
    (transposed ? as[x][y] : as[y][x]) = a[row * n + first + x];
    bs[y][x] = b[(first + y) * n + column];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += (transposed ? as[k][y] : as[y][k]) * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void matrix_product(float* c, const float* a, const float* b, int n) {
  multiply<false>(c, a, b, n);
}
extern "C" __global__ void matrix_product_transposed(float* c, const float* a, const float* b, int n) {
  multiply<true>(c, a, b, n);
}

// Each warp counts bytes in a histogram of its own; the block adds its warps' at the end.
extern "C" __global__ void histogram256(unsigned* partial, const unsigned* data, int words) {
  constexpr int bins = 256, warps = 6;
  __shared__ unsigned all[warps * bins];
  unsigned* own = all + threadIdx.x / 32 * bins;
  for (int i = threadIdx.x; i < warps * bins; i += warps * 32) all[i] = 0;
  __syncthreads();
  for (int at = blockIdx.x * warps * 32 + threadIdx.x; at < words; at += gridDim.x * warps * 32) {
    const unsigned four = data[at];
    atomicAdd(own + (four & 255), 1);
    atomicAdd(own + (four >> 8 & 255), 1);
    atomicAdd(own + (four >> 16 & 255), 1);
    atomicAdd(own + (four >> 24), 1);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += warps * 32) {
    unsigned sum = 0;
    for (int warp = 0; warp < warps; ++warp) sum += all[bin + warp * bins];
    partial[blockIdx.x * bins + bin] = sum;
  }
}
