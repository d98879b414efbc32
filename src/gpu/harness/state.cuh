namespace harness {

/// Everything that belongs to one run of the program.
struct AnyMemory;
struct State {
  std::uint64_t seed = 1;
  std::uint64_t draws = 0; ///< of the host code
  std::vector<AnyMemory*> arrays;
  std::vector<std::function<void()>> launches;
  bool in_main = false;
  bool interleaved = false; ///< host code reads or writes memory after a launch
  bool timing_launches = false;
  double launch_ns = 0; ///< of the launches so far, if each is timed by itself
  cudaEvent_t begin{}, end{};
  long long* cycles =
      nullptr; ///< one word: clock cycles inside the kernels, of those that count them
  int shared_limit = 48 * 1024;
};
inline State state;

} // namespace harness
