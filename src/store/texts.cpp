#include "texts.hpp"

#include "memlane/support/sha256.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <string_view>

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

namespace {

constexpr std::int64_t most_output_bytes = std::int64_t{1} << 28;
/// zlib looks back at most 32,506 bytes: enough for the same place in a result that is longer.
constexpr std::size_t most_dictionary_bytes = 32'000;

/// zlib's interface knows no const; it only reads.
Bytef* zlib_bytes(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

/// The stream reads `from` and fills `to`.
void lead(z_stream& stream, std::string_view from, std::string& to) {
  stream.next_in = zlib_bytes(from);
  stream.avail_in = static_cast<uInt>(from.size());
  stream.next_out = zlib_bytes(to);
  stream.avail_out = static_cast<uInt>(to.size());
}

std::optional<std::string> unpacked(std::string_view bytes, std::int64_t size,
                                    std::string_view dictionary) {
  // zlib packs at most 1032 times.
  const auto most = std::min(most_output_bytes, static_cast<std::int64_t>(bytes.size()) * 1100);
  if (size < 0 || size > most) return std::nullopt;
  std::string json(static_cast<std::size_t>(size), '\0');
  z_stream stream{};
  lead(stream, bytes, json);
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  int status = inflate(&stream, Z_FINISH);
  if (status == Z_NEED_DICT && inflateSetDictionary(&stream, zlib_bytes(dictionary),
                                                    static_cast<uInt>(dictionary.size())) == Z_OK)
    status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.avail_in != 0 || stream.avail_out != 0) return std::nullopt;
  return json;
}

} // namespace

/// zlib's format, which ends with a check of the text and begins with one of the dictionary. The
/// stream and its 256 KiB serve all texts: to allocate them took half of a small point's time.
class StoreOutputs::Packer {
public:
  Packer() {
    if (deflateInit(&stream_, Z_DEFAULT_COMPRESSION) != Z_OK) throw std::bad_alloc();
  }
  ~Packer() { deflateEnd(&stream_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  std::string packed(std::string_view json, std::string_view dictionary) {
    constexpr uLong dictionary_check = 4; // bytes that compressBound leaves out
    std::string bytes(compressBound(static_cast<uLong>(json.size())) + dictionary_check, '\0');
    deflateReset(&stream_);
    lead(stream_, json, bytes);
    deflateSetDictionary(&stream_, zlib_bytes(dictionary), static_cast<uInt>(dictionary.size()));
    deflate(&stream_, Z_FINISH);
    bytes.resize(stream_.total_out);
    return bytes;
  }

private:
  z_stream stream_{};
};

StoreOutputs::~StoreOutputs() = default;

StoreOutputs::StoreOutputs(SQLite::Database& database, StoreTexts& texts)
    : database_(database), texts_(texts),
      find_dictionary_(database, "SELECT text FROM dictionaries WHERE kind = ?"),
      add_dictionary_(database, "INSERT INTO dictionaries (kind, text) VALUES (?, ?)"),
      add_(database, "INSERT INTO outputs (dictionary, size, content) VALUES (?, ?, ?)"),
      read_(database, "SELECT dictionary, size, content FROM outputs WHERE id = ?") {}

std::int64_t StoreOutputs::dictionary_of(const std::string& kind, const std::string& json) {
  const std::int64_t number = texts_.number_of(kind);
  find_dictionary_.bind(1, number);
  const bool is_known = find_dictionary_.executeStep();
  std::int64_t text = is_known ? find_dictionary_.getColumn(0).getInt64() : 0;
  find_dictionary_.reset();
  if (is_known) return text;
  text = texts_.number_of(json.substr(0, most_dictionary_bytes));
  add_dictionary_.bind(1, number);
  add_dictionary_.bind(2, text);
  add_dictionary_.exec();
  add_dictionary_.reset();
  return text;
}

std::int64_t StoreOutputs::add(const std::string& kind, const std::string& json) {
  const std::int64_t dictionary = dictionary_of(kind, json);
  if (!packer_) packer_ = std::make_unique<Packer>();
  const std::string content = packer_->packed(json, texts_.text_of(dictionary));
  add_.bind(1, dictionary);
  add_.bind(2, static_cast<std::int64_t>(json.size()));
  add_.bindNoCopy(3, content.data(), static_cast<int>(content.size()));
  add_.exec();
  add_.reset();
  return database_.getLastInsertRowid();
}

std::optional<std::string> StoreOutputs::json(std::int64_t id) {
  read_.bind(1, id);
  std::optional<std::string> json;
  if (read_.executeStep())
    json = unpacked(read_.getColumn(2).getString(), read_.getColumn(1).getInt64(),
                    texts_.text_of(read_.getColumn(0).getInt64()));
  read_.reset();
  return json;
}

void StoreOutputs::forget() {
  for (SQLite::Statement* statement : {&find_dictionary_, &add_dictionary_, &add_, &read_})
    statement->tryReset();
}

} // namespace memlane::sweep
