// Atomics and operations of a warp (configs/README.md section 11), as the reference engine computes
// them.
#include "execution_order.hpp"
#include "fast/launch_run.hpp"
#include "machine_rules.hpp"
#include "tile.hpp"
#include "warp_operations.hpp"

#include "memlane/ir/operations.hpp"
#include "memlane/machine/stages.hpp"

#include <algorithm>

namespace memlane::fast {

using ir::Instruction;
using ir::Scalar;

/// The shuffles of of_warp (warp_operations.hpp) on words.
template <class T>
bool Tile::shuffle(const Instruction& in) {
  const Shape part = values_.sets().part(mask_);
  const std::uint8_t* const active = values_.sets().lanes(mask_);
  const T* const from = values_.words<T>(values_[in.a], 0, part);
  const auto* const operands = values_.words<std::int64_t>(values_[in.b], 1, part);
  T* const results = make_vector<T>(values_.out(), values_.shape());
  for (int first = 0; first < part.lanes(); first += part.width)
    for (int i = first; i < first + part.width; ++i) {
      if (active[i] == 0) continue;
      const std::int64_t lane = in.op == ir::Opcode::shuffle
                                    ? operands[i]
                                    : shuffled_from(in.op, i - first, operands[i], part.width);
      if (lane < 0 || lane >= part.width || active[first + lane] == 0) return false;
      results[i] = from[first + lane];
    }
  return true;
}

/// Likewise sums, minima and maxima, which are one value for a warp's lanes.
template <ir::Opcode op, class T>
void Tile::combine(const Instruction& in) {
  const Shape part = values_.sets().part(mask_);
  const std::uint8_t* const active = values_.sets().lanes(mask_);
  const T* const from = values_.words<T>(values_[in.a], 0, part);
  T* const results = make_vector<T>(values_.out(), values_.shape());
  for (int first = 0; first < part.lanes(); first += part.width) {
    ir::Value all;
    bool begun = false;
    for (int i = first; i < first + part.width; ++i) {
      if (active[i] == 0) continue;
      const ir::Value own = to_value(from[i]);
      all = begun ? ir::operations::one(op, in.type, all, own, {}, in.type).value : own;
      begun = true;
    }
    std::fill_n(results + first, part.width, to_word<T>(all));
  }
}

/// Values instead of words.
template <class T>
bool Tile::of_values(const Instruction& in) {
  const Shape& shape = values_.shape();
  const auto width = static_cast<std::size_t>(shape.width);
  const std::uint8_t* lanes = values_.sets().lanes(mask_);
  const std::int32_t* counts = values_.sets().counts(mask_);
  std::vector<ir::Value>&a = lane_values_[0], &to = lane_values_[1];
  for (std::vector<ir::Value>& of : lane_values_) of.resize(width);
  T* results = make_vector<T>(values_.out(), shape);
  for (int k = 0; k < mask_.end; ++k, lanes += width, results += width) {
    if (counts[k] == 0) continue;
    for (int j = 0; j < shape.width; ++j)
      if (lanes[j] != 0) a[static_cast<std::size_t>(j)] = value_at(values_[in.a], shape, k, j);
    memlane::of_warp(in, a.data(), nullptr, {lanes, width}, to.data());
    for (std::size_t lane = 0; lane < width; ++lane)
      if (lanes[lane] != 0) results[lane] = to_word<T>(to[lane]);
  }
  return true;
}

/// False: a lane asks for the value of an inactive one.
bool Tile::of_warp(const Instruction& in) {
  // A variable's words may be wider than its type.
  Scalar type = result_type(in);
  if (!values_.fits(values_[in.a], type, mask_)) type = Scalar::int64;
  const bool all = with_type(type, [&](auto word) {
    using T = decltype(word);
    switch (static_cast<ir::WarpOpcode>(in.op)) {
    case ir::WarpOpcode::shuffle:
    case ir::WarpOpcode::shuffle_up:
    case ir::WarpOpcode::shuffle_down:
    case ir::WarpOpcode::shuffle_xor: return shuffle<T>(in);
    case ir::WarpOpcode::warp_sum: return combine<ir::Opcode::add, T>(in), true;
    case ir::WarpOpcode::warp_min: return combine<ir::Opcode::min, T>(in), true;
    case ir::WarpOpcode::warp_max: return combine<ir::Opcode::max, T>(in), true;
    case ir::WarpOpcode::tensor:
      copy_register(values_[in.a], values_.shape(), values_.out(), mask_.end);
      return true;
    case ir::WarpOpcode::ballot:
    case ir::WarpOpcode::any:
    case ir::WarpOpcode::all:
    case ir::WarpOpcode::match: break;
    }
    return of_values<T>(in);
  });
  if (all) values_.commit(in.d, result_type(in), mask_, launch_.facts.writes_all[pc_]);
  return all;
}

/// Of the tile's only warp (LaunchRun::ordered).
bool Tile::atomic(const Instruction& in) {
  const Requests requests{pc_, forall_, &values_[in.a], forall_ ? &iterations_ : &threads_, &mask_};
  ArrayView& array = launch_.arrays[static_cast<std::size_t>(in.immediate)];
  if (!make_requests(requests) || !written(requests, array) || !update(requests, array))
    return false;
  if (in.d >= 0) values_.commit(in.d, array.type, mask_, launch_.facts.writes_all[pc_]);
  return true;
}

/// One lane after the other: each gets what the one before has left.
bool Tile::update(const Requests& requests, ArrayView& array) {
  const Instruction& in = at(requests.site);
  const Shape& shape = values_.shape();
  const std::uint8_t* lanes = values_.sets().lanes(*requests.mask);
  const Register &operands = values_[in.b], &expected = values_[in.c];
  const std::int64_t* const elements = values_.words<std::int64_t>(*requests.elements, 0, shape);
  with_type(array.type, [&](auto word) {
    using T = decltype(word);
    T* const words = reinterpret_cast<T*>(array.data);
    T* const old = make_vector<T>(values_.out(), shape);
    const auto lane = [&](int j) {
      T& element = words[elements[j]];
      old[j] = element;
      element = to_word<T>(updated(in, to_value(element), value_at(operands, shape, 0, j),
                                   value_at(expected, shape, 0, j)));
    };
    order_.clear();
    for (int j = 0; j < shape.width; ++j)
      if (lanes[j] != 0) order_.push_back(j);
    if (!launch_.run.options || launch_.run.options->atomics == ExecutionOrder::rising)
      return std::for_each(order_.begin(), order_.end(), lane), void();
    for (const std::int64_t k :
         execution_order(launch_.run.options, static_cast<std::int64_t>(order_.size()),
                         {launch_.number, block_, first_warp_, updates_++}))
      lane(order_[static_cast<std::size_t>(k)]);
  });
  return true;
}

/// The words of the lanes that address_lanes has found.
void Tile::name_addresses(const ArrayView& array) {
  named_.sorted.clear();
  for (const std::int64_t first : addresses_)
    for (std::int64_t word = 0; first >= 0 && word < array.words; ++word)
      named_.sorted.push_back(first + word);
  named_.look();
}

/// As count_stages. A discrete unit merges no lanes; a unified one serves its groups one after the
/// other.
bool Tile::count_atomic(const Requests& requests, const ArrayView& array) {
  const UnitSpec& unit = launch_.spec(array.unit);
  const std::int64_t of_stage = launch_.machine.stage_words(unit);
  address_lanes(requests, array, 0);
  name_addresses(array);
  BlockTally& tally = launch_.tally;
  tally.concurrent_writes(requests.site)[BlockTally::every] += named_.repeated;
  if (launch_.counts_groups && &unit == &launch_.machine.memory_unit())
    tally.groups(requests.site)[BlockTally::every] += named_.parts(launch_.bank_rows);
  tally.further_needed(requests.site)[BlockTally::every] +=
      std::max(least_stages(unit), needed_stages(named_.parts(launch_.words), of_stage)) - 1;
  if (unit.kind == UnitKind::discrete) {
    const std::int64_t plain = unmerged_stages(of_stage, addresses_, array.words);
    const std::int64_t stages = times_rounded_up(plain, unit.atomic_stages);
    tally.added(requests.site)[BlockTally::every] += stages - plain;
    // Amounts of a log are bounded.
    return stages <= most_amount ? log_stages(array.unit, stages, requests.site, *requests.mask)
                                 : refuse();
  }
  std::vector<AtomicGroup> groups = atomic_groups(of_stage, addresses_, array.words);
  const auto stages = static_cast<std::int64_t>(groups.size());
  if (array.unit != UnitId::global) return refuse();
  tally.requests(requests.site, stages)[BlockTally::every] += 1;
  if (launch_.machine.has_own_ports()) {
    const std::size_t first = log_->ports.size();
    const bool gets = returns(requests.site);
    touch_groups(requests.site, 0, port_access(requests.site, true, false), gets, &groups);
    log_->entries.push_back({Ask::port, true, gets, log_->keep_ports(first)});
  } else {
    if (!launch_.several || returns(requests.site))
      launch_.chains.of[static_cast<std::size_t>(UnitId::global)].add(
          0, reference::least_time(unit, groups));
    log_->entries.push_back(
        {Ask::atomic, false, returns(requests.site),
         log_->index_of(
             {static_cast<std::uint32_t>(number_of_site(requests.site)), std::move(groups)})});
  }
  return launch_.add_stages(UnitId::global, stages, sizeof(Entry)) || refuse();
}

} // namespace memlane::fast
