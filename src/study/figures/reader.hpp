// The parts that figure files and lessons share.
#pragma once

#include "memlane/study/figures/figure.hpp"
#include "memlane/support/json_record.hpp"

#include <string>
#include <vector>

namespace memlane {

/// A query as a string, or as a list of its lines.
Kind<FigureQuery> query_kind();
/// Queries by name.
Kind<std::vector<FigureView>> views_kind();
Kind<std::vector<FigureChart>> charts_kind();
Kind<std::vector<FigureTable>> tables_kind();

/// Sweeps by the name of their table, into a figure that has its name and says whether it is quick.
nlohmann::ordered_json sweeps_schema();
void read_sweeps(const JsonPlace& place, FigureSpec& figure);

/// Errors: names of sweeps and views that are one name in queries.
void check_table_names(const JsonPlace& place, const FigureSpec& figure);

} // namespace memlane
