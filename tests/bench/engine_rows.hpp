// The rows of the benchmark: a program on the fast engine and a plain loop that does the same work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memlane::bench {

struct Row {
  std::string name;
  std::string program;      ///< relative to the source folder
  std::int64_t n = 0;       ///< the parameter n of the measurement
  std::int64_t small_n = 0; ///< for a quick test of the row
  std::vector<std::pair<std::string, std::int64_t>> parameters; ///< except n
  double (*plain)(std::int64_t n) = nullptr;
};

const std::vector<Row>& rows();

/// Seconds of the launches, without the initialisation of arrays. Negative if the fast engine
/// leaves the run to the reference engine.
double engine_seconds(const Row& row, std::int64_t n);

} // namespace memlane::bench
