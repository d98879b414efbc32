// The front of vectors/: what other folders may use of it. A tile executes warps, whose registers
// are kept as short as their values allow, and finds the stages of their requests.
#pragma once

#include "fast/vectors/analysis.hpp"
#include "fast/vectors/fullest_bank.hpp"
#include "fast/vectors/lane_ranges.hpp"
#include "fast/vectors/stage_counts.hpp"
#include "fast/vectors/tile.hpp"
