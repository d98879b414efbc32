// The lines that `print` statements show.
#pragma once

#include "lanes.hpp"

#include "memlane/engine/run.hpp"

#include <string>
#include <vector>

namespace memlane {

/// Collects the items of one statement and hands on the lines it ends: one for each active lane, in
/// their order. A statement's items follow each other in one warp, so there is one line a lane.
class Printer {
public:
  Printer(const ir::Program& program, const PrintLine& show) : program_(program), show_(show) {}

  /// Executes a `print` of the lanes; `where` names a lane's thread, nothing for the host.
  void print(Lanes& lanes, const std::function<std::string(int lane)>& where);

private:
  const ir::Program& program_;
  const PrintLine& show_;
  std::int64_t lines_ = 0;
  std::vector<std::string> open_; ///< by lane: what it has of its line
};

} // namespace memlane
