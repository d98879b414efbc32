// Whether the columns of a store say what its whole results say.
#pragma once

#include "memlane/store/query.hpp"

#include <string>

namespace memlane {

/// StoreReader::check, and whether the columns and parameters of every point that is done have the
/// values of its result. Columns that are no part of it, such as `command`, are not compared.
/// `path`: of the store. Errors: what is damaged, the first point with another value and its
/// column. Reads everything.
Status check_store(const sweep::StoreReader& reader, const std::string& path);

} // namespace memlane
