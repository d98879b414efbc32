// What a result says of CUDA kernels beside what it says of every run.
#pragma once

#include "memlane/show/columns.hpp"
#include "memlane/show/run_report.hpp"

#include <cstddef>
#include <string>

namespace memlane {

const Columns<SectorLine>& sector_columns();
const schema::Table<EstimatedTime>& estimated_time_table();
const schema::Table<RefusedLaunches>& refused_launches_table();
/// The estimate of the run's time, if a part of the blocks was executed; else empty.
std::string estimate_text(const RunReport& report);

/// A table of the kernels, those with the most time first: their launches and time, lost stages,
/// the largest bound, and the line that loses the most stages. Empty if there is only one kernel.
std::string cuda_kernels_text(const RunReport& report, const Sources& sources, std::size_t columns);
/// With details, the sectors by line; how many launches were not timed; the machine code.
std::string sectors_text(const RunReport& report, std::size_t columns);

} // namespace memlane
