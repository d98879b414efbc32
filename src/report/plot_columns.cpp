// Which columns a plot of stores has as x, series and panels.
#include "plot_table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace memlane {
namespace {

using Names = std::vector<std::string>;

/// What a run is first told apart by: each of their values is a series of its own, also where the
/// others follow from x.
constexpr std::array<std::string_view, 9> subjects = {
    "program", "machine", "machine_name", "device", "variant", "layouts", "fns", "types", "inputs"};

bool is_subject(std::string_view name) {
  return std::find(subjects.begin(), subjects.end(), name) != subjects.end();
}

bool is_printed(const PlotRow& row) { return row.basis == SeriesBasis::printed; }

/// The values of some columns as one text, for comparison.
std::string key_of(const PlotRow& row, const std::vector<std::size_t>& columns) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(row.basis)));
  for (const std::size_t column : columns) key += '\0' + text_of_cell(row.cells[column]);
  return key;
}

std::set<std::string> values_of(const PlotTable& table, std::string_view column) {
  std::set<std::string> values;
  const std::size_t at = table.at(column);
  for (const PlotRow& row : table.rows)
    if (!is_printed(row)) values.insert(text_of_cell(row.cells[at]));
  values.erase("");
  return values;
}

bool has_numbers(const PlotTable& table, std::string_view column) {
  return std::none_of(table.rows.begin(), table.rows.end(),
                      [at = table.at(column)](const PlotRow& row) {
                        return std::holds_alternative<std::string>(row.cells[at]);
                      });
}

/// Whether rows that are equal in `columns` differ in this one.
bool differs_within(const PlotTable& table, const Names& columns, std::string_view name) {
  const std::size_t at = table.at(name);
  const std::vector<std::size_t> places = table.places(columns);
  std::map<std::string, const sweep::Cell*> first;
  for (const PlotRow& row : table.rows) {
    if (is_printed(row)) continue;
    const auto [known, is_new] = first.emplace(key_of(row, places), &row.cells[at]);
    if (!is_new && *known->second != row.cells[at]) return true;
  }
  return false;
}

/// Columns that may tell series apart, in the order in which they are tried.
Names candidates_of(const PlotTable& table) {
  Names names;
  for (const std::string_view subject : subjects)
    if (table.has(subject)) names.emplace_back(subject);
  const auto add = [&](auto wanted) {
    for (const sweep::StoreColumn& column : table.columns)
      if (wanted(column) && std::find(names.begin(), names.end(), column.name) == names.end())
        names.push_back(column.name);
  };
  add([](const sweep::StoreColumn& column) { return column.parameter; });
  add([](const sweep::StoreColumn& column) { return column.name.rfind("machine_", 0) == 0; });
  add([](const sweep::StoreColumn& column) {
    return column.shared && column.name != "sweep" && column.name != "path";
  });
  std::erase_if(names, [&](const std::string& name) { return values_of(table, name).empty(); });
  return names;
}

/// The column with the most values among those wanted, `n` before others; empty if none has two.
template <class Wanted>
std::string most_varied(const PlotTable& table, Wanted&& wanted) {
  std::string best;
  std::size_t most = 1;
  for (const sweep::StoreColumn& column : table.columns) {
    if (!wanted(column)) continue;
    const std::size_t count = values_of(table, column.name).size();
    if (count < 2 || count < most || (count == most && column.name != "n")) continue;
    best = column.name;
    most = count;
  }
  return best;
}

std::string chosen_x(const PlotTable& table) {
  std::string x = most_varied(table, [&](const sweep::StoreColumn& column) {
    return column.parameter && has_numbers(table, column.name);
  });
  if (!x.empty()) return x;
  x = most_varied(table, [&](const sweep::StoreColumn& column) {
    return column.shared && column.name.rfind("machine_", 0) == 0 &&
           has_numbers(table, column.name);
  });
  if (!x.empty()) return x;
  x = most_varied(table, [](const sweep::StoreColumn& column) {
    return is_subject(column.name) || column.parameter;
  });
  if (!x.empty()) return x;
  for (const sweep::StoreColumn& column : table.columns)
    if (column.parameter && has_numbers(table, column.name)) return column.name;
  return table.has("program") ? "program" : "store";
}

/// Columns that rows of one series would differ in, at one x; subjects at any x.
Names needed_columns(const PlotTable& table, const std::string& x, Names chosen) {
  Names added;
  for (const std::string& name : candidates_of(table)) {
    if (name == x || std::find(chosen.begin(), chosen.end(), name) != chosen.end()) continue;
    Names within = chosen;
    if (!is_subject(name)) within.push_back(x);
    if (!differs_within(table, within, name)) continue;
    chosen.push_back(name);
    added.push_back(name);
  }
  return added;
}

/// Names of series: a model and a measurement share one.
std::size_t series_count(const PlotTable& table, const Names& by) {
  std::set<Names> series;
  for (const PlotRow& row : table.rows) {
    if (is_printed(row)) continue;
    Names values;
    for (const std::string& column : by) values.push_back(text_of_cell(table.cell(row, column)));
    series.insert(std::move(values));
  }
  return series.size();
}

/// Some values of a column: of numbers the first, the last and evenly between; of texts, and where
/// one is to stay, those with the most rows.
Names kept_values(const PlotTable& table, const std::string& column, std::size_t most) {
  std::map<std::string, std::size_t> rows;
  std::vector<std::pair<double, std::string>> numbers;
  const std::size_t at = table.at(column);
  for (const PlotRow& row : table.rows) {
    const std::string text = text_of_cell(row.cells[at]);
    if (is_printed(row) || text.empty() || rows[text]++ > 0) continue;
    if (const auto number = number_of_cell(row.cells[at])) numbers.emplace_back(*number, text);
  }
  Names kept;
  if (most > 1 && numbers.size() == rows.size()) {
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t k = 0; k < most; ++k)
      kept.push_back(numbers[k * (numbers.size() - 1) / (most - 1)].second);
    return kept;
  }
  std::vector<std::pair<std::string, std::size_t>> counted(rows.begin(), rows.end());
  std::stable_sort(counted.begin(), counted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (std::size_t k = 0; k < most; ++k) kept.push_back(counted[k].first);
  return kept;
}

/// Removes rows until the last column of `by` has few enough values for `most` series.
void restrict_rows(PlotTable& table, std::size_t most, PlotColumns& chosen) {
  const std::string& column = chosen.by.back();
  const std::size_t others = series_count(table, Names(chosen.by.begin(), chosen.by.end() - 1));
  const std::size_t values = values_of(table, column).size();
  const std::size_t wanted = std::max<std::size_t>(1, most / std::max<std::size_t>(1, others));
  PlotRestriction one{column, kept_values(table, column, std::min(wanted, values - 1)), values};
  const std::size_t at = table.at(column);
  std::erase_if(table.rows, [&](const PlotRow& row) {
    const std::string text = text_of_cell(row.cells[at]);
    return !text.empty() && std::find(one.kept.begin(), one.kept.end(), text) == one.kept.end();
  });
  chosen.restrictions.push_back(std::move(one));
}

/// A column of those that tell series apart becomes that of panels, if its values are few.
void choose_panels(const PlotTable& table, PlotColumns& chosen) {
  constexpr std::size_t readable_panels = 12;
  for (const std::string& name : Names{"machine", chosen.by.back()}) {
    const auto at = std::find(chosen.by.begin(), chosen.by.end(), name);
    if (at == chosen.by.end() || values_of(table, name).size() > readable_panels) continue;
    chosen.by.erase(at);
    chosen.panels = {name};
    return;
  }
}

} // namespace

PlotColumns choose_columns(PlotTable& table, const PlotRequest& request) {
  constexpr std::size_t readable_series = 8;
  PlotColumns chosen;
  chosen.x = request.x ? *request.x : chosen_x(table);
  if (request.panels) chosen.panels = *request.panels;
  if (request.by) {
    chosen.by = *request.by;
    return chosen;
  }
  const auto too_many = [&] {
    return !chosen.by.empty() && series_count(table, chosen.by) > readable_series;
  };
  chosen.by = needed_columns(table, chosen.x, chosen.panels);
  if (!request.panels && chosen.by.size() > 1 && too_many()) choose_panels(table, chosen);
  // What distinguishes rows first says most about them: the last column loses values.
  while (too_many() && values_of(table, chosen.by.back()).size() > 1) {
    restrict_rows(table, readable_series, chosen);
    chosen.by = needed_columns(table, chosen.x, chosen.panels);
  }
  return chosen;
}

Names forgotten_columns(const PlotTable& table, const PlotColumns& chosen) {
  Names all = chosen.by;
  all.insert(all.end(), chosen.panels.begin(), chosen.panels.end());
  all.push_back(chosen.x);
  Names forgotten;
  for (const std::string& name : candidates_of(table)) {
    if (std::find(all.begin(), all.end(), name) != all.end()) continue;
    if (!differs_within(table, all, name)) continue;
    forgotten.push_back(name);
    all.push_back(name);
  }
  return forgotten;
}

} // namespace memlane
