#include "grid_points.hpp"

#include "pieces.hpp"
#include "results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace memlane::cli {
namespace {

/// Runs that are planned at once.
constexpr std::size_t most_planned = 16384;

/// A place that is ready to run.
struct ReadyPlace {
  std::optional<ir::Program> code; ///< none: it cannot run here
  double cost = 0;
  std::int64_t seeds = 0;
};

/// One run that is to be done.
struct PlannedRun {
  std::size_t place = 0;
  PointRun* run = nullptr;
};

/// The runs of some places, under way.
class PlaceRuns {
public:
  PlaceRuns(const CheckedProgram& program, const Sources& sources, const GridRequest& request,
            const std::vector<Place>& places)
      : checked_(program.checked), sources_(sources), request_(request), places_(places),
        ready_(places.size()) {
    options_.limits = request.limits;
    options_.allow_races = !request.races_allowed.empty();
  }

  std::vector<std::vector<PointRun>> run();

private:
  void make_ready(std::size_t place);
  bool add_seeds(std::vector<std::vector<PointRun>>& runs);
  std::vector<PlannedRun> plan(std::vector<std::vector<PointRun>>& runs) const;
  void run_planned(const std::vector<PlannedRun>& planned);
  void run_one(const PlannedRun& planned) const;

  const lang::Checked& checked_;
  const Sources& sources_;
  const GridRequest& request_;
  const std::vector<Place>& places_;
  std::vector<ReadyPlace> ready_;
  RunOptions options_;
  std::size_t done_ = 0, added_ = 0; ///< seeds of a place that were run, and that are planned
};

void PlaceRuns::make_ready(std::size_t at) {
  const MachineSpec& machine = places_[at].machine;
  Result<ir::Program> code = lower_at(checked_, places_[at], sources_);
  if (!code || !check_machine(*code, machine)) return;
  const std::vector<lang::ClaimDecl>& claims = checked_.program.claims;
  bool sampled = false;
  for (std::size_t k = 0; k < claims.size(); ++k)
    sampled = sampled || (claims[k].kind == lang::ClaimKind::about &&
                          may_apply(checked_, k, {&*code, &machine, nullptr}));
  ReadyPlace& ready = ready_[at];
  ready.cost = cost_of(*code, machine);
  ready.seeds = sampled ? request_.seeds : 1;
  ready.code = std::move(*code);
}

/// A long run that begins last would be waited for alone.
std::vector<PlannedRun> PlaceRuns::plan(std::vector<std::vector<PointRun>>& runs) const {
  std::vector<std::size_t> order(ready_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ready_[a].cost > ready_[b].cost; });
  std::vector<PlannedRun> all;
  for (const std::size_t place : order) {
    for (std::size_t k = done_; k < runs[place].size(); ++k)
      all.push_back({place, &runs[place][k]});
  }
  return all;
}

void PlaceRuns::run_one(const PlannedRun& planned) const {
  const MachineSpec& machine = places_[planned.place].machine;
  const ir::Program& code = *ready_[planned.place].code;
  PointRun& run = *planned.run;
  if (options_.limits.check) run.stop = options_.limits.check();
  if (run.ended()) return;
  RunOptions options = options_;
  options.seed = run.seed;
  RunResult result = simulate_on(request_.engine, code, machine, options, sources_);
  run.stop = result.stop;
  run.verify = result.verify;
  run.races = result.races.races > 0;
  run.engine = std::move(result.engine);
  if (run.ended()) return;
  if (run.stop == Stop::none && run.verify != Verdict::failed) {
    run.claims = evaluate_claims(checked_, sources_, {&code, &machine, &result});
    for (ClaimOutcome& claim : run.claims) { // a million runs need not hold the claims' own words
      claim.text = {};
      claim.source = {};
    }
    return;
  }
  run.errors = std::move(result.errors);
  if (run.stop != Stop::none && run.stop != Stop::error)
    run.errors.push_back(error_in("", fmt::format("{}: {}", words_for(run.stop), result.reached)));
}

std::vector<std::vector<PointRun>> PlaceRuns::run() {
  const std::int64_t memory = request_.limits.memory;
  Pieces places;
  places.count = ready_.size();
  places.work = [&](std::size_t place) { make_ready(place); };
  do_pieces(request_.jobs, memory, places);

  std::vector<std::vector<PointRun>> runs(ready_.size());
  while (add_seeds(runs)) run_planned(plan(runs));
  return runs;
}

/// As many seeds more at each place as may be under way together: what is planned beyond a limit
/// takes no memory. False where there are none, or a run was asked to end.
bool PlaceRuns::add_seeds(std::vector<std::vector<PointRun>>& runs) {
  for (const std::vector<PointRun>& known : runs)
    for (std::size_t k = done_; k < known.size(); ++k)
      if (known[k].ended()) return false;
  done_ = added_;
  added_ += std::max<std::size_t>(1, most_planned / std::max<std::size_t>(1, runs.size()));
  bool any = false;
  for (std::size_t place = 0; place < runs.size(); ++place) {
    const auto seeds = static_cast<std::size_t>(ready_[place].seeds);
    for (std::uint64_t k = runs[place].size(); k < std::min(seeds, added_); ++k) {
      runs[place].emplace_back().seed = k + 1;
      any = true;
    }
  }
  return any;
}

void PlaceRuns::run_planned(const std::vector<PlannedRun>& planned) {
  Pieces pieces;
  pieces.count = planned.size();
  pieces.work = [&](std::size_t piece) { run_one(planned[piece]); };
  pieces.bytes = [&](std::size_t piece) {
    return bytes_of_arrays(*ready_[planned[piece].place].code, options_);
  };
  do_pieces(request_.jobs, request_.limits.memory, pieces);
}

} // namespace

std::vector<std::vector<PointRun>> run_places(const CheckedProgram& program, const Sources& sources,
                                              const GridRequest& request,
                                              const std::vector<Place>& places) {
  return PlaceRuns(program, sources, request, places).run();
}

} // namespace memlane::cli
