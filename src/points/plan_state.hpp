// A plan's programs, machines and numbering.
#pragma once

#include "plan_axes.hpp"

#include "memlane/lang/values.hpp"
#include "memlane/points/plan.hpp"
#include "memlane/points/recipe.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// The values of an axis for one program.
struct CheckedValues {
  std::size_t group = 0;
  const SweepAxis* axis = nullptr;
  const lang::ParamSymbol* param = nullptr;
  /// One for each part; none: the part is a progression.
  std::vector<std::optional<lang::ParamValue>> parts;

  lang::ParamValue value(std::int64_t number) const;
};

/// A program with its replacements and the values that the sweep may give its parameters.
struct PlannedProgram {
  CheckedProgram program;
  /// What is run, if it is a command; `program` then only has parameters.
  std::optional<KernelCommand> command = {};
  std::vector<lang::ParamValue> own; ///< values that the sweep gives this program alone
  std::vector<CheckedValues> axes;
  std::optional<lang::TExpr> where;
  ir::Program outline;              ///< names and layouts of its arrays, for conditions
  std::vector<std::size_t> symbols; ///< the outline's arrays: their symbols in the checked program

  /// The values that the sweep gives parameters where the axes have these values.
  std::vector<lang::ParamValue> parameters(const GroupValues& values) const;
  /// What the outline's array of this number is padded by; null: its layout is not `padded`.
  const lang::TExpr* padding(std::size_t array) const;
};

/// Whether the program has and uses a memory array of this name, or one of a record: `a.sum`.
bool has_memory_array(const lang::Checked& program, std::string_view name);

/// The program with checked values. Errors: a parameter that it does not have, a value that its
/// parameter cannot have, a condition that is none; each names the program.
Result<PlannedProgram> planned_program(const SweepSpec& sweep, const SweptProgram& swept,
                                       CheckedProgram program, const std::vector<PlannedAxis>& axes,
                                       const Sources& sources);

/// Where a point is among all combinations.
struct PlacePlanned {
  std::size_t program = 0, machine = 0, seed = 0;
  GroupValues values; ///< one for each group of axes
};

struct PlanState {
  SweepSpec sweep;
  const Sources* sources = nullptr;
  std::vector<PlannedAxis> axes; ///< refer to `sweep`
  /// Program by program: its combinations of replacements, the last group fastest.
  std::vector<PlannedProgram> programs;
  std::size_t variants = 1; ///< the combinations of replacements that each program has
  std::vector<std::shared_ptr<const LoadedMachine>> machines;
  std::map<std::string, std::string> input_hashes; ///< keyed by the source of an input
  std::int64_t combinations = 0; ///< the number of all combinations without their seeds
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
  void add_command(const KernelCommand& command, const PlacePlanned& place,
                   PlannedPoint& planned) const;
  PlannedPoint planned(const PlacePlanned& place) const;
};

} // namespace memlane::sweep
