// A sum whose blocks wait for each other.
#include <cooperative_groups.h>

extern "C" __global__ void grid_sum(const int* x, int* sums, int n, int* total) {
  const auto grid = cooperative_groups::this_grid();
  int sum = 0;
  for (unsigned at = grid.thread_rank(); at < n; at += grid.size()) sum += x[at];
  atomicAdd(&sums[blockIdx.x], sum);
  grid.sync();
  if (grid.thread_rank() == 0)
    for (int b = 0; b < gridDim.x; ++b) *total += sums[b];
  grid.sync();
  sums[blockIdx.x] = *(volatile int*)total;
}

/// Tiles of 8 threads.
extern "C" __global__ void tile_sum(const int* x, int* y) {
  const auto tile =
      cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  int sum = x[threadIdx.x];
  for (int step = 4; step > 0; step /= 2) sum += tile.shfl_down(sum, step);
  if (tile.thread_rank() == 0) y[threadIdx.x / 8] = sum;
}
