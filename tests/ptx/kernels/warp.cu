// arch: compute_80
// What lanes of a warp see of each other.

/// y has 12 numbers for each thread.
extern "C" __global__ void lanes(const int* x, int* y) {
  const int t = threadIdx.x, value = x[t];
  int* own = y + 12 * t;
  const unsigned all = 0xffffffff;
  own[0] = (int)__ballot_sync(all, value & 1);
  own[1] = __any_sync(all, value == 5);
  own[2] = __all_sync(all, value < 100);
  own[3] = (int)__match_any_sync(all, value % 4);
  int same = 0;
  own[4] = (int)__match_all_sync(all, value / 1000, &same);
  own[5] = same;
  own[6] = __reduce_add_sync(all, value);
  own[7] = __reduce_min_sync(all, value - 50);
  own[8] = (int)__reduce_max_sync(all, (unsigned)(value - 50));
  own[9] = (int)__reduce_xor_sync(all, (unsigned)value);
  own[10] = __shfl_sync(all, value, t + 3, 8);
  own[11] = __shfl_up_sync(all, value, 2, 16);
}

/// Only some lanes: y has 6 numbers for each thread; those of other lanes stay.
extern "C" __global__ void some_lanes(const int* x, int* y) {
  const int t = threadIdx.x, value = x[t];
  if (value % 3 == 0) {
    const unsigned mask = __activemask();
    y[6 * t] = (int)mask;
    y[6 * t + 1] = __reduce_add_sync(mask, value);
    y[6 * t + 2] = (int)__ballot_sync(mask, value % 2);
    y[6 * t + 3] = __shfl_sync(mask, value, __ffs(mask) - 1);
    if (value % 2) y[6 * t + 4] = (int)__activemask();
    y[6 * t + 5] = __syncthreads_or(0) + 1;
  } else {
    y[6 * t + 5] = __syncthreads_or(value == 1) + 1;
  }
}
