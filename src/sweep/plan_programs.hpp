// The programs of a plan, one for each combination of replaced layouts, fns and types, with the
// values of their parameters checked once.
#pragma once

#include "plan_axes.hpp"

#include "memlane/lang/values.hpp"
#include "memlane/sweep/plan.hpp"

#include <functional>
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
  std::vector<std::optional<lang::ParamValue>> parts; ///< by part; none: a progression's

  lang::ParamValue value(std::int64_t number) const;
};

/// A program with its replacements and the values that the sweep may give its parameters.
struct PlannedProgram {
  CheckedProgram program;
  std::vector<lang::ParamValue> own; ///< for this program alone
  std::vector<CheckedValues> axes;
  std::optional<lang::TExpr> where;
  ir::Program outline;              ///< names and layouts of its arrays, for conditions
  std::vector<std::size_t> symbols; ///< of the outline's arrays, in the checked program

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

} // namespace memlane::sweep
