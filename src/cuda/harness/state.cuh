namespace harness {

/// A kernel as launched, with its resources.
struct Kernel {
  const void* function = nullptr;
  std::string name; ///< empty: unknown
  long long blocks = 0, threads = 0, dynamic_bytes = 0;
  int registers = 0;         ///< the registers of a thread
  long long local_bytes = 0; ///< a thread's spilled registers and arrays
  long long shared_bytes = 0;
  int resident_blocks = 0; ///< the most on a multiprocessor
};

/// Starts a kernel in a stream; null: the main one.
using Start = std::function<void(cudaStream_t)>;

/// The state of a run of the program.
struct AnyMemory;
struct State {
  std::uint64_t seed = 1;
  std::uint64_t draws = 0; ///< random numbers that the host code has drawn
  std::vector<AnyMemory*> arrays;
  std::vector<std::function<void()>> work; ///< what main does on the device, in its order
  std::size_t launches = 0;                ///< the number of launches in `work`
  std::vector<Start>* together = nullptr;  ///< collects the launches of the present concurrent(…)
  std::vector<Kernel> kernels;
  bool in_main = false;
  bool silent = false;      ///< main runs again for the timing and prints nothing
  bool interleaved = false; ///< host code reads or writes memory after a launch
  std::function<void(const std::function<void()>&)> time_launch; ///< may be empty
  long long* cycles = nullptr; ///< one word: clock cycles inside the kernels, if they count them
  int shared_limit = 48 * 1024;
};
inline State state;

} // namespace harness
