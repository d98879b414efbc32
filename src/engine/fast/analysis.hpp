// What is known of a function before it runs.
#pragma once

#include "memlane/ir/program.hpp"

#include <vector>

namespace memlane::fast {

struct Analysis {
  /// By instruction: no lane that is inactive there reads the destination register before it is
  /// written anew, so that it may be written in all lanes.
  std::vector<bool> writes_all;
  /// By instruction: the registers that are read behind it before they are written; behind an
  /// `again`, where the next round begins.
  std::vector<std::vector<ir::Register>> live_behind; ///< of barriers and agains; empty elsewhere
  /// By array of the program: whether the function writes it. Nothing races for what is only read.
  std::vector<bool> written;
};

Analysis analyse(const ir::Program& program, const ir::Function& function);

} // namespace memlane::fast
