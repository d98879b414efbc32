// Stores in a folder of their own, and points to put into them.
#pragma once

#include "support/catch.hpp"

#include "memlane/store/query.hpp"
#include "memlane/store/store.hpp"
#include "memlane/support/sha256.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace memlane::store_test {

using namespace sweep;

/// A folder that is removed at the end.
class StoreFolder {
public:
  StoreFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "memlane-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  StoreFolder(const StoreFolder&) = delete;
  StoreFolder& operator=(const StoreFolder&) = delete;
  ~StoreFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

inline const std::vector<StoreColumn>& test_columns() {
  static const std::vector<StoreColumn> columns = {{"program", "what ran", true},
                                                   {"machine_name", "where", true},
                                                   {"seed", "of random numbers", false},
                                                   {"time", "in time units", false},
                                                   {"ratio", "of something", false}};
  return columns;
}

using TestParameters = std::vector<std::pair<std::string, Cell>>;

/// Its key is made from the program and its parameters; its time is `time`.
inline StoredPoint test_point(const std::string& program, const TestParameters& parameters,
                              std::int64_t time) {
  StoredPoint point;
  std::string text;
  for (const auto& [name, value] : parameters) {
    text += name + "=";
    if (const auto* number = std::get_if<std::int64_t>(&value)) text += std::to_string(*number);
    if (const auto* word = std::get_if<std::string>(&value)) text += *word;
    text += ";";
  }
  point.key = sha256(program + "\n" + text);
  point.sweep = "test";
  point.key_parts = {{"program", "the whole text of " + program + ", which is long"},
                     {"parameters", text},
                     {"seed", "1"}};
  point.parameters = parameters;
  point.cells = {program, std::string("a machine"), std::int64_t{1}, time, 0.1};
  point.json =
      fmt::format(R"({{"program":"{}","time":{},"ratio":0.1,"list":[1,2,3]}})", program, time);
  point.seconds = 0.25;
  return point;
}

inline Store open_store(const std::string& path) {
  Result<Store> store = Store::open(path, test_columns());
  if (!store) FAIL(store.errors().front().message);
  return std::move(*store);
}

inline void add(Store& store, const StoredPoint& point) {
  const Status added = store.add(point, PointStatus::done, false, "");
  if (!added) FAIL(added.errors().front().message);
}

inline StoreReader open_reader(const std::string& path) {
  Result<StoreReader> reader = StoreReader::open(path);
  if (!reader) FAIL(reader.errors().front().message);
  return std::move(*reader);
}

inline std::string text_of(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return "null";
}

/// `a b|1 2|3 4`; or the first error.
inline std::string text_of(const Result<Rows>& rows) {
  if (!rows) return "error: " + rows.errors().front().place + ": " + rows.errors().front().message;
  std::string text = fmt::format("{}", fmt::join(rows->columns, " "));
  for (const std::vector<Cell>& row : rows->rows) {
    text += '|';
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : " ") + text_of(row[i]);
  }
  return text;
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

} // namespace memlane::store_test
