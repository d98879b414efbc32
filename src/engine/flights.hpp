// Requests of one warp that are on their way (configs/README.md section 10, "Requests in flight").
#pragma once

#include "machine_rules.hpp"

#include "memlane/engine/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace memlane::reference {

/// The requests of a warp that have been dispatched and are not complete, and those that became
/// complete since it made its latest one. Each function: O(these requests).
class WarpFlights {
public:
  /// A port has taken the warp's next request, which `returns` a value or does not. Returns its
  /// number: the first one is 0.
  std::int64_t begin(Cycles now, bool returns) {
    flights_.push_back({next_, now, never, returns});
    return next_++;
  }
  void complete(std::int64_t number, Cycles now) {
    for (Flight& flight : flights_)
      if (flight.number == number) flight.end = now;
  }

  std::int64_t on_their_way() const {
    return std::count_if(flights_.begin(), flights_.end(), &WarpFlights::flies);
  }
  /// Whether a request that returns a value is on its way.
  bool has_reads() const {
    return std::any_of(flights_.begin(), flights_.end(),
                       [](const Flight& flight) { return flies(flight) && flight.returns; });
  }
  /// Whether one of the requests of a step StepKind::wait is on its way.
  bool has(std::span<const std::uint32_t> awaited) const {
    return std::any_of(flights_.begin(), flights_.end(), [&](const Flight& flight) {
      if (!flies(flight)) return false;
      const std::int64_t earlier = next_ - flight.number;
      return awaited.empty() || std::find(awaited.begin(), awaited.end(), earlier) != awaited.end();
    });
  }

  /// The warp makes another request now: calls f(begin, end) for the times at which earlier ones
  /// were on their way, each once. Requests that are complete are forgotten.
  template <class F>
  void make_another(Cycles now, F f) {
    for (Flight& flight : flights_) {
      f(flight.begin, std::min(flight.end, now));
      flight.begin = now;
    }
    std::erase_if(flights_, [](const Flight& flight) { return !flies(flight); });
  }

private:
  struct Flight {
    std::int64_t number = 0;
    Cycles begin{0}; ///< what is before it has been told
    Cycles end = never;
    bool returns = false;
  };
  static bool flies(const Flight& flight) { return flight.end == never; }

  std::int64_t next_ = 0; ///< the number of its next request
  std::vector<Flight> flights_;
};

} // namespace memlane::reference
