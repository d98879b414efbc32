// Launches, and functions of kernels.
#include "runtime.hpp"

#include "memlane/show/text_table.hpp"
#include "memlane/support/terminal.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>

namespace memlane::cudart {

namespace {

thread_local std::vector<CallConfiguration> call_configurations;

/// The error that CUDA gives for a fault.
Error error_of(const ptx::LaunchFault& fault) {
  switch (fault.kind) {
  case ptx::FaultKind::outside:
  case ptx::FaultKind::freed:
  case ptx::FaultKind::no_object: return Error::illegal_address;
  case ptx::FaultKind::misaligned: return Error::misaligned_address;
  case ptx::FaultKind::asserted: return Error::assertion;
  case ptx::FaultKind::no_function: return Error::invalid_pc;
  case ptx::FaultKind::too_deep: return Error::hardware_stack;
  case ptx::FaultKind::waits_for_ever:
  case ptx::FaultKind::stuck_barrier: return Error::launch_timeout;
  default: return Error::launch_failure;
  }
}
Error error_of(ptx::LaunchRefusal refusal) {
  switch (refusal) {
  case ptx::LaunchRefusal::none: return Error::success;
  case ptx::LaunchRefusal::shared_too_large:
  case ptx::LaunchRefusal::wrong_parameters: return Error::invalid_value;
  case ptx::LaunchRefusal::local_too_large:
  case ptx::LaunchRefusal::registers:
  case ptx::LaunchRefusal::other_shape: return Error::launch_out_of_resources;
  case ptx::LaunchRefusal::not_resident: return Error::cooperative_launch_too_large;
  case ptx::LaunchRefusal::empty_shape:
  case ptx::LaunchRefusal::shape_too_large: break;
  }
  return Error::invalid_configuration;
}

/// Messages in lines of the terminal that they go to; source lines and marks below them stay.
std::string in_lines(const std::string& text) {
  if (isatty(STDERR_FILENO) != 1) return text;
  constexpr std::size_t before = 9, least = 40; // `memlane: `
  const std::size_t columns = std::max(columns_of(STDERR_FILENO), before + least) - before;
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const bool stays = indent >= 4 || display_width(line) <= columns;
    out += stays ? line + '\n'
                 : std::string(indent, ' ') +
                       paragraph_lines(line.substr(indent), indent + 2, columns).substr(indent + 2);
  }
  return out;
}

/// Why no launch follows: a race where races are errors, or a limit.
Error say_stop(Stop stop, const ptx::Pricing* pricing) {
  const bool is_error = stop == Stop::error && pricing;
  if (is_error)
    say(in_lines(render(pricing->result().errors, pricing->sources())));
  else
    say(fmt::format("a limit ends the run: {}", name_of(stop)));
  return is_error ? Error::launch_failure : Error::launch_timeout;
}

/// A launch that does not begin is told on standard error, and kept for the results.
Error refuse(Runtime& all, const ptx::KernelInfo& kernel, const std::string& reason,
             const std::string& text, Error error) {
  say(text);
  all.report.add_error(text);
  if (all.priced) all.priced->refused(kernel, reason);
  return error;
}

/// Blocks of a cooperative launch wait for each other, so all must be on the machine at once.
void check_resident(const PricedRun& priced, const ptx::Launch& launch) {
  const std::int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  static bool said = false;
  if (said || !launch.cooperative || !launch.pricing || blocks <= priced.resident_blocks()) return;
  said = true;
  say(fmt::format("note: a cooperative launch has {} blocks, and the machine holds {} at once "
                  "(resident_blocks): its time has later blocks begin where earlier ones end",
                  blocks, priced.resident_blocks()));
}

/// Runs a launch, tells of it, and keeps the error of a fault.
Error run(Runtime& all, ptx::Launch launch) {
  const std::int64_t number = all.report.launches++;
  launch.number = number;
  if (all.priced)
    launch.pricing = all.priced->pricing_of(number, all.device.kernel(launch.kernel).name);
  if (all.priced) check_resident(*all.priced, launch);
  all.has_unpriced |= all.priced && all.priced->prices() && !launch.pricing;
  const ptx::LaunchResult result = all.device.run(launch);
  if (!result.unfit.empty())
    return refuse(all, all.device.kernel(launch.kernel), result.unfit.front().message,
                  render(result.unfit, Sources()), Error::invalid_configuration);
  constexpr std::int64_t launch_ns = 1000;
  std::optional<std::int64_t> time;
  if (launch.pricing) time = all.priced->passed();
  all.pass(time ? all.priced->nanoseconds(*time)
                : static_cast<double>(launch_ns + result.warp_instructions));
  if (all.priced) all.priced->launched(all.device.kernel(launch.kernel), launch.pricing != nullptr);
  ReportedLaunch told;
  told.number = number;
  told.kernel = &all.device.kernel(launch.kernel);
  told.launch = &launch;
  told.result = &result;
  told.time = time;
  all.report.add(told);
  std::fwrite(result.printed.data(), 1, result.printed.size(), stdout);
  if (result.lost_prints > 0)
    say(fmt::format("warning: {} calls of printf printed too much to be kept", result.lost_prints));
  for (const ptx::LaunchFault& fault : result.faults)
    say(in_lines(render(Diagnostics{fault.said}, all.device.sources())));
  if (const ptx::LaunchFault* fatal = result.fatal()) all.sticky = error_of(*fatal);
  if (result.stop != Stop::none && all.sticky == Error::success) {
    if (are_launches_stopped()) wait_for_end();
    all.sticky = say_stop(result.stop, launch.pricing);
  }
  return all.sticky;
}

ptx::Dim3 wide(Dim d) { return {d.x, d.y, d.z}; }

} // namespace

Error prepare_launch(Runtime& all, Kernel& kernel, Dim grid, Dim block, void** parameters,
                     std::size_t shared, bool cooperative, Work& work) {
  ptx::Launch launch;
  launch.kernel = *kernel.id;
  launch.grid = wide(grid);
  launch.block = wide(block);
  launch.dynamic_shared =
      static_cast<std::int64_t>(std::min<std::size_t>(shared, std::size_t{1} << 40));
  launch.cooperative = cooperative;
  launch.shared_permitted = kernel.shared_permitted;
  const ptx::KernelInfo& info = all.device.kernel(launch.kernel);
  launch.parameters.resize(static_cast<std::size_t>(info.parameter_bytes));
  for (std::size_t k = 0; k < info.parameters.size(); ++k) {
    if (!parameters || !parameters[k]) return Error::invalid_value;
    const ptx::KernelParameter& parameter = info.parameters[k];
    std::memcpy(launch.parameters.data() + parameter.offset, parameters[k],
                static_cast<std::size_t>(parameter.bytes));
  }
  if (const ptx::LaunchRefusal refusal = all.device.refusal_of(launch);
      refusal != ptx::LaunchRefusal::none) {
    const std::string reason = text_of(refusal, launch, all.device);
    return refuse(all, info, reason,
                  fmt::format("kernel {} is not launched: {}", info.readable, reason),
                  error_of(refusal));
  }
  work = [&all, launch = std::move(launch)] { return run(all, launch); };
  return Error::success;
}

namespace {

constexpr int kernel_node = 0, host_node = 3; // cudaGraphNodeType

Error launch_on(Runtime& all, const void* function, Dim grid, Dim block, void** parameters,
                std::size_t shared, StreamHandle stream, bool cooperative) {
  Kernel* kernel = nullptr;
  if (const Error error = find_kernel(all, function, kernel); error != Error::success) return error;
  Work work;
  if (const Error error =
          prepare_launch(all, *kernel, grid, block, parameters, shared, cooperative, work);
      error != Error::success)
    return error;
  return enqueue(all, stream, std::move(work), kernel_node);
}

} // namespace

MEMLANE_API unsigned __cudaPushCallConfiguration(Dim grid, Dim block, std::size_t shared,
                                                 StreamHandle stream) {
  call_configurations.push_back({grid, block, shared, stream});
  return 0;
}
MEMLANE_API Error __cudaPopCallConfiguration(Dim* grid, Dim* block, std::size_t* shared,
                                             void* stream) {
  if (call_configurations.empty()) return note(Error::invalid_configuration);
  const CallConfiguration last = call_configurations.back();
  call_configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<StreamHandle*>(stream) = last.stream;
  return Error::success;
}

MEMLANE_API Error cudaLaunchKernel(const void* function, Dim grid, Dim block, void** parameters,
                                   std::size_t shared, StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    return launch_on(all, function, grid, block, parameters, shared, stream, false);
  });
}
MEMLANE_ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel);
MEMLANE_API Error cudaLaunchCooperativeKernel(const void* function, Dim grid, Dim block,
                                              void** parameters, std::size_t shared,
                                              StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    return launch_on(all, function, grid, block, parameters, shared, stream, true);
  });
}
MEMLANE_ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);

/// Attributes: cooperative launches (2) are done; clusters (4) of more than one block are not; the
/// others say nothing about results.
MEMLANE_API Error cudaLaunchKernelExC(const LaunchConfig* config, const void* function,
                                      void** parameters) {
  return with_runtime([&](Runtime& all) {
    if (!config) return Error::invalid_value;
    bool cooperative = false;
    for (unsigned k = 0; k < config->attribute_count; ++k) {
      const LaunchAttribute& attribute = config->attributes[k];
      constexpr int attribute_cooperative = 2, attribute_cluster = 4;
      Dim value;
      std::memcpy(&value, attribute.value, sizeof value);
      if (attribute.id == attribute_cooperative) cooperative = value.x != 0;
      if (attribute.id == attribute_cluster && value.x * value.y * value.z > 1)
        return Error::not_supported;
    }
    return launch_on(all, function, config->grid, config->block, parameters, config->dynamic_shared,
                     config->stream, cooperative);
  });
}
MEMLANE_ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

// CUDA 13's way: the handle is looked up once. It is the pointer of the function, so that a module
// that cannot be loaded is reported by the launch.
MEMLANE_API Error __cudaGetKernel(const void** kernel, const void* function) {
  return with_runtime([&](Runtime& all) {
    if (all.kernels.count(function) == 0) return Error::invalid_device_function;
    *kernel = function;
    return Error::success;
  });
}
MEMLANE_API Error __cudaLaunchKernel(const void* kernel, Dim grid, Dim block, void** parameters,
                                     std::size_t shared, StreamHandle stream) {
  const PublicCall named;
  return cudaLaunchKernel(kernel, grid, block, parameters, shared, stream);
}
MEMLANE_ALIAS(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);
MEMLANE_API Error cudaGetFuncBySymbol(const void** kernel, const void* function) {
  return __cudaGetKernel(kernel, function);
}
MEMLANE_API Error cudaGetKernel(const void** kernel, const void* function) {
  return __cudaGetKernel(kernel, function);
}

/// At once, and without the lock: the function may use the library, or wait for a thread that does.
MEMLANE_API Error cudaLaunchHostFunc(StreamHandle stream, HostFunction function, void* argument) {
  bool now = false;
  const Error error = with_runtime([&](Runtime& all) {
    Stream* const found = find_stream(all, stream);
    if (!found) return Error::invalid_resource_handle;
    if (!function) return Error::invalid_value;
    now = !found->captured;
    return now ? Error::success
               : enqueue(
                     all, stream,
                     [=] {
                       function(argument);
                       return Error::success;
                     },
                     host_node);
  });
  if (now && error == Error::success) function(argument);
  return error;
}
MEMLANE_ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

MEMLANE_API Error cudaStreamAddCallback(StreamHandle stream,
                                        void (*function)(StreamHandle, Error, void*),
                                        void* argument, unsigned) {
  const Error error = with_runtime([&](Runtime& all) {
    const Stream* const found = find_stream(all, stream);
    if (!found) return Error::invalid_resource_handle;
    if (found->captured) return Error::stream_capture_unsupported;
    return function ? Error::success : Error::invalid_value;
  });
  if (error == Error::success) function(stream, Error::success, argument);
  return error;
}
MEMLANE_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

} // namespace memlane::cudart
