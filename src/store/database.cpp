#include "database.hpp"

#include "memlane/support/files.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace memlane::sweep {

namespace {

/// SQLite's instructions between two polls: about 20 us, or a row of a wide table.
constexpr int steps_between_polls = 1000;
constexpr int pause_milliseconds = 10;

bool is_stopped(const StoreUse& use) { return use.check && use.check() != Stop::none; }

int poll(void* use) { return is_stopped(*static_cast<const StoreUse*>(use)) ? 1 : 0; }

int wait_for_lock(void* data, int tries) {
  const auto& use = *static_cast<const StoreUse*>(data);
  if (is_stopped(use) || tries >= use.wait_milliseconds / pause_milliseconds) return 0;
  sqlite3_sleep(pause_milliseconds);
  return 1;
}

/// SQLite cannot read a store in a folder that it cannot write, unless told that the file does not
/// change. Without a log beside it, no process writes it.
std::string unchanging_uri(const std::string& path) {
  std::string uri = "file:";
  for (char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > ' ' && byte < 0x7f && c != '%' && c != '?' && c != '#';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", byte);
  }
  return uri + "?immutable=1";
}

/// What queries of strangers could do beside reading, and how much of it.
void restrain(sqlite3* handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  constexpr std::pair<int, int> limits[] = {{SQLITE_LIMIT_ATTACHED, 0},
                                            {SQLITE_LIMIT_LENGTH, 1 << 29},
                                            {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
                                            {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
                                            {SQLITE_LIMIT_WORKER_THREADS, 0}};
  for (const auto& [limit, most] : limits) sqlite3_limit(handle, limit, most);
}

} // namespace

Status check_store_file(const std::string& path) {
  if (path.empty())
    return error_in("", "the name of the store is empty", {"name a file, such as results.db"});
  if (Status short_enough = check_name_length(path); !short_enough) return short_enough;
  std::error_code none;
  const auto kind = std::filesystem::status(path, none).type();
  using std::filesystem::file_type;
  if (kind == file_type::directory)
    return error_in(path, "is a directory, not a result store", {"name a file in it"});
  if (kind == file_type::not_found || kind == file_type::none || kind == file_type::unknown)
    return Done{}; // opening it says what is wrong
  if (kind != file_type::regular)
    return error_in(path, "is a device or a pipe, not a file: it cannot hold a store",
                    {"name a file, such as results.db"});
  // SQLite takes a file of one byte for an empty one.
  constexpr std::string_view beginning = "SQLite format 3";
  std::ifstream file(path, std::ios::binary);
  std::string head(beginning.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (head.empty() || head == beginning) return Done{};
  return not_a_store(path);
}

std::string sqlite_name(const std::string& path) {
  return path.starts_with('/') ? path : "./" + path;
}

void stop_with(SQLite::Database& database, const StoreUse& use) {
  // SQLite's interface knows no const; both handlers only read.
  void* const data = const_cast<StoreUse*>(&use);
  sqlite3_progress_handler(database.getHandle(), steps_between_polls, poll, data);
  sqlite3_busy_handler(database.getHandle(), wait_for_lock, data);
}

SQLite::Database open_database(const StoreUse& use, StoreAccess access) {
  const std::string name = sqlite_name(use.path);
  const bool unchanging = access == StoreAccess::unchanging;
  const int flags = access == StoreAccess::create  ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE
                    : access == StoreAccess::write ? SQLite::OPEN_READWRITE
                    : unchanging                   ? SQLite::OPEN_READONLY | SQLite::OPEN_URI
                                                   : SQLite::OPEN_READONLY;
  SQLite::Database database(unchanging ? unchanging_uri(name) : name, flags);
  restrain(database.getHandle());
  stop_with(database, use);
  return database;
}

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
