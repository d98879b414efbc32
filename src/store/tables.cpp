#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memlane::sweep {
namespace {

std::string in_lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// `name`, or with the smallest number behind it that makes it new.
std::string unused(const std::string& name, std::set<std::string>& used) {
  std::string unique = name;
  for (int n = 2; !used.insert(in_lower_case(unique)).second; ++n)
    unique = fmt::format("{}_{}", name, n);
  return unique;
}

/// Names do not depend on the order in which sweeps added their columns. Of parameters that differ
/// only in case, the one with more small letters keeps its name in the view: `n`, `param_N`.
void name_columns(std::vector<FileColumn>& columns) {
  std::set<std::string> shown, in_view;
  for (const StoreColumn& column : store_columns()) {
    shown.insert(column.name);
    in_view.insert(in_lower_case(column.name));
  }
  for (FileColumn& column : columns) {
    if (column.kind == ColumnKind::parameter) continue;
    column.shown = column.name;
    shown.insert(column.name);
    column.in_view = unused(column.name, in_view);
  }
  std::vector<FileColumn*> parameters;
  for (FileColumn& column : columns)
    if (column.kind == ColumnKind::parameter) parameters.push_back(&column);
  // Small letters are behind capitals in ASCII.
  std::sort(parameters.begin(), parameters.end(),
            [](const auto* a, const auto* b) { return a->name > b->name; });
  for (FileColumn* column : parameters) {
    column->shown = column->name;
    if (shown.count(column->shown) != 0) column->shown = "param_" + column->name;
    for (int n = 2; !shown.insert(column->shown).second; ++n)
      column->shown = fmt::format("param_{}_{}", column->name, n);
    const bool taken = in_view.count(in_lower_case(column->name)) != 0;
    column->in_view = unused(taken ? "param_" + column->name : column->name, in_view);
  }
}

} // namespace

const std::vector<StoreColumn>& store_columns() {
  static const std::vector<StoreColumn> columns = {
      {"basis", "model, or measured on a GPU", true},
      {"device", "the GPU that was measured", true},
      {"variant", "which code was measured: emitted, hand-written or cub", true},
      {"nanoseconds", "that a GPU took"},
      {"status", "how the point ended: done, stopped or failed"},
      {"check_failed", "1 if its verify or an exact claim failed"},
      {"stopped_by", "the limit that stopped it"},
      {"sweep", "the sweep that asked for it first"},
      {"seconds", "that its run took; no part of the result"},
      {"key", "SHA-256 of all that the result depends on"},
  };
  return columns;
}

std::string quoted_name(const std::string& name) {
  std::string text = "\"";
  for (char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

const std::vector<StoreTable>& store_tables() {
  static const std::vector<StoreTable> tables = {
      {"columns", "number",
       "number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, name TEXT NOT NULL, "
       "meaning TEXT NOT NULL, UNIQUE (name, kind)"},
      {"subjects", "id",
       "id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, sweep TEXT, device TEXT, variant TEXT"},
      {"points", "id",
       "id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, subject INTEGER NOT NULL, "
       "status INTEGER NOT NULL, check_failed INTEGER NOT NULL, stopped_by TEXT, "
       "nanoseconds REAL, output INTEGER, parts BLOB"},
      {"texts", "id", "id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, text TEXT NOT NULL"},
      {"dictionaries", "kind", "kind INTEGER PRIMARY KEY, text INTEGER NOT NULL"},
      {"outputs", "id",
       "id INTEGER PRIMARY KEY, dictionary INTEGER NOT NULL, size INTEGER NOT NULL, "
       "content BLOB NOT NULL"},
      {"seconds", "id", "id INTEGER PRIMARY KEY, microseconds INTEGER"},
  };
  return tables;
}

void create_tables(SQLite::Database& database) {
  for (const StoreTable& table : store_tables())
    database.exec(fmt::format("CREATE TABLE {} ({})", table.name, table.columns));
  database.exec(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                            store_application, store_format));
}

std::vector<FileColumn> read_columns(SQLite::Database& database) {
  SQLite::Statement query(database, "SELECT number, kind, name, meaning FROM columns");
  std::vector<FileColumn> columns;
  while (query.executeStep()) {
    columns.push_back({query.getColumn(0).getInt64(),
                       static_cast<ColumnKind>(query.getColumn(1).getInt()),
                       query.getColumn(2).getString(), query.getColumn(3).getString(), "", ""});
  }
  const auto rank = [](const FileColumn& column) {
    return column.kind == ColumnKind::shared ? 0 : column.kind == ColumnKind::parameter ? 1 : 2;
  };
  std::sort(columns.begin(), columns.end(), [&](const FileColumn& a, const FileColumn& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return a.kind == ColumnKind::parameter ? a.name < b.name : a.number < b.number;
  });
  name_columns(columns);
  return columns;
}

void add_column(SQLite::Database& database, ColumnKind kind, const std::string& name,
                const std::string& meaning) {
  SQLite::Statement insert(database, "INSERT INTO columns (kind, name, meaning) VALUES (?, ?, ?)");
  insert.bind(1, static_cast<int>(kind));
  insert.bind(2, name);
  insert.bind(3, meaning);
  insert.exec();
  database.exec(fmt::format("ALTER TABLE {} ADD COLUMN c{}",
                            kind == ColumnKind::shared ? "subjects" : "points",
                            database.getLastInsertRowid()));
}

std::string view_text(const std::vector<FileColumn>& columns) {
  std::string list;
  for (const FileColumn& column : columns)
    if (column.number != 0)
      list += fmt::format("{}.{} AS {}, ", column.kind == ColumnKind::shared ? "s" : "p",
                          column.sql_name(), quoted_name(column.in_view));
  // CROSS JOIN: points first, each with its subject; `seconds` are read only if they are asked for.
  return fmt::format(
      "SELECT {}CASE WHEN s.device IS NULL THEN 'model' ELSE 'measured' END AS basis, "
      "s.device AS device, s.variant AS variant, p.nanoseconds AS nanoseconds, "
      "CASE p.status WHEN 0 THEN 'done' WHEN 1 THEN 'stopped' ELSE 'failed' END AS status, "
      "p.check_failed AS check_failed, p.stopped_by AS stopped_by, s.sweep AS sweep, "
      "t.microseconds / 1e6 AS seconds, lower(hex(p.key)) AS key FROM points AS p "
      "CROSS JOIN subjects AS s ON s.id = p.subject LEFT JOIN seconds AS t ON t.id = p.id",
      list);
}

void create_view(SQLite::Database& database) {
  database.exec("DROP VIEW IF EXISTS results");
  database.exec("CREATE VIEW results AS " + view_text(read_columns(database)));
}

} // namespace memlane::sweep
