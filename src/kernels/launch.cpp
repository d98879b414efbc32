#include "memlane/kernels/launch.hpp"

#include "memlane/kernels/launch_choice.hpp"
#include "memlane/ptx/names.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>

namespace memlane {

namespace {

Result<ptx::KernelId> kernel_of(const ptx::Device& device, const LaunchText& launch) {
  std::vector<std::string> known;
  std::optional<ptx::KernelId> found;
  for (std::int32_t k = 0; k < device.kernels(); ++k) {
    const std::string& name = device.kernel({k}).name;
    const std::string own = ptx::source_name(name);
    if (name == launch.kernel) return ptx::KernelId{k};
    known.push_back(own == name ? name : fmt::format("{} ({})", own, name));
    if (!names_kernel(launch.kernel, name)) continue;
    if (found)
      return error_at(launch.kernel_span,
                      fmt::format("several kernels are named {}", launch.kernel),
                      {fmt::format("kernels: {}", fmt::join(known, ", "))});
    found = ptx::KernelId{k};
  }
  if (found) return *found;
  std::vector<std::string> help = did_you_mean(launch.kernel, known);
  help.push_back(known.empty() ? "the file has no kernels"
                               : fmt::format("kernels: {}", fmt::join(known, ", ")));
  return error_at(launch.kernel_span, fmt::format("there is no kernel '{}'", launch.kernel),
                  std::move(help));
}

/// The bytes of a number for a parameter. Errors: one that its type cannot hold.
Status put_number(const ArgumentText& argument, const ptx::KernelParameter& parameter,
                  std::uint8_t* at) {
  const auto bytes = static_cast<std::size_t>(parameter.bytes);
  if (bytes > 8 || (bytes & (bytes - 1)) != 0)
    return error_at(argument.span,
                    fmt::format("the parameter is a structure of {} bytes", parameter.bytes),
                    {"such kernels can be launched by their own program: memlane cuda PROGRAM"});
  if (is_float(parameter.type) && bytes == 4) {
    const auto real = static_cast<float>(argument.real);
    std::memcpy(at, &real, sizeof real);
    return Done{};
  }
  if (is_float(parameter.type) && bytes == 8) {
    std::memcpy(at, &argument.real, sizeof argument.real);
    return Done{};
  }
  if (!argument.whole)
    return error_at(argument.span, fmt::format("the parameter is an integer of {} bytes", bytes));
  const int bits = static_cast<int>(8 * bytes);
  if (bits < 64 && (argument.integer >= std::int64_t{1} << bits ||
                    argument.integer < -(std::int64_t{1} << (bits - 1))))
    return error_at(argument.span, fmt::format("the parameter has {} bits", bits));
  std::memcpy(at, &argument.integer, bytes); // little-endian
  return Done{};
}

Status put_argument(const ArgumentText& argument, const ptx::KernelParameter& parameter,
                    const ArrayAddress& address, std::uint8_t* at) {
  if (argument.name.empty()) return put_number(argument, parameter, at);
  if (parameter.bytes != 8 || is_float(parameter.type))
    return error_at(argument.span,
                    fmt::format("the parameter has {} bytes: it is no pointer", parameter.bytes),
                    {"give a number"});
  const Result<std::uint64_t> found = address(argument);
  if (!found) return found.errors();
  std::memcpy(at, &*found, sizeof *found);
  return Done{};
}

} // namespace

Result<ptx::Launch> launch_of(const ptx::Device& device, const LaunchText& text,
                              const ArrayAddress& address) {
  const Result<ptx::KernelId> kernel = kernel_of(device, text);
  if (!kernel) return kernel.errors();
  const ptx::KernelInfo& info = device.kernel(*kernel);
  ptx::Launch launch;
  launch.kernel = *kernel;
  launch.grid = text.grid;
  launch.block = text.block;
  launch.dynamic_shared = text.dynamic_shared;
  launch.cooperative = info.syncs_grid;
  launch.shared_permitted = INT32_MAX; // the machine that prices it has a capacity
  launch.parameters.resize(static_cast<std::size_t>(info.parameter_bytes));
  if (text.arguments.size() != info.parameters.size())
    return error_at(
        text.span,
        fmt::format("kernel {} has {}, {} given", ptx::source_name(info.name),
                    counted(static_cast<std::int64_t>(info.parameters.size()), "parameter"),
                    text.arguments.size() == 1 ? "1 is"
                                               : fmt::format("{} are", text.arguments.size())));
  ErrorCollector errors;
  for (std::size_t k = 0; k < info.parameters.size(); ++k)
    errors.check(put_argument(text.arguments[k], info.parameters[k], address,
                              launch.parameters.data() + info.parameters[k].offset));
  if (!errors.ok()) return errors.errors();
  return launch;
}

} // namespace memlane
