// Warps whose chosen requests take one stage: the machine sees one address in all their lanes.
#pragma once

#include "memlane/engine/conflict_free.hpp"

#include <map>
#include <utility>

namespace memlane {

/// Passes everything on to another stream, which performs the requests with their own addresses.
class OneStageStream final : public WarpStream {
public:
  OneStageStream(WarpStream& inner, const IsConflictFree& is_chosen)
      : inner_(inner), is_chosen_(is_chosen) {}

  Status start(std::int64_t block, Tally& tally) override { return inner_.start(block, tally); }
  Result<Step> next(WarpRef warp) override {
    Result<Step> step = inner_.next(warp);
    if (!step || step->kind != StepKind::request || !is_chosen_(*step->request)) return step;
    Request& request = requests_[{warp.block, warp.warp}];
    request = *step->request;
    std::int64_t first = -1;
    for (std::int64_t& address : request.addresses) {
      if (address < 0) continue;
      if (first < 0) first = address;
      address = first;
    }
    step->request = &request;
    return step;
  }
  Status perform(WarpRef warp) override { return inner_.perform(warp); }
  void released(std::int64_t block) override { inner_.released(block); }
  void finish(std::int64_t block) override {
    requests_.erase(requests_.lower_bound({block, 0}), requests_.lower_bound({block + 1, 0}));
    inner_.finish(block);
  }

private:
  WarpStream& inner_;
  const IsConflictFree& is_chosen_;
  std::map<std::pair<std::int64_t, std::int64_t>, Request> requests_; ///< by block and warp
};

} // namespace memlane
