// Quantiles of Student's t distribution.
#pragma once

#include <cstddef>

namespace memlane {

/// The t that a Student variable of `freedom` degrees stays below with this probability.
/// Requires 0 < probability < 1; 0 where there is no freedom (an exact fit or none).
double student_quantile(double probability, std::ptrdiff_t freedom);

} // namespace memlane
