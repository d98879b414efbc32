// Transposes a matrix twice: with a tile whose columns conflict, and with a padded one. Its argument
// is the number of rows.
#include "transpose.cu"

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 64;
  const std::size_t bytes = sizeof(float) * n * n;
  std::vector<float> matrix(n * n);
  for (int k = 0; k < n * n; ++k) matrix[k] = static_cast<float>(k);
  float *in, *out;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(in, matrix.data(), bytes, cudaMemcpyHostToDevice);
  const dim3 blocks(n / w, n / w), threads(w, rows);
  tiled<<<blocks, threads>>>(out, in, n);
  padded<<<blocks, threads>>>(in, out, n);
  std::vector<float> back(n * n);
  cudaMemcpy(back.data(), in, bytes, cudaMemcpyDeviceToHost);
  std::printf("transposes: %s\n", back == matrix ? "ok" : "wrong");
  return cudaGetLastError() == cudaSuccess && back == matrix ? 0 : 1;
}
