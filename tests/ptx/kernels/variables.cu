// Constants and variables of a module.
__constant__ int coefficients[16];
__constant__ float known[4] = {1.5f, -2.0f, 0.25f, 1e10f};
__device__ int counter = 3;
__device__ double table[4] = {1.0, 2.5, 3.0, 4.0};
__device__ short matrix[2][3] = {{1, 2, 3}, {-4, -5, -6}};
struct Pair {
  int* at;
  char name[6];
};
__device__ Pair pair = {&counter, "hello"};

extern "C" __global__ void variables(float* y) {
  const int t = threadIdx.x;
  float sum = coefficients[t % 16] + known[t % 4] + (float)table[t % 4] + matrix[t % 2][t % 3];
  y[t] = sum + pair.name[t % 5];
  atomicAdd(pair.at, 1);
}
