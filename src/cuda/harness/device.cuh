namespace harness {

struct Device {
  std::string name, uuid;
  int multiprocessors = 0, major = 0, minor = 0, driver = 0, runtime = 0;
  int clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0; ///< maximum; 0: unknown
  int threads = 0;                                              ///< resident on a multiprocessor
  long long l2_bytes = 0, shared_bytes = 0;

  /// Bytes per nanosecond: two transfers of the bus width per memory clock.
  double peak_bandwidth() const { return 2.0 * memory_clock_khz * 1e-6 * memory_bus_bits / 8; }
};

/// In the form of nvidia-smi; empty if unknown.
inline std::string text_of(const cudaUUID_t& uuid) {
  if (std::all_of(uuid.bytes, uuid.bytes + 16, [](char byte) { return byte == 0; })) return "";
  std::string text = "GPU-";
  for (int k = 0; k < 16; ++k) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", unsigned((unsigned char)uuid.bytes[k]));
    text += digits;
    if (k == 3 || k == 5 || k == 7 || k == 9) text += '-';
  }
  return text;
}

inline Device find_device() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count == 0) check(cudaErrorNoDevice, "");
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  Device device;
  device.name = properties.name;
  device.uuid = text_of(properties.uuid);
  device.multiprocessors = properties.multiProcessorCount;
  device.major = properties.major, device.minor = properties.minor;
  device.l2_bytes = properties.l2CacheSize;
  device.shared_bytes = (long long)properties.sharedMemPerBlockOptin;
  CHECK(cudaDeviceGetAttribute(&device.clock_khz, cudaDevAttrClockRate, 0));
  CHECK(cudaDeviceGetAttribute(&device.memory_clock_khz, cudaDevAttrMemoryClockRate, 0));
  CHECK(cudaDeviceGetAttribute(&device.memory_bus_bits, cudaDevAttrGlobalMemoryBusWidth, 0));
  CHECK(cudaDeviceGetAttribute(&device.threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  CHECK(cudaDriverGetVersion(&device.driver));
  CHECK(cudaRuntimeGetVersion(&device.runtime));
  return device;
}

/// Whether the compiler rounds a product and a sum once (nvcc's -fmad). With two roundings,
/// x*x - (1 + 2^-11) is 0 for x = 1 + 2^-12.
__global__ void multiply_add(float x, float y, float* result) { *result = x * x + y; }
inline bool fuses_multiply_add() {
  float* word = nullptr;
  float result = 0;
  const float x = 1 + 0x1p-12f, y = -(1 + 0x1p-11f);
  CHECK(cudaMalloc(&word, sizeof result));
#ifdef MEMLANE_HOST
  multiply_add(x, y, word);
#else
  multiply_add<<<1, 1>>>(x, y, word);
#endif
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, word, sizeof result, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(word));
  return result != 0;
}

#ifdef MEMLANE_HOST
inline double clock_mhz() { return 0; }
#else
/// Counts cycles for 2 ms of the global timer.
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
