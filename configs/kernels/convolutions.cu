// Convolutions in one and two dimensions with masks of (2 radius + 1)^d weights; outside are zeros.

#define KERNEL extern "C" __global__ void

constexpr int most_radius = 8;
__constant__ float line_mask[2 * most_radius + 1],
    square_mask[(2 * most_radius + 1) * (2 * most_radius + 1)];

KERNEL line_from_memory(float* out, const float* in, const float* mask, int radius, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = -radius; k <= radius; ++k)
    if (i + k >= 0 && i + k < n) sum += in[i + k] * mask[k + radius];
  out[i] = sum;
}

KERNEL line_from_constants(float* out, const float* in, int radius, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = -radius; k <= radius; ++k)
    if (i + k >= 0 && i + k < n) sum += in[i + k] * line_mask[k + radius];
  out[i] = sum;
}

// The block's part and its margins are in shared memory.
KERNEL line_with_margins(float* out, const float* in, int radius, int n) {
  extern __shared__ float part[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = threadIdx.x; k < blockDim.x + 2 * radius; k += blockDim.x) {
    const int from = blockIdx.x * blockDim.x + k - radius;
    part[k] = from >= 0 && from < n ? in[from] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) sum += part[threadIdx.x + k] * line_mask[k];
  out[i] = sum;
}

// Only the block's own part is in shared memory.
KERNEL line_by_own_part(float* out, const float* in, int radius, int n) {
  extern __shared__ float part[];
  const int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    const int at = i + k, own = threadIdx.x + k;
    if (at < 0 || at >= n) continue;
    sum += (own >= 0 && own < blockDim.x ? part[own] : in[at]) * line_mask[k + radius];
  }
  out[i] = sum;
}

__device__ bool inside(int row, int column, int n) {
  return row >= 0 && row < n && column >= 0 && column < n;
}

KERNEL square_from_memory(float* out, const float* in, const float* mask, int radius, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y,
            column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int y = -radius; y <= radius; ++y)
    for (int x = -radius; x <= radius; ++x)
      if (inside(row + y, column + x, n))
        sum += in[(row + y) * n + column + x] * mask[(y + radius) * (2 * radius + 1) + x + radius];
  out[row * n + column] = sum;
}

KERNEL square_from_constants(float* out, const float* in, int radius, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y,
            column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int y = -radius; y <= radius; ++y)
    for (int x = -radius; x <= radius; ++x)
      if (inside(row + y, column + x, n))
        sum += in[(row + y) * n + column + x] *
               square_mask[(y + radius) * (2 * radius + 1) + x + radius];
  out[row * n + column] = sum;
}

// Square blocks: each thread loads a number, and those that are not in the margins compute one.
KERNEL square_by_tiles(float* out, const float* in, int radius, int n) {
  extern __shared__ float part[];
  const int side = blockDim.x, inner = side - 2 * radius;
  const int row = blockIdx.y * inner + threadIdx.y - radius,
            column = blockIdx.x * inner + threadIdx.x - radius;
  part[threadIdx.y * side + threadIdx.x] = inside(row, column, n) ? in[row * n + column] : 0;
  __syncthreads();
  const int y0 = threadIdx.y - radius, x0 = threadIdx.x - radius;
  if (x0 < 0 || x0 >= inner || y0 < 0 || y0 >= inner || !inside(row, column, n)) return;
  float sum = 0;
  for (int y = 0; y <= 2 * radius; ++y)
    for (int x = 0; x <= 2 * radius; ++x)
      sum += part[(y0 + y) * side + x0 + x] * square_mask[y * (2 * radius + 1) + x];
  out[row * n + column] = sum;
}
