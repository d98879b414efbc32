// Requests of a tile's warps (configs/README.md section 2): their words, stages and effects.
#include "fast/launch_run.hpp"
#include "machine_rules.hpp"
#include "tile.hpp"

#include <algorithm>
#include <cstring>

namespace memlane::fast {

using ir::Instruction;
using ir::Opcode;
using ir::Scalar;

bool Tile::load(const Instruction& in) {
  const Requests requests{pc_, forall_, &values_[in.a], forall_ ? &iterations_ : &threads_, &mask_};
  ArrayView& array = launch_.arrays[static_cast<std::size_t>(in.immediate)];
  if (!make_requests(requests)) return false;
  if (launch_.fast.timing_only) {
    make_uniform(values_.out(), {});
  } else if (!written(requests, array) || !read_words(requests, array)) {
    return false;
  }
  values_.commit(in.d, array.type, mask_, launch_.facts.writes_all[pc_]);
  return true;
}

bool Tile::store(const Instruction& in) {
  const Requests requests{pc_, forall_, &values_[in.a], forall_ ? &iterations_ : &threads_, &mask_};
  ArrayView& array = launch_.arrays[static_cast<std::size_t>(in.immediate)];
  return make_requests(requests) &&
         (launch_.fast.timing_only || write_words(requests, array, values_[in.b]));
}

bool Tile::defer(const Instruction& in) {
  const ArrayView& array = launch_.arrays[static_cast<std::size_t>(in.immediate)];
  if (!within(values_[in.a], 0, array.elements - 1, mask_)) return refuse();
  Deferred& entry = deferred_.emplace_back();
  entry.site = pc_;
  entry.forall = forall_;
  copy_register(values_[in.a], values_.shape(), entry.elements);
  copy_register(values_[in.b], values_.shape(), entry.values);
  copy_register(forall_ ? iterations_ : threads_, values_.shape(), entry.iterations);
  entry.mask = mask_;
  if (steps_) entry.reads = steps_->reads_of(in.b, followed(in, pc_, mask_));
  return true;
}

bool Tile::drain() {
  for (const Deferred& entry : deferred_) {
    const Requests requests{entry.site, entry.forall, &entry.elements, &entry.iterations,
                            &entry.mask};
    if (steps_) steps_->need(entry.reads, followed(at(entry.site), entry.site, entry.mask));
    ArrayView& array = launch_.arrays[static_cast<std::size_t>(at(entry.site).immediate)];
    if (!make_requests(requests)) return false;
    if (!launch_.fast.timing_only && !write_words(requests, array, entry.values)) return false;
  }
  deferred_.clear();
  return true;
}

/// Warp by warp, to an observer that wants accesses.
void Tile::tell_accessed(const Requests& requests, const ArrayView& array) {
  const LaneSets& sets = values_.sets();
  const int width = values_.shape().width;
  const SiteInfo* const site = &launch_.shape.kernel->site_of(requests.site);
  for (int k = 0; k < requests.mask->end; ++k) {
    if (sets.counts(*requests.mask)[k] == 0) continue;
    const std::uint8_t* active = sets.lanes(*requests.mask) + k * width;
    for (int j = 0; j < width; ++j) {
      const auto element = [&] {
        return value_at(*requests.elements, values_.shape(), k, j).integer();
      };
      addresses_[static_cast<std::size_t>(j)] = active[j] ? array.address(element()) : -1;
    }
    launch_.run.executions->accessed({{block_, first_warp_ + k}, site, array.unit, addresses_});
  }
}

bool Tile::make_requests(const Requests& requests) {
  const Instruction& in = at(requests.site);
  const auto index = static_cast<std::int32_t>(in.immediate);
  ArrayView& array = launch_.arrays[static_cast<std::size_t>(index)];
  const AccessKind kind = access_kind(in.op);
  if (!within(*requests.elements, 0, array.elements - 1, *requests.mask)) return refuse();
  if (launch_.run.executions) tell_accessed(requests, array);
  if (!begin_request(requests)) return false;
  if (array.blocks && !note_words(requests, *array.blocks, kind)) return false;
  if (array.tracked && !look_for_races(requests, array, index, kind)) return false;
  const std::int64_t& concurrent =
      launch_.tally.concurrent_writes(requests.site)[BlockTally::every];
  const std::int64_t before = concurrent;
  const bool atomic = kind == AccessKind::atomic;
  if (!(atomic ? count_atomic(requests, array) : count_stages(requests, array, writes(kind))))
    return false;
  if (steps_) steps_->logged(*log_);
  if (atomic) return true;
  if (concurrent == before || !reference::writes_exclusively(launch_.run.machine)) return true;
  return launch_.fast.refuse("threads of one request write one word", in.span);
}

// Two blocks must not access a word that one of them writes: one bit per word tells.
bool Tile::note_words(const Requests& requests, BlockNotes& blocks, AccessKind kind) {
  if (blocks.add(*requests.elements, values_.shape(), *requests.mask, values_.sets(), kind))
    return true;
  return launch_.fast.refuse("blocks of one launch, or of one `concurrent`, may race",
                             at(requests.site).span);
}

// Within a block a race needs two warps, two iterations of a forall, or two paths of an `if`. Lanes
// of the same path must not conflict either: this is more than the model demands, and the reference
// engine runs the programs that do.
bool Tile::look_for_races(const Requests& requests, ArrayView& array, std::int32_t index,
                          AccessKind kind) {
  const LaneSets& sets = values_.sets();
  std::uint32_t group = requests.forall;
  for (std::size_t depth = 0; depth < depth_ && group == 0; ++depth) {
    if (!frames_[depth].divergent) continue;
    group = frames_[depth].serial;
    extrapolator_.diverges(depth);
  }
  if (group == 0 && launch_.warps_of_block == 1) return true;
  const WatchedAccess access{{requests.elements, requests.iterations, requests.forall,
                              static_cast<std::int32_t>(requests.site), writes(kind)},
                             kind,
                             group,
                             first_warp_};
  if (together_ > 1) return look_in_blocks(access, *requests.mask, array, index);
  return launch_.act_on(array.watch->add(access, values_.shape(), *requests.mask, sets), index,
                        at(requests.site).span);
}

/// The words of a request's elements in the array, if they follow a pattern; else null. Requires
/// has_rows and elements inside the array.
const Rows* Tile::words_of(const Register& elements, const Placement& placement, const Mask& mask) {
  if (placement.kind == LayoutKind::rows) return &elements.rows;
  if (placement.kind != LayoutKind::padded || !mask.full) return nullptr;
  // Each row is preceded by the padding of those before it.
  const Shape part = values_.sets().part(mask);
  Rows& row = scratch_.rows;
  Rows padding;
  if (!divide_rows(elements.rows, placement.row_length, true, part, row)) return nullptr;
  multiply_rows(row, placement.pitch - placement.row_length, part, padding);
  return add_rows(elements.rows, padding, 1, part, words_) ? &words_ : nullptr;
}

/// Whether all active warps take the same number of stages, as far as closed forms tell.
bool Tile::same_stages(const Register& elements, const Rows* words, const ArrayView& array,
                       const Mask& mask, std::int64_t& stages) {
  if (elements.form == Form::uniform) {
    stages = 1;
    return true;
  }
  if (!words || !mask.full) return false;
  const std::int64_t width = values_.shape().width;
  Banks& banks = launch_.banks(array.unit);
  const bool apart = words->folds == 0 && std::abs(words->lane_step) >= width;
  const bool one = words->folds == 0 && words->lane_step == 0;
  if (banks.kind() == UnitKind::unified && !apart && !one &&
      (!words->even || words->warp_step % width != 0))
    return false;
  stages = banks.of_pattern(array.base + words->base(0), *words);
  return true;
}

std::int64_t Tile::stages_of_warp(const Requests& requests, const Rows* words,
                                  const ArrayView& array, int warp, Banks& banks,
                                  std::int64_t* repeated) {
  const LaneSets& sets = values_.sets();
  const int width = values_.shape().width;
  const std::uint8_t* lanes = sets.lanes(*requests.mask) + warp * width;
  const std::int32_t active = sets.counts(*requests.mask)[warp];
  const Register& elements = *requests.elements;
  const Placement& placement = *array.placement;
  if (elements.form == Form::uniform) {
    if (repeated && active > 1) ++*repeated;
    return 1;
  }
  if (has_rows(elements) && active == width && words) {
    if (repeated) *repeated += banks.repeated_in(*words);
    return banks.of_pattern(array.base + words->base(warp), *words);
  }
  if (elements.form == Form::rows) {
    const Rows& rows = elements.rows;
    int first = 0, last = width - 1;
    while (!lanes[first]) ++first;
    while (!lanes[last]) --last;
    if (rows.lane_step == 0) {
      if (repeated && active > 1) ++*repeated;
      return 1;
    }
    if (last - first + 1 == active) {
      const std::int64_t from = rows.at(warp, first), to = rows.at(warp, last);
      if (placement.kind == LayoutKind::rows)
        return banks.of_steps(array.base + from, rows.lane_step, active);
      // Within one row of the layout, without a wrap at its end, words step as elements do; where
      // rows are not kept, not even if the words of the first and the last lane say so.
      if (placement.keeps_rows() && from / placement.row_length == to / placement.row_length) {
        const std::int64_t x = placement.word(from), y = placement.word(to);
        if (y - x == to - from) return banks.of_steps(array.base + x, rows.lane_step, active);
      }
      // Down a column of rows that are not rotated, they step by rows.
      if (placement.kind == LayoutKind::padded && rows.lane_step % placement.row_length == 0)
        return banks.of_steps(array.base + placement.word(from),
                              rows.lane_step / placement.row_length * placement.pitch, active);
    }
  }
  if (elements.form == Form::vector && elements.type == Scalar::int32 && active == width &&
      placement.kind == LayoutKind::rows && !repeated)
    return stages_of_gather(elements.words<std::int32_t>(), array, warp, banks);
  return banks.of_addresses(addresses_.data(), address_words(elements, array, warp, lanes),
                            repeated);
}

/// Puts the addresses of active lanes of a warp into addresses_, and returns how many they are.
int Tile::address_words(const Register& elements, const ArrayView& array, int warp,
                        const std::uint8_t* active) {
  const int width = values_.shape().width;
  int count = 0;
  const auto address = [&](auto element) {
    const bool plain = array.placement->kind == LayoutKind::rows;
    for (int j = 0; j < width; ++j) {
      if (active[j] == 0) continue;
      const std::int64_t e = element(j);
      addresses_[static_cast<std::size_t>(count++)] =
          array.base + (plain ? e : array.placement->word(e));
    }
  };
  if (elements.form != Form::vector) {
    address([&](int j) { return value_at(elements, values_.shape(), warp, j).integer(); });
  } else if (elements.type == Scalar::int32) {
    address([words = elements.words<std::int32_t>() + warp * width](int j) -> std::int64_t {
      return words[j];
    });
  } else {
    address([words = elements.words<std::int64_t>() + warp * width](int j) { return words[j]; });
  }
  return count;
}

/// The stages of a load of irregular words by all lanes of a warp. Prefetches the words of the next
/// warp while it counts the banks of this one.
std::int64_t Tile::stages_of_gather(const std::int32_t* words, const ArrayView& array, int warp,
                                    Banks& banks) {
  const Shape& shape = values_.shape();
  const std::int32_t* own = words + warp * shape.width;
  // The words of an inactive next warp may be outside the array: a prefetch may be, too.
  const std::int32_t* next = warp + 1 < shape.warps ? own + shape.width : own;
  return banks.of_words(array.base, own, shape.width,
                        {array.data, next, static_cast<std::int64_t>(ir::size_of(array.type))});
}

/// Adds to a number of the tally for each warp with an active lane.
void Tile::count_warps(const Mask& mask, std::int64_t once, std::int64_t* number) const {
  if (once == 0) return;
  if (together_ == 1) {
    number[every_block] += once * mask.active_warps;
  } else if (mask.whole) {
    number[every_block] += once;
  } else {
    for (int k = 0; k < mask.end; ++k)
      number[k] += mask.counts[static_cast<std::size_t>(k)] > 0 ? once : 0;
  }
}

bool Tile::log_stages(UnitId unit, std::int64_t common, std::size_t site, const Mask& mask) {
  const Ask ask = unit == UnitId::shared ? Ask::shared : Ask::global;
  const int warps = values_.shape().warps;
  const std::int64_t least = least_stages(launch_.spec(unit));
  BlockTally& tally = launch_.tally;
  if (common > 0 && common < least) {
    count_warps(mask, least - common, tally.added(site));
    common = least;
  }
  std::int64_t stages = common * mask.active_warps;
  std::int64_t bytes = sizeof(Entry);
  if (common > 0) count_warps(mask, 1, tally.requests(site, common));
  const UnitSpec& spec = launch_.spec(unit);
  const bool gets = returns(site), chained = !launch_.several || gets;
  reference::RequestChains& chains = launch_.chains.of[static_cast<std::size_t>(unit)];
  if (common > 0 && mask.active_warps == warps) {
    if (chained) chains.add_all(reference::least_time(spec, common));
    log_->entries.push_back({ask, false, gets, static_cast<std::uint32_t>(common)});
  } else {
    const std::int32_t* counts = values_.sets().counts(mask);
    for (int k = 0; k < warps; ++k) {
      std::uint16_t& of_warp = stages_[static_cast<std::size_t>(k)];
      if (common > 0) {
        of_warp = static_cast<std::uint16_t>(counts[k] > 0 ? common : 0);
      } else if (of_warp > 0) {
        if (of_warp < least) {
          tally.added(site)[block_of(k)] += least - of_warp;
          of_warp = static_cast<std::uint16_t>(least);
        }
        ++tally.requests(site, of_warp)[block_of(k)];
        stages += of_warp;
      }
    }
    if (chained) chains.add_each(spec, stages_.data(), warps);
    log_->add_each(ask, stages_.data(), stages_.size(), gets);
    bytes += 2 * warps;
  }
  return launch_.add_stages(unit, stages, bytes) || refuse();
}

void Tile::count_groups(const Requests& requests, const Rows* words, const ArrayView& array) {
  const std::int32_t* counts = values_.sets().counts(*requests.mask);
  for (int k = 0; k < requests.mask->end; ++k)
    if (counts[k] > 0)
      launch_.tally.groups(requests.site)[block_of(k)] +=
          stages_of_warp(requests, words, array, k, launch_.groups, nullptr);
}

bool Tile::count_stages(const Requests& requests, ArrayView& array, bool write) {
  if (launch_.keyed && (array.unit == UnitId::global || array.words > 1))
    return count_keyed(requests, array, write);
  std::int64_t* const concurrent = launch_.tally.concurrent_writes(requests.site);
  const auto concurrent_writes = [&](int warp) -> auto& { return concurrent[block_of(warp)]; };
  const LaneSets& sets = values_.sets();
  std::int64_t stages = 0;
  const Rows* words = has_rows(*requests.elements)
                          ? words_of(*requests.elements, *array.placement, *requests.mask)
                          : nullptr;
  const bool of_memory = &launch_.spec(array.unit) == &launch_.machine.memory_unit();
  if (launch_.counts_groups && of_memory) count_groups(requests, words, array);
  // A bank for each lane: one stage is all that words need.
  count_warps(*requests.mask, least_stages(launch_.spec(array.unit)) - 1,
              launch_.tally.further_needed(requests.site));
  if (same_stages(*requests.elements, words, array, *requests.mask, stages)) {
    if (write && requests.elements->form == Form::uniform) {
      const std::int32_t* counts = sets.counts(*requests.mask);
      for (int k = 0; k < requests.mask->end; ++k) concurrent_writes(k) += counts[k] > 1;
    } else if (write) {
      if (const std::int64_t repeated = launch_.banks(array.unit).repeated_in(*words))
        for (int k = 0; k < requests.mask->end; ++k) concurrent_writes(k) += repeated;
    }
    return log_stages(array.unit, stages, requests.site, *requests.mask);
  }
  const std::int32_t* counts = sets.counts(*requests.mask);
  bool all_same = true;
  std::int64_t common = 0;
  for (int k = 0; k < values_.shape().warps; ++k) {
    std::int64_t of_warp = 0;
    if (counts[k] > 0)
      of_warp = stages_of_warp(requests, words, array, k, launch_.banks(array.unit),
                               write ? &concurrent_writes(k) : nullptr);
    stages_[static_cast<std::size_t>(k)] = static_cast<std::uint16_t>(of_warp);
    if (of_warp == 0) continue;
    if (common == 0) common = of_warp;
    all_same &= of_warp == common;
  }
  return log_stages(array.unit, all_same ? common : 0, requests.site, *requests.mask);
}

} // namespace memlane::fast
