// What many points share, stored once: long texts, and the parts of keys that refer to them.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// Appends 7 bits a byte, the lowest first; the highest bit of a byte says that more follow.
inline void append_number(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7)
    bytes += static_cast<char>(static_cast<unsigned char>(number | 0x80));
  bytes += static_cast<char>(number);
}

/// Small numbers of either sign as small numbers: 0, -1, 1, -2, …
inline std::uint64_t folded(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}

/// Reads what was appended. Past the end, or at a number that is none, everything is empty or 0 and
/// `ok` is false.
class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return fail(), 0;
  }
  std::string_view text(std::uint64_t size) {
    if (size > bytes_.size()) return fail(), std::string_view();
    const std::string_view text = bytes_.substr(0, static_cast<std::size_t>(size));
    bytes_.remove_prefix(static_cast<std::size_t>(size));
    return text;
  }

private:
  void fail() {
    ok_ = false;
    bytes_ = {};
  }

  std::string_view bytes_;
  bool ok_ = true;
};

/// The bytes of hexadecimal digits; none if it is something else.
std::optional<std::string> bytes_of_hex(std::string_view digits);
/// Half of the text's SHA-256: names it in the file.
std::string short_hash(std::string_view text);

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

/// The tables `outputs` and `dictionaries`.
class StoreOutputs {
public:
  StoreOutputs(SQLite::Database& database, StoreTexts& texts);
  ~StoreOutputs();

  /// Its id. Results of one `kind` share a dictionary, which is made from the first of them.
  /// Requires a transaction.
  std::int64_t add(const std::string& kind, const std::string& json);
  /// None if there is none, or it or its dictionary is damaged.
  std::optional<std::string> json(std::int64_t id);
  /// After a transaction that was rolled back.
  void forget();

private:
  class Packer;

  std::int64_t dictionary_of(const std::string& kind, const std::string& json);

  SQLite::Database& database_;
  StoreTexts& texts_;
  std::unique_ptr<Packer> packer_; ///< once something is added
  SQLite::Statement find_dictionary_, add_dictionary_, add_, read_;
};

} // namespace memlane::sweep
