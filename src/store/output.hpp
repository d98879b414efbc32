// Whole results in the file, the table `outputs`. A result is JSON of 4 to 90 KB, and two results
// of one program differ mostly in numbers: zlib packs each with the first of them as its
// dictionary, which is a text of `texts`.
#pragma once

#include "texts.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <optional>
#include <string>

namespace memlane::sweep {

/// The tables `outputs` and `dictionaries`.
class StoreOutputs {
public:
  StoreOutputs(SQLite::Database& database, StoreTexts& texts);

  /// Its id. Results of one `kind` share a dictionary, which is made from the first of them.
  /// Requires a transaction.
  std::int64_t add(const std::string& kind, const std::string& json);
  /// None if there is none, or it or its dictionary is damaged.
  std::optional<std::string> json(std::int64_t id);
  /// After a transaction that was rolled back.
  void forget();

private:
  std::int64_t dictionary_of(const std::string& kind, const std::string& json);

  SQLite::Database& database_;
  StoreTexts& texts_;
  SQLite::Statement find_dictionary_, add_dictionary_, add_, read_;
};

} // namespace memlane::sweep
