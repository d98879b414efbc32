// Opens the file of a store so that neither its content nor a query can do more than memlane asks
// for. Stores and queries of figures may come from others and are not trusted.
#pragma once

#include "memlane/support/result.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <functional>
#include <string>

namespace memlane::sweep {

/// Errors: a name that is longer than file systems allow, with the ending of SQLite's own files.
Status check_name_length(const std::string& path);

/// A store that is open, and what may stop the work on it.
struct StoreUse {
  std::string path;
  /// What may stop the work, asked while SQLite computes or waits for a lock; empty: nothing.
  std::function<Stop()> check = {};
  int wait_milliseconds = 60'000; ///< the longest wait for a lock
  bool reads = false;             ///< it writes nothing but tables of its own
};

/// Records that this process has the store open, with SQLite's own files beside it: no command may
/// write over them. An error if this one is going to.
Status note_store(const std::string& path);

Diagnostic not_a_store(const std::string& path);
Diagnostic damaged_store(const std::string& path, const std::string& what);
/// What is wrong with the store, and what to do.
Diagnostic store_error(const StoreUse& use, const SQLite::Exception& error);

/// The result of `work`, or the error of SQLite that ended it.
template <class Work>
auto at_store(const StoreUse& use, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    return store_error(use, error);
  }
}

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

/// Errors: a database that is no store, or of another format; tables that are not what
/// create_tables and add_column make, ids out of range, a trigger. Other tables, indexes and views
/// are their maker's own. `is_new`: there are no tables yet.
Status check_catalogue(SQLite::Database& database, const std::string& path, bool& is_new);

} // namespace memlane::sweep
