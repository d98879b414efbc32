// A plan's programs, machines and numbering.
#pragma once

#include "plan_programs.hpp"

#include "memlane/sweep/recipe.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace memlane::sweep {

/// Where a point is among all combinations.
struct PlacePlanned {
  std::size_t program = 0, machine = 0, seed = 0;
  GroupValues values; ///< by group of axes
};

struct PlanState {
  SweepSpec sweep;
  const Sources* sources = nullptr;
  std::vector<PlannedAxis> axes; ///< refer to `sweep`
  /// Program by program: its combinations of replacements, the last group fastest.
  std::vector<PlannedProgram> programs;
  std::size_t variants = 1; ///< of each program
  std::vector<std::shared_ptr<const LoadedMachine>> machines;
  std::map<std::string, std::string> input_hashes; ///< by source of inputs
  std::int64_t combinations = 0;                   ///< without seeds
  /// The combinations that the condition allows, in order; empty if it allows all.
  std::vector<std::uint32_t> allowed;
  std::vector<WrongPoint> wrong; ///< left out, in order

  PlacePlanned place(std::int64_t combination) const;
  std::size_t variant(const PlacePlanned& place) const;
  const PlannedProgram& program(const PlacePlanned& place) const {
    return programs[variant(place)];
  }
  /// The machine with the axes' values. Errors: values that do not fit together.
  Result<std::shared_ptr<const LoadedMachine>> machine(const PlacePlanned& place) const;
  /// Values of the axes, those of parameters evaluated.
  std::vector<std::pair<std::string, std::string>>
  axis_values(const PlacePlanned& place, const std::vector<ir::Constant>& parameters) const;
  std::string label(const PlacePlanned& place,
                    const std::vector<std::pair<std::string, std::string>>& values) const;
  /// Without the values of parameters.
  Recipe recipe(const PlacePlanned& place) const;
  PlannedPoint planned(const PlacePlanned& place) const;
};

} // namespace memlane::sweep
