namespace harness {

struct Timing {
  std::vector<double> samples_ns;      ///< each after a flush of the L2 cache
  std::vector<double> cycles;          ///< the same samples by the clock of a DMM's block
  std::vector<double> back_to_back_ns; ///< runs in a series without pauses, means of batches
  const char* stopped = "";            ///< what ended the samples: noise, samples or time
  bool held = true;                    ///< the device waited until all launches were queued
  double mhz_before = 0, mhz_after = 0;

  /// Relative change of the clock during the measurement.
  double drift() const {
    return mhz_before > 0 ? std::abs(mhz_after - mhz_before) / mhz_before : 0;
  }
};
constexpr double max_drift = 0.01;
constexpr double target_noise = 0.005;    ///< ends the samples
constexpr std::size_t max_launches = 256; ///< fits the device's queue

/// Times the launches of the program's main; `again` runs main from the initial contents.
class Stopwatch {
public:
  Stopwatch(const Device& device, std::function<void()> again, bool repeatable)
      : again_(std::move(again)), repeatable_(repeatable), work_(state.work),
        launches_(state.launches) {
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
    flush_bytes_ = std::size_t(2 * std::max(device.l2_bytes, 1ll << 20));
    if (cudaMalloc(&flush_, flush_bytes_) != cudaSuccess)
      throw Beyond{"the device has no memory left for flushing the L2 cache"};
  }
  /// Repeats the measurement up to twice if the clock changed.
  Timing run(const Options& options) {
    Timing timing = once(options);
    for (int more = 0; more < 2 && timing.drift() > max_drift; ++more) timing = once(options);
    return timing;
  }

private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  Timing once(const Options& options) {
    Timing timing;
    // The first runs load code, which needs a device that is not held.
    held_ = false;
    const Clock::time_point warm_up = Clock::now();
    do sample();
    while (seconds_since(warm_up) * 1e3 < options.warm_up);
    held_ = true;
    timing.mhz_before = clock_mhz();
    const Clock::time_point begin = Clock::now();
    while (!*(timing.stopped = reason_to_stop(timing, options, seconds_since(begin)))) {
      const double ns = sample();
      if (held_failed_ && held_) { // samples with and without holding do not mix
        held_ = false;
        timing.samples_ns.clear(), timing.cycles.clear();
        continue;
      }
      timing.samples_ns.push_back(ns);
      if (state.cycles) timing.cycles.push_back(double(cycles()));
    }
    if (options.repetitions > 0 && repeatable_ && !state.interleaved) back_to_back(timing, options);
    timing.held = held_ && fits_queue();
    timing.mhz_after = clock_mhz();
    return timing;
  }
  /// Samples end at low noise of the median, as in nvbench.
  static const char* reason_to_stop(const Timing& timing, const Options& options, double seconds) {
    const std::size_t count = timing.samples_ns.size();
    if (count >= std::size_t(options.samples)) return "samples";
    if (count >= 20 && noise(timing.samples_ns) <= target_noise) return "noise";
    if (count >= 5 && seconds >= options.seconds) return "time";
    return "";
  }

  /// One run from the initial contents, with cold caches.
  double sample() {
    if (state.interleaved) { // host code between the launches: each is timed separately
      for (AnyMemory* array : state.arrays) array->restart();
      prepare();
      double ns = 0;
      state.time_launch = [&](const std::function<void()>& start) { ns += elapsed(start); };
      again_();
      state.time_launch = {};
      return ns;
    }
    for (AnyMemory* array : state.arrays) array->restore();
    prepare();
    return elapsed([&] { run_all(); });
  }
  void prepare() {
    if (state.cycles) CHECK(cudaMemsetAsync(state.cycles, 0, sizeof(long long)));
    CHECK(cudaMemsetAsync(flush_, 1, flush_bytes_));
  }
  long long cycles() {
    long long value = 0;
    CHECK(cudaMemcpy(&value, state.cycles, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
  /// Means of batches of about 20 ms, for half a second.
  void back_to_back(Timing& timing, const Options& options) {
    const double ns = std::max(1.0, median(timing.samples_ns));
    const double limit = std::min(20e6 / ns, double(max_launches) / double(launches_));
    const int runs = int(std::max(1.0, std::min(double(options.repetitions), limit)));
    const Clock::time_point begin = Clock::now();
    for (int batch = 0; batch < 3 || (batch < 11 && seconds_since(begin) < 0.5); ++batch) {
      for (AnyMemory* array : state.arrays) array->restore();
      const auto work = [&] {
        for (int k = 0; k < runs; ++k) run_all();
      };
      timing.back_to_back_ns.push_back(elapsed(work) / runs);
    }
  }
  bool fits_queue() const { return launches_ <= max_launches; }
  void run_all() {
    for (const auto& start : work_) start();
  }
  /// The device's time between two events around the work, which is queued before it starts.
  template <class Work>
  double elapsed(Work work) {
    const bool hold = held_ && fits_queue();
    if (hold) hold_.begin();
    CHECK(cudaEventRecord(begin_));
    work();
    CHECK(cudaEventRecord(end_));
    if (hold && !hold_.end()) held_failed_ = true;
    CHECK(cudaEventSynchronize(end_));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    return double(ms) * 1e6;
  }

  std::function<void()> again_;
  bool repeatable_;
  std::vector<std::function<void()>> work_;
  std::size_t launches_;
  Hold hold_;
  bool held_ = false, held_failed_ = false;
  cudaEvent_t begin_{}, end_{};
  void* flush_ = nullptr;
  std::size_t flush_bytes_ = 0;
};

} // namespace harness
