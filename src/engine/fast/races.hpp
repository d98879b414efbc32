// The front of races/: what other folders may use of it. A watch finds races within a block, notes
// those between the blocks of a launch.
#pragma once

#include "fast/races/block_words.hpp"
#include "fast/races/race_watch.hpp"
