// Calls three functions that memlane's libcudart lacks, and never gets there.

int main() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 16, 16);
  return cudaFreeArray(array);
}
