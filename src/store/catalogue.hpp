// What a file must have to be taken for a store that memlane made.
#pragma once

#include "memlane/support/result.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

namespace memlane::sweep {

/// Errors: a database that is no store, or of another format; tables that are not what
/// create_tables and add_column make, ids out of range, a trigger. Other tables, indexes and views
/// are their maker's own. `is_new`: there are no tables yet.
Status check_catalogue(SQLite::Database& database, const std::string& path, bool& is_new);

} // namespace memlane::sweep
