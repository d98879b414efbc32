// Calls three functions that memlane's libcudart lacks, and never gets there.

int main() {
  cudaMipmappedArray_t array = nullptr;
  cudaArray_t level = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocMipmappedArray(&array, &format, make_cudaExtent(16, 16, 0), 2);
  cudaGetMipmappedArrayLevel(&level, array, 0);
  return cudaFreeMipmappedArray(array);
}
