// Requests on machines with keys of real GPUs (configs/README.md section 10): those to global
// memory, and those for elements of several words.
#include "fast/launch_run.hpp"
#include "machine_rules.hpp"
#include "tile.hpp"

#include "memlane/machine/stages.hpp"

#include <algorithm>

namespace memlane::fast {

void NamedWords::set_steps(std::int64_t first, std::int64_t apart, std::int64_t elements,
                           std::int64_t words) {
  front = first;
  back = first + (elements - 1) * apart + words - 1;
  step = apart;
  length = words;
  repeated = 0;
}

std::int64_t NamedWords::parts_apart(const Parts& of) const {
  if (step > 0 && length == 1) return (back - front) / step + 1;
  std::int64_t count = 0;
  each_part(of, [&](std::int64_t) { ++count; });
  return count;
}

void NamedWords::look() {
  if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
  front = sorted.front();
  back = sorted.back();
  step = repeated = 0;
  for (std::size_t k = 1; k < sorted.size(); ++k)
    repeated += sorted[k] == sorted[k - 1] && (k == 1 || sorted[k - 2] != sorted[k]) ? 1 : 0;
}

/// What the lanes of a warp name, in closed form where they name one element, or elements in steps.
void Tile::name_words(const Requests& requests, const ArrayView& array, int warp) {
  const int width = values_.shape().width;
  const std::uint8_t* lanes = values_.sets().lanes(*requests.mask) + warp * width;
  const std::int32_t active = values_.sets().counts(*requests.mask)[warp];
  const Register& elements = *requests.elements;
  const bool linear = array.placement->kind == LayoutKind::rows;
  const bool rows = elements.form == Form::rows, steps = rows && elements.rows.folds == 0;
  const auto address = [&](int lane) {
    const std::int64_t element = rows ? elements.rows.at(warp, lane)
                                      : value_at(elements, values_.shape(), warp, lane).integer();
    return linear ? array.base + element * array.words : array.address(element);
  };
  const std::int64_t apart = steps ? elements.rows.lane_step : 0;
  int from = 0, to = width - 1;
  while (!lanes[from]) ++from;
  while (!lanes[to]) --to;
  if (elements.form == Form::uniform || (steps && apart == 0) || from == to) {
    named_.set_steps(address(from), array.words, 1, array.words);
    named_.repeated = active > 1 ? array.words : 0;
    return;
  }
  if (linear && steps && to - from + 1 == active)
    return named_.set_steps(address(apart > 0 ? from : to), std::abs(apart) * array.words, active,
                            array.words);
  named_.sorted.clear();
  bool adjacent = true;
  for (int j = from; j <= to; ++j) {
    if (!lanes[j]) continue;
    const std::int64_t first = address(j);
    adjacent = adjacent && (named_.sorted.empty() || named_.sorted.back() + 1 == first);
    for (std::int64_t word = 0; word < array.words; ++word) named_.sorted.push_back(first + word);
  }
  if (adjacent) return named_.set_steps(named_.sorted.front(), 1, active * array.words, 1);
  named_.look();
}

/// Of a site's requests: all but their stages and groups.
PortAccess Tile::port_access(std::size_t site, bool atomic, bool reuses) const {
  return {static_cast<std::uint32_t>(number_of_site(site)), 0, 0, 0, 0, atomic, reuses};
}

/// Adds what a warp asks of its multiprocessor's port, and returns the groups that it touches.
std::int64_t Tile::touch_groups(std::size_t site, int warp, PortAccess access, bool returns,
                                const std::vector<AtomicGroup>* atomic) {
  const UnitSpec& global = *launch_.machine.global;
  const std::int64_t lines = named_.parts(launch_.lines);
  const std::int64_t stages = reference::stages_of_lines(global, lines);
  const std::int64_t needed = reference::stages_of_lines(
      global, needed_stages(named_.parts(launch_.words), launch_.lines.size));
  launch_.tally.add_port(site, {stages, needed, lines, 0});
  const std::size_t first = log_->groups.size();
  if (atomic)
    log_->groups.insert(log_->groups.end(), atomic->begin(), atomic->end());
  else
    named_.each_part(launch_.stage, [&](std::int64_t group) {
      log_->groups.push_back({group, 1});
    });
  const std::span<const AtomicGroup> groups = std::span(log_->groups).subspan(first);
  if (!launch_.several || returns)
    launch_.chains.of[static_cast<std::size_t>(UnitId::global)].add(
        warp, reference::least_time_behind(global, stages, groups, access.atomic, access.reuses));
  access.stages = static_cast<std::uint32_t>(stages);
  access.first = static_cast<std::uint32_t>(first);
  access.count = static_cast<std::uint32_t>(groups.size());
  access.needed =
      static_cast<std::uint32_t>(needed_stages(named_.parts(launch_.words), launch_.stage.size));
  log_->ports.push_back(access);
  return static_cast<std::int64_t>(groups.size());
}

/// The first word of each active lane's element, -1 for the others.
void Tile::address_lanes(const Requests& requests, const ArrayView& array, int warp) {
  const Shape& shape = values_.shape();
  const std::uint8_t* lanes = values_.sets().lanes(*requests.mask) + warp * shape.width;
  const std::int64_t* elements =
      values_.words<std::int64_t>(*requests.elements, 0, shape) + warp * shape.width;
  for (int j = 0; j < shape.width; ++j)
    addresses_[static_cast<std::size_t>(j)] = lanes[j] ? array.address(elements[j]) : -1;
}

/// The stages of elements of several words in shared memory.
std::int64_t Tile::stages_of_wide(const Requests& requests, const ArrayView& array, int warp) {
  address_lanes(requests, array, warp);
  return stages_of_lanes(UnitKind::discrete, values_.shape().width, addresses_, array.words);
}

bool Tile::count_keyed(const Requests& requests, const ArrayView& array, bool write) {
  constexpr std::size_t most_groups = std::size_t{1} << 26; // of a log
  const MachineSpec& machine = launch_.machine;
  const bool global = array.unit == UnitId::global;
  const bool at_port = global && machine.has_own_ports();
  const bool reuses = at_port && !write && machine.global->reuse == Reuse::block;
  const bool gets = returns(requests.site);
  const PortAccess access = port_access(requests.site, false, reuses);
  const Parts& stage = global ? launch_.stage : launch_.bank_rows;
  const std::int64_t least = least_stages(launch_.spec(array.unit));
  const std::int32_t* counts = values_.sets().counts(*requests.mask);
  const std::size_t first = log_->ports.size();
  std::int64_t all = 0, common = -1;
  for (int k = 0; k < values_.shape().warps; ++k) {
    std::int64_t stages = 0;
    if (counts[k] == 0) {
      if (at_port) log_->ports.emplace_back();
    } else {
      name_words(requests, array, k);
      stages = at_port  ? touch_groups(requests.site, k, access, gets)
               : global ? named_.parts(stage)
                        : stages_of_wide(requests, array, k);
      if (write)
        launch_.tally.concurrent_writes(requests.site)[BlockTally::every] += named_.repeated;
      if (global && launch_.counts_groups)
        launch_.tally.groups(requests.site)[BlockTally::every] += named_.parts(launch_.bank_rows);
      launch_.tally.further_needed(requests.site)[BlockTally::every] +=
          std::max(least, needed_stages(named_.parts(launch_.words), stage.size)) - 1;
      common = common < 0 || common == stages ? stages : 0;
    }
    stages_[static_cast<std::size_t>(k)] = static_cast<std::uint16_t>(stages);
    if (at_port && stages > 0) ++launch_.tally.requests(requests.site, stages)[BlockTally::every];
    all += stages;
  }
  if (!at_port) return log_stages(array.unit, common, requests.site, *requests.mask);
  log_->entries.push_back({Ask::port, true, gets, log_->keep_ports(first)});
  if (log_->groups.size() > most_groups) return refuse();
  return launch_.add_stages(UnitId::global, all, sizeof(Entry), reuses) || refuse();
}

} // namespace memlane::fast
