#include "memlane/study/compare/all_models.hpp"

#include "memlane/show/columns.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/model_columns.hpp"
#include "memlane/show/paper_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {
namespace {

using schema::Json;
using sweep::ComparisonRow;
using sweep::Ran;

/// Adds the rows of one run.
class ModelRows {
public:
  ModelRows(const ComparisonRow& row, const MachineSpec& machine) : row_(row), machine_(machine) {}

  void add_own();
  void add_counts(const ModelTable& model);
  void add_price(const PriceModel& model, const std::vector<PriceRequest>& prices);
  void add(std::string_view model, std::string count, std::string value, std::string meaning,
           std::string note = "") {
    rows.push_back({row_.machine, std::string(model), std::move(count), std::move(value),
                    std::move(meaning), std::move(note)});
  }

  std::vector<ModelRow> rows;

private:
  const ComparisonRow& row_;
  const MachineSpec& machine_;
};

/// The machine's own time. An AGPU's is among its counts.
void ModelRows::add_own() {
  if (is_timed(machine_.model))
    add(name_of(machine_.model), "time", std::to_string(row_.counts.time.value),
        "time units: from the start of the run to its end");
}

/// A row for each number, and one that says why there is none.
void ModelRows::add_counts(const ModelTable& model) {
  for (const ModelField& field : model.fields) {
    const std::string value = to_text(field.get(row_.counts));
    if (field.is_place() || (value.empty() && !field.note)) continue;
    add(model.name, fmt::format("{}_{}", model.name, field.name), value,
        fmt::format("{}{}{}", field.unit, field.unit.empty() ? "" : ": ", field.meaning),
        field.note ? field.note(row_.counts) : "");
  }
}

void ModelRows::add_price(const PriceModel& model, const std::vector<PriceRequest>& prices) {
  const std::string count = fmt::format("price_{}", model.name), meaning(model.formula);
  for (const PriceRequest& request : prices)
    if (request.model == &model) {
      const Price price = price_of(request, machine_, row_.counts);
      return add(model.name, count, price.value.text, meaning,
                 price.reason.empty() ? request.values_text() : price.reason);
    }
  if (model.parameters.empty()) {
    const Price price = price_of({&model, {}}, machine_, row_.counts);
    return add(model.name, count, price.value.text, meaning, price.reason);
  }
  std::string names;
  for (const PriceParameter& parameter : model.parameters)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", parameter.name);
  add(model.name, count, "", meaning, fmt::format("needs {}: {}", names, model.example()));
}

/// Where there is no value, the reason is what matters.
std::string what_it_counts(const ModelRow& row) {
  if (row.value.empty()) return "none: " + row.note;
  return row.note.empty() ? row.meaning : fmt::format("{} ({})", row.meaning, row.note);
}

const Columns<ModelRow>& model_row_columns() {
  using C = Column<ModelRow>;
  static const Columns<ModelRow> columns(
      {C(Shown{"machine"}, "machine", "as it was asked for", &ModelRow::machine),
       C(Shown{.heading = "model", .where = ShownIn::paper}, "model", "of computation",
         &ModelRow::model),
       C(Shown{"count"}, "count", "its name in a run's CSV", &ModelRow::count),
       C(Shown{"value", Align::right}, "value", "exact",
         [](const ModelRow& row) { return if_text(row.value); }),
       C(Shown{.heading = "what it counts", .width = 200}, "meaning", "what it counts",
         &ModelRow::meaning)
           .showing(what_it_counts),
       C("note", "parameters of the price, or why there is no value", &ModelRow::note)});
  return columns;
}

const schema::Table<AllModels>& all_models_table() {
  using A = AllModels;
  static const schema::Table<A> table(
      {{"tool", tool_schema(), [](const A& a) { return tool_json(a.version); }},
       {"program", "its path", [](const A& a) { return a.program.path; }},
       {"parameters", parameters_schema(), [](const A& a) { return parameters_json(a.program); }},
       {"seed", "of random numbers", &A::seed},
       {"timing_only", schema::constant(true, "nothing was computed: --timing-only"),
        &A::timing_only, [](const A& a) { return a.timing_only; }},
       {"rows", model_row_columns().json(), "a number of a run on a machine", "machine by machine",
        &A::rows}});
  return table;
}

} // namespace

std::vector<ModelRow> model_rows(const ComparisonRow& row, const MachineSpec& machine,
                                 const std::vector<PriceRequest>& prices) {
  ModelRows all(row, machine);
  if (row.ran != Ran::done) {
    all.add(name_of(machine.model), "time", "", "", on_one_line(row.reason, 200));
    return all.rows;
  }
  all.add_own();
  if (has_requests(machine.model) && !row.counts.agpu.io)
    all.add("agpu", "agpu_time", "", "", std::string(without_agpu_counts(machine)));
  for (const ModelTable& model : model_tables())
    if (model.known(row.counts)) all.add_counts(model);
  for (const PriceModel& model : price_models()) all.add_price(model, prices);
  return all.rows;
}

Json all_models_schema() {
  return schema::document("The result of memlane compare --all-models",
                          all_models_table().schema("what --format json prints"));
}

Json all_models_line_schema() {
  return line_document("compare --all-models",
                       model_row_columns().json().schema("a number of a run on a machine"));
}

std::string render_all_models(const AllModels& models, Format format) {
  return model_row_columns().text_in(
      format, "Models: " + models.program.path, models.rows,
      [&] { return model_row_columns().text(models.rows).text(); },
      [&] { return all_models_table().json(models); });
}

} // namespace memlane
