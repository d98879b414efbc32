// Whole results in the file, the table `outputs`. A result is JSON of 10 to 90 KB, and two results
// of one program differ mostly in numbers: each is stored as its difference from an earlier one.
//
// content: 0, size, zlib's bytes
//       or 1, how many ids its base is before it, size, CRC-32 (4 bytes), tree_delta's bytes
//
// An output never changes once it is there, since others may be based on it.
#pragma once

#include "json_tree.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memlane::sweep {

/// Reads outputs. Keeps some of them: the next one is probably based on the same.
class OutputReader {
public:
  struct Output {
    JsonTree tree;
    int depth = 0; ///< how many others lead to one that is whole
  };

  explicit OutputReader(SQLite::Database& database);
  /// None if there is none, or it is damaged.
  std::optional<std::string> json(std::int64_t id);
  /// Null in those cases; valid until the next call.
  const Output* output(std::int64_t id);
  void forget();

private:
  SQLite::Statement read_;
  std::unordered_map<std::int64_t, Output> kept_;
  std::int64_t large_ = 0; ///< the last output, if it is too large to be kept
};

/// Adds outputs.
class OutputWriter {
public:
  explicit OutputWriter(SQLite::Database& database);
  /// Its id. Requires a transaction. Cost: O(size), for each earlier result of the same program
  /// that is compared: 0.1 ms for 10 KB.
  std::int64_t add(const std::string& json);
  /// After a transaction that was rolled back.
  void forget();

private:
  struct Recent {
    std::int64_t id = 0;
    OutputReader::Output output;
  };
  void remember(std::int64_t id, OutputReader::Output output);
  void remember_last();
  std::string content_of(std::int64_t id, const JsonTree& tree, int& depth);

  OutputReader reader_;
  SQLite::Statement last_, insert_;
  bool knows_last_ = false;
  std::map<std::uint64_t, std::deque<Recent>> recent_; ///< by shape_of
  std::size_t recent_count_ = 0;
  std::size_t best_lag_ = 0; ///< in the list of its shape, from the end: sweeps repeat themselves
};

} // namespace memlane::sweep
