namespace harness {

struct Device {
  std::string name;
  int multiprocessors = 0, major = 0, minor = 0, driver = 0, runtime = 0;
  long long l2_bytes = 0, shared_bytes = 0;
};

inline Device find_device() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count == 0) check(cudaErrorNoDevice, "");
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  Device device;
  device.name = properties.name;
  device.multiprocessors = properties.multiProcessorCount;
  device.major = properties.major, device.minor = properties.minor;
  device.l2_bytes = properties.l2CacheSize;
  device.shared_bytes = (long long)properties.sharedMemPerBlockOptin;
  CHECK(cudaDriverGetVersion(&device.driver));
  CHECK(cudaRuntimeGetVersion(&device.runtime));
  return device;
}

#ifdef MEMLANE_HOST
inline double clock_mhz() { return 0; }
#else
/// Counts cycles for about a millisecond of the global timer.
__global__ void spin(long long* cycles_and_ns) {
  long long ns0, ns = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns0));
  const long long start = clock64();
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  while (ns - ns0 < 2000000);
  cycles_and_ns[0] = clock64() - start, cycles_and_ns[1] = ns - ns0;
}
inline double clock_mhz() {
  long long* words = nullptr;
  long long result[2] = {0, 1};
  CHECK(cudaMalloc(&words, sizeof result));
  spin<<<1, 1>>>(words);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, words, sizeof result, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(words));
  return double(result[0]) * 1e3 / double(result[1]);
}
#endif

} // namespace harness
