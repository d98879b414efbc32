// Whole points of a store, each with its result.
#include "database.hpp"
#include "reader.hpp"
#include "texts.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <optional>

namespace memlane::sweep {

Result<std::string> StoreReader::json(std::string_view key) const { return file_->json_of(key); }

Result<std::string> StoreReader::File::json_of(std::string_view key) const {
  return at_store(use, [&]() -> Result<std::string> {
    SQLite::Statement query(database, "SELECT output FROM points WHERE key = ?");
    const std::string bytes = bytes_of_hex(key).value_or(std::string(key));
    query.bindNoCopy(1, bytes.data(), static_cast<int>(bytes.size()));
    if (!query.executeStep()) return std::string();
    const auto json = outputs.json(query.getColumn(0).getInt64());
    if (!json)
      return error_in(use.path, fmt::format("the stored result of point {} is damaged", key),
                      {"run the point again into another store"});
    return *json;
  });
}

std::vector<StoreColumn> StoreReader::result_columns() const {
  std::vector<StoreColumn> own;
  for (const FileColumn& column : file_->columns)
    if (column.number != 0 && column.kind != ColumnKind::parameter)
      own.push_back({column.name, column.meaning, column.kind == ColumnKind::shared});
  return own;
}

/// The columns of `query` are those of the file without the store's own, then `point_columns`.
Result<WholePoint> StoreReader::File::point_of(SQLite::Statement& query) const {
  WholePoint ended;
  StoredPoint& point = ended.point;
  int at = 0;
  for (const FileColumn& column : columns) {
    if (column.number == 0) continue;
    Cell cell = cell_in(query.getColumn(at++));
    if (column.kind != ColumnKind::parameter)
      point.cells.push_back(std::move(cell));
    else if (cell.index() != 0)
      point.parameters.emplace_back(column.name, std::move(cell));
  }
  point.key = query.getColumn(at++).getString();
  point.sweep = query.getColumn(at++).getString();
  const std::string status = query.getColumn(at++).getString();
  for (const PointStatus known : {PointStatus::stopped, PointStatus::failed})
    if (status == name_of(known)) ended.status = known;
  ended.check_failed = query.getColumn(at++).getInt() != 0;
  ended.limit = query.getColumn(at++).getString();
  point.seconds = query.getColumn(at++).getDouble();
  const SQLite::Column device = query.getColumn(at);
  if (!device.isNull())
    point.measured = MeasuredTime{device.getString(), query.getColumn(at + 1).getString(),
                                  query.getColumn(at + 2).getDouble()};
  SQLite::Statement parts(database, "SELECT parts FROM points WHERE key = ?");
  const std::string key = bytes_of_hex(point.key).value_or(point.key);
  parts.bind(1, key.data(), static_cast<int>(key.size()));
  if (parts.executeStep()) point.key_parts = unpacked_parts(parts.getColumn(0).getString(), texts);
  Result<std::string> json = json_of(point.key);
  if (!json) return json.errors();
  point.json = std::move(*json);
  return ended;
}

std::string StoreReader::File::point_columns() const {
  std::string names;
  for (const FileColumn& column : columns)
    if (column.number != 0) names += quoted_name(column.in_view) + ", ";
  return names + "key, sweep, status, check_failed, stopped_by, seconds, device, variant, "
                 "nanoseconds";
}

Status StoreReader::each_point(const std::string& where,
                               const std::function<Status(const WholePoint&)>& take) const {
  const Result<std::string> clause = file_->where_clause({{}, where, {}});
  if (!clause) return clause.errors();
  return at_store(file_->use, [&]() -> Status {
    // The view's CROSS JOIN reads points in the order of their ids.
    SQLite::Statement query(
        file_->database, fmt::format("SELECT {} FROM results{}", file_->point_columns(), *clause));
    while (query.executeStep()) {
      const Result<WholePoint> point = file_->point_of(query);
      if (!point) return point.errors();
      if (Status taken = take(*point); !taken) return taken;
    }
    return Done{};
  });
}

Result<std::optional<WholePoint>> StoreReader::point(std::string_view key) const {
  return at_store(file_->use, [&]() -> Result<std::optional<WholePoint>> {
    SQLite::Statement query(file_->database,
                            fmt::format("SELECT {} FROM ({} WHERE p.key = ?)",
                                        file_->point_columns(), view_text(file_->columns)));
    const std::string bytes = bytes_of_hex(key).value_or(std::string(key));
    query.bind(1, bytes.data(), static_cast<int>(bytes.size()));
    if (!query.executeStep()) return std::optional<WholePoint>();
    Result<WholePoint> point = file_->point_of(query);
    if (!point) return point.errors();
    return std::optional(std::move(*point));
  });
}

Result<std::vector<std::string>> StoreReader::keys_like(std::string_view digits) const {
  return at_store(file_->use, [&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> keys;
    SQLite::Statement query(
        file_->database, "SELECT lower(hex(key)) FROM points WHERE key >= ? AND key < ? LIMIT 2");
    // Of an odd number of digits, the last is half of a byte.
    std::string low(digits), high(digits);
    if (low.size() % 2 != 0) {
      low += '0';
      high += 'f';
    }
    const auto least = bytes_of_hex(low), most = bytes_of_hex(high);
    if (!least || !most || digits.empty()) return keys;
    const std::string behind = *most + std::string(32, '\xff');
    query.bindNoCopy(1, least->data(), static_cast<int>(least->size()));
    query.bindNoCopy(2, behind.data(), static_cast<int>(behind.size()));
    while (query.executeStep()) keys.push_back(query.getColumn(0).getString());
    return keys;
  });
}

Status StoreReader::check(const std::function<Status(const WholePoint&)>& take) const {
  sqlite3* const handle = file_->database.getHandle();
  sqlite3_set_authorizer(handle, nullptr, nullptr);
  const Status sound = at_store(file_->use, [&]() -> Status {
    SQLite::Statement query(file_->database, "PRAGMA integrity_check(1)");
    if (query.executeStep() && query.getColumn(0).getString() != "ok")
      return damaged_store(file_->use.path, query.getColumn(0).getString());
    // The view leaves out a point whose subject is missing, and calls any status but two 'failed'.
    SQLite::Statement wrong(
        file_->database,
        "SELECT p.id FROM points AS p LEFT JOIN subjects AS s ON s.id = p.subject WHERE s.id IS "
        "NULL OR typeof(p.key) <> 'blob' OR length(p.key) <> 32 OR typeof(p.status) <> 'integer' "
        "OR p.status NOT BETWEEN 0 AND 2 OR typeof(p.check_failed) <> 'integer' OR "
        "p.check_failed NOT BETWEEN 0 AND 1 LIMIT 1");
    if (wrong.executeStep())
      return damaged_store(file_->use.path,
                           fmt::format("row {} of table points holds values that memlane does not "
                                       "write",
                                       wrong.getColumn(0).getInt64()));
    return each_point(
        "", [&](const WholePoint& point) -> Status { return take ? take(point) : Done{}; });
  });
  sqlite3_set_authorizer(handle, allow_reading, nullptr);
  return sound;
}

} // namespace memlane::sweep
