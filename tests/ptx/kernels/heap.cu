// Memory that threads allocate: used by others, freed by later launches, more than there is.
extern "C" __global__ void allocates(int** lists, int most) {
  const int count = threadIdx.x % most + 1;
  int* const list = static_cast<int*>(malloc(count * sizeof(int)));
  for (int k = 0; k < count; ++k) list[k] = 100 * threadIdx.x + k;
  lists[threadIdx.x] = list;
}
extern "C" __global__ void frees(int** lists, int most, int* sums) {
  int* const list = lists[threadIdx.x ^ 1];
  const int count = (threadIdx.x ^ 1) % most + 1;
  int sum = 0;
  for (int k = 0; k < count; ++k) sum += list[k];
  sums[threadIdx.x] = sum;
  free(list);
}
extern "C" __global__ void beyond(int** lists) { lists[0][1] = 1; }
extern "C" __global__ void twice(int** lists) {
  free(lists[0]);
  free(lists[0]);
}
extern "C" __global__ void exhausts(int* got) { got[threadIdx.x] = malloc(1 << 20) != nullptr; }
// A thread that waits, by a time that only it knows.
extern "C" __global__ void sleeps(int* y, int n) {
  __nanosleep(20 + threadIdx.x);
  y[threadIdx.x] = n;
}
