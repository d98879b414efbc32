// Where the rays beyond a grid begin, and which way they go.
#include "grid_lines.hpp"

#include "memlane/lang/values.hpp"
#include "memlane/machine/keys.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace memlane::sweep {
namespace {

/// Powers of latencies, and of all else: times are sums of terms such as n^2/w and l log n, so that
/// a latency must be able to outgrow the square of a size.
constexpr int most_latency_power = 3, most_size_power = 2;
/// With more axes than this, and no doubt, all that grow double, save where no term of the formula
/// outgrows another: there a term that it lacks shows, and elsewhere are too many rays.
constexpr std::size_t most_mixed_axes = 2;
/// The first points of a grid that rays begin at, before those with one large value.
constexpr std::size_t most_small_bases = 8;
/// How much larger such a value is: then another axis may grow below it, as w below p. A latency
/// costs nothing, and shows which terms it has.
constexpr std::int64_t large = 64, large_latency = 1'000'000;
/// Threads of a machine, all of whose warps are kept.
constexpr double most_threads = 1 << 20;
/// What is far out, in bits of the greatest value, the first that the parameters' types and the
/// program's formulas allow: products of several still are doubles.
constexpr std::array far_out = {44, 30, 22, 16};

/// How many doublings leave every value below 2^far.
std::size_t doublings_to(int far, const GridValues& values, const std::vector<int>& powers) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (powers[k] == 0) continue;
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(values[k])));
    least = std::min(least, static_cast<std::size_t>(std::max(0, far - bits) / powers[k]));
  }
  return least;
}

/// The least positive value of each axis, where it has one.
GridValues corner_of(const std::vector<GridValues>& points) {
  GridValues corner = points.front();
  for (const GridValues& values : points)
    for (std::size_t k = 0; k < corner.size(); ++k)
      if (values[k] > 0 && (corner[k] <= 0 || values[k] < corner[k])) corner[k] = values[k];
  return corner;
}

std::size_t axes_growing(const std::vector<int>& powers) {
  return powers.size() - static_cast<std::size_t>(std::count(powers.begin(), powers.end(), 0));
}

bool is_latency(std::string_view name) { return name == "l" || name == "L"; }

bool is_boolean(const lang::Checked& checked, const std::string& name) {
  const lang::ParamSymbol* param = lang::find_param(checked, name);
  return param && param->type == ir::Scalar::boolean;
}

} // namespace

RaySearch::RaySearch(const std::vector<GridAxis>& axes, PlaceCosts& places,
                     const lang::Checked& checked, const FollowedBound& bound, RunPlaces run)
    : axes_(axes), places_(places), checked_(checked), bound_(bound), run_(std::move(run)) {
  std::vector<GridValues> all;
  for (const GridRatio& known : bound.applicable) all.push_back(known.values);
  std::sort(all.begin(), all.end(), is_smaller);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const bool varies = std::any_of(all.begin(), all.end(), [&](const GridValues& values) {
      return values[k] != all.front()[k];
    });
    if (!varies || is_boolean(checked, axes[k].name)) continue;
    growing_.push_back(k);
  }
  if (all.empty()) return;
  greatest_ = all.front();
  odd_.resize(axes.size());
  for (const GridValues& values : all)
    for (std::size_t k = 0; k < values.size(); ++k) {
      greatest_[k] = std::max(greatest_[k], values[k]);
      if (stays_odd(values[k]) && (odd_[k] == 0 || values[k] < odd_[k])) odd_[k] = values[k];
    }
  bases_.push_back(corner_of(all));
  const auto few = static_cast<std::ptrdiff_t>(std::min(most_small_bases, all.size()));
  bases_.insert(bases_.end(), all.begin(), all.begin() + few);
  for (const std::size_t k : growing_) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const GridValues& values) {
      return values[k] >= (is_latency(axes[k].name) ? large_latency : large) *
                              std::max<std::int64_t>(1, all.front()[k]);
    });
    if (found != all.end()) bases_.push_back(*found);
  }
  const auto less = [](const GridRatio& a, const GridRatio& b) { return a.ratio < b.ratio; };
  const auto& known = bound.applicable;
  bases_.push_back((bound.greatest ? std::max_element(known.begin(), known.end(), less)
                                   : std::min_element(known.begin(), known.end(), less))
                       ->values);
  if (const auto code = places_.code(all.front())) arrays_ = code->arrays;
}

/// All with so many axes, those with the smallest powers first. Powers that are all 2 make the same
/// ray as those that are all 1.
std::vector<RaySearch::Powers> RaySearch::directions(std::size_t count) const {
  std::vector<Powers> all{Powers(axes_.size(), 0)};
  for (const std::size_t axis : growing_) {
    const std::size_t known = all.size();
    for (std::size_t i = 0; i < known; ++i)
      for (int power = 1; power <= most_power(axis); ++power) {
        all.push_back(all[i]);
        all.back()[axis] = power;
      }
    std::erase_if(all, [&](const Powers& powers) { return axes_growing(powers) > count; });
  }
  std::erase_if(all, [&](const Powers& powers) {
    const bool basic = std::find(powers.begin(), powers.end(), 1) != powers.end();
    const bool mixed = std::any_of(powers.begin(), powers.end(), [](int p) { return p > 1; });
    return !basic || axes_growing(powers) != count ||
           (mixed && !doubt_ && count > most_mixed_axes && !in_balance(powers));
  });
  return all;
}

/// Whether the formula is a sum none of whose terms outgrows another in this direction.
bool RaySearch::in_balance(const Powers& powers) const {
  const auto drops = [&](const Powers& way) { return !outgrown_on(bases_.front(), way).empty(); };
  const bool is_sum = std::any_of(growing_.begin(), growing_.end(), [&](std::size_t axis) {
    Powers alone(axes_.size(), 0);
    alone[axis] = 1;
    return drops(alone);
  });
  return is_sum && !drops(powers);
}

int RaySearch::most_power(std::size_t axis) const {
  return is_latency(axes_[axis].name) ? most_latency_power : most_size_power;
}

bool RaySearch::possible(const GridValues& values) {
  if (!places_.watch().ask()) return false;
  const Place at = places_.place(values);
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const MachineKey* key = places_.uses()[k].key;
    if (key && values[k] > key->maximum) return false;
  }
  if (threads_of(at.machine) > most_threads) return false;
  if (at.machine.model != Model::mmm && at.machine.threads % at.machine.width != 0) return false;
  const auto constants = constants_at(at, true);
  return constants &&
         may_apply(checked_, bound_.claim,
                   {&*constants, &at.machine, nullptr, &places_.sources().limits()}) &&
         places_.can_run(values);
}

/// The program's parameters and layouts, without code. None where they have no values, or break
/// conditions that were to hold.
std::optional<ir::Program> RaySearch::constants_at(const Place& at, bool conditions) const {
  const auto bound = lang::bind_params(checked_, bindings_of(at.machine, at.parameters, "--grid"),
                                       places_.sources());
  if (!bound || (conditions && !bound->broken.empty())) return std::nullopt;
  ir::Program program;
  program.constants = bound->values;
  program.arrays = arrays_;
  return program;
}

/// Of the whole formula nothing is dropped where it must be a lower bound: without its small terms
/// it would seem to vanish as long as these are the larger ones.
DroppedTerms RaySearch::outgrown_on(const GridValues& base, const Powers& powers) const {
  if (!bound_.greatest) return {};
  for (const int bits : far_out) {
    const std::size_t far = doublings_to(bits, base, powers);
    const Place at_near = places_.place(moved(base, powers, far / 2));
    const Place at_far = places_.place(moved(base, powers, far));
    const auto near = constants_at(at_near, false), beyond = constants_at(at_far, false);
    if (near && beyond)
      return outgrown_terms(checked_, bound_.claim,
                            {&*near, &at_near.machine, nullptr, &places_.sources().limits()},
                            {&*beyond, &at_far.machine, nullptr, &places_.sources().limits()});
  }
  return {};
}

/// From the smallest base whose first points can all be run; and, so that terms show that only
/// latencies make large, from there with the greatest latencies; and from odd values, which differ
/// from powers of two wherever banks do: of sizes where one grows alone, since many rays have
/// sizes. Where one size grows alone, also up to the grid's greatest and on: it may have another
/// trend there.
void RaySearch::start(const Powers& powers, std::deque<OpenRay>& rays) {
  const auto small = std::find_if(bases_.begin(), bases_.end(),
                                  [&](const GridValues& base) { return starts_at(base, powers); });
  if (small == bases_.end()) return;
  std::optional<GridValues> late = late_start(*small, powers, 0);
  for (std::size_t earlier = 1; late && !starts_at(*late, powers); ++earlier)
    late = late_start(*small, powers, earlier);
  const GridValues& first = late_ && late ? *late : *small;
  rays.push_back(opened(first, powers));
  if (!late_ && late && axes_growing(powers) == 1) rays.push_back(opened(*late, powers));
  GridValues slow = first;
  for (const std::size_t axis : growing_)
    if (powers[axis] == 0 && is_latency(axes_[axis].name)) slow[axis] = greatest_[axis];
  if (slow != first && starts_at(slow, powers)) rays.push_back(opened(slow, powers));
  const bool alone = axes_growing(powers) == 1;
  GridValues odd = first;
  for (const std::size_t axis : growing_)
    if (powers[axis] > 0 && odd_[axis] > 0 && (alone || !axes_[axis].size))
      odd[axis] = std::max(odd_[axis], first[axis] | 1);
  if (odd != first && starts_at(odd, powers)) rays.push_back(opened(odd, powers));
}

/// The ray in the same direction on which what stays has the values of the grid's extreme ratio.
void RaySearch::add_beside(const OpenRay& open, std::deque<OpenRay>& rays) {
  GridValues base = open.base;
  const Powers& powers = open.ray.powers;
  for (const std::size_t k : growing_)
    if (powers[k] == 0) base[k] = bases_.back()[k];
  if (base == open.base) return;
  for (std::size_t doublings = 0; doublings <= first_doublings; ++doublings)
    if (const GridValues first = moved(base, powers, doublings);
        possible(first) && starts_at(first, powers)) {
      rays.push_back(opened(first, powers));
      return;
    }
}

bool RaySearch::starts_at(const GridValues& base, const Powers& powers) {
  for (std::size_t k = 0; k < base.size(); ++k)
    if (powers[k] > 0 && base[k] <= 0) return false;
  return possible(moved(base, powers, first_doublings));
}

/// Where a ray from this base begins whose first doublings end at the grid's greatest sizes, or so
/// many doublings earlier. Machines stay as small as they are. None: that is at the base.
std::optional<GridValues> RaySearch::late_start(const GridValues& base, const Powers& powers,
                                                std::size_t earlier) const {
  GridValues late = base;
  for (const std::size_t k : growing_) {
    if (powers[k] == 0 || !lang::find_param(checked_, axes_[k].name)) continue;
    const std::size_t doublings = static_cast<std::size_t>(powers[k]) * (first_doublings + earlier);
    Powers alone(axes_.size(), 0);
    alone[k] = powers[k];
    while (late[k] < greatest_[k] >> doublings) late = moved(std::move(late), alone, 1);
  }
  return late == base ? std::nullopt : std::optional(std::move(late));
}

RaySearch::OpenRay RaySearch::opened(const GridValues& base, const Powers& powers) const {
  OpenRay open{base};
  open.ray.greatest = bound_.greatest;
  open.ray.powers = powers;
  open.dropped = outgrown_on(base, powers);
  return open;
}

} // namespace memlane::sweep
