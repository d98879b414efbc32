// Verification: a program's claims over a grid of parameters and machines.
#pragma once

#include "memlane/claim/grid.hpp"
#include "memlane/claim/grid_verdict.hpp"
#include "memlane/machine/machine.hpp"
#include "memlane/points/recipe.hpp"
#include "memlane/show/run_report.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// What the runs of a grid have in common, a recipe; the grid, which gives each its parameters and
/// its machine; and how its points are run.
struct GridRequest : Recipe {
  std::map<std::string, GridValues> axes; ///< --grid: the candidates of a parameter or letter
  std::vector<Model> models;              ///< of machines to run on
  GridLimits grid;
  std::int64_t seeds = least_seeds; ///< of `~` claims
  std::size_t jobs = 1;             ///< runs side by side; limits.memory is also that of their sum
  PointProgress progress = {};      ///< of each batch of runs; empty: not wanted
  /// Sees every run as it ends, one at a time; by any thread. Empty: not wanted.
  std::function<void(const Point&, const PointResult&)> see = {};
  MachineFiles machines; ///< the shipped ones, with which commands repeat a run
};

/// What points have in common beside their parameters; GridPoint::setting is its number, from 1.
struct GridSetting {
  Model model = Model::umm;
  bool lockstep = false;
  /// --fn, --type and --layout as they apply: those of the command, and the layout of a variant.
  std::vector<std::pair<std::string, std::string>> replaced;
};

/// A point at which a claim fails, as a user repeats it.
struct Counterexample {
  std::string machine; ///< `dmm, lockstep, t=rows`
  std::string command; ///< `memlane run …`
};

/// A claim and its verdict over the grid.
struct ClaimVerification {
  std::string text;
  std::string source;
  GridJudgement judgement;
  std::optional<Counterexample> counterexample; ///< of judgement.counterexample
  bool elsewhere = false; ///< `on` names only machines that nothing was run on: not judged

  bool passed() const { return elsewhere || judgement.passed(); }
};

/// One program, verified.
struct Verification {
  std::string program;
  ProgramInfo info;                  ///< what the command replaced
  std::vector<std::string> models;   ///< that ran it
  std::vector<std::string> names;    ///< of the parameters that varied
  std::vector<GridSetting> settings; ///< of points, by number - 1
  std::int64_t runs = 0;             ///< that came to their end, or to a limit of each run
  std::int64_t runs_beyond = 0;      ///< of the grid, for bounds that seem to fail; not in `runs`
  std::int64_t failed_runs = 0;
  std::int64_t stopped_runs = 0;   ///< at a limit of each run: neither right nor wrong
  std::int64_t unchecked_runs = 0; ///< verify came to its end without any assert
  /// Not in `runs`: a launch had more threads or shared words than the machine of that point, or on
  /// an AGPU other than b threads.
  std::int64_t unfit_runs = 0;
  std::string races_allowed;    ///< why; empty: a race is a failed run
  std::int64_t racing_runs = 0; ///< in which races were found and allowed
  std::vector<ClaimVerification> claims;
  /// What engine_text says of runs, and of how many.
  std::vector<std::pair<std::string, std::int64_t>> engines;
  Diagnostics failures;   ///< the first runs that failed or stopped, with their parameters
  Diagnostics unused;     ///< values of --grid that were run nowhere: errors where a limit is why
  Stop stop = Stop::none; ///< not none: only a part of the grid was run, so that no claim passes

  bool passed() const;
  /// Values that were asked for were not run, because of a limit.
  bool limited() const;
};

/// Runs the variants of a program (itself, and with other layouts) at the points of its grid
/// (claim/grid.hpp) on every model that can run it, with and without lockstep if a claim asks for
/// it, and judges each claim over all of them. Errors: an axis that is no parameter or letter; no
/// point that the parameters' conditions allow.
Result<Verification> verify_over_grid(Sources& sources, const std::vector<CheckedProgram>& variants,
                                      const GridRequest& request);

/// The command that repeats a run of a grid: on the shipped machine of the model that differs
/// least, with what differs, and with `replaced` (GridSetting). Reads that machine's file.
std::string command_at(const GridRequest& request, const Point& point,
                       const std::vector<std::pair<std::string, std::string>>& replaced);

/// The setting of a point, by its number.
const GridSetting& setting_of(const Verification& verification, std::int64_t number);
/// `dmm, lockstep, t=rows`.
std::string setting_text(const GridSetting& setting);
/// Whether machines of the model have the letter: d and L are an HMM's. True for parameters.
bool has_axis(Model model, std::string_view axis);
/// `n=16, w=4, p=8, l=5 on dmm, lockstep`: without the letters that the machine does not have.
std::string place_on(const std::vector<std::string>& names, const GridValues& values,
                     const GridSetting& setting);

} // namespace memlane::sweep

namespace memlane {

/// All programs in one of the formats, with the tool's version. json: one object; jsonl, csv: a
/// line a claim.
std::string render_verifications(const std::vector<sweep::Verification>& all,
                                 std::string_view version, Format format);

/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json verifications_schema();
nlohmann::ordered_json verification_line_schema();

} // namespace memlane
