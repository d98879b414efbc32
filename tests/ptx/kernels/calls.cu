// Functions: by name, by address, recursive; switches; arrays in local memory; loops that lanes leave
// at different times.

__device__ __noinline__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ int twice(int n) { return 2 * n; }
__device__ __noinline__ int thrice(int n) { return 3 * n; }
__device__ __noinline__ int square(int n) {
  if (n < 0) return 0;
  return n * n;
}
typedef int (*Function)(int);
__device__ Function functions[3] = {twice, thrice, square};

extern "C" __global__ void recursion(const int* x, int* y) {
  const int t = threadIdx.x;
  y[t] = factorial(x[t] % 10) + ackermann(x[t] % 3, x[t] % 4);
}
extern "C" __global__ void pointers(const int* x, int* y) {
  const int t = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < x[t] % 5; ++k) sum += functions[(x[t] + k) % 3](t + k);
  y[t] = sum;
}
extern "C" __global__ void switches(const int* x, int* y) {
  const int t = threadIdx.x;
  int r = 0;
  switch (x[t] % 9) {
  case 0: r = t * 3; break;
  case 1: r = t ^ 77; break;
  case 2: r = t / 3; // falls through
  case 3: r += t % 7; break;
  case 4: r = -t; break;
  case 5: r = t << 2; break;
  case 6: r = __popc(t); break;
  case 7: y[t] = 1234; return;
  default: r = __clz(t);
  }
  y[t] = r;
}
extern "C" __global__ void local_arrays(const int* x, int* y) {
  const int t = threadIdx.x;
  int own[16];
  for (int k = 0; k < 16; ++k) own[(k * 5 + x[t]) & 15] = k + t;
  int sum = 0;
  for (int k = 0; k < x[t] % 16; ++k) sum += own[k] * k;
  y[t] = sum;
}
/// Nested loops with break, continue and return.
extern "C" __global__ void loops(const int* x, int* y, int limit) {
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < x[t] % 20; ++i) {
    if (i % 3 == 1) continue;
    for (int j = i;; ++j) {
      if (j * i > 40) break;
      if (j > limit) {
        y[t] = -sum;
        return;
      }
      if ((j + x[t]) % 7 == 0) continue;
      sum += j;
      if (j > 12) break;
    }
    if (sum > 500) break;
  }
  y[t] = sum;
}
extern "C" __global__ void collatz(const int* x, int* y) {
  const int t = threadIdx.x;
  long long value = x[t] + 1;
  int steps = 0;
  while (value != 1) {
    value = value & 1 ? 3 * value + 1 : value / 2;
    if (++steps > 500) break;
  }
  y[t] = steps;
}
/// Each lane takes a lock that the lanes of its warp contend for.
extern "C" __global__ void locks(int* lock, int* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *(volatile int*)count = *(volatile int*)count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
