// A program that calls a library of machine code.
#include <cublas_v2.h>

int main() {
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  return cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS ? 0 : 1;
}
