#include "linear_banks.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace memlane {

std::vector<std::int64_t> distinct_elements(const LaneIndices& elements) {
  std::vector<std::int64_t> all;
  for (const auto& element : elements)
    if (element) all.push_back(*element);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::int64_t bits_of(std::int64_t elements) {
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(elements - 1)));
}

namespace {

/// Stages depend on the banks alone, and not on their names: which bits of an element give a bank
/// that is no xor of earlier ones is chosen, and such a bit gives the next bank 1, 2, 4, … Every
/// set of banks that a linear map can give is one of these choices, by names of its own.
class LinearBankSearch {
public:
  LinearBankSearch(const LayoutSearch& search, std::int64_t least)
      : search_(search), least_(least),
        bank_bits_(std::countr_zero(static_cast<std::uint64_t>(search.width))),
        bits_(std::max<std::int64_t>(bank_bits_, bits_of(search.elements))) {
    std::int64_t differ = 0;
    for (const SoughtRequest& request : search.requests) {
      Request own;
      own.elements = distinct_elements(request.elements);
      own.banks.assign(own.elements.size(), 0);
      own.weight = request.weight;
      own.least =
          (static_cast<std::int64_t>(own.elements.size()) + search.width - 1) / search.width;
      for (const std::int64_t element : own.elements) differ |= element ^ own.elements.front();
      requests_.push_back(std::move(own));
    }
    // Bits in which no two lanes differ give all lanes the same.
    for (std::int64_t bit = 0; bit < bits_; ++bit)
      ((differ >> bit & 1) != 0 ? order_ : others_).push_back(bit);
    for (Request& request : requests_) group(request);
    banks_.assign(static_cast<std::size_t>(bits_), 0);
    counts_.assign(static_cast<std::size_t>(search.width) * most_lanes(), 0);
  }

  LinearBanks found() {
    look(0, 0);
    return {map_of_best(), steps_, steps_ <= search_.most_steps};
  }

private:
  struct Request {
    std::vector<std::int64_t> elements, banks;
    /// After each bit that has a bank: elements with the same number have the same other bits.
    std::vector<std::vector<std::size_t>> groups;
    std::int64_t weight = 1, least = 0;
  };

  std::size_t most_lanes() const {
    std::size_t most = 1;
    for (const Request& request : requests_) most = std::max(most, request.elements.size());
    return most;
  }

  void group(Request& request) const {
    std::int64_t open = 0;
    for (const std::int64_t bit : order_) open |= std::int64_t{1} << bit;
    for (const std::int64_t bit : order_) {
      open &= ~(std::int64_t{1} << bit);
      std::vector<std::int64_t> all;
      for (const std::int64_t element : request.elements) all.push_back(element & open);
      std::vector<std::int64_t> sorted = all;
      std::sort(sorted.begin(), sorted.end());
      sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
      auto& groups = request.groups.emplace_back();
      for (const std::int64_t one : all)
        groups.push_back(static_cast<std::size_t>(
            std::lower_bound(sorted.begin(), sorted.end(), one) - sorted.begin()));
    }
  }

  /// The sum of stages if the bits from `depth` on keep elements of different groups apart.
  std::int64_t bound(std::size_t depth) {
    std::int64_t sum = 0;
    for (const Request& request : requests_) {
      std::int32_t most = 0;
      const auto place = [&](std::size_t k) {
        return request.groups[depth][k] * static_cast<std::size_t>(search_.width) +
               static_cast<std::size_t>(request.banks[k]);
      };
      for (std::size_t k = 0; k < request.elements.size(); ++k)
        most = std::max(most, ++counts_[place(k)]);
      for (std::size_t k = 0; k < request.elements.size(); ++k) counts_[place(k)] = 0;
      sum += request.weight * std::max<std::int64_t>(most, request.least);
    }
    return sum;
  }

  void give(std::int64_t bit, std::int64_t bank) {
    const std::int64_t change = banks_[static_cast<std::size_t>(bit)] ^ bank;
    banks_[static_cast<std::size_t>(bit)] = bank;
    for (Request& request : requests_)
      for (std::size_t k = 0; k < request.elements.size(); ++k)
        if ((request.elements[k] >> bit & 1) != 0) request.banks[k] ^= change;
  }

  bool ended() const { return best_sum_ == least_ || steps_ > search_.most_steps; }

  /// Bits from `depth` on have no bank yet; `rank` banks have names.
  void look(std::size_t depth, std::int64_t rank) {
    if (depth == order_.size()) {
      const std::int64_t sum = order_.empty() ? least_ : bound(depth - 1);
      if (sum >= best_sum_) return;
      best_sum_ = sum;
      best_ = banks_;
      return;
    }
    const std::int64_t bit = order_[depth];
    const auto left = static_cast<std::int64_t>(order_.size() - depth - 1 + others_.size());
    const std::int64_t known = std::int64_t{1} << rank;
    const auto attempt = [&](std::int64_t bank, std::int64_t next_rank) {
      if (ended() || ++steps_ > search_.most_steps) return;
      give(bit, bank);
      if (bound(depth) < best_sum_) look(depth + 1, next_rank);
    };
    if (rank < bank_bits_) attempt(known, rank + 1);
    for (std::int64_t bank = 0; bank < known && rank + left >= bank_bits_ && !ended(); ++bank)
      attempt(bank, rank);
    give(bit, 0);
  }

  /// Bits with a bank of a new name go there, of the other bits as many as names are left; the rest
  /// goes to the words above, in order.
  BitMap map_of_best() const {
    BitMap map{best_};
    std::int64_t next = 1, above = search_.width, names = 0;
    const auto word_of = [&](std::int64_t bit) -> std::int64_t& {
      return map.columns[static_cast<std::size_t>(bit)];
    };
    const auto name = [&](std::int64_t bit) {
      word_of(bit) = next, next *= 2, names |= 1LL << bit;
    };
    for (const std::int64_t bit : order_)
      if (word_of(bit) == next && next < search_.width) name(bit);
    for (const std::int64_t bit : others_)
      if (next < search_.width) name(bit);
    for (std::int64_t bit = 0; bit < bits_; ++bit)
      if ((names >> bit & 1) == 0) word_of(bit) |= above, above *= 2;
    return map;
  }

  const LayoutSearch& search_;
  std::int64_t least_, bank_bits_, bits_;
  std::vector<Request> requests_;
  std::vector<std::int64_t> order_, others_; ///< bits in which lanes differ; the rest
  std::vector<std::int64_t> banks_, best_;   ///< of element 2^bit
  std::vector<std::int32_t> counts_;
  std::int64_t best_sum_ = std::numeric_limits<std::int64_t>::max(), steps_ = 0;
};

} // namespace

LinearBanks find_linear_banks(const LayoutSearch& search, std::int64_t least) {
  return LinearBankSearch(search, least).found();
}

} // namespace memlane
