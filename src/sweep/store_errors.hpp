// SQLite's errors as diagnostics. Exceptions of SQLiteCpp end here.
#pragma once

#include "memlane/support/result.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

namespace memlane::sweep {

/// Errors: a name that is longer than file systems allow, with the ending of SQLite's own files.
Status check_name_length(const std::string& path);

Diagnostic damaged_store(const std::string& path, const std::string& what);
/// What is wrong with the store, and what to do.
Diagnostic store_error(const std::string& path, const SQLite::Exception& error);

/// The result of `work`, or the error of SQLite that ended it.
template <class Work>
auto at_store(const std::string& path, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    return store_error(path, error);
  }
}

} // namespace memlane::sweep
