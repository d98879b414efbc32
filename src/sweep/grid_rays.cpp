#include "grid_rays.hpp"

#include "memlane/config/keys.hpp"
#include "memlane/lang/values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace memlane::sweep {
namespace {

/// Powers of latencies, and of all else: times are sums of terms such as n^2/w and l log n, so that
/// a latency must be able to outgrow the square of a size.
constexpr int most_latency_power = 3, most_size_power = 2;
constexpr std::size_t most_axes = 3, most_axes_of_doubt = 4;
/// With more axes than this, and no doubt, all that grow double: there are too many other rays.
constexpr std::size_t most_mixed_axes = 2;
/// Doublings of a ray's first points, and of its last ones.
constexpr std::size_t first_doublings = 4, most_doublings = 14;
/// What a ray is extended by at a time, and how many rays are: those that rise most have the work.
constexpr std::size_t more_doublings = 2, most_extended = 8;
/// The first points of a grid that rays begin at, before those with one large value.
constexpr std::size_t most_small_bases = 8;
/// How much larger such a value is: then another axis may grow below it, as w below p. A latency
/// costs nothing, and shows which terms it has.
constexpr std::int64_t large = 64, large_latency = 1'000'000;
/// Threads of a machine, all of whose warps are kept.
constexpr double most_threads = 1 << 20;
/// A ratio is beyond others if it is so much further.
constexpr double beyond_it = 1.05;
/// What is far out, in bits of the greatest value, the first that the parameters' types and the
/// program's formulas allow: products of several still are doubles.
constexpr std::array far_out = {44, 30, 22, 16};

GridValues moved(GridValues values, const std::vector<int>& powers, std::size_t doublings) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (powers[k] > 0) values[k] <<= static_cast<std::size_t>(powers[k]) * doublings;
  return values;
}

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
    if (!is_latency(axes[k].name)) continue;
    const auto greatest =
        std::max_element(all.begin(), all.end(),
                         [&](const GridValues& a, const GridValues& b) { return a[k] < b[k]; });
    greatest_latencies_.emplace_back(k, (*greatest)[k]);
  }
  if (all.empty()) return;
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
  const bool may_mix = doubt_ || count <= most_mixed_axes;
  std::vector<Powers> all{Powers(axes_.size(), 0)};
  for (const std::size_t axis : growing_) {
    const std::size_t known = all.size();
    for (std::size_t i = 0; i < known; ++i)
      for (int power = 1; power <= most_power(axis); ++power) {
        all.push_back(all[i]);
        all.back()[axis] = power;
      }
    std::erase_if(all, [&](const Powers& powers) {
      return axes_.size() - static_cast<std::size_t>(std::count(powers.begin(), powers.end(), 0)) >
             count;
    });
  }
  std::erase_if(all, [&](const Powers& powers) {
    const auto still = static_cast<std::size_t>(std::count(powers.begin(), powers.end(), 0));
    const bool basic = std::find(powers.begin(), powers.end(), 1) != powers.end();
    const bool mixed = std::any_of(powers.begin(), powers.end(), [](int p) { return p > 1; });
    return !basic || axes_.size() - still != count || (mixed && !may_mix);
  });
  return all;
}

int RaySearch::most_power(std::size_t axis) const {
  return is_latency(axes_[axis].name) ? most_latency_power : most_size_power;
}

/// Whether a run there would say something of the claim. What is cheap to find out comes first.
bool RaySearch::possible(const GridValues& values) {
  if (!places_.watch().ask()) return false;
  const Place at = places_.place(values);
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (lang::find_param(checked_, axes_[k].name)) continue;
    const auto path = key_of_letter(axes_[k].name, at.machine.model);
    if (path && values[k] > find_machine_key(*path)->maximum) return false;
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
DroppedTerms RaySearch::outgrown_on(const OpenRay& open) const {
  if (!bound_.greatest) return {};
  for (const int bits : far_out) {
    const std::size_t far = doublings_to(bits, open.base, open.ray.powers);
    const Place at_near = places_.place(moved(open.base, open.ray.powers, far / 2));
    const Place at_far = places_.place(moved(open.base, open.ray.powers, far));
    const auto near = constants_at(at_near, false), beyond = constants_at(at_far, false);
    if (near && beyond)
      return outgrown_terms(checked_, bound_.claim,
                            {&*near, &at_near.machine, nullptr, &places_.sources().limits()},
                            {&*beyond, &at_far.machine, nullptr, &places_.sources().limits()});
  }
  return {};
}

/// From the smallest base whose first points can all be run; and, so that terms show that only
/// latencies make large, from the corner with the greatest latencies.
void RaySearch::start(const Powers& powers, std::vector<OpenRay>& rays) {
  const auto first = std::find_if(bases_.begin(), bases_.end(),
                                  [&](const GridValues& base) { return starts_at(base, powers); });
  if (first == bases_.end()) return;
  rays.push_back(opened(*first, powers));
  GridValues slow = *first;
  for (const auto& [axis, latency] : greatest_latencies_)
    if (powers[axis] == 0) slow[axis] = latency;
  if (slow != *first && starts_at(slow, powers)) rays.push_back(opened(slow, powers));
}

bool RaySearch::starts_at(const GridValues& base, const Powers& powers) {
  for (std::size_t k = 0; k < base.size(); ++k)
    if (powers[k] > 0 && base[k] <= 0) return false;
  return possible(moved(base, powers, first_doublings));
}

RaySearch::OpenRay RaySearch::opened(const GridValues& base, const Powers& powers) const {
  OpenRay open{base};
  open.ray.greatest = bound_.greatest;
  open.ray.powers = powers;
  open.dropped = outgrown_on(open);
  return open;
}

/// Adds a point and its ratio to the leading terms.
void RaySearch::add_point(OpenRay& open, const GridValues& values,
                          const std::optional<ClaimOutcome>& outcome) {
  Ray& ray = open.ray;
  open.ended = !outcome || outcome->verdict != ClaimVerdict::ratio_only;
  // Of a launch that does not fit, or a claim that says nothing.
  open.cut_off = open.cut_off || (open.ended && (outcome || !places_.can_run(values)));
  if (open.ended) return;
  const Place at = places_.place(values);
  double ratio = outcome->ratio;
  if (const auto constants = constants_at(at, false); constants && !open.dropped.empty())
    if (const auto leading = value_without(
            checked_, bound_.claim,
            {&*constants, &at.machine, nullptr, &places_.sources().limits()}, open.dropped))
      ratio = outcome->left.value / *leading;
  open.ended = !(ratio > 0) || !std::isfinite(ratio);
  if (open.ended) return;
  GridPoint point;
  point.parameters = values;
  point.setting = bound_.setting;
  point.outcome = *outcome;
  ray.points.push_back(std::move(point));
  ray.ratios.push_back(ray.greatest ? ratio : 1 / ratio);
}

/// Whether the only axis that grows is a parameter that cannot have this value at any base.
bool RaySearch::no_larger(const Powers& powers, const GridValues& values) {
  const auto grows = [](int power) { return power > 0; };
  if (std::count_if(powers.begin(), powers.end(), grows) != 1) return false;
  const auto axis = std::find_if(powers.begin(), powers.end(), grows) - powers.begin();
  // The largest machine of a ray is a limit of this search, not of the letter.
  if (!lang::find_param(checked_, axes_[static_cast<std::size_t>(axis)].name)) return false;
  return std::none_of(bases_.begin(), bases_.end(), [&](GridValues base) {
    base[static_cast<std::size_t>(axis)] = values[static_cast<std::size_t>(axis)];
    return possible(base);
  });
}

/// Runs the first points of some rays, or a few more than they have.
void RaySearch::extend(std::span<OpenRay* const> rays) {
  std::vector<GridValues> wanted;
  std::vector<std::pair<OpenRay*, std::size_t>> places;
  for (OpenRay* const open : rays) {
    const std::size_t points = std::max(first_doublings + 1, open->possible + more_doublings);
    for (; open->possible < points; ++open->possible) {
      GridValues values = moved(open->base, open->ray.powers, open->possible);
      open->cut_off = !possible(values);
      open->range_ends = open->cut_off && no_larger(open->ray.powers, values);
      if (open->cut_off) break;
      places.emplace_back(open, wanted.size());
      wanted.push_back(std::move(values));
    }
  }
  const auto outcomes = run_(wanted);
  for (const auto& [open, place] : places)
    if (!open->ended) add_point(*open, wanted[place], outcomes[place]);
}

/// Whether the ratio at the ray's end is beyond those of all smaller points of the grid. Where it
/// is not, what rises is still on its way between the constants of the terms.
bool RaySearch::beyond_grid(const Ray& ray) const {
  const GridPoint& end = ray.points.back();
  return std::none_of(
      bound_.applicable.begin(), bound_.applicable.end(), [&](const GridRatio& known) {
        const bool further = ray.greatest ? known.ratio * beyond_it > end.outcome.ratio
                                          : known.ratio < end.outcome.ratio * beyond_it;
        bool within = true;
        for (std::size_t k = 0; k < ray.powers.size(); ++k)
          within = within && (ray.powers[k] == 0 || known.values[k] <= end.parameters[k]);
        return further && within;
      });
}

/// Judges a ray by its points so far. True: it proves growth.
bool RaySearch::judge(OpenRay& open) {
  Ray& ray = open.ray;
  ray.growth = growth_of(ray.ratios);
  if (open.range_ends && grows_to_the_end(ray.ratios)) ray.growth = Growth::grows;
  if (ray.growth == Growth::grows && beyond_grid(ray)) {
    found_.push_back(ray);
    return true;
  }
  if (ray.growth == Growth::grows) ray.growth = Growth::unclear;
  if (open.cut_off) ray.growth = Growth::settles;
  return false;
}

/// How much a ray's ratio gained of late.
double RaySearch::rise_of(const OpenRay& open) {
  const std::vector<double>& ratios = open.ray.ratios;
  return ratios.size() < 3 ? 0 : ratios.back() / ratios[ratios.size() - 3];
}

/// The rays that more points may decide, those that rise most at first.
std::vector<RaySearch::OpenRay*> RaySearch::promising(std::vector<OpenRay>& rays) {
  std::vector<OpenRay*> chosen;
  for (OpenRay& open : rays)
    if (open.ray.growth == Growth::unclear && !open.ended && open.possible <= most_doublings)
      chosen.push_back(&open);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const OpenRay* a, const OpenRay* b) { return rise_of(*a) > rise_of(*b); });
  chosen.resize(std::min(chosen.size(), most_extended));
  return chosen;
}

/// False: a ray proves growth, or the work is to stop.
bool RaySearch::follow(std::vector<OpenRay>& rays) {
  std::vector<OpenRay*> next;
  for (OpenRay& open : rays) next.push_back(&open);
  for (; !next.empty(); next = promising(rays)) {
    if (!places_.watch().ask()) return false;
    extend(next);
    for (OpenRay* const open : next)
      if (judge(*open)) return false;
  }
  for (OpenRay& open : rays)
    if (open.ray.growth == Growth::unclear && !open.ray.points.empty() && !beyond_grid(open.ray))
      open.ray.growth = Growth::settles;
  return true;
}

std::vector<Ray> RaySearch::follow() {
  doubt_ = bound_.seems_to_fail;
  for (std::size_t axes = 1; axes <= (doubt_ ? most_axes_of_doubt : most_axes); ++axes) {
    if (!places_.watch().ask()) break;
    std::vector<OpenRay> rays;
    for (const Powers& powers : directions(axes)) start(powers, rays);
    if (!follow(rays)) break;
    for (const OpenRay& open : rays) doubt_ = doubt_ || open.ray.growth == Growth::unclear;
    for (OpenRay& open : rays)
      if (open.ray.ratios.size() > first_doublings) found_.push_back(std::move(open.ray));
  }
  return std::move(found_);
}

} // namespace memlane::sweep
