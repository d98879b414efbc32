// Which columns a plot of stores has as x and series, and which rows are in which panel.
#include "plot_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

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

bool is_simulated(SeriesBasis basis) {
  return basis == SeriesBasis::model || basis == SeriesBasis::formula;
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

/// The column of numbers with the most values; of those with as many `n`, else the first parameter.
/// Errors: none has two.
Result<std::string> most_varied(const PlotTable& table) {
  std::string best;
  std::tuple<std::size_t, bool, bool> most{1, true, true};
  for (const sweep::StoreColumn& column : table.columns) {
    const bool machine = column.shared && column.name.starts_with("machine_");
    if ((!column.parameter && !machine) || !has_numbers(table, column.name)) continue;
    const std::tuple rank{values_of(table, column.name).size(), column.name == "n",
                          column.parameter};
    if (rank <= most) continue;
    best = column.name;
    most = rank;
  }
  if (!best.empty()) return best;
  Names others = candidates_of(table);
  const bool varies = std::any_of(others.begin(), others.end(), [&](const std::string& name) {
    return values_of(table, name).size() > 1;
  });
  std::erase_if(others, [&](const std::string& name) {
    return varies ? values_of(table, name).size() < 2 : !table.columns[table.at(name)].parameter;
  });
  return error_in("--x", "no column of numbers has several values in these rows",
                  {fmt::format("choose the x axis with --x: {}", fmt::join(others, ", "))});
}

enum class Within { x_but_for_subjects, x };

/// Columns that rows with the same values of those chosen, and at one x, differ in; by
/// `x_but_for_subjects`, subjects at any x.
Names differing_columns(const PlotTable& table, const std::string& x, Names chosen, Within rule) {
  Names added;
  for (const std::string& name : candidates_of(table)) {
    if (name == x || std::find(chosen.begin(), chosen.end(), name) != chosen.end()) continue;
    Names within = chosen;
    if (rule == Within::x || !is_subject(name)) within.push_back(x);
    if (!differs_within(table, within, name)) continue;
    chosen.push_back(name);
    added.push_back(name);
  }
  return added;
}

} // namespace

Result<PlotColumns> choose_columns(const PlotTable& table, const PlotRequest& request) {
  PlotColumns chosen;
  Result<std::string> x = request.x ? *request.x : most_varied(table);
  if (!x) return x.errors();
  chosen.x = *x;
  if (request.panels) chosen.panels = *request.panels;
  chosen.by = request.by
                  ? *request.by
                  : differing_columns(table, chosen.x, chosen.panels, Within::x_but_for_subjects);
  return chosen;
}

Names forgotten_columns(const PlotTable& table, const PlotColumns& chosen) {
  Names all = chosen.by;
  all.insert(all.end(), chosen.panels.begin(), chosen.panels.end());
  return differing_columns(table, chosen.x, std::move(all), Within::x);
}

namespace {

Names texts_in_row(const PlotTable& table, const PlotRow& row, const Names& columns) {
  Names texts;
  for (const std::string& column : columns) texts.push_back(text_of_cell(table.cell(row, column)));
  return texts;
}

/// Whether a row belongs to a panel of these values.
bool agrees(const PlotRow& row, const Names& own, const Names& values) {
  for (std::size_t k = 0; k < own.size(); ++k)
    if (own[k] != values[k] && (is_simulated(row.basis) || !own[k].empty())) return false;
  return true;
}

} // namespace

std::string values_text(const PlotTable& table, const PlotRow& row, const Names& columns) {
  std::string text;
  for (const std::string& column : columns) {
    std::string value = text_of_cell(table.cell(row, column));
    if (value.empty()) continue;
    if (column == "sha256") value.resize(std::min<std::size_t>(value.size(), 8));
    const bool machine = column == "machine" || column == "machine_name";
    const bool bare = machine || column == "program" || column == "series" || column == "store" ||
                      column == "layouts" || column == "fns" || column == "types" ||
                      column == "inputs";
    text += text.empty() ? "" : machine ? " on " : ", ";
    text += bare ? value : column + "=" + value;
  }
  return text;
}

std::vector<PlotPanel> plot_panels(const PlotTable& table, const Names& columns) {
  std::vector<std::pair<Names, PlotPanel>> panels;
  for (const bool simulated : {true, false}) {
    for (std::size_t number = 0; number < table.rows.size(); ++number) {
      const PlotRow& row = table.rows[number];
      if (is_simulated(row.basis) != simulated) continue;
      const Names own = texts_in_row(table, row, columns);
      bool added = false;
      for (auto& [values, panel] : panels) {
        if (!agrees(row, own, values)) continue;
        panel.rows.push_back(number);
        added = true;
      }
      if (!added) panels.push_back({own, {values_text(table, row, columns), {number}}});
    }
  }
  std::vector<PlotPanel> made;
  for (auto& [values, panel] : panels) {
    std::sort(panel.rows.begin(), panel.rows.end());
    made.push_back(std::move(panel));
  }
  return made;
}

} // namespace memlane
