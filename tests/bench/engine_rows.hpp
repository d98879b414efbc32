// The rows of the measurement: each a program on the fast engine beside a plain loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memlane::bench {

struct Row {
  std::string name;
  std::string program;      ///< below the source folder
  std::int64_t n = 0;       ///< what is measured; its parameter n
  std::int64_t small_n = 0; ///< enough to see that the row runs
  std::vector<std::pair<std::string, std::int64_t>> parameters; ///< the others
  double (*plain)(std::int64_t n) = nullptr;
};

const std::vector<Row>& rows();

/// Seconds of the launches alone: their data and their time, without the filling of arrays.
/// Negative if the fast engine leaves the run to the reference engine.
double engine_seconds(const Row& row, std::int64_t n);

} // namespace memlane::bench
