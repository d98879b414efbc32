// The runtime library behind the one that measures: NVIDIA's, or memlane's own.
#pragma once

#include "api.hpp"

namespace memlane::cudart {

/// A function by its name, as a pointer of any type.
struct NextFunction {
  void* address;

  template <class Function>
  operator Function*() const {
    return reinterpret_cast<Function*>(address);
  }
};
/// Null: the runtime library has no such function.
NextFunction next_function(const char* name);

/// The functions that measuring calls.
struct NextRuntime {
  Error (*peek_at_last_error)() = next_function("cudaPeekAtLastError");
  Error (*get_last_error)() = next_function("cudaGetLastError");
  const char* (*error_name)(Error) = next_function("cudaGetErrorName");
  Error (*exchange_capture_mode)(int*) = next_function("cudaThreadExchangeStreamCaptureMode");
  Error (*is_capturing)(StreamHandle, int*) = next_function("cudaStreamIsCapturing");
  Error (*event_create)(Event**) = next_function("cudaEventCreate");
  Error (*event_destroy)(Event*) = next_function("cudaEventDestroy");
  Error (*event_record)(Event*, StreamHandle) = next_function("cudaEventRecord");
  Error (*event_query)(Event*) = next_function("cudaEventQuery");
  Error (*event_synchronize)(Event*) = next_function("cudaEventSynchronize");
  Error (*elapsed_time)(float*, Event*, Event*) = next_function("cudaEventElapsedTime");
  Error (*function_name)(const char**, const void*) = next_function("cudaFuncGetName");
  Error (*get_device)(int*) = next_function("cudaGetDevice");
  Error (*device_properties)(void*, int) = next_function("cudaGetDeviceProperties");
  Error (*device_attribute)(int*, int, int) = next_function("cudaDeviceGetAttribute");
  Error (*driver_version)(int*) = next_function("cudaDriverGetVersion");
  Error (*runtime_version)(int*) = next_function("cudaRuntimeGetVersion");

  /// Whether all are there but the name of a function, which CUDA 12.3 brought.
  bool complete() const;
};

/// Looked up when it is first asked for.
const NextRuntime& next_runtime();

/// Calls of memlane's own between those of the program: they leave the program's last error as it
/// was, and do not end the capture of another stream.
class Aside {
public:
  Aside();
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  /// A call may fail without harm.
  bool may_fail() const { return before_ == Error::success; }

private:
  Error before_;
  int mode_ = 2; ///< cudaStreamCaptureModeRelaxed; then the program's
};

} // namespace memlane::cudart
