#include "race_proof.hpp"

#include <algorithm>
#include <numeric>

namespace memlane::fast {

namespace {

constexpr std::size_t most_uses = 96; // they are held against each other

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

/// The active lanes first..last of a warp that has some.
struct LaneRange {
  int first, last;
};
LaneRange active_lanes(const std::uint8_t* lanes, int width) {
  LaneRange range{0, width - 1};
  while (!lanes[range.first]) ++range.first;
  while (!lanes[range.last]) --range.last;
  return range;
}

/// Calls f(k, first, last) for each warp with active lanes, until one says false.
template <class F>
bool each_warp(const Shape& shape, const Mask& mask, const LaneSets& sets, F f) {
  const std::int32_t* counts = sets.counts(mask);
  const std::uint8_t* lanes = sets.lanes(mask);
  for (int k = 0; k < shape.warps; ++k) {
    if (counts[k] == 0) continue;
    LaneRange range{0, shape.width - 1};
    if (counts[k] < shape.width) range = active_lanes(lanes + k * shape.width, shape.width);
    if (!f(k, range.first, range.last)) return false;
  }
  return true;
}

} // namespace

// The words' range, and what their distances have as a common divisor.
void RaceProof::find_extent(const Rows& e, const Mask& mask, const LaneSets& sets, Use& use) const {
  if (mask.whole && sets.no_missing() && e.even) {
    const std::int64_t across = e.lane_step * (shape_.width - 1);
    const std::int64_t down = e.warp_step * (shape_.warps - 1);
    use.first = e.first + std::min<std::int64_t>(0, across) + std::min<std::int64_t>(0, down);
    use.last = e.first + std::max<std::int64_t>(0, across) + std::max<std::int64_t>(0, down);
    use.step = std::gcd(e.lane_step, e.warp_step);
    return;
  }
  use.first = INT64_MAX;
  use.last = INT64_MIN;
  use.step = std::abs(e.lane_step);
  each_warp(shape_, mask, sets, [&](int k, int first, int last) {
    const std::int64_t x = e.at(k, first), y = e.at(k, last);
    if (use.first != INT64_MAX && use.step != 1) use.step = std::gcd(use.step, x - use.first);
    use.first = std::min({use.first, x, y});
    use.last = std::max({use.last, x, y});
    return true;
  });
}

void RaceProof::find_vector_extent(const Register& e, const Mask& mask, const LaneSets& sets,
                                   Use& use) const {
  const std::uint8_t* active = sets.lanes(mask);
  use.first = INT64_MAX;
  use.last = INT64_MIN;
  with_type(e.type, [&](auto word) {
    const auto* words = e.words<decltype(word)>();
    for (int i = 0; i < shape_.lanes(); ++i) {
      const auto at = static_cast<std::int64_t>(words[i]);
      use.first = active[i] && at < use.first ? at : use.first;
      use.last = active[i] && at > use.last ? at : use.last;
    }
  });
}

bool RaceProof::find_affine(const Rows& e, const Rows& i, const Mask& mask, const LaneSets& sets,
                            Use& use) const {
  const std::int64_t width = shape_.width;
  if (i.lane_step == 0 || e.lane_step == 0 || e.lane_step % i.lane_step != 0) return false;
  use.map = Use::Map::affine;
  use.lane_step = e.lane_step / i.lane_step;
  // Where the rows of iterations are not aligned with the warps, one step must do for both.
  const bool aligned = i.even && e.even && i.lane_step == 1 && i.first >= 0 &&
                       i.first % width == 0 && i.warp_step > 0 && i.warp_step % width == 0;
  if (aligned && e.warp_step % (i.warp_step / width) == 0) {
    use.warp_step = e.warp_step / (i.warp_step / width);
    use.offset = e.first - use.warp_step * (i.first / width);
    // Different words for different iterations: the rows of words do not reach into each other.
    return use.warp_step == use.lane_step * width ||
           std::abs(use.warp_step) > std::abs(use.lane_step) * (width - 1);
  }
  use.warp_step = use.lane_step * width;
  bool first = true;
  const bool plain = each_warp(shape_, mask, sets, [&](int k, int, int) {
    const std::int64_t offset = e.base(k) - use.lane_step * i.base(k);
    if (first) use.offset = offset;
    first = false;
    return offset == use.offset;
  });
  return plain;
}

bool RaceProof::find_increasing(const Rows& e, const Rows& i, const Mask& mask,
                                const LaneSets& sets, Use& use) const {
  use.map = Use::Map::increasing;
  std::int64_t last_word = INT64_MIN, last_iteration = INT64_MIN;
  const bool increasing = each_warp(shape_, mask, sets, [&](int k, int first, int last) {
    if (first != last && (e.lane_step <= 0 || i.lane_step <= 0)) return false;
    if (e.at(k, first) <= last_word || i.at(k, first) <= last_iteration) return false;
    last_word = e.at(k, last);
    last_iteration = i.at(k, last);
    return true;
  });
  use.last_iteration = last_iteration;
  return increasing;
}

// A single lane's access fits whatever maps its iteration to that word.
bool RaceProof::add_single(const Accesses& accesses, const Mask& mask, const LaneSets& sets) {
  const std::uint8_t* lanes = sets.lanes(mask);
  const auto lane = static_cast<int>(std::find(lanes, lanes + shape_.lanes(), 1) - lanes);
  const int k = lane / shape_.width, j = lane % shape_.width;
  const std::int64_t e = value_at(*accesses.elements, shape_, k, j).integer();
  const std::int64_t i = value_at(*accesses.iterations, shape_, k, j).integer();
  const std::int64_t width = shape_.width;
  Use use;
  use.map = Use::Map::affine;
  use.write = accesses.write;
  use.forall = accesses.forall;
  use.lane_step = 1;
  use.warp_step = width;
  use.offset = e - i;
  use.first = use.last = e;
  for (const Use& known : uses_)
    if (known.map == Use::Map::affine && known.forall == use.forall && i >= 0 &&
        known.offset + known.lane_step * (i % width) + known.warp_step * (i / width) == e) {
      use.lane_step = known.lane_step;
      use.warp_step = known.warp_step;
      use.offset = known.offset;
      break;
    }
  return merge(use);
}

bool RaceProof::add(const Accesses& accesses, const Mask& mask, const LaneSets& sets) {
  const Register &elements = *accesses.elements, &iterations = *accesses.iterations;
  if (mask.active == 1) return add_single(accesses, mask, sets);
  Use use;
  use.write = accesses.write;
  use.forall = accesses.forall;
  if (elements.form == Form::vector) {
    if (use.write) return false;
    use.site = accesses.site;
    use.step = 1;
    find_vector_extent(elements, mask, sets, use);
    return merge(use);
  }
  Rows of_elements, of_iterations;
  const Rows& e = as_rows(elements, of_elements);
  find_extent(e, mask, sets, use);
  bool mapped = false;
  if (iterations.form != Form::vector) {
    const Rows& i = as_rows(iterations, of_iterations);
    mapped = find_affine(e, i, mask, sets, use);
    if (!mapped) {
      use.offset = use.lane_step = use.warp_step = 0;
      use.site = accesses.site;
      mapped = use.write && find_increasing(e, i, mask, sets, use);
    }
  }
  if (!mapped) {
    if (use.write) return false;
    use.map = Use::Map::none;
    use.site = accesses.site;
  }
  return merge(use);
}

bool RaceProof::merge(const Use& use) {
  for (Use& known : uses_) {
    if (!known.same(use) || (use.map != Use::Map::affine && known.write != use.write)) continue;
    if (use.map == Use::Map::increasing) {
      // Several rounds of one forall: each goes on where the last one ended.
      if (use.first <= known.last || use.last_iteration <= known.last_iteration) return false;
      known.last_iteration = use.last_iteration;
    }
    known.write = known.write || use.write;
    known.step = known.step == 1 || use.step == 1
                     ? 1
                     : std::gcd(std::gcd(known.step, use.step), use.first - known.first);
    known.first = std::min(known.first, use.first);
    known.last = std::max(known.last, use.last);
    return true;
  }
  uses_.push_back(use);
  return uses_.size() <= most_uses;
}

bool RaceProof::apart(const Use& a, const Use& b) {
  if (a.last < b.first || b.last < a.first) return true;
  const std::int64_t step = std::gcd(a.step, b.step); // 0: each is a single word
  return step == 0 ? a.first != b.first
                   : step != 1 && modulo(a.first, step) != modulo(b.first, step);
}

bool RaceProof::close() {
  bool proven = true;
  for (std::size_t x = 0; x < uses_.size() && proven; ++x)
    for (std::size_t y = x + 1; y < uses_.size() && proven; ++y)
      if (uses_[x].write || uses_[y].write) proven = apart(uses_[x], uses_[y]);
  uses_.clear();
  return proven;
}

} // namespace memlane::fast
