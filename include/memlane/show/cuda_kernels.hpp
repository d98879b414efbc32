// What a result says of CUDA kernels beside what it says of every run.
#pragma once

#include "memlane/show/columns.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane {

struct RunReport;
class Sources;

/// What the requests of one source line to global memory moved.
struct SectorLine {
  std::string file;
  std::int64_t line = 0, requests = 0;
  std::int64_t sectors = 0; ///< pieces of 32 bytes that requests touched, request by request
  std::int64_t needed = 0;  ///< pieces that as many words side by side would touch
  std::string text;         ///< of the source, without its margin

  double of_request() const { return static_cast<double>(sectors) / static_cast<double>(requests); }
};
const Columns<SectorLine>& sector_columns();

/// A table of the kernels, those with the most time first: their launches and time, lost stages,
/// the largest bound, and the line that loses the most stages. Empty if there is only one kernel.
std::string cuda_kernels_text(const RunReport& report, const Sources& sources);

} // namespace memlane
