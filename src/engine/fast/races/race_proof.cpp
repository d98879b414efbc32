#include "race_proof.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace memlane::fast {

namespace {

constexpr std::size_t most_uses = 96; // they are compared pairwise
constexpr std::size_t most_maps_of_reads = 32;

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
  for (int k = 0; k < mask.end; ++k) {
    if (counts[k] == 0) continue;
    LaneRange range{0, shape.width - 1};
    if (counts[k] < shape.width) range = active_lanes(lanes + k * shape.width, shape.width);
    if (!f(k, range.first, range.last)) return false;
  }
  return true;
}

} // namespace

// The range of the words, and a common divisor of their distances.
void RaceProof::find_extent(const Rows& e, const Mask& mask, const LaneSets& sets, Use& use) const {
  use.step = std::abs(e.lane_step);
  for (int f = 0; f < e.folds; ++f)
    use.step = std::gcd(use.step, e.fold[static_cast<std::size_t>(f)].step);
  if (mask.full && e.even) {
    const Extent extent = extent_of(e, sets.part(mask));
    use.first = extent.least;
    use.last = extent.most;
    use.step = std::gcd(use.step, e.warp_step);
    return;
  }
  use.first = INT64_MAX;
  use.last = INT64_MIN;
  const Extent offsets = across(e, shape_.width);
  each_warp(shape_, mask, sets, [&](int k, int first, int last) {
    // Of a folded row all lanes are taken, inactive ones included.
    const std::int64_t base = e.base(k);
    const std::int64_t x = e.folds > 0 ? base + offsets.least : base + e.lane_step * first;
    const std::int64_t y = e.folds > 0 ? base + offsets.most : base + e.lane_step * last;
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
    for (int i = 0; i < sets.part(mask).lanes(); ++i) {
      const auto at = static_cast<std::int64_t>(words[i]);
      use.first = active[i] && at < use.first ? at : use.first;
      use.last = active[i] && at > use.last ? at : use.last;
    }
  });
}

/// Whether different iterations have different words: for all rows of iterations, or for those of
/// this access. Each step must be greater than the sum of all that smaller steps reach.
bool RaceProof::injective(const Use& use, bool for_all_rows) const {
  const Pattern& pattern = use.pattern;
  if (pattern.folds == 0 && pattern.lane_step != 0 &&
      std::abs(use.warp_step) > std::abs(pattern.lane_step) * (shape_.width - 1))
    return true;
  std::array<Digit, most_folds + 2> digits;
  int count = 0;
  const auto add = [&](Digit digit) {
    digit.step = std::abs(digit.step);
    int at = count++;
    for (; at > 0 && digits[static_cast<std::size_t>(at - 1)].step > digit.step; --at)
      digits[static_cast<std::size_t>(at)] = digits[static_cast<std::size_t>(at - 1)];
    digits[static_cast<std::size_t>(at)] = digit;
  };
  for (int d = 0; d <= pattern.folds; ++d)
    if (const Digit digit = pattern.digit_of(d, shape_.width); digit.count > 1) add(digit);
  const std::int64_t rows = use.last_row - use.first_row + 1;
  if (for_all_rows || rows > 1) add({use.warp_step, rows, shape_.width});
  std::int64_t span = 0;
  for (int d = 0; d < count; ++d) {
    const auto [step, numbers, lanes] = digits[static_cast<std::size_t>(d)];
    // The number of rows is not bounded: their step must be the greatest.
    if (step <= span || (for_all_rows && lanes == shape_.width && d + 1 < count)) return false;
    std::int64_t last = 0;
    if (__builtin_mul_overflow(step, numbers - 1, &last) ||
        __builtin_add_overflow(span, last, &span))
      return false;
  }
  return true;
}

bool RaceProof::find_affine(const Rows& e, const Rows& i, const Mask& mask, const LaneSets& sets,
                            Use& use) const {
  const std::int64_t width = shape_.width;
  if (i.lane_step == 0 || i.folds > 0) return false;
  use.map = Use::Map::affine;
  use.pattern.set(e);
  // If the rows of iterations are not aligned with the warps, lanes and warps must have one step.
  const bool aligned = i.even && e.even && i.lane_step == 1 && i.first >= 0 &&
                       i.first % width == 0 && i.warp_step > 0 && i.warp_step % width == 0;
  if (aligned && e.warp_step % (i.warp_step / width) == 0) {
    use.warp_step = e.warp_step / (i.warp_step / width);
    use.first_row = i.first / width;
    use.last_row = use.first_row + i.warp_step / width * (mask.end - 1);
    use.offset = e.first - use.warp_step * use.first_row;
    return injective(use, true) || (mask.full && injective(use, false));
  }
  if (e.folds > 0 || e.lane_step == 0 || e.lane_step % i.lane_step != 0) return false;
  use.pattern.lane_step = e.lane_step / i.lane_step;
  use.warp_step = use.pattern.lane_step * width;
  bool first = true;
  const bool plain = each_warp(shape_, mask, sets, [&](int k, int, int) {
    const std::int64_t offset = e.base(k) - use.pattern.lane_step * i.base(k);
    if (first) use.offset = offset;
    first = false;
    return offset == use.offset;
  });
  return plain;
}

bool RaceProof::find_increasing(const Rows& e, const Rows& i, const Mask& mask,
                                const LaneSets& sets, Use& use) const {
  use.map = Use::Map::increasing;
  if (i.folds > 0) return false;
  std::int64_t span = 0;
  bool upwards = true;
  for (int d = 0; d <= e.folds && e.folds > 0; ++d) {
    const Digit digit = e.digit_of(d, shape_.width);
    upwards = upwards && digit.step > span;
    span += digit.step * (digit.count - 1);
  }
  if (!upwards) return false;
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

/// Words that have the same distance from their iterations in all lanes.
bool RaceProof::find_shifted(const Register& e, const Rows& i, const Mask& mask,
                             const LaneSets& sets, Use& use) const {
  use.map = Use::Map::affine;
  use.pattern.lane_step = 1;
  use.warp_step = shape_.width;
  const std::uint8_t* active = sets.lanes(mask);
  bool begun = false;
  return with_type(e.type, [&](auto word) {
    const auto* words = e.words<decltype(word)>();
    return each_warp(shape_, mask, sets, [&](int k, int first, int last) {
      const int row = k * shape_.width;
      const std::int64_t base = i.base(k);
      if (!begun)
        use.offset = static_cast<std::int64_t>(words[row + first]) - base - i.lane_step * first;
      begun = true;
      bool same = true;
      for (int j = first; j <= last; ++j)
        same &= !active[row + j] ||
                static_cast<std::int64_t>(words[row + j]) == base + i.lane_step * j + use.offset;
      return same;
    });
  });
}

/// Words that increase from lane to lane, as the iterations do.
bool RaceProof::vector_increases(const Register& e, const Rows& i, const Mask& mask,
                                 const LaneSets& sets, Use& use) const {
  use.map = Use::Map::increasing;
  const std::uint8_t* active = sets.lanes(mask);
  std::int64_t last_word = INT64_MIN, last_iteration = INT64_MIN;
  const bool increasing = with_type(e.type, [&](auto word) {
    const auto* words = e.words<decltype(word)>();
    return each_warp(shape_, mask, sets, [&](int k, int first, int last) {
      if (first != last && i.lane_step <= 0) return false;
      if (i.at(k, first) <= last_iteration) return false;
      last_iteration = i.at(k, last);
      for (int j = first; j <= last; ++j) {
        if (!active[k * shape_.width + j]) continue;
        const auto at = static_cast<std::int64_t>(words[k * shape_.width + j]);
        if (at <= last_word) return false;
        last_word = at;
      }
      return true;
    });
  });
  use.last_iteration = last_iteration;
  return increasing;
}

// The access of a single lane joins a known map that gives its iteration this word.
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
  use.pattern.lane_step = 1;
  use.warp_step = width;
  use.offset = e - i;
  use.first = use.last = e;
  use.first_row = use.last_row = i / width;
  for (const Use& known : uses_)
    if (known.map == Use::Map::affine && known.forall == use.forall && i >= 0 &&
        known.offset + known.pattern.offset(static_cast<int>(i % width)) +
                known.warp_step * (i / width) ==
            e) {
      use.pattern.set(known.pattern);
      use.warp_step = known.warp_step;
      use.offset = known.offset;
      break;
    }
  return merge(use, accesses.site);
}

bool RaceProof::add(const Accesses& accesses, const Mask& mask, const LaneSets& sets) {
  const Register &elements = *accesses.elements, &iterations = *accesses.iterations;
  if (mask.active == 1) return add_single(accesses, mask, sets);
  Use use;
  use.write = accesses.write;
  use.forall = accesses.forall;
  if (elements.form == Form::vector) {
    use.step = 1;
    find_vector_extent(elements, mask, sets, use);
    if (iterations.form == Form::vector || iterations.form == Form::folded) {
      if (use.write) return false;
    } else {
      const Rows& i = as_rows(iterations, uniform_rows_[1]);
      if (find_shifted(elements, i, mask, sets, use)) return merge(use, accesses.site);
      if (use.write && !vector_increases(elements, i, mask, sets, use)) return false;
    }
    if (!use.write) use.map = Use::Map::none;
    use.pattern.set({});
    use.offset = use.warp_step = 0;
    use.site = accesses.site;
    return merge(use, accesses.site);
  }
  const Rows& e = as_rows(elements, uniform_rows_[0]);
  find_extent(e, mask, sets, use);
  bool mapped = false;
  if (iterations.form != Form::vector) {
    const Rows& i = as_rows(iterations, uniform_rows_[1]);
    mapped = find_affine(e, i, mask, sets, use);
    if (!mapped) {
      use.pattern.set({});
      use.offset = use.warp_step = 0;
      use.site = accesses.site;
      mapped = use.write && find_increasing(e, i, mask, sets, use);
    }
  }
  if (!mapped) {
    if (use.write) return false;
    use.map = Use::Map::none;
    use.site = accesses.site;
  }
  return merge(use, accesses.site);
}

bool RaceProof::extend(const Use& use) {
  for (Use& known : uses_) {
    if (!known.same(use) || (use.map != Use::Map::affine && known.write != use.write)) continue;
    if (use.map == Use::Map::increasing) {
      // Several rounds of one forall: each continues after the last one.
      if (use.first <= known.last || use.last_iteration <= known.last_iteration) return false;
      known.last_iteration = use.last_iteration;
    }
    known.write = known.write || use.write;
    known.first_row = std::min(known.first_row, use.first_row);
    known.last_row = std::max(known.last_row, use.last_row);
    known.step = known.step == 1 || use.step == 1
                     ? 1
                     : std::gcd(std::gcd(known.step, use.step), use.first - known.first);
    known.first = std::min(known.first, use.first);
    known.last = std::max(known.last, use.last);
    return true;
  }
  return false;
}

bool RaceProof::merge(const Use& use, std::int32_t site) {
  if (extend(use)) return true;
  if (use.write || uses_.size() < most_maps_of_reads) {
    uses_.push_back(use);
    return uses_.size() <= most_uses;
  }
  // Reads do not conflict with each other: of many, it is enough where they are.
  Use reads = use;
  reads.map = Use::Map::none;
  reads.site = site;
  reads.pattern.set({});
  reads.offset = reads.warp_step = 0;
  if (extend(reads)) return true;
  uses_.push_back(reads);
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
  for (const Use& use : uses_)
    if (use.map == Use::Map::affine && use.write)
      proven = proven && (injective(use, true) || injective(use, false));
  for (std::size_t x = 0; x < uses_.size() && proven; ++x)
    for (std::size_t y = x + 1; y < uses_.size() && proven; ++y)
      if (uses_[x].write || uses_[y].write) proven = apart(uses_[x], uses_[y]);
  uses_.clear();
  return proven;
}

} // namespace memlane::fast
