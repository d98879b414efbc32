#include "registers.hpp"
#include "wide_lanes.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace memlane::fast {

void LaneSets::start(const Shape& shape, std::int64_t threads, std::int64_t blocks) {
  if (shape.warps == shape_.warps && shape.width == shape_.width && blocks == blocks_ &&
      all_.active == threads * blocks)
    return;
  shape_ = shape;
  blocks_ = blocks;
  all_.lanes.assign(static_cast<std::size_t>(shape.lanes()), 0);
  for (std::int64_t block = 0; block < blocks; ++block)
    std::fill_n(all_.lanes.begin() + block * shape.width, threads, std::uint8_t{1});
  all_.counts.resize(static_cast<std::size_t>(shape.warps));
  count(all_);
  all_.whole = true;
}

namespace {

/// The sum of bytes that are 0 or 1, eight at a time.
std::int32_t sum_of(const std::uint8_t* bytes, int count) {
  std::int32_t sum = 0;
  int i = 0;
  for (std::uint64_t eight = 0; i + 8 <= count; i += 8) {
    std::memcpy(&eight, bytes + i, 8);
    sum += static_cast<std::int32_t>(eight * 0x0101010101010101u >> 56);
  }
  return std::accumulate(bytes + i, bytes + count, sum);
}

} // namespace

void LaneSets::count(Mask& mask) const {
  const std::uint8_t* lane = mask.lanes.data();
  mask.active = 0;
  mask.active_warps = mask.end = 0;
  for (int k = 0; k < shape_.warps; ++k, lane += shape_.width) {
    const std::int32_t active = sum_of(lane, shape_.width);
    mask.counts[static_cast<std::size_t>(k)] = active;
    mask.active += active;
    mask.active_warps += active > 0 ? 1 : 0;
    if (active > 0) mask.end = k + 1;
  }
  mask.full = mask.active > 0 && mask.active == part(mask).lanes();
  mask.whole = mask.active == all_.active && &mask != &all_;
}

bool LaneSets::whole_warps(const Mask& mask) const {
  if (mask.whole) return true;
  bool whole = true;
  for (int k = 0; k < mask.end; ++k) {
    const auto warp = static_cast<std::size_t>(k);
    whole &= mask.counts[warp] == 0 || mask.counts[warp] == all_.counts[warp];
  }
  return whole;
}

void LaneSets::set_all(Mask& mask) const {
  mask.whole = true;
  mask.active = all_.active;
  mask.active_warps = all_.active_warps;
  mask.end = all_.end;
  mask.full = all_.full;
}

void LaneSets::set(const std::uint8_t* lanes, Mask& mask) const {
  mask.lanes.assign(lanes, lanes + shape_.lanes());
  mask.counts.resize(static_cast<std::size_t>(shape_.warps));
  count(mask);
}

void LaneSets::set_none(Mask& mask) const {
  mask.whole = false;
  mask.active = 0;
  mask.active_warps = mask.end = 0;
  mask.full = false;
}

void LaneSets::split(const Mask& mask, const Register& condition, Mask& yes, Mask& no) const {
  if (condition.form == Form::uniform) {
    const bool holds = condition.value.truth();
    Mask& some = holds ? yes : no;
    if (&some != &mask) some = mask;
    set_none(holds ? no : yes);
    return;
  }
  const auto count_lanes = static_cast<std::size_t>(shape_.lanes());
  const auto size = static_cast<std::size_t>(shape_.warps);
  for (Mask* part : {&no, &yes}) {
    part->lanes.resize(count_lanes);
    part->counts.resize(size);
  }
  const std::uint8_t* from = lanes(mask);
  const auto* holds = condition.words<std::uint8_t>();
  std::uint8_t *of_yes = yes.lanes.data(), *of_no = no.lanes.data();
  // `yes` may be `mask` itself: it is written last, in a separate loop, so that the compiler knows
  // that nothing else overlaps.
  each_wide(shape_.lanes(), [=](int i) { of_no[i] = from[i] & (holds[i] ^ 1); });
  if (of_yes != from) std::copy_n(from, count_lanes, of_yes);
  each_wide(shape_.lanes(), [=](int i) { of_yes[i] &= holds[i]; });
  count(no);
  count(yes);
}

void LaneSets::unite(Mask& mask, const Mask& other) const {
  if (other.active == 0) return;
  if (mask.active + other.active == all_.active) return set_all(mask);
  if (mask.active == 0) {
    mask = other;
    return;
  }
  const std::uint8_t* more = lanes(other);
  std::uint8_t* const all = mask.lanes.data();
  each_wide(shape_.lanes(), [=](int i) { all[i] |= more[i]; });
  count(mask);
}

} // namespace memlane::fast
