namespace harness {

#ifndef MEMLANE_HOST
/// Waits until the host writes words[0]; after 0.1 s, sets words[1] and ends.
__global__ void wait_for_host(volatile int* words) {
  long long begin = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  while (words[0] == 0) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - begin > 100'000'000) {
      words[1] = 1;
      return;
    }
  }
}
#endif

/// Makes the device wait until the host has queued all launches, so that measured times include
/// neither host time nor pauses between launches.
class Hold {
public:
#ifdef MEMLANE_HOST
  void begin() {}
  bool end() { return true; }
#else
  Hold() {
    void *words = nullptr, *on_device = nullptr;
    CHECK(cudaHostAlloc(&words, 2 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&on_device, words, 0));
    words_ = static_cast<volatile int*>(words);
    on_device_ = static_cast<volatile int*>(on_device);
  }
  void begin() {
    words_[0] = 0;
    words_[1] = 0;
    wait_for_host<<<1, 1>>>(on_device_);
    CHECK(cudaGetLastError());
  }
  /// Releases the device and synchronises with it. False if the wait timed out: the queue was full,
  /// or queued work waited for the device.
  bool end() {
    words_[0] = 1;
    CHECK(cudaDeviceSynchronize());
    return words_[1] == 0;
  }

private:
  volatile int *words_ = nullptr, *on_device_ = nullptr;
#endif
};

} // namespace harness
