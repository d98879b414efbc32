// Structures as parameters, by value: read at places that are known when this runs only.
struct Table {
  int of[6];
  short more[3];
};
extern "C" __global__ void by_value(const __grid_constant__ Table table, int* y) {
  const int t = threadIdx.x;
  const Table* at = &table;
  y[t] = at->of[t % 6] * 10 + table.more[t % 3];
}
__device__ __noinline__ Table changed(Table table, int by) {
  for (int k = 0; k < 6; ++k) table.of[k] += by + (int)blockDim.x;
  table.more[by % 3] = (short)threadIdx.x;
  return table;
}
extern "C" __global__ void passed(Table table, int* y) {
  const int t = threadIdx.x;
  table = changed(table, t);
  y[t] = table.of[t % 6] * 10 + table.more[t % 3];
}
