// Errors: names and texts, and the last one of each thread.
#include "runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace memlane::cudart {

namespace {

struct ErrorRow {
  Error error;
  const char* name;
  const char* text;
};
constexpr ErrorRow error_rows[] = {
    {Error::success, "cudaSuccess", "no error"},
    {Error::invalid_value, "cudaErrorInvalidValue", "invalid argument"},
    {Error::memory_allocation, "cudaErrorMemoryAllocation", "out of memory"},
    {Error::initialization, "cudaErrorInitializationError", "initialization error"},
    {Error::invalid_configuration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {Error::invalid_pitch_value, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {Error::invalid_symbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {Error::invalid_device_pointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {Error::invalid_memcpy_direction, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {Error::invalid_device_function, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {Error::no_device, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {Error::invalid_device, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {Error::no_kernel_image, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {Error::peer_access_unsupported, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {Error::invalid_ptx, "cudaErrorInvalidPtx", "memlane does not execute this PTX"},
    {Error::invalid_resource_handle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {Error::illegal_state, "cudaErrorIllegalState",
     "the operation cannot be performed in the present state"},
    {Error::symbol_not_found, "cudaErrorSymbolNotFound", "named symbol not found"},
    {Error::not_ready, "cudaErrorNotReady", "device not ready"},
    {Error::illegal_address, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {Error::launch_out_of_resources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {Error::launch_timeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {Error::peer_access_not_enabled, "cudaErrorPeerAccessNotEnabled",
     "peer access has not been enabled"},
    {Error::context_is_destroyed, "cudaErrorContextIsDestroyed", "context is destroyed"},
    {Error::assertion, "cudaErrorAssert", "device-side assert triggered"},
    {Error::host_memory_already_registered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {Error::host_memory_not_registered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {Error::hardware_stack, "cudaErrorHardwareStackError", "hardware stack error"},
    {Error::misaligned_address, "cudaErrorMisalignedAddress", "misaligned address"},
    {Error::invalid_pc, "cudaErrorInvalidPc", "invalid program counter"},
    {Error::launch_failure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {Error::cooperative_launch_too_large, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {Error::not_permitted, "cudaErrorNotPermitted", "operation not permitted"},
    {Error::not_supported, "cudaErrorNotSupported", "operation not supported"},
    {Error::stream_capture_unsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {Error::stream_capture_invalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {Error::stream_capture_unmatched, "cudaErrorStreamCaptureUnmatched",
     "capture was not initiated in this stream"},
    {Error::graph_update_failure, "cudaErrorGraphExecUpdateFailure",
     "the graph has other nodes than the one that was instantiated"},
};

const ErrorRow* find_error(Error error) {
  const auto* const found = std::find_if(std::begin(error_rows), std::end(error_rows),
                                         [&](const ErrorRow& row) { return row.error == error; });
  return found == std::end(error_rows) ? nullptr : found;
}

thread_local Error last_error = Error::success;
thread_local const char* public_call = nullptr;

} // namespace

PublicCall::PublicCall(const char* function) : outermost_(!public_call) {
  if (outermost_) public_call = function;
}
PublicCall::~PublicCall() {
  if (outermost_) public_call = nullptr;
}

void tell_failure(Runtime& all, const char* function, Error error) {
  constexpr std::size_t most_told = 20;
  static std::set<std::string> told;
  // "Not ready" is an answer, not a mistake.
  if (error == Error::not_ready || told.size() == most_told) return;
  const ErrorRow* const row = find_error(error);
  const std::string why = !all.reason.empty() ? all.reason : row ? row->text : "";
  const std::string note =
      fmt::format("note: {} returns {}: {}", public_call ? public_call : function,
                  row ? row->name : std::to_string(static_cast<int>(error)), why);
  if (told.insert(note).second) say(note);
}

Error note(Error error) {
  if (error != Error::success && error != Error::not_ready) last_error = error;
  return error;
}

MEMLANE_API const char* cudaGetErrorName(Error error) {
  const ErrorRow* row = find_error(error);
  return row ? row->name : "unrecognized error code";
}
MEMLANE_API const char* cudaGetErrorString(Error error) {
  const ErrorRow* row = find_error(error);
  return row ? row->text : "unrecognized error code";
}
/// After a fault every call fails with it, this one too.
MEMLANE_API Error cudaGetLastError() {
  const Error error = last_error;
  last_error = sticky_error();
  return error;
}
MEMLANE_API Error cudaPeekAtLastError() { return last_error; }

void forget_last_error() { last_error = Error::success; }

} // namespace memlane::cudart
