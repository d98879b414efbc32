#include "ptx_run.hpp"

#include "ptx_array_files.hpp"

#include "memlane/kernels/launch.hpp"
#include "memlane/kernels/priced_run.hpp"

namespace memlane::cli {

PtxRun::PtxRun(const PtxRequest& request, const MachineSpec& machine, Sources& sources,
               std::function<void(const std::string&)> note, Observer* observer)
    : request_(request),
      pricing_(machine, request.pricing, source_reader(request.path, std::move(note)), observer),
      arrays_(device_, request.pricing.limits, request.seed, [&](const DeviceArray& array) {
        return fill_from_file(sources, array, request.pricing.limits);
      }) {
  device_.set_limits(request.pricing.limits);
  device_.allow(request.allowed);
}

Status PtxRun::load(const std::string& ptx) {
  const Result<ptx::ModuleId> module = device_.load({{request_.path, ptx}});
  if (!module) return module.errors();
  return Done{};
}

Status PtxRun::launch(const std::function<void(const std::string&)>& say) {
  const Result<std::vector<ptx::Launch>> launches =
      launches_of(request_.launches, device_, arrays_, pricing_, request_.registers);
  if (!launches) return launches.errors();
  for (const ptx::Launch& launch : *launches) {
    const ptx::LaunchResult result = device_.run(launch);
    if (!result.unfit.empty()) return result.unfit;
    say(result.printed);
    for (const ptx::LaunchFault& fault : result.faults)
      say(render({fault.said}, device_.sources()));
    if (const ptx::LaunchFault* const fatal = result.fatal()) fault_ = fatal->said;
    if (fault_ || pricing_.stop() != Stop::none) break;
  }
  return Done{};
}

} // namespace memlane::cli
