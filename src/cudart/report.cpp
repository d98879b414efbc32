#include "report.hpp"

#include "memlane/kernels/priced_run.hpp"
#include "memlane/show/machine_code.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace memlane::cudart {

namespace {

/// A text as JSON; control characters as escapes.
std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (quoted += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      quoted += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      quoted += c;
  }
  return quoted + '"';
}
std::string json_dim(const ptx::Dim3& d) { return fmt::format("[{},{},{}]", d[0], d[1], d[2]); }

std::string json_fault(const ptx::LaunchFault& fault) {
  return fmt::format(
      R"({{"fault":{},"allowed":{},"times":{},"message":{},"line":{},"block":{},"thread":{}}})",
      json_text(std::string(name_of(fault.kind))), fault.allowed, fault.times,
      json_text(fault.said.message), json_text(fault.line), json_dim(fault.block),
      json_dim(fault.thread));
}

} // namespace

/// One write a line, at the file's end: lines of several processes do not mix.
void Report::write(const std::string& line) {
  if (file_ == -2) {
    const char* path = std::getenv(report_variable);
    file_ = path && *path != '\0' ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
  }
  if (file_ < 0) return;
  const std::string whole = line + '\n';
  if (::write(file_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) file_ = -1;
}

std::string Report::machine_code(const ptx::KernelInfo& kernel) {
  if (!known_.insert(kernel.name).second) return "";
  return R"(,"machine_code":)" + machine_code_table().json(machine_code_of(kernel)).dump();
}

void Report::add(const ReportedLaunch& told) {
  std::string faults;
  for (const ptx::LaunchFault& fault : told.result->faults)
    faults += (faults.empty() ? "" : ",") + json_fault(fault);
  const ptx::KernelInfo& kernel = *told.kernel;
  write(fmt::format(
      R"({{"launch":{},"process":{},"kernel":{},"symbol":{},"grid":{},"block":{},"static_shared":{},)"
      R"("dynamic_shared":{},"cooperative":{},"registers":{},"warp_instructions":{},"faults":[{}]{}}})",
      told.number, getpid(), json_text(kernel.readable), json_text(kernel.name),
      json_dim(told.launch->grid), json_dim(told.launch->block), kernel.static_shared,
      told.launch->dynamic_shared, told.launch->cooperative, kernel.registers,
      told.result->warp_instructions, faults, machine_code(kernel) + told.more));
}

void Report::add_error(const std::string& text) {
  write(fmt::format(R"({{"error":{},"process":{}}})", json_text(text), getpid()));
}

} // namespace memlane::cudart
