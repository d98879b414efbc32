// Convolutions in one and two dimensions with masks of (2 radius + 1)^d weights; outside are zeros.
// Results are cut to 0..1, by doubles, since a literal such as 0.0 is one.

#define KERNEL extern "C" __global__ void

constexpr int most_radius = 8;
__constant__ float line_mask[2 * most_radius + 1],
    square_mask[(2 * most_radius + 1) * (2 * most_radius + 1)];

__device__ float cut(float x) { return min(max(x, 0.0), 1.0); }

KERNEL line_from_memory(float* out, const float* in, const float* mask, int radius, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = -radius; k <= radius; ++k)
    if (i + k >= 0 && i + k < n) sum += in[i + k] * mask[k + radius];
  out[i] = cut(sum);
}

KERNEL line_from_constants(float* out, const float* in, int radius, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = -radius; k <= radius; ++k)
    if (i + k >= 0 && i + k < n) sum += in[i + k] * line_mask[k + radius];
  out[i] = cut(sum);
}

// The block's part and its margins are in shared memory. The last threads load the margin before
// it, the first ones that behind it.
KERNEL line_with_margins(float* out, const float* in, int radius, int n) {
  extern __shared__ float part[];
  const int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  if (t >= size - radius) part[t - (size - radius)] = i >= size ? in[i - size] : 0;
  part[radius + t] = i < n ? in[i] : 0;
  if (t < radius) part[radius + size + t] = i + size < n ? in[i + size] : 0;
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) sum += part[t + k] * line_mask[k];
  out[i] = cut(sum);
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
  out[i] = cut(sum);
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
  out[row * n + column] = cut(sum);
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
  out[row * n + column] = cut(sum);
}

// Square blocks: each thread loads a number, and the first rows and columns of threads compute one
// each.
KERNEL square_by_tiles(float* out, const float* in, int radius, int n) {
  extern __shared__ float part[];
  const int side = blockDim.x, inner = side - 2 * radius, y0 = threadIdx.y, x0 = threadIdx.x;
  const int row = blockIdx.y * inner + y0, column = blockIdx.x * inner + x0;
  part[y0 * side + x0] =
      inside(row - radius, column - radius, n) ? in[(row - radius) * n + column - radius] : 0;
  __syncthreads();
  if (y0 >= inner || x0 >= inner || !inside(row, column, n)) return;
  float sum = 0;
  for (int y = 0; y <= 2 * radius; ++y)
    for (int x = 0; x <= 2 * radius; ++x)
      sum += part[(y0 + y) * side + x0 + x] * square_mask[y * (2 * radius + 1) + x];
  out[row * n + column] = cut(sum);
}
