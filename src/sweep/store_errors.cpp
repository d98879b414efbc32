#include "store_errors.hpp"

#include "memlane/support/file_use.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

namespace memlane::sweep {

Status check_name_length(const std::string& path) {
  constexpr std::size_t most = 255, ending = 4; // -wal, -shm
  const std::size_t length = path.size() - (path.rfind('/') + 1);
  if (length + ending <= most) return Done{};
  return error_in(on_one_line(path, 80),
                  fmt::format("the name of the store has {} bytes, at most {} are allowed", length,
                              most - ending),
                  {"file systems allow 255, and SQLite adds FILE-wal and FILE-shm"});
}

Status note_store(const std::string& path) {
  for (const char* const ending : {"", "-wal", "-shm", "-journal"})
    if (Status apart = note_read(path + ending); !apart) return apart;
  return Done{};
}

Diagnostic not_a_store(const std::string& path) {
  return error_in(path, "is not a result store",
                  {"give a file that memlane sweep made with --store, or a new name"});
}

Diagnostic damaged_store(const std::string& path, const std::string& what) {
  return error_in(path, fmt::format("the store is damaged: {}", what),
                  {"keep a copy; 'sqlite3 DAMAGED.db .recover | sqlite3 NEW.db' saves what can be "
                   "read",
                   "or run the sweep again into another store"});
}

Diagnostic store_error(const StoreUse& use, const SQLite::Exception& error) {
  const std::string& path = use.path;
  const std::string what = error.what();
  const int code = error.getErrorCode();
  const Stop stop = use.check ? use.check() : Stop::none;
  if ((code == SQLITE_INTERRUPT || code == SQLITE_BUSY) && stop != Stop::none)
    return stopped_while(stop, fmt::format("reading the store '{}'", path));
  switch (code) {
  case SQLITE_NOTADB: return not_a_store(path);
  case SQLITE_CORRUPT: return damaged_store(path, what);
  case SQLITE_FULL:
    if (use.reads)
      return error_in(path, "the points that the query asks for need more than 1 GiB",
                      {"choose fewer points, or shorter columns"});
    return error_in(path, "no space is left for the store",
                    {"free some space and run the same command again: finished points are kept"});
  case SQLITE_READONLY:
    return error_in(path, "the store cannot be written: the file or its folder is read-only",
                    {"make both writable, or copy the store to another folder"});
  case SQLITE_CANTOPEN:
    return error_in(path, "the store cannot be opened: its folder does not exist, or forbids it",
                    {"SQLite also writes FILE-wal and FILE-shm beside the store"});
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return error_in(path,
                    fmt::format("another process has locked the store for more than {} seconds",
                                use.wait_milliseconds / 1000),
                    {"run the same command again when it has ended: finished points are kept"});
  case SQLITE_IOERR:
    return error_in(path, fmt::format("the store cannot be read or written: {}", what),
                    {"the disk may be full, or a limit on the size of files reached (ulimit -f)",
                     "run the same command again then: finished points are kept"});
  case SQLITE_PERM:
  case SQLITE_AUTH:
    return error_in(path, fmt::format("not allowed: {}", what), {"a query can only read"});
  case SQLITE_NOMEM: return error_in(path, "no memory is left for SQLite");
  case SQLITE_TOOBIG:
    return error_in(path, "a text is longer than the 512 MiB that a store may hold");
  default: return error_in(path, what);
  }
}

} // namespace memlane::sweep
