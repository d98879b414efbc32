// Sums and products of matrices, row by row in memory, and products with a vector.

#define KERNEL extern "C" __global__ void

// Neighbouring threads have neighbouring columns.
KERNEL add_along_rows(unsigned* c, const unsigned* a, const unsigned* b, int rows, int columns) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y,
            column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || column >= columns) return;
  c[row * columns + column] = a[row * columns + column] + b[row * columns + column];
}

// Neighbouring threads have neighbouring rows.
KERNEL add_down_columns(unsigned* c, const unsigned* a, const unsigned* b, int rows, int columns) {
  const int column = blockIdx.y * blockDim.y + threadIdx.y,
            row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || column >= columns) return;
  c[row * columns + column] = a[row * columns + column] + b[row * columns + column];
}

// c = a b: m x n, m x l and l x n.

KERNEL naive_product(unsigned* c, const unsigned* a, const unsigned* b, int m, int l, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y,
            column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  unsigned sum = 0;
  for (int k = 0; k < l; ++k) sum += a[row * l + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// By square tiles of both factors, whose side divides m, l and n. Both words are read before one is
// stored, as in machine code.
template <int side>
__device__ void tiled_product(unsigned* c, const unsigned* a, const unsigned* b, int l, int n) {
  __shared__ unsigned as[side][side], bs[side][side];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * side + y, column = blockIdx.x * side + x;
  unsigned sum = 0;
  for (int first = 0; first < l; first += side) {
    const unsigned of_a = a[row * l + first + x], of_b = b[(first + y) * n + column];
    as[y][x] = of_a;
    bs[y][x] = of_b;
    __syncthreads();
    for (int k = 0; k < side; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

#define TILED(side)                                                                                \
  KERNEL tiled_product_##side(unsigned* c, const unsigned* a, const unsigned* b, int m, int l,     \
                              int n) {                                                             \
    tiled_product<side>(c, a, b, l, n);                                                            \
  }
TILED(2)
TILED(4)
TILED(8)
TILED(16)
TILED(32)
#undef TILED

// Each thread computes several columns, a tile apart, with one tile of the first factor.
constexpr int tile = 16, columns_of_thread = 4;
KERNEL rectangular_product(unsigned* c, const unsigned* a, const unsigned* b, int m, int l, int n) {
  __shared__ unsigned as[tile][tile], bs[tile][columns_of_thread * tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * columns_of_thread * tile + x;
  unsigned sum[columns_of_thread] = {};
  for (int first = 0; first < l; first += tile) {
    as[y][x] = a[row * l + first + x];
    for (int j = 0; j < columns_of_thread; ++j)
      bs[y][x + j * tile] = b[(first + y) * n + column + j * tile];
    __syncthreads();
    for (int k = 0; k < tile; ++k)
      for (int j = 0; j < columns_of_thread; ++j) sum[j] += as[y][k] * bs[k][x + j * tile];
    __syncthreads();
  }
  for (int j = 0; j < columns_of_thread; ++j) c[row * n + column + j * tile] = sum[j];
}

// y = a x, of an n x n matrix: a thread a row.
KERNEL rows_by_vector(float* y, const float* a, const float* x, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * x[k];
  y[row] = sum;
}

// The same with a part of the vector in shared memory at a time; there is a thread for each row.
KERNEL rows_by_shared_vector(unsigned* y, const unsigned* a, const unsigned* x, int n) {
  extern __shared__ unsigned part[];
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    part[threadIdx.x] = first + threadIdx.x < n ? x[first + threadIdx.x] : 0;
    __syncthreads();
    for (int k = 0; k < blockDim.x && first + k < n; ++k) sum += a[row * n + first + k] * part[k];
    __syncthreads();
  }
  y[row] = sum;
}

// Brightness of pixels of three bytes; the weights are doubles, or floats.

template <class Real>
__device__ void set_gray(unsigned char* out, const unsigned char* in, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const unsigned char* const pixel = in + 3 * i;
  out[i] = static_cast<unsigned char>(Real(0.21) * pixel[0] + Real(0.71) * pixel[1] +
                                      Real(0.07) * pixel[2]);
}

KERNEL gray_by_doubles(unsigned char* out, const unsigned char* in, int pixels) {
  set_gray<double>(out, in, pixels);
}
KERNEL gray_by_floats(unsigned char* out, const unsigned char* in, int pixels) {
  set_gray<float>(out, in, pixels);
}

// y = a x, a warp a row: neighbouring lanes read neighbouring numbers, and their sums are added.
KERNEL rows_by_warps(float* y, const float* a, const float* x, int n) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  float sum = 0;
  for (int k = lane; k < n; k += 32) sum += a[row * n + k] * x[k];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0U, sum, step);
  if (lane == 0) y[row] = sum;
}
