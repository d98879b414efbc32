#include "default_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace memlane::sweep {
namespace {

/// Distinct combinations of program, machine and so on: with more of them, no column is left out.
constexpr std::size_t most_subjects = 2000;

/// Of the columns of points, those that tables show without being asked.
bool is_shown_first(std::string_view name) {
  constexpr std::string_view shown[] = {"seed",       "time",        "status",
                                        "stopped_by", "nanoseconds", "check_failed"};
  return std::find(std::begin(shown), std::end(shown), name) != std::end(shown);
}

/// Whether a point with this value ended otherwise than points do that went well.
bool is_bad_end(const FileColumn& column, const Cell& cell) {
  if (column.kind != ColumnKind::own) return false;
  if (column.shown == "status") return cell != Cell(std::string(name_of(PointStatus::done)));
  if (column.shown == "stopped_by") return cell.index() != 0;
  return column.shown == "check_failed" && cell != Cell(std::int64_t{0});
}

/// Whether cells at `places` decide the cell at `place`.
bool are_told(const std::set<std::vector<Cell>>& subjects, const std::vector<std::size_t>& places,
              std::size_t place) {
  std::map<std::vector<Cell>, Cell> known;
  for (const std::vector<Cell>& cells : subjects) {
    std::vector<Cell> from;
    for (const std::size_t i : places) from.push_back(cells[i]);
    const auto [entry, added] = known.emplace(std::move(from), cells[place]);
    if (!added && entry->second != cells[place]) return false;
  }
  return true;
}

} // namespace

Cell cell_in(const SQLite::Column& column) {
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  if (column.isNull()) return std::monostate();
  return column.getString();
}

std::vector<std::string> default_columns(SQLite::Database& database,
                                         const std::vector<FileColumn>& columns,
                                         const std::string& from) {
  std::vector<std::string> names;
  std::vector<const FileColumn*> read;
  for (const FileColumn& column : columns) {
    if (column.kind == ColumnKind::own && !is_shown_first(column.shown)) continue;
    names.push_back(quoted_name(column.in_view));
    read.push_back(&column);
  }
  SQLite::Statement query(database, fmt::format("SELECT {} FROM {}", fmt::join(names, ", "), from));
  std::vector<Cell> first;
  std::vector<bool> differs(read.size()); // or is a bad end
  std::set<std::vector<Cell>> subjects;   ///< cells of shared columns
  while (query.executeStep()) {
    std::vector<Cell> subject;
    for (std::size_t i = 0; i < read.size(); ++i) {
      const bool shared = read[i]->kind == ColumnKind::shared;
      if (differs[i] && (!shared || subjects.size() > most_subjects)) continue;
      Cell cell = cell_in(query.getColumn(static_cast<int>(i)));
      if (first.size() == i) {
        first.push_back(cell);
        differs[i] = is_bad_end(*read[i], cell);
      } else if (cell != first[i]) {
        differs[i] = true;
      }
      if (shared) subject.push_back(std::move(cell));
    }
    if (subjects.size() <= most_subjects) subjects.insert(std::move(subject));
  }
  std::vector<std::string> chosen;
  std::vector<std::size_t> told; // places of the chosen ones among the cells of subjects
  for (std::size_t i = 0, place = 0; i < read.size(); ++i) {
    const bool shared = read[i]->kind == ColumnKind::shared;
    const bool is_time = read[i]->shown == "time";
    const bool is_new =
        !shared || subjects.size() > most_subjects || !are_told(subjects, told, place);
    if (is_time || (differs[i] && is_new)) {
      chosen.push_back(read[i]->shown);
      if (shared) told.push_back(place);
    }
    if (shared) ++place;
  }
  return chosen;
}

} // namespace memlane::sweep
