#include "linear_banks.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

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
/// set of banks that a linear map can give is one of these choices, by names of its own. The same
/// holds for address groups. A bank is the lowest bits of a word, a group all others.
class LinearBankSearch {
public:
  LinearBankSearch(const LayoutSearch& search, std::int64_t least)
      : search_(search), least_(least),
        lane_bits_(std::countr_zero(static_cast<std::uint64_t>(search.width))),
        bits_(std::max<std::int64_t>(lane_bits_, bits_of(search.elements))),
        bank_bits_(in_groups() ? bits_ - lane_bits_ : lane_bits_) {
    std::int64_t differ = 0;
    for (const SoughtRequest& request : search.requests) {
      Request own;
      own.elements = distinct_elements(request.elements);
      own.banks.assign(own.elements.size(), 0);
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
    if (!in_groups()) counts_.assign(static_cast<std::size_t>(search.width) * most_lanes(), 0);
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
    std::int64_t least = 0;
  };

  bool in_groups() const { return search_.unit == UnitKind::unified; }

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

  /// The most elements of a bank whose bits behind `depth` are alike: they stay in one bank.
  std::int64_t most_in_a_bank(const Request& request, std::size_t depth) {
    std::int32_t most = 0;
    const auto place = [&](std::size_t k) {
      return request.groups[depth][k] * static_cast<std::size_t>(search_.width) +
             static_cast<std::size_t>(request.banks[k]);
    };
    for (std::size_t k = 0; k < request.elements.size(); ++k)
      most = std::max(most, ++counts_[place(k)]);
    for (std::size_t k = 0; k < request.elements.size(); ++k) counts_[place(k)] = 0;
    return most;
  }

  /// The most address groups of elements whose bits behind `depth` are alike: they stay distinct.
  std::int64_t most_groups(const Request& request, std::size_t depth) {
    places_.clear();
    for (std::size_t k = 0; k < request.elements.size(); ++k)
      places_.emplace_back(request.groups[depth][k], request.banks[k]);
    std::sort(places_.begin(), places_.end());
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
    std::int64_t most = 0, run = 0;
    for (std::size_t k = 0; k < places_.size(); ++k) {
      run = k > 0 && places_[k].first == places_[k - 1].first ? run + 1 : 1;
      most = std::max(most, run);
    }
    return most;
  }

  /// The sum of stages that no choice for the bits behind `depth` makes smaller.
  std::int64_t bound(std::size_t depth) {
    of_requests_.clear();
    for (const Request& request : requests_)
      of_requests_.push_back(std::max(request.least, in_groups() ? most_groups(request, depth)
                                                                 : most_in_a_bank(request, depth)));
    return search_.sum_of(search_.of_accesses(of_requests_));
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
    const auto attempt_new = [&] {
      if (rank < bank_bits_ && !ended()) attempt(known, rank + 1);
    };
    // Stages become fewer by more banks, and by fewer groups.
    if (!in_groups()) attempt_new();
    for (std::int64_t bank = 0; bank < known && rank + left >= bank_bits_ && !ended(); ++bank)
      attempt(bank, rank);
    if (in_groups()) attempt_new();
    give(bit, 0);
  }

  /// Bits with a bank of a new name go there, of the other bits as many as names are left; the rest
  /// goes to the words above, in order; below, where the names are groups.
  BitMap map_of_best() const {
    const std::int64_t first = in_groups() ? search_.width : 1, end = first << bank_bits_;
    BitMap map{best_};
    for (std::int64_t& column : map.columns) column *= first;
    std::int64_t next = first, other = in_groups() ? 1 : end, names = 0;
    const auto word_of = [&](std::int64_t bit) -> std::int64_t& {
      return map.columns[static_cast<std::size_t>(bit)];
    };
    const auto name = [&](std::int64_t bit) {
      word_of(bit) = next, next *= 2, names |= 1LL << bit;
    };
    for (const std::int64_t bit : order_)
      if (word_of(bit) == next && next < end) name(bit);
    for (const std::int64_t bit : others_)
      if (next < end) name(bit);
    for (std::int64_t bit = 0; bit < bits_; ++bit)
      if ((names >> bit & 1) == 0) word_of(bit) |= other, other *= 2;
    return map;
  }

  const LayoutSearch& search_;
  std::int64_t least_, lane_bits_, bits_, bank_bits_; ///< the last: bits of a bank or group
  std::vector<Request> requests_;
  std::vector<std::int64_t> order_, others_; ///< bits in which lanes differ; the rest
  std::vector<std::int64_t> banks_, best_;   ///< of element 2^bit
  std::vector<std::int32_t> counts_;
  std::vector<std::int64_t> of_requests_; ///< stages
  std::vector<std::pair<std::size_t, std::int64_t>> places_;
  std::int64_t best_sum_ = std::numeric_limits<std::int64_t>::max(), steps_ = 0;
};

} // namespace

LinearBanks find_linear_banks(const LayoutSearch& search, std::int64_t least) {
  return LinearBankSearch(search, least).found();
}

} // namespace memlane
