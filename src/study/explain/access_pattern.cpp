#include "memlane/study/explain/access_pattern.hpp"

#include <algorithm>

namespace memlane::sweep {
namespace {

/// Waits for a request of an access with a number of stages.
class RequestFinder final : public Observer, public TimeObserver {
public:
  RequestFinder(const AccessCounts& access, const MachineSpec& machine, const Sources& sources)
      : access_(access), machine_(machine), sources_(sources) {}

  TimeObserver* times() override { return this; }
  void dispatched(const Dispatch& dispatch) override {
    const Request& request = *dispatch.request;
    const bool wanted = !found && dispatch.stages == access_.worst &&
                        request.unit == access_.unit && request.kind == access_.kind &&
                        request.span.known() && request.span.file == access_.line.first &&
                        sources_.begin(request.span).line == access_.line.second;
    if (!wanted) return;
    const bool global = request.unit == UnitId::global;
    found = pattern_of(global ? *machine_.global : *machine_.shared, machine_.width,
                       request.addresses, request.words_of_lane);
  }

  std::optional<AccessPattern> found;

private:
  const AccessCounts& access_;
  const MachineSpec& machine_;
  const Sources& sources_;
};

} // namespace

std::optional<AccessPattern> find_pattern(const Point& point, const AccessCounts& access,
                                          const Sources& sources, std::int64_t most_steps) {
  RequestFinder finder(access, point.machine, sources);
  RunOptions options = point.options;
  options.verify = false;
  options.timing_only = false; // the reference engine runs a program without its data as any other
  options.outputs.clear();
  options.print = {};
  options.limits.progress = nullptr;
  options.limits.steps = std::min(options.limits.steps, most_steps);
  options.limits.memory = std::min(options.limits.memory, std::int64_t{1} << 28);
  options.limits.check = [&finder, check = point.options.limits.check] {
    if (finder.found) return Stop::interrupted;
    return check ? check() : Stop::none;
  };
  (void)simulate(*point.code, point.machine, options, sources, finder);
  return finder.found;
}

} // namespace memlane::sweep
