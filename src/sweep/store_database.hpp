// Opens the file of a store so that neither its content nor a query can do more than memlane asks
// for. Stores and queries of figures may come from others and are not trusted.
#pragma once

#include "store_errors.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

namespace memlane::sweep {

/// Errors: a name that is empty or too long; what is there is a folder, a device or a pipe, or a
/// file that is not SQLite's. A file of no bytes, or none, may become a store.
Status check_store_file(const std::string& path);

/// The name under which SQLite opens exactly this path: `file:x` is no URI then, `:memory:` a file.
std::string sqlite_name(const std::string& path);

enum class StoreAccess {
  create, ///< if there is none; and write
  write,
  read,
  unchanging ///< read a file in a folder that cannot be written; no process writes it
};

/// Throws SQLite::Exception. `use` must outlive the connection: it stops queries, and the waiting
/// for another process's lock.
SQLite::Database open_database(const StoreUse& use, StoreAccess access);

/// From now on `use` may stop the connection's work, instead of the one with which it was opened.
void stop_with(SQLite::Database& database, const StoreUse& use);

} // namespace memlane::sweep
