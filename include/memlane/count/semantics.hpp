// The version of what a run means.
#pragma once

namespace memlane {

/// Changes only when the same program on the same machine would give another number.
constexpr int semantics = 4;

} // namespace memlane
