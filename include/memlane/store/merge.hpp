// Points of one store into another: shards of a sweep become one store.
#pragma once

#include "memlane/store/query.hpp"

#include <cstdint>
#include <string>

namespace memlane::sweep {

/// Which of two points with one key and different counts stays.
enum class MergeChoice : std::uint8_t { neither, first, last };

struct MergeCounts {
  std::int64_t added = 0, known = 0, replaced = 0;
};

/// Adds the points of the store `from` to the file `into`, some hundred in a commit. A point that
/// both have stays as it is if its counts are equal; one that was stopped is replaced by one that
/// was not. Errors: those of both stores, and, where nothing is chosen, different counts; the
/// points before them are in the file then.
Result<MergeCounts> merge_store(const std::string& into, const StoreReader& from,
                                MergeChoice choice);

} // namespace memlane::sweep
