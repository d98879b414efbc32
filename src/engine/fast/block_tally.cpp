#include "block_tally.hpp"

#include <algorithm>

namespace memlane::fast {

BlockTally::BlockTally(const ir::Function& kernel, std::int64_t width)
    : width_(static_cast<std::size_t>(width)), silent_(2 * kernel.code.size()),
      sites_(memory_instructions(kernel)), first_(kernel.code.size()) {
  std::size_t end = silent_ + kernel.statements.size();
  for (const std::size_t site : sites_) {
    first_[site] = end;
    end += 2 + width_;
  }
  numbers_.resize(end);
}

void BlockTally::clear() { std::fill(numbers_.begin(), numbers_.end(), 0); }

void BlockTally::add_to(Tally& tally) const {
  tally.executed.resize(first_.size());
  for (std::size_t at = 0; at < first_.size(); ++at) {
    tally.executed[at].warps += numbers_[2 * at];
    tally.executed[at].threads += numbers_[2 * at + 1];
  }
  const std::size_t statements =
      sites_.empty() ? numbers_.size() - silent_ : first_[sites_[0]] - silent_;
  tally.silent.resize(statements);
  for (std::size_t s = 0; s < statements; ++s) tally.silent[s] += numbers_[silent_ + s];
  add_to(tally.requests);
}

void BlockTally::add_to(std::vector<RequestTally>& requests) const {
  requests.resize(sites_.size());
  for (std::size_t k = 0; k < sites_.size(); ++k) {
    const std::int64_t* numbers = numbers_.data() + first_[sites_[k]];
    requests[k].concurrent_writes += numbers[0];
    requests[k].groups += numbers[1];
    for (std::size_t stages = 1; stages <= width_; ++stages)
      if (const std::int64_t number = numbers[1 + stages]; number != 0)
        requests[k].add(static_cast<std::int64_t>(stages), number);
  }
}

} // namespace memlane::fast
