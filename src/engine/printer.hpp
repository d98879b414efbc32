// The lines that `print` statements show.
#pragma once

#include "lanes.hpp"

#include "memlane/engine/run.hpp"

#include <string>
#include <vector>

namespace memlane {

/// Collects the items of a `print` statement and passes on the finished lines, one for each active
/// lane in lane order. A warp executes the items of a statement without interruption, so each lane
/// has one open line.
class Printer {
public:
  Printer(const ir::Program& program, const PrintLine& show) : program_(program), show_(show) {}

  /// Executes a `print` instruction. `where` names a lane's thread; empty for the host.
  void print(Lanes& lanes, const std::function<std::string(int lane)>& where);

private:
  const ir::Program& program_;
  const PrintLine& show_;
  std::int64_t lines_ = 0;
  std::vector<std::string> open_; ///< by lane: the beginning of its line
};

} // namespace memlane
