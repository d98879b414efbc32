// Blocks of one warp each that are executed together: what must not mix.
#include "fast/launch_run.hpp"
#include "tile.hpp"
#include "wide_lanes.hpp"

#include <algorithm>

namespace memlane::fast {

/// Whether the active lanes may pass a barrier together, or begin a forall: all lanes of the block,
/// or of each block that has any.
bool Tile::meets() const {
  return mask_.whole || (together_ > 1 && values_.sets().whole_warps(mask_));
}

/// Whether a block has lanes in the present mask and in the other one, which the frame notes.
bool Tile::diverges(const Mask& other, Frame& frame) const {
  if (mask_.active == 0 || other.active == 0) return false;
  if (together_ == 1) return true;
  const LaneSets& sets = values_.sets();
  frame.splits.assign(static_cast<std::size_t>(together_), 0);
  bool any = false;
  for (int k = 0; k < std::min(mask_.end, other.end); ++k) {
    const bool both = sets.counts(mask_)[k] > 0 && sets.counts(other)[k] > 0;
    frame.splits[static_cast<std::size_t>(k)] = both ? 1 : 0;
    any |= both;
  }
  return any;
}

/// WatchedAccess::group of one of several blocks.
std::uint32_t Tile::group_of(std::uint32_t forall, int block) const {
  if (forall != 0) return forall;
  for (std::size_t depth = 0; depth < depth_; ++depth)
    if (const Frame& frame = frames_[depth];
        frame.divergent && frame.splits[static_cast<std::size_t>(block)] != 0)
      return frame.serial;
  return 0;
}

/// Each block has watches of its own.
bool Tile::look_in_blocks(const WatchedAccess& access, const Mask& mask, ArrayView& array,
                          std::int32_t index) {
  const LaneSets& sets = values_.sets();
  const Shape& shape = values_.shape();
  const Shape one{1, shape.width};
  of_block_.start(one, launch_.shape.threads);
  WatchedAccess of_block = access;
  of_block.closed_form.elements = part_.data();
  of_block.closed_form.iterations = part_.data() + 1;
  const std::uint8_t* lanes = sets.lanes(mask);
  const std::int32_t* const counts = sets.counts(mask);
  for (int k = 0; k < mask.end; ++k, lanes += shape.width) {
    of_block.group = group_of(access.closed_form.forall, k);
    if (counts[k] == 0 || of_block.group == 0) continue;
    copy_warp(*access.closed_form.elements, shape, k, lanes, part_[0]);
    copy_warp(*access.closed_form.iterations, shape, k, lanes, part_[1]);
    if (counts[k] == launch_.shape.threads) {
      of_block_.set_all(mask_of_block_);
    } else {
      of_block_.set(lanes, mask_of_block_);
    }
    RaceWatch& watch = array.watches->of(static_cast<std::size_t>(k));
    const RaceWatch::Found found = watch.add(of_block, one, mask_of_block_, of_block_);
    if (!launch_.act_on(found, index, at(static_cast<std::size_t>(access.closed_form.site)).span))
      return false;
  }
  return true;
}

/// Where elements lie among the words of all blocks of the tile, if each has words of its own.
const Register& Tile::located(const Register& elements, const ArrayView& array, const Mask& mask) {
  if (together_ == 1 || !array.of_block) return elements;
  const std::int64_t step = array.elements;
  const Shape part = values_.sets().part(mask);
  if (elements.form == Form::vector) {
    with_type(elements.type, [&](auto word) {
      using T = decltype(word);
      if constexpr (std::is_integral_v<T>) {
        const T* from = elements.words<T>();
        T* to = make_vector<T>(located_, values_.shape());
        for (int k = 0; k < part.warps; ++k, from += part.width, to += part.width)
          each_wide(part.width, [=](int j) { to[j] = static_cast<T>(from[j] + step * k); });
      }
    });
    return located_;
  }
  Rows room;
  const Rows& rows = as_rows(elements, room);
  located_.rows.set_all(rows);
  located_.rows.warp_step += step;
  if (!rows.even) {
    located_.rows.bases.resize(static_cast<std::size_t>(part.warps));
    for (int k = 0; k < part.warps; ++k)
      located_.rows.bases[static_cast<std::size_t>(k)] = rows.base(k) + step * k;
  }
  set_form_of_rows(located_);
  return located_;
}

} // namespace memlane::fast
