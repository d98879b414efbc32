#include "runtime.hpp"

#include "memlane/kernels/priced_run.hpp"
#include "memlane/show/machine_code.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace memlane::cudart {

namespace {

std::string json_fault(const ptx::LaunchFault& fault) {
  return fmt::format(
      R"({{"fault":{},"allowed":{},"times":{},"message":{},"line":{},"block":{},"thread":{}}})",
      json_text(std::string(name_of(fault.kind))), fault.allowed, fault.times,
      json_text(fault.said.message), json_text(fault.line), json_dim(fault.block),
      json_dim(fault.thread));
}

} // namespace

std::string Report::machine_code(const ptx::KernelInfo& kernel) {
  if (!known_.insert(kernel.name).second) return "";
  return R"(,"machine_code":)" + machine_code_table().json(machine_code_of(kernel)).dump();
}

void Report::add(const ReportedLaunch& told) {
  std::string faults;
  for (const ptx::LaunchFault& fault : told.result->faults)
    faults += (faults.empty() ? "" : ",") + json_fault(fault);
  const ptx::KernelInfo& kernel = *told.kernel;
  std::string more = machine_code(kernel);
  if (told.time) more += fmt::format(R"(,"time":{})", *told.time);
  if (of_graph) more += R"(,"graph":true)";
  file_.write(fmt::format(
      R"({{"launch":{},"process":{},"kernel":{},"symbol":{},"grid":{},"block":{},"static_shared":{},)"
      R"("dynamic_shared":{},"cooperative":{},"registers":{},"warp_instructions":{},"stop":"{}",)"
      R"("faults":[{}]{}}})",
      told.number, getpid(), json_text(kernel.readable), json_text(kernel.name),
      json_dim(told.launch->grid), json_dim(told.launch->block), kernel.static_shared,
      told.launch->dynamic_shared, told.launch->cooperative, kernel.registers,
      told.result->warp_instructions, name_of(told.result->stop), faults, more));
}

void Report::add_error(const std::string& text) {
  file_.write(fmt::format(R"({{"error":{},"process":{}}})", json_text(text), getpid()));
}

} // namespace memlane::cudart
