// Which arrays of several programs can be compared, and where they differ.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/support/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

/// A program that is compared, and what messages call it.
struct NamedCode {
  std::string name;
  const ir::Program* code = nullptr;
};

struct CommonArrays {
  std::vector<std::string> names;
  std::vector<std::string> remarks; ///< memory arrays of one name whose sizes differ
};

/// The memory arrays that all programs have, with the same extents, in the first one's order.
CommonArrays common_arrays(const std::vector<NamedCode>& programs);

/// The arrays of `--arrays`. Errors: one that a program does not have, or with another size.
Result<CommonArrays> asked_arrays(const std::vector<std::string>& names,
                                  const std::vector<NamedCode>& programs);

/// Elements of an array, row-major.
struct Contents {
  const ir::Array* array = nullptr;
  const std::vector<ir::Value>* values = nullptr;
};

/// Nothing if the two hold the same numbers, of whatever types; else the first element that differs
/// and how many do. Real numbers are the same if they differ by at most `tolerance` times the
/// greater one's size. Requires the same extents.
std::optional<std::string> difference(const Contents& expected, const Contents& found,
                                      double tolerance);

} // namespace memlane::sweep
