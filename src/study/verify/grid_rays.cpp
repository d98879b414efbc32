#include "grid_lines.hpp"
#include "grid_run.hpp"

#include "memlane/lang/values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace memlane::sweep {

namespace {

constexpr std::size_t most_axes = 4;
/// Doublings of a ray's last points.
constexpr std::size_t most_doublings = 14;
/// What a ray is extended by at a time, and how many rays are: those that rise most have the work.
constexpr std::size_t more_doublings = 2, most_extended = 8;
/// A ratio is beyond others if it is so much further.
constexpr double beyond_it = 1.05;
/// A ratio that settles is as high as one that rises if it reaches this part of it.
constexpr double as_high = 0.8;
/// What could not be followed further goes on to rise if it rose so much as the smaller sizes did.
constexpr double as_steep = 0.9;
/// A growth goes on if its last two doublings far out gain this part of what the last two before
/// did: as log x, or faster.
constexpr double going_on = 0.75;
/// Two doublings gain this factor where a ratio grows as the square root of what doubles.
constexpr double as_a_root = 2;

} // namespace

bool can_move(const GridValues& values, const std::vector<int>& powers, std::size_t doublings) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto bits =
        static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(values[k])));
    if (powers[k] > 0 && bits + static_cast<std::size_t>(powers[k]) * doublings > 62) return false;
  }
  return true;
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
void RaySearch::extend(std::span<OpenRay* const> rays, RoundRoom room) {
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
  const auto outcomes = run_(wanted, room);
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

/// How much a ray's ratio gained of late.
double RaySearch::rise_of(const OpenRay& open) {
  const std::vector<double>& ratios = open.ray.ratios;
  return ratios.size() < 3 ? 0 : ratios.back() / ratios[ratios.size() - 3];
}

/// The ratio so many doublings from a ray's base; none where it cannot be run.
std::optional<double> RaySearch::ratio_at(OpenRay open, std::size_t doublings) {
  if (doublings < open.ray.ratios.size()) return open.ray.ratios[doublings];
  if (!can_move(open.base, open.ray.powers, doublings)) return std::nullopt;
  const GridValues values = moved(open.base, open.ray.powers, doublings);
  if (!possible(values)) return std::nullopt;
  add_point(open, values, run_({values}, {false, true, true}).front());
  return open.ended ? std::nullopt : std::optional(open.ray.ratios.back());
}

/// Whether what grows up to the ray's end does so at the greatest sizes that can be run. If not,
/// `found` says where. `steeply`: only as a root or faster, and where a run shows it.
Growth RaySearch::growth_further(const OpenRay& open, Ray& found, bool steeply) {
  const std::vector<double>& known = open.ray.ratios;
  for (std::size_t far = most_far; far > known.size(); --far) {
    const std::optional<double> end = ratio_at(open, far);
    const std::optional<double> before = end ? ratio_at(open, far - 2) : std::nullopt;
    if (!before) continue;
    const double gained = known.back() - known[known.size() - 3];
    const double steep = as_steep * std::max(rise_of(open), as_a_root);
    if (steeply ? *end >= steep * *before : *end - *before >= going_on * gained)
      return Growth::grows;
    if (!steeply) found.stops_at = moved(open.base, open.ray.powers, far);
    return Growth::unclear;
  }
  return steeply ? Growth::unclear : Growth::grows;
}

/// Whether a ratio that rises at small sizes does in the same direction from larger ones, up to the
/// grid's greatest and beyond, or settles there, as high; unclear for lack of room. With few points
/// a smaller start is tried.
Growth RaySearch::growth_later(OpenRay& early) {
  for (std::size_t earlier = 0; places_.watch().ask(); ++earlier) {
    const auto base = late_start(early.base, early.ray.powers, earlier);
    if (late_ || !base || reaches_end(early.ray)) return growth_further(early, early.ray, false);
    if (!starts_at(*base, early.ray.powers)) continue;
    OpenRay late = opened(*base, early.ray.powers);
    for (OpenRay* rays[] = {&late}; late.ray.growth == Growth::unclear && !late.ended &&
                                    !late.cut_off && late.possible <= most_doublings;) {
      extend(rays, {true});
      late.ray.growth = growth_of(late.ray.ratios);
    }
    if (late.ray.ratios.size() <= first_doublings) continue;
    if (late.ray.growth == Growth::unclear && late.ended && !late.cut_off)
      return rise_of(late) >= as_steep * rise_of(early) ? Growth::grows
                                                        : growth_further(early, early.ray, true);
    if (late.ray.growth == Growth::grows) return growth_further(late, early.ray, false);
    // What falls from a height has not risen to a plateau.
    const double greatest = std::max(
        early.ray.ratios.back(), *std::max_element(late.ray.ratios.begin(), late.ray.ratios.end()));
    const bool level =
        late.ray.growth == Growth::settles && late.ray.ratios.back() >= as_high * greatest;
    return level ? Growth::settles : Growth::grows;
  }
  return Growth::unclear;
}

/// Whether the sizes that grow are at their greatest in the grid, or beyond.
bool RaySearch::reaches_end(const Ray& ray) const {
  const GridValues& end = ray.points.back().parameters;
  return std::all_of(growing_.begin(), growing_.end(), [&](std::size_t k) {
    return ray.powers[k] == 0 || !lang::find_param(checked_, axes_[k].name) ||
           end[k] >= greatest_[k];
  });
}

/// Judges a ray by its points so far.
RaySearch::Seen RaySearch::judge(OpenRay& open) {
  Ray& ray = open.ray;
  ray.growth = growth_of(ray.ratios);
  if (open.range_ends && grows_to_the_end(ray.ratios)) ray.growth = Growth::grows;
  if (ray.growth == Growth::grows && beyond_grid(ray)) {
    Growth later = growth_later(open);
    if (later == Growth::grows && has_stopped_) later = growth_further(open, ray, true);
    if (later == Growth::settles) return Seen::plateau;
    if (later == Growth::grows) found_.push_back(ray);
    if (later == Growth::grows) return Seen::growth;
    ray.growth = Growth::unclear;
    if (!ray.stops_at.empty()) open.cut_off = has_stopped_ = true;
    return Seen::nothing;
  }
  const bool rises = ray.growth == Growth::grows;
  if (rises) ray.growth = Growth::unclear;
  if (open.cut_off) ray.growth = Growth::settles;
  return rises ? Seen::rise : Seen::nothing;
}

/// The rays that more points may decide, those that rise most at first.
std::vector<RaySearch::OpenRay*> RaySearch::promising(std::deque<OpenRay>& rays) {
  std::vector<OpenRay*> chosen;
  for (OpenRay& open : rays)
    if (open.ray.growth == Growth::unclear && !open.ended && !open.cut_off &&
        open.possible <= most_doublings)
      chosen.push_back(&open);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const OpenRay* a, const OpenRay* b) { return rise_of(*a) > rise_of(*b); });
  chosen.resize(std::min(chosen.size(), most_extended));
  return chosen;
}

/// Runs what may decide, beginning with these, until a ray proves growth, or does not though it
/// rises. A ray whose growth stops further on is followed no more. From then on, a proof must grow
/// as a root does, or faster. If a ray rises but stays within the grid's ratios, the rays beside it
/// are tried: they leave these ratios sooner.
RaySearch::Seen RaySearch::follow(std::deque<OpenRay>& rays, std::vector<OpenRay*> next,
                                  RoundRoom room) {
  for (; !next.empty() && places_.watch().ask(); next = promising(rays)) {
    extend(next, room);
    room = {false}; // then what rises most
    for (OpenRay* const open : next) {
      const Seen seen = judge(*open);
      if (seen == Seen::growth || seen == Seen::plateau) return seen;
      if (seen == Seen::rise && !std::exchange(open->has_beside, true)) add_beside(*open, rays);
    }
  }
  for (OpenRay& open : rays)
    if (open.ray.growth == Growth::unclear && !open.ray.points.empty() && !beyond_grid(open.ray))
      open.ray.growth = Growth::settles;
  return Seen::nothing;
}

/// Rays of one axis, of two, …; at last those that more runs may decide.
RaySearch::Seen RaySearch::follow_all() {
  std::deque<OpenRay> open_rays;
  for (std::size_t axes = 1; axes <= most_axes; ++axes) {
    std::deque<OpenRay> rays;
    for (const Powers& powers : directions(axes)) start(powers, rays);
    std::vector<OpenRay*> all;
    for (OpenRay& open : rays) all.push_back(&open);
    const Seen seen = follow(rays, std::move(all), {true, false});
    if (!places_.watch().ask() || seen != Seen::nothing) return seen;
    for (const OpenRay& open : rays) doubt_ = doubt_ || open.ray.growth == Growth::unclear;
    for (OpenRay& open : rays) {
      if (open.ray.ratios.size() <= first_doublings) continue;
      if (open.ray.growth == Growth::unclear) {
        open.ended = false;
        open.possible = open.ray.points.size();
        open_rays.push_back(std::move(open));
      } else {
        found_.push_back(std::move(open.ray));
      }
    }
  }
  const Seen seen = follow(open_rays, promising(open_rays), {});
  if (seen == Seen::nothing)
    for (OpenRay& open : open_rays) found_.push_back(std::move(open.ray));
  return seen;
}

std::vector<Ray> RaySearch::follow() {
  doubt_ = bound_.seems_to_fail;
  if (follow_all() == Seen::plateau) { // from the first direction again, at large sizes
    late_ = true;
    found_.clear();
    follow_all();
  }
  // One whose growth stops is doubt enough: it says where.
  const auto grows = [](const Ray& ray) { return ray.growth == Growth::grows; };
  bool one = false;
  if (has_stopped_ && std::none_of(found_.begin(), found_.end(), grows))
    std::erase_if(found_, [&](const Ray& ray) {
      return ray.growth == Growth::unclear && (ray.stops_at.empty() || std::exchange(one, true));
    });
  return std::move(found_);
}

} // namespace memlane::sweep
