// Sums of prefixes: in a block, in a warp, and of a grid whose blocks look back.

/// Each thread adds what is 1, 2, 4, … before it. 256 elements, one block each.
extern "C" __global__ void scan_steps(const int* x, int* y) {
  __shared__ int row[2][256];
  const int t = threadIdx.x, first = blockIdx.x * 256;
  int now = 0;
  row[0][t] = x[first + t];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2, now ^= 1) {
    row[now ^ 1][t] = row[now][t] + (t >= step ? row[now][t - step] : 0);
    __syncthreads();
  }
  y[first + t] = row[now][t];
}

/// Up and down a tree; each sum is without its own element. 512 elements by 256 threads.
extern "C" __global__ void scan_tree(const int* x, int* y) {
  __shared__ int row[512];
  const int t = threadIdx.x, first = blockIdx.x * 512;
  row[2 * t] = x[first + 2 * t];
  row[2 * t + 1] = x[first + 2 * t + 1];
  int step = 1;
  for (int pairs = 256; pairs > 0; pairs /= 2, step *= 2) {
    __syncthreads();
    if (t < pairs) row[step * (2 * t + 2) - 1] += row[step * (2 * t + 1) - 1];
  }
  if (t == 0) row[511] = 0;
  for (int pairs = 1; pairs < 512; pairs *= 2) {
    step /= 2;
    __syncthreads();
    if (t < pairs) {
      const int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1, value = row[left];
      row[left] = row[right];
      row[right] += value;
    }
  }
  __syncthreads();
  y[first + 2 * t] = row[2 * t];
  y[first + 2 * t + 1] = row[2 * t + 1];
}

__device__ int warp_scan(int value) {
  const int lane = threadIdx.x % 32;
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(0xffffffff, value, step);
    if (lane >= step) value += before;
  }
  return value;
}
__device__ int block_scan(int value, int* of_warp) {
  value = warp_scan(value);
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 31) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const int sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
    of_warp[threadIdx.x] = warp_scan(sum);
  }
  __syncthreads();
  return warp > 0 ? value + of_warp[warp - 1] : value;
}
extern "C" __global__ void scan_shuffle(const int* x, int* y) {
  __shared__ int of_warp[32];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  y[at] = block_scan(x[at], of_warp);
}

/// A block publishes its sum, then the sum of all before it, and looks back meanwhile. Blocks take
/// their numbers as they come. states: 4 words for each block (what is known, unused, its sum, the
/// sum up to it), and ticket, all 0 at first.
extern "C" __global__ void scan_look_back(const int* x, int* y, volatile int* states, int* ticket) {
  __shared__ int of_warp[32];
  __shared__ int number, before;
  if (threadIdx.x == 0) number = atomicAdd(ticket, 1);
  __syncthreads();
  const int at = number * blockDim.x + threadIdx.x;
  const int value = block_scan(x[at], of_warp);
  if (threadIdx.x == blockDim.x - 1) {
    states[4 * number + 2] = value;
    __threadfence();
    states[4 * number] = 1;
    int sum = 0;
    for (int look = number - 1; look >= 0; --look) {
      int state = 0;
      while ((state = states[4 * look]) == 0) {
      }
      __threadfence();
      if (state == 2) {
        sum += states[4 * look + 3];
        break;
      }
      sum += states[4 * look + 2];
    }
    states[4 * number + 3] = sum + value;
    __threadfence();
    states[4 * number] = 2;
    before = sum;
  }
  __syncthreads();
  y[at] = value + before;
}

/// The same, but a block waits for the one *behind* it: the first cannot end before the last
/// begins.
extern "C" __global__ void scan_waits_for_last(const int* x, int* y, volatile int* ready) {
  const int b = blockIdx.x;
  if (threadIdx.x == 0) {
    if (b + 1 < gridDim.x)
      while (ready[b + 1] == 0) {
      }
    y[b] = x[b] + (b + 1 < gridDim.x ? ((volatile int*)y)[b + 1] : 0);
    __threadfence();
    ready[b] = 1;
  }
}
