// Barriers that are objects in shared memory (PTX ISA 9.0, section 9.7.13.15). PTX leaves open what
// is in their 64 bits. Here it is how many arrivals a phase has, how many are pending, and the
// number of the phase.
#include "places.hpp"

#include <bit>
#include <cstring>

namespace memlane::ptx {

namespace {

class Mbarrier {
public:
  static constexpr int count_bits = 20, phase_at = 2 * count_bits;
  static constexpr std::uint64_t most = (std::uint64_t{1} << count_bits) - 1;

  explicit Mbarrier(std::uint64_t bits)
      : expected_(bits & most), pending_(bits >> count_bits & most), phase_(bits >> phase_at) {}
  static std::uint64_t initial(std::uint64_t count) { return count | count << count_bits; }

  std::uint64_t bits() const { return expected_ | pending_ << count_bits | phase_ << phase_at; }
  std::uint64_t expected() const { return expected_; }
  std::uint64_t pending() const { return pending_; }
  std::uint64_t phase() const { return phase_; }
  /// True: the phase is complete, and the next one has begun.
  bool arrive(std::uint64_t count) {
    pending_ -= count;
    if (pending_ != 0) return false;
    pending_ = expected_;
    phase_ = (phase_ + 1) & (~std::uint64_t{0} >> phase_at);
    return true;
  }
  /// The next phases expect so many arrivals fewer.
  void drop(std::uint64_t count) { expected_ -= count; }

private:
  std::uint64_t expected_, pending_, phase_;
};

bool fail(Warp& warp, const Step& step, int lane, std::string detail) {
  return report(warp, step,
                {FaultKind::wrong_mbarrier, lane, Space::shared, 0, 8, &step, std::move(detail)});
}

/// Calls f(lane, place) for the lanes in rising order; false: there is a fault.
template <class F>
bool for_barriers(Warp& warp, const Step& step, bool writes, F f) {
  Places places;
  if (!find_places(warp, step, {step.op->space, step.b, step.bits_a, step.value, 8, writes},
                   places))
    return false;
  for (int l = 0; l < warp_lanes; ++l)
    if ((places.mask >> l & 1) != 0 && !f(l, places.at[l])) return false;
  return true;
}
Mbarrier barrier_at(const std::uint8_t* at) { return Mbarrier(read_bytes(at, 8, false)); }
void put(std::uint8_t* at, std::uint64_t bits) { std::memcpy(at, &bits, sizeof bits); }

void arrive(Warp& warp, const Step& step) {
  const Words& words = step.op->words;
  bool complete = false;
  for_barriers(warp, step, true, [&](int lane, std::uint8_t* at) {
    Mbarrier barrier = barrier_at(at);
    const std::uint64_t count = step.a >= 0 ? source<std::uint32_t>(warp, step.a)[lane] : 1;
    if (barrier.expected() == 0) return fail(warp, step, lane, "nothing has initialised it");
    if (count == 0 || count > barrier.pending())
      return fail(warp, step, lane, "more threads arrive than it still waits for");
    if (step.d >= 0) write_row(warp, step.d, 64, lane, barrier.bits());
    if (words.has(Word::arrive_drop)) barrier.drop(count);
    complete = barrier.arrive(count) || complete;
    put(at, barrier.bits());
    return true;
  });
  // What was accessed before is ordered before what follows.
  if (complete && warp.memories->observer) warp.memories->observer->completes();
}

} // namespace

void use_mbarrier(Warp& warp, const Step& step) {
  const Words& words = step.op->words;
  if (words.has(Word::pending_count)) {
    const auto* const state = source<std::uint64_t>(warp, step.a);
    return for_lanes<std::uint32_t>(warp, step.d, [=](int l) {
      return static_cast<std::uint32_t>(Mbarrier(state[l]).pending());
    });
  }
  // Copies are done at once: their arrival is one of the thread's own, or, with the phase's count
  // raised by it before, none.
  if (words.has(Word::async) && !words.has(Word::noinc)) return;
  if (words.any(Word::arrive, Word::arrive_drop)) return arrive(warp, step);
  for_barriers(warp, step, true, [&](int lane, std::uint8_t* at) {
    const std::uint64_t count =
        words.has(Word::init) ? source<std::uint32_t>(warp, step.a)[lane] : 0;
    if (words.has(Word::init) && (count == 0 || count > Mbarrier::most))
      return fail(warp, step, lane, "it can count from 1 to 1048575 threads");
    put(at, Mbarrier::initial(count));
    return true;
  });
}

bool is_phase_over(Warp& warp, const Step& step) {
  const bool parity = step.op->words.has(Word::parity);
  std::uint32_t over = 0;
  for_barriers(warp, step, false, [&](int lane, const std::uint8_t* at) {
    const Mbarrier barrier = barrier_at(at);
    if (barrier.expected() == 0 && barrier.phase() == 0)
      return fail(warp, step, lane, "nothing has initialised it");
    const bool now =
        parity ? (barrier.phase() & 1) != (source<std::uint32_t>(warp, step.a)[lane] & 1)
               : barrier.phase() != Mbarrier(source<std::uint64_t>(warp, step.a)[lane]).phase();
    over |= static_cast<std::uint32_t>(now) << lane;
    return true;
  });
  set_predicate(warp, step.d, over);
  return (warp.mask & ~over) == 0;
}

} // namespace memlane::ptx
