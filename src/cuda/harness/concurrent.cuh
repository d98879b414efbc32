namespace harness {

/// Runs launches that are independent of each other: in streams, round robin, that fork from the
/// main stream and join it.
class Streams {
public:
  void run(const std::vector<Start>& launches) {
    const std::size_t used = std::min(launches.size(), most);
    while (lanes_.size() < used) add();
    CHECK(cudaEventRecord(fork_, nullptr));
    for (std::size_t k = 0; k < used; ++k) CHECK(cudaStreamWaitEvent(lanes_[k].stream, fork_, 0));
    for (std::size_t k = 0; k < launches.size(); ++k) launches[k](lanes_[k % used].stream);
    for (std::size_t k = 0; k < used; ++k) {
      CHECK(cudaEventRecord(lanes_[k].end, lanes_[k].stream));
      CHECK(cudaStreamWaitEvent(nullptr, lanes_[k].end, 0));
    }
  }

private:
  static constexpr std::size_t most = 32;
  struct Lane {
    cudaStream_t stream{};
    cudaEvent_t end{};
  };
  void add() {
    if (!fork_) CHECK(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
    Lane& lane = lanes_.emplace_back();
    CHECK(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&lane.end, cudaEventDisableTiming));
  }

  std::vector<Lane> lanes_;
  cudaEvent_t fork_{};
};
inline Streams streams;

/// Collects the launches of `body` and starts them together at its end. In between, host code
/// reads nothing that they write, and writes nothing that they access.
template <class Body>
void concurrent(const Body& body) {
  std::vector<Start> launches;
  state.together = &launches;
  body();
  state.together = nullptr;
  if (launches.empty()) return;
  perform([launches] { streams.run(launches); }, launches.size());
}

} // namespace harness
