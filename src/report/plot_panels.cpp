#include "plot_panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memlane {
namespace {

using Texts = std::vector<std::string>;

struct PanelPlace {
  Texts values; ///< by column
  PlotPanel panel;
  std::set<Texts> shapes; ///< of the machines of its simulated rows
};

class PanelMaker {
public:
  PanelMaker(const PlotTable& table, const Texts& columns) : table_(table), columns_(columns) {}

  std::vector<PlotPanel> make();

private:
  Texts values_of(const PlotRow& row) const;
  Texts shape_of(const PlotRow& row) const;
  PanelPlace& place(const Texts& values);
  void add_simulated(std::size_t row);
  void add_measured(std::size_t row);
  void add_printed(std::size_t row);
  /// Adds the row to all places that are accepted; whether there is one.
  template <class Accepts>
  bool add_where(std::size_t row, Accepts&& accepts);

  const PlotTable& table_;
  const Texts& columns_;
  std::vector<PanelPlace> places_;
};

bool is_machine(const std::string& column) {
  return column == "machine" || column == "machine_name";
}

Texts PanelMaker::values_of(const PlotRow& row) const {
  Texts values;
  for (const std::string& column : columns_)
    values.push_back(text_of_cell(table_.cell(row, column)));
  return values;
}

Texts PanelMaker::shape_of(const PlotRow& row) const {
  Texts shape;
  for (const char* column :
       {"machine_model", "machine_width", "machine_multiprocessors", "machine_threads"}) {
    std::string text = table_.has(column) ? text_of_cell(table_.cell(row, column)) : "";
    shape.push_back(text.empty() ? "1" : std::move(text)); // of a UMM: one multiprocessor
  }
  return shape;
}

PanelPlace& PanelMaker::place(const Texts& values) {
  for (PanelPlace& known : places_)
    if (known.values == values) return known;
  return places_.emplace_back(PanelPlace{values, {values_text(columns_, values), {}}, {}});
}

void PanelMaker::add_simulated(std::size_t row) {
  PanelPlace& own = place(values_of(table_.rows[row]));
  own.panel.rows.push_back(row);
  own.shapes.insert(shape_of(table_.rows[row]));
}

template <class Accepts>
bool PanelMaker::add_where(std::size_t row, Accepts&& accepts) {
  bool added = false;
  for (PanelPlace& one : places_) {
    if (!accepts(one)) continue;
    one.panel.rows.push_back(row);
    added = true;
  }
  return added;
}

void PanelMaker::add_measured(std::size_t number) {
  const PlotRow& row = table_.rows[number];
  const Texts shape = shape_of(row);
  Texts own = values_of(row);
  const auto unnamed = [&](std::size_t k) { return is_machine(columns_[k]) && own[k].empty(); };
  const bool added = add_where(number, [&](const PanelPlace& panel) {
    bool any_machine = false;
    for (std::size_t k = 0; k < own.size(); ++k) {
      any_machine = any_machine || unnamed(k);
      if (!unnamed(k) && own[k] != panel.values[k]) return false;
    }
    return !any_machine || panel.shapes.contains(shape);
  });
  if (added) return;
  const std::string device = table_.has("device") ? text_of_cell(table_.cell(row, "device")) : "";
  bool named = false;
  for (std::size_t k = 0; k < own.size() && !named; ++k) {
    named = unnamed(k);
    if (named) own[k] = device + " (measured)";
  }
  place(own).panel.rows.push_back(number);
}

void PanelMaker::add_printed(std::size_t row) {
  const Texts own = values_of(table_.rows[row]);
  const bool added = add_where(row, [&](const PanelPlace& panel) {
    for (std::size_t k = 0; k < own.size(); ++k)
      if (!own[k].empty() && own[k] != panel.values[k]) return false;
    return true;
  });
  if (!added) place(own).panel.rows.push_back(row);
}

std::vector<PlotPanel> PanelMaker::make() {
  const auto each = [&](auto wanted, auto add) {
    for (std::size_t row = 0; row < table_.rows.size(); ++row)
      if (wanted(table_.rows[row].basis)) (this->*add)(row);
  };
  using B = SeriesBasis;
  each([](B b) { return b == B::model || b == B::formula; }, &PanelMaker::add_simulated);
  each([](B b) { return b == B::measured; }, &PanelMaker::add_measured);
  each([](B b) { return b == B::printed; }, &PanelMaker::add_printed);
  std::vector<PlotPanel> panels;
  for (PanelPlace& one : places_) {
    std::sort(one.panel.rows.begin(), one.panel.rows.end());
    panels.push_back(std::move(one.panel));
  }
  return panels;
}

} // namespace

std::string values_text(const Texts& columns, const Texts& values) {
  std::string text;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::string& column = columns[k];
    std::string value = values[k];
    if (value.empty()) continue;
    if (column == "sha256") value.resize(std::min<std::size_t>(value.size(), 8));
    const bool machine = is_machine(column);
    const bool bare = machine || column == "program" || column == "series" || column == "store" ||
                      column == "layouts" || column == "fns" || column == "types";
    text += text.empty() ? "" : machine ? " on " : ", ";
    text += bare ? value : column + "=" + value;
  }
  return text;
}

std::vector<PlotPanel> plot_panels(const PlotTable& table, const Texts& columns) {
  return PanelMaker(table, columns).make();
}

} // namespace memlane
