// Five launches of four kernels: which of them are priced and reported is chosen by options.
#include <cstdio>

__global__ void twice(int* x) { x[threadIdx.x] *= 2; }
template <class T>
__global__ void add(T* x, T value) {
  x[threadIdx.x] += value;
}
namespace {
__global__ void hidden(int* x) { x[threadIdx.x] += 1; }
} // namespace

int main() {
  int* x = nullptr;
  cudaMalloc(&x, 32 * sizeof(int));
  cudaMemset(x, 0, 32 * sizeof(int));
  add<<<1, 32>>>(x, 3);
  twice<<<1, 32>>>(x);
  hidden<<<1, 32>>>(x);
  twice<<<1, 32>>>(x);
  add<<<1, 32>>>(reinterpret_cast<unsigned*>(x), 1U);
  int first = 0;
  cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("choice: %d\n", first);
}
