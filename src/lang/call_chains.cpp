#include "call_chains.hpp"

#include <algorithm>

namespace memlane::lang {
namespace {

class CallWalk {
public:
  CallWalk(const std::vector<std::vector<CallSite>>& calls, const CallFaults& faults)
      : calls_(calls), faults_(faults), states_(calls.size()) {}

  void run() {
    for (std::size_t at = 0; at < calls_.size(); ++at)
      if (!states_[at].seen) visit(at);
  }

private:
  struct State {
    bool seen = false;
    bool active = false;
    int depth = 0; ///< the longest chain of calls below it
  };

  void visit(std::size_t at) {
    states_[at] = {true, true, 0};
    path_.push_back(at);
    for (const CallSite& site : calls_[at]) follow(at, site);
    path_.pop_back();
    states_[at].active = false;
  }

  /// A chain that is too deep is not followed, since the walk itself recurses.
  void follow(std::size_t at, const CallSite& site) {
    State& callee = states_[site.callee];
    if (callee.active) return report_cycle(site);
    const bool far = path_.size() >= static_cast<std::size_t>(deepest_calls);
    if (!callee.seen && !far) visit(site.callee);
    int& depth = states_[at].depth;
    const bool was_deep = depth > deepest_calls;
    depth = std::max(depth, callee.seen ? callee.depth + 1 : deepest_calls + 1);
    if (depth > deepest_calls && !was_deep) faults_.too_deep(at, site);
  }

  void report_cycle(const CallSite& site) {
    const auto first = std::find(path_.begin(), path_.end(), site.callee);
    faults_.cycle({first, path_.end()}, site);
  }

  const std::vector<std::vector<CallSite>>& calls_;
  const CallFaults& faults_;
  std::vector<State> states_;
  std::vector<std::size_t> path_;
};

} // namespace

void find_call_faults(const std::vector<std::vector<CallSite>>& calls, const CallFaults& faults) {
  CallWalk(calls, faults).run();
}

} // namespace memlane::lang
