namespace harness {

enum Exit { done = 0, wrong_result = 1, failure = 2, beyond_limits = 3 };

[[noreturn]] inline void fail(const std::string& message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(failure);
}

inline std::string dotted(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// An error of the machine's setup, and what to do; empty for other errors.
inline std::string setup_error(cudaError_t status) {
  int driver = 0, runtime = 0;
  switch (status) {
  case cudaErrorInsufficientDriver:
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
      return "this machine has no driver for an NVIDIA GPU: install one";
    cudaRuntimeGetVersion(&runtime);
    return "the driver has CUDA " + dotted(driver) + ", and this program was built with CUDA " +
           dotted(runtime) + ": update the driver, or build with an nvcc of " + dotted(driver);
  case cudaErrorNoDevice:
    return "there is no CUDA device, or CUDA_VISIBLE_DEVICES hides it: nvidia-smi lists the "
           "devices";
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorUnsupportedPtxVersion:
    return "this program was not built for the machine's GPU: build it there, with nvcc "
           "-arch=native";
  default: return "";
  }
}

inline void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  const std::string setup = setup_error(status);
  fail(setup.empty() ? std::string(call) + ": " + cudaGetErrorString(status) : setup);
}
#define CHECK(call) harness::check((call), #call)

/// The result is wrong.
struct Wrong {
  std::string message;
};
inline void insist(bool holds, const char* message) {
  if (!holds) throw Wrong{message};
}

/// The program exceeds a limit of the device; the run writes a skipped point.
struct Beyond {
  std::string message;
};

} // namespace harness
