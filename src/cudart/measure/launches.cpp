// The functions that stand in front of the runtime library's: each launch is made between two
// events.
#include "next.hpp"
#include "recorder.hpp"

#include <unistd.h>

#include <cstdlib>

namespace memlane::cudart {

namespace {

/// Programs register kernels before anything else runs, and launch until their very end.
LaunchRecorder& recorder() {
  static LaunchRecorder* const made = new LaunchRecorder;
  return *made;
}

/// A function of the runtime library that calls another one is no second launch.
thread_local bool is_inside = false;

class Inside {
public:
  Inside() { is_inside = true; }
  ~Inside() { is_inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

/// After the first launch: what the driver has registered for the end of the program runs later.
void register_end() {
  static const int registered = [] {
    at_quick_exit([] { recorder().tell_end(); });
    return on_exit([](int, void*) { recorder().tell_end(); }, nullptr);
  }();
  (void)registered;
}

/// The default stream of a thread, which functions with _ptsz in their names mean by none.
StreamHandle stream_of_thread(StreamHandle stream) {
  return stream ? stream : reinterpret_cast<StreamHandle>(2); // cudaStreamPerThread
}

/// Whether the stream is captured; otherwise the first event is in it.
bool begin_launch(MeasuredLaunch& launch, StreamHandle stream) {
  const NextRuntime& next = next_runtime();
  const Aside aside;
  int capturing = 0;
  // The default stream cannot be asked while another one is captured; the launch then fails, too.
  if (next.is_capturing(stream, &capturing) == Error::success && capturing != 0) return true;
  if (aside.may_fail()) recorder().tell(false);
  for (Event** event : {&launch.begin, &launch.end})
    if (launch.lost == Error::success) launch.lost = next.event_create(event);
  if (launch.lost == Error::success) launch.lost = next.event_record(launch.begin, stream);
  return false;
}

void end_launch(MeasuredLaunch& launch, StreamHandle stream) {
  const Aside aside;
  if (launch.lost == Error::success) launch.lost = next_runtime().event_record(launch.end, stream);
  recorder().add(launch);
}

template <class Launch>
Error measure(const void* function, Dim grid, Dim block, std::size_t shared, StreamHandle stream,
              const Launch& launch) {
  if (is_inside || !next_runtime().complete()) return launch();
  const Inside inside;
  MeasuredLaunch measured{recorder().symbol_of(function), grid, block, shared};
  const bool is_captured = begin_launch(measured, stream);
  const Error error = launch();
  register_end();
  if (error != Error::success)
    recorder().add_refused(measured.symbol, error);
  else if (is_captured)
    recorder().add_captured(measured.symbol);
  else
    end_launch(measured, stream);
  return error;
}

using LaunchFunction = Error (*)(const void*, Dim, Dim, void**, std::size_t, StreamHandle);
using ConfiguredLaunch = Error (*)(const LaunchConfig*, const void*, void**);

Error measure_call(LaunchFunction next, const void* function, Dim grid, Dim block,
                   void** parameters, std::size_t shared, StreamHandle stream,
                   StreamHandle measured_stream) {
  if (!next) return Error::symbol_not_found;
  return measure(function, grid, block, shared, measured_stream,
                 [&] { return next(function, grid, block, parameters, shared, stream); });
}

Error measure_configured(ConfiguredLaunch next, const LaunchConfig* config, const void* function,
                         void** parameters, bool of_thread) {
  if (!next) return Error::symbol_not_found;
  if (!config) return next(config, function, parameters);
  const StreamHandle stream = of_thread ? stream_of_thread(config->stream) : config->stream;
  return measure(function, config->grid, config->block, config->dynamic_shared, stream,
                 [&] { return next(config, function, parameters); });
}

} // namespace

/// A launch with its configuration as arguments; `name`_ptsz is for a default stream of each
/// thread.
#define MEMLANE_MEASURED(name)                                                                     \
  MEMLANE_API Error name(const void* function, Dim grid, Dim block, void** parameters,             \
                         std::size_t shared, StreamHandle stream) {                                \
    static const LaunchFunction next = next_function(#name);                                       \
    return measure_call(next, function, grid, block, parameters, shared, stream, stream);          \
  }                                                                                                \
  MEMLANE_API Error name##_ptsz(const void* function, Dim grid, Dim block, void** parameters,      \
                                std::size_t shared, StreamHandle stream) {                         \
    static const LaunchFunction next = next_function(#name "_ptsz");                               \
    return measure_call(next, function, grid, block, parameters, shared, stream,                   \
                        stream_of_thread(stream));                                                 \
  }
MEMLANE_MEASURED(cudaLaunchKernel)
MEMLANE_MEASURED(cudaLaunchCooperativeKernel)
MEMLANE_MEASURED(__cudaLaunchKernel)

MEMLANE_API Error cudaLaunchKernelExC(const LaunchConfig* config, const void* function,
                                      void** parameters) {
  static const ConfiguredLaunch next = next_function("cudaLaunchKernelExC");
  return measure_configured(next, config, function, parameters, false);
}
MEMLANE_API Error cudaLaunchKernelExC_ptsz(const LaunchConfig* config, const void* function,
                                           void** parameters) {
  static const ConfiguredLaunch next = next_function("cudaLaunchKernelExC_ptsz");
  return measure_configured(next, config, function, parameters, true);
}

// Names of kernels.

MEMLANE_API void __cudaRegisterFunction(void** handle, const char* function, char* device_name,
                                        const char* name, int limit, void* thread, void* block,
                                        void* block_size, void* grid_size, int* warp_size) {
  static void (*const next)(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*) = next_function("__cudaRegisterFunction");
  recorder().name(function, name);
  if (next)
    next(handle, function, device_name, name, limit, thread, block, block_size, grid_size,
         warp_size);
}

namespace {

/// CUDA 13's programs look a kernel's handle up once.
Error name_kernel(Error (*next)(const void**, const void*), const void** kernel,
                  const void* function) {
  if (!next) return Error::symbol_not_found;
  const Error error = next(kernel, function);
  if (error == Error::success) recorder().name_handle(*kernel, function);
  return error;
}

} // namespace

MEMLANE_API Error __cudaGetKernel(const void** kernel, const void* function) {
  return name_kernel(next_function("__cudaGetKernel"), kernel, function);
}
MEMLANE_API Error cudaGetKernel(const void** kernel, const void* function) {
  return name_kernel(next_function("cudaGetKernel"), kernel, function);
}

/// Events end with the device's state.
MEMLANE_API Error cudaDeviceReset() {
  static Error (*const next)() = next_function("cudaDeviceReset");
  if (!next) return Error::symbol_not_found;
  if (next_runtime().complete()) {
    const Aside aside;
    recorder().tell(true);
  }
  return next();
}

} // namespace memlane::cudart
