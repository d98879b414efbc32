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
  std::int64_t begin(Cycles now, bool returns, std::int32_t site = -1) {
    flights_.push_back({next_, now, never, returns, false, site});
    return next_++;
  }
  /// `reused`: it needed no address group.
  void complete(std::int64_t number, Cycles now, bool reused) {
    for (Flight& flight : flights_) {
      if (flight.number != number) continue;
      flight.end = now;
      flight.reused = reused;
    }
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

  /// A request whose completion ends a wait.
  struct Last {
    std::uint32_t earlier = 0; ///< as in Step::awaited
    bool reused = false;
    std::int32_t site = -1; ///< as it was given
  };
  /// The first of the warp's requests that are complete now. Requires one.
  Last last(Cycles now) const { return last(now, {}, false); }
  /// Likewise, of the requests of a step StepKind::wait, which are all complete.
  Last last(Cycles now, std::span<const std::uint32_t> awaited) const {
    return last(now, awaited, false);
  }
  /// Likewise, of those that return a value.
  Last last_read(Cycles now) const { return last(now, {}, true); }

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
  Last last(Cycles now, std::span<const std::uint32_t> awaited, bool reads) const {
    for (const Flight& flight : flights_) {
      const auto earlier = static_cast<std::uint32_t>(next_ - flight.number);
      if (flight.end == now && (!reads || flight.returns) &&
          (awaited.empty() || std::find(awaited.begin(), awaited.end(), earlier) != awaited.end()))
        return {earlier, flight.reused, flight.site};
    }
    return {};
  }

  struct Flight {
    std::int64_t number = 0;
    Cycles begin{0}; ///< what is before it has been told
    Cycles end = never;
    bool returns = false;
    bool reused = false;
    std::int32_t site = -1;
  };
  static bool flies(const Flight& flight) { return flight.end == never; }

  std::int64_t next_ = 0; ///< the number of its next request
  std::vector<Flight> flights_;
};

} // namespace memlane::reference
