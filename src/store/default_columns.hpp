// The columns that rows of a store are shown with if none are asked for.
#pragma once

#include "tables.hpp"

#include <string>
#include <vector>

namespace memlane::sweep {

Cell cell_in(const SQLite::Column& column);

/// The names of: what was run, where it differs between the rows of `from` and the columns before
/// do not tell it (a name of a program tells its hash); the time; and how points ended, where one
/// is not done. Reads all rows.
std::vector<std::string> default_columns(SQLite::Database& database,
                                         const std::vector<FileColumn>& columns,
                                         const std::string& from);

} // namespace memlane::sweep
