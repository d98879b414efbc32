// The best row of each group.
#include "matching.hpp"

#include "memlane/store/comparison.hpp"

#include <map>
#include <optional>

namespace memlane::sweep {

Result<Rows> best_rows(const StoreReader& reader, const BestQuery& query) {
  ErrorCollector names;
  names.check(reader.check_columns(query.per, "--per"));
  names.check(reader.check_columns({query.by}, "--by"));
  if (!names.ok()) return names.errors();
  RowQuery wanted;
  wanted.where = query.where;
  wanted.also = {{is_done}, {"check_failed = 0"}};
  const Result<Names> shown = reader.shown_columns(wanted);
  if (!shown) return shown.errors();
  wanted.columns = query.per;
  for (const std::string& name : *shown)
    if (!has(wanted.columns, name) && name != query.by && name != "time" && name != "nanoseconds")
      wanted.columns.push_back(name);
  wanted.columns.push_back(query.by);
  wanted.order = query.per;
  Result<Rows> rows = reader.rows(wanted);
  if (!rows) return rows;
  Rows best{rows->columns, {}};
  best.columns.insert(best.columns.end(), {"ties", "next_best", "rows"});
  struct Group {
    const Cells* row = nullptr;
    double value = 0;
    std::optional<double> next;
    std::int64_t ties = 0; // other rows with the value
    std::int64_t rows = 0;
  };
  std::map<Cells, std::size_t> numbers;
  std::vector<Group> groups; // in the order of rows
  for (const Cells& row : rows->rows) {
    const auto value = number_in(row.back());
    if (!value) continue;
    const Cells key(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(query.per.size()));
    const auto [number, added] = numbers.emplace(key, groups.size());
    if (added) groups.emplace_back();
    Group& group = groups[number->second];
    ++group.rows;
    const auto wins = [&](double a, double b) { return query.largest ? a > b : a < b; };
    if (!group.row || wins(*value, group.value)) {
      if (group.row) group.next = group.value;
      group.row = &row;
      group.value = *value;
      group.ties = 0;
    } else {
      if (!group.next || wins(*value, *group.next)) group.next = *value;
      if (*value == group.value) ++group.ties;
    }
  }
  for (const Group& group : groups) {
    Cells row = *group.row;
    const bool is_ratio = group.next && group.value != 0;
    row.push_back(group.ties);
    row.push_back(is_ratio ? Cell(*group.next / group.value) : Cell());
    row.push_back(group.rows);
    best.rows.push_back(std::move(row));
  }
  return best;
}

} // namespace memlane::sweep
