#include "table_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace memlane {
namespace {

using Names = std::vector<std::string>;

class ColumnReader {
public:
  ColumnReader(const sweep::StoreReader& reader, const TableRequest& request, Sources& sources)
      : reader_(reader), request_(request), sources_(sources) {
    for (const sweep::StoreColumn& column : reader.columns()) {
      known_.push_back(column.name);
      if (column.shared || column.parameter || column.name == "seed") keys_.push_back(column.name);
    }
    for (const sweep::StoreColumn& name : reader.other_names()) {
      known_.push_back(name.name);
      keys_.push_back(name.name);
      if (!name.of.empty()) behind_.emplace(name.name, name.of);
    }
    if (request.with_baseline) known_.insert(known_.end(), {"baseline", "speedup"});
    names_.known = [this](const std::string& name) { return is_in(known_, name); };
    names_.suggestions = [&reader](const std::string& name) { return reader.suggestions(name); };
  }

  Result<std::vector<TableColumn>> read(const Names& items) {
    for (const std::string& name : request_.group_by) require_known(name, "--group-by");
    if (!request_.pivot.empty()) require_known(request_.pivot, "--pivot");
    Names groups = request_.group_by;
    if (!groups.empty() && !request_.pivot.empty() && !is_in(groups, request_.pivot))
      groups.push_back(request_.pivot);
    Names wanted = groups;
    if (groups.empty() && !request_.pivot.empty()) wanted = {request_.pivot};
    std::vector<TableColumn> columns;
    for (const std::string& name : wanted)
      if (std::none_of(items.begin(), items.end(),
                       [&](const auto& item) { return formula_and_name(item).first == name; }))
        columns.push_back({name, name, std::nullopt, true, behind(name)});
    for (const std::string& item : items) add(item, groups, columns);
    check_groups(groups, columns);
    if (request_.with_baseline) show_baseline(groups, columns);
    if (!errors_.ok()) return errors_.errors();
    return columns;
  }

private:
  static bool is_in(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  std::string behind(const std::string& name) const {
    const auto found = behind_.find(name);
    return found == behind_.end() ? name : found->second;
  }
  void require_known(const std::string& name, const char* option) {
    if (!is_in(known_, name)) errors_.check(reader_.check_columns({name}, option));
  }

  void add(const std::string& item, const Names& groups, std::vector<TableColumn>& columns) {
    const auto [text, name] = formula_and_name(item);
    if (text.empty() || name.empty())
      return errors_.add(error_in("--columns", fmt::format("'{}' lacks a formula or a name", item),
                                  {"as in: time/n as ratio"}));
    for (const TableColumn& other : columns)
      if (other.name == name)
        return errors_.add(error_in("--columns", fmt::format("two columns are called '{}'", name),
                                    {fmt::format("give one a name: '{} as NAME'", text)}));
    const bool is_key =
        groups.empty() ? is_in(keys_, text) || text == request_.pivot : is_in(groups, text);
    if (names_.known(text) || is_column_word(text)) {
      require_known(text, "--columns");
      return columns.push_back({name, text, std::nullopt, is_key, behind(text)});
    }
    Result<ColumnFormula> formula = read_column_formula(sources_, "--columns", text, names_);
    if (errors_.check(formula)) columns.push_back({name, text, std::move(*formula), false, {}});
  }

  static bool has_aggregates(const std::vector<TableColumn>& columns) {
    return std::any_of(columns.begin(), columns.end(), [](const auto& column) {
      return column.formula && !column.formula->aggregates.empty();
    });
  }

  /// Rows get the columns of --baseline if no column names one of them; groups and pivots have no
  /// place for them.
  void show_baseline(const Names& groups, std::vector<TableColumn>& columns) {
    const Names added = {"baseline", "speedup"};
    for (const TableColumn& column : columns)
      for (const std::string& name :
           column.formula ? columns_of(*column.formula) : Names{column.text})
        if (is_in(added, name)) return;
    const bool grouped = !groups.empty() || has_aggregates(columns);
    if (grouped || !request_.pivot.empty())
      return errors_.add(error_in(
          "--baseline", "no column of the table shows it",
          {fmt::format("name one in --columns: {0} or {1}", grouped ? "mean(speedup)" : "speedup",
                       grouped ? "mean(baseline)" : "baseline")}));
    for (const std::string& name : added) add(name, groups, columns);
  }

  /// A group has one value of the columns that make it, and of aggregates.
  void check_groups(const Names& groups, const std::vector<TableColumn>& columns) {
    if (groups.empty() && !has_aggregates(columns)) return;
    for (const TableColumn& column : columns) {
      const Names names = column.formula ? column.formula->columns : Names{column.text};
      for (const std::string& name : names)
        if (!is_in(groups, name))
          errors_.add(
              error_in("--columns", fmt::format("the rows of a group may differ in '{}'", name),
                       {fmt::format("write mean({0}), median({0}), min({0}), max({0}), "
                                    "sd({0}), sum({0}) or count({0})",
                                    name),
                        fmt::format("or add it to --group-by: --group-by {}{}",
                                    fmt::join(groups, ","), groups.empty() ? name : "," + name)}));
    }
  }

  const sweep::StoreReader& reader_;
  const TableRequest& request_;
  Sources& sources_;
  Names known_, keys_;
  std::map<std::string, std::string> behind_; ///< columns of the store, by their other names
  ColumnNames names_;
  ErrorCollector errors_;
};

} // namespace

Result<std::vector<TableColumn>> table_columns(const sweep::StoreReader& reader,
                                               const TableRequest& request, Sources& sources) {
  Names items = request.query.rows.columns;
  if (items.empty() && request.group_by.empty()) {
    Result<Names> shown = request.with_baseline ? sweep::shown_columns(reader, request.query)
                                                : reader.shown_columns(request.query.rows);
    if (!shown) return shown.errors();
    items = std::move(*shown);
  }
  return ColumnReader(reader, request, sources).read(items);
}

} // namespace memlane
