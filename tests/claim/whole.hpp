// Parameters of points, which tests compute with.
#pragma once

#include "memlane/claim/growth.hpp"

#include <initializer_list>

namespace memlane {

inline GridValues whole(std::initializer_list<double> values) {
  GridValues all;
  for (const double value : values) all.push_back(static_cast<std::int64_t>(value));
  return all;
}

} // namespace memlane
