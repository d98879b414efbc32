// What many points share, stored once: long texts, and the parts of keys that refer to them.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memlane::sweep {

using KeyParts = std::vector<std::pair<std::string, std::string>>;

/// The table `texts`.
class StoreTexts {
public:
  explicit StoreTexts(SQLite::Database& database);

  /// The number of a text; adds it if it is new. Requires a transaction.
  std::int64_t number_of(const std::string& text);
  /// Empty if there is none.
  const std::string& text_of(std::int64_t number);
  /// After a transaction that was rolled back.
  void forget();

private:
  SQLite::Statement find_, read_, insert_;
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::unordered_map<std::int64_t, std::string> texts_;
};

/// Texts of at most this many bytes are beside the point, longer ones in `texts`.
constexpr std::size_t most_inline_bytes = 24;

/// Names once for all points that have the same, then each text or its number.
std::string packed_parts(const KeyParts& parts, StoreTexts& texts);
KeyParts unpacked_parts(std::string_view bytes, StoreTexts& texts);

} // namespace memlane::sweep
