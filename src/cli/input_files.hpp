// The files of --input for the points of a sweep.
#pragma once

#include "sweep_request.hpp"

#include "memlane/sweep/plan.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace memlane::cli {

/// What the files of --input hold, each read once for every type and size of array.
class InputFiles {
public:
  InputFiles() : files_(sweep_files(sources_)) {}

  /// Any thread may call.
  Status add(const sweep::PlannedPoint& planned, const ir::Program& code, sweep::Point& point);

private:
  using Key = std::tuple<std::string, ir::Scalar, std::vector<std::int64_t>>;

  std::mutex mutex_;
  Sources sources_; ///< of their own: runs read the sweep's sources meanwhile
  sweep::SweepFiles files_;
  std::map<Key, std::shared_ptr<const std::vector<ir::Value>>> known_;
};

} // namespace memlane::cli
