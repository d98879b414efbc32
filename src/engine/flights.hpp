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
  struct Flight {
    std::int64_t number = 0;
    Cycles begin{0};    ///< what is before it has been told
    Cycles end = never; ///< while it flies: as the caller has set it
    std::int32_t site = -1;
    std::int32_t request = -1; ///< likewise, a number of the caller's
    bool flies = true, returns = false, reused = false;
  };
  std::span<Flight> all() { return flights_; }
  std::span<const Flight> all() const { return flights_; }
  /// How many requests it came before the next one.
  std::int64_t earlier(const Flight& flight) const { return next_ - flight.number; }
  /// Another warp takes this one's place.
  void restart() {
    next_ = 0;
    flights_.clear();
  }

  /// A port has taken the warp's next request, which `returns` a value or does not. Its number is
  /// one more than the latest one's: the first one is 0.
  Flight& begin(Cycles now, bool returns, std::int32_t site = -1) {
    return flights_.emplace_back(Flight{next_++, now, never, site, -1, true, returns, false});
  }
  /// `reused`: it needed no address group.
  void complete(std::int64_t number, Cycles now, bool reused) {
    for (Flight& flight : all()) {
      if (flight.number != number) continue;
      flight.flies = false;
      flight.end = now;
      flight.reused = reused;
    }
  }

  std::int64_t on_their_way() const {
    return std::count_if(all().begin(), all().end(), [](const Flight& f) { return f.flies; });
  }
  /// Whether a request that returns a value is on its way.
  bool has_reads() const {
    return std::any_of(all().begin(), all().end(),
                       [](const Flight& flight) { return flight.flies && flight.returns; });
  }
  /// Whether one of the requests of a step StepKind::wait is on its way.
  bool has(std::span<const std::uint32_t> awaited) const {
    return std::any_of(all().begin(), all().end(), [&](const Flight& flight) {
      return flight.flies && is_awaited(flight, awaited);
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
  /// were on their way, which are apart from each other and rise. Requests that are complete are
  /// forgotten.
  template <class F>
  void make_another(Cycles now, F f) {
    if (flights_.empty()) return;
    Cycles begin = flights_.front().begin, end = begin; // later ones began later
    for (Flight& flight : flights_) {
      if (flight.begin > end) {
        f(begin, end);
        begin = flight.begin;
      }
      end = std::max(end, flight.flies ? now : std::min(flight.end, now));
      flight.begin = now;
    }
    f(begin, end);
    std::erase_if(flights_, [](const Flight& flight) { return !flight.flies; });
  }

private:
  bool is_awaited(const Flight& flight, std::span<const std::uint32_t> awaited) const {
    return awaited.empty() ||
           std::find(awaited.begin(), awaited.end(), earlier(flight)) != awaited.end();
  }
  Last last(Cycles now, std::span<const std::uint32_t> awaited, bool reads) const {
    for (const Flight& flight : all())
      if (!flight.flies && flight.end == now && (!reads || flight.returns) &&
          is_awaited(flight, awaited))
        return {static_cast<std::uint32_t>(earlier(flight)), flight.reused, flight.site};
    return {};
  }
  std::int64_t next_ = 0; ///< the number of its next request
  std::vector<Flight> flights_;
};

} // namespace memlane::reference
