// The runs of `verify`: a program over a grid of parameters and machines.
#pragma once

#include "program.hpp"

#include "memlane/claim/grid.hpp"
#include "memlane/claim/grid_verdict.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memlane::cli {

/// What the grid varies beside its standard axes.
struct GridRequest {
  std::map<std::string, std::vector<std::int64_t>> axes; ///< --grid: replaces or adds candidates
  std::vector<MachineSpec> machines; ///< w, l, p and lockstep of each are varied
  GridLimits limits;
  std::int64_t seeds = least_seeds; ///< of `~` claims
  Limits run;
};

/// A claim and what the grid says of it.
struct ClaimVerification {
  const lang::ClaimDecl* claim = nullptr;
  std::string text;
  GridJudgement judgement;
};

/// One program, verified.
struct Verification {
  std::string program;
  std::int64_t points = 0; ///< runs
  std::vector<std::string> names; ///< of the points' parameters
  std::vector<ClaimVerification> claims;
  Diagnostics failures; ///< runs that failed: a verify, an error, with their parameters
  Stop stop = Stop::none;

  bool passed() const;
};

/// Runs the program over its grid on every machine that can run it, and judges each claim. Errors:
/// no point of the grid satisfies the parameters' conditions, an axis that is no parameter.
Result<Verification> verify_over_grid(Sources& sources, CheckedProgram& program,
                                      const GridRequest& request);

} // namespace memlane::cli
