// How far a run is, in words.
#pragma once

#include "memlane/support/limits.hpp"

#include <string>

namespace memlane {

/// One line: `launch 3: 41 % of 1024 blocks, 12345678 time units; about 12 s left in this launch`.
/// `seconds`: since the launch began. The time left is known where a part of the blocks is done.
std::string progress_text(const RunProgress& progress, double seconds);

} // namespace memlane
