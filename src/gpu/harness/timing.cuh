namespace harness {

struct Timing {
  std::vector<double> samples_ns, cycles;
  double back_to_back_ns = -1, mhz_before = 0, mhz_after = 0;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Times the launches of the program's main: `again` runs main once more from the initial contents.
class Stopwatch {
public:
  Stopwatch(const Device& device, std::function<void()> again, bool repeatable)
      : again_(std::move(again)), repeatable_(repeatable) {
    flush_bytes_ = std::size_t(2 * std::max(device.l2_bytes, 1ll << 20));
    if (cudaMalloc(&flush_, flush_bytes_) != cudaSuccess)
      throw Beyond{"no memory left to flush the L2 cache with"};
  }
  Timing run(int samples, int repetitions) {
    Timing timing;
    launches_ = state.launches;
    timing.mhz_before = clock_mhz();
    for (int warm_up = 0; warm_up < 3; ++warm_up) sample();
    for (int k = 0; k < samples; ++k) {
      timing.samples_ns.push_back(sample());
      if (state.cycles) timing.cycles.push_back(double(cycles()));
    }
    if (repetitions > 0 && repeatable_ && !state.interleaved)
      timing.back_to_back_ns = back_to_back(repetitions);
    timing.mhz_after = clock_mhz();
    return timing;
  }

private:
  long long cycles() {
    long long value = 0;
    CHECK(cudaMemcpy(&value, state.cycles, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
  void prepare() {
    if (state.cycles) CHECK(cudaMemset(state.cycles, 0, sizeof(long long)));
    CHECK(cudaMemset(flush_, 1, flush_bytes_));
    CHECK(cudaDeviceSynchronize());
  }
  double sample() {
    if (state.interleaved) { // host code between the launches: each is timed by itself
      for (AnyMemory* array : state.arrays) array->restart();
      prepare();
      state.launch_ns = 0;
      state.timing_launches = true;
      again_();
      state.timing_launches = false;
      return state.launch_ns;
    }
    for (AnyMemory* array : state.arrays) array->restore();
    prepare();
    return elapsed([&] { run_all(); });
  }
  double back_to_back(int repetitions) {
    for (AnyMemory* array : state.arrays) array->restore();
    CHECK(cudaDeviceSynchronize());
    return elapsed([&] {
             for (int k = 0; k < repetitions; ++k) run_all();
           }) /
           repetitions;
  }
  void run_all() {
    for (const auto& launch : launches_) launch();
  }
  template <class Work>
  double elapsed(Work work) {
    float ms = 0;
    CHECK(cudaEventRecord(state.begin));
    work();
    CHECK(cudaEventRecord(state.end));
    CHECK(cudaEventSynchronize(state.end));
    CHECK(cudaEventElapsedTime(&ms, state.begin, state.end));
    return double(ms) * 1e6;
  }

  std::function<void()> again_;
  bool repeatable_;
  std::vector<std::function<void()>> launches_;
  void* flush_ = nullptr;
  std::size_t flush_bytes_ = 0;
};

} // namespace harness
