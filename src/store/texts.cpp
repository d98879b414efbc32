#include "texts.hpp"

#include "memlane/support/sha256.hpp"

namespace memlane::sweep {

namespace {

constexpr std::size_t most_cached_texts = 20'000;

} // namespace

StoreTexts::StoreTexts(SQLite::Database& database)
    : find_(database, "SELECT id FROM texts WHERE hash = ?"),
      read_(database, "SELECT text FROM texts WHERE id = ?"),
      insert_(database, "INSERT INTO texts (hash, text) VALUES (?, ?) RETURNING id") {}

std::int64_t StoreTexts::number_of(const std::string& text) {
  if (const auto known = numbers_.find(text); known != numbers_.end()) return known->second;
  const std::string hash = short_hash(text);
  const auto ask = [&](SQLite::Statement& statement) {
    statement.bindNoCopy(1, hash.data(), static_cast<int>(hash.size()));
    const bool found = statement.executeStep();
    const std::int64_t number = found ? statement.getColumn(0).getInt64() : 0;
    statement.reset();
    return number;
  };
  std::int64_t number = ask(find_);
  if (number == 0) {
    insert_.bindNoCopy(2, text);
    number = ask(insert_);
  }
  if (numbers_.size() >= most_cached_texts) numbers_.clear();
  return numbers_[text] = number;
}

const std::string& StoreTexts::text_of(std::int64_t number) {
  if (const auto known = texts_.find(number); known != texts_.end()) return known->second;
  read_.bind(1, number);
  std::string text = read_.executeStep() ? read_.getColumn(0).getString() : std::string();
  read_.reset();
  if (texts_.size() >= most_cached_texts) texts_.clear();
  return texts_[number] = std::move(text);
}

void StoreTexts::forget() {
  for (SQLite::Statement* statement : {&find_, &read_, &insert_}) statement->tryReset();
  numbers_.clear();
  texts_.clear();
}

std::string packed_parts(const KeyParts& parts, StoreTexts& texts) {
  std::string names, bytes;
  for (const auto& [name, text] : parts) names += name + '\n';
  append_number(bytes, static_cast<std::uint64_t>(texts.number_of(names)));
  for (const auto& [name, text] : parts) {
    if (text.size() <= most_inline_bytes) {
      append_number(bytes, text.size() + 1);
      bytes += text;
    } else {
      append_number(bytes, 0);
      append_number(bytes, static_cast<std::uint64_t>(texts.number_of(text)));
    }
  }
  return bytes;
}

KeyParts unpacked_parts(std::string_view bytes, StoreTexts& texts) {
  ByteReader reader(bytes);
  const std::string names = texts.text_of(static_cast<std::int64_t>(reader.number()));
  KeyParts parts;
  for (std::size_t begin = 0; begin < names.size() && reader.ok();) {
    const std::size_t end = names.find('\n', begin);
    const std::uint64_t size = reader.number();
    std::string text = size == 0 ? texts.text_of(static_cast<std::int64_t>(reader.number()))
                                 : std::string(reader.text(size - 1));
    parts.emplace_back(names.substr(begin, end - begin), std::move(text));
    begin = end == std::string::npos ? names.size() : end + 1;
  }
  return reader.ok() ? parts : KeyParts();
}

namespace {

int value_of_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

} // namespace

std::optional<std::string> bytes_of_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = value_of_digit(digits[i]), low = value_of_digit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(static_cast<unsigned char>(high * 16 + low));
  }
  return bytes;
}

std::string short_hash(std::string_view text) {
  return *bytes_of_hex(std::string_view(sha256(text)).substr(0, 32));
}

} // namespace memlane::sweep
