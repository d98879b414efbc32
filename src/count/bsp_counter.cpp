#include "memlane/count/bsp_counter.hpp"

#include <algorithm>

namespace memlane {

void BspCounter::launch_begins(const ir::Function& kernel) {
  kernel_ = &kernel;
  of_.clear();
}

void BspCounter::executed(const Execution& execution) {
  if (kernel_->code[execution.instruction].counted)
    of_[execution.warp.block % multiprocessors_].operators += 1;
}

void BspCounter::accessed(const WarpAccess& access) {
  const auto array = static_cast<std::size_t>(kernel_->code[access.instruction].immediate);
  if (program_.arrays[array].space != ir::Space::memory) return;
  of_[access.warp.block % multiprocessors_].words +=
      std::count_if(access.addresses.begin(), access.addresses.end(),
                    [](std::int64_t address) { return address >= 0; });
}

BspCounts BspCounter::launch_ends() const {
  BspCounts counts = none();
  for (const auto& [multiprocessor, sums] : of_) {
    counts.operators = std::max(counts.operators, sums.operators);
    counts.words = std::max(counts.words, sums.words);
  }
  return counts;
}

} // namespace memlane
