#include "memlane/show/model_columns.hpp"

#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

#include <map>

namespace memlane {

using schema::Json;

bool shows_agpu(const Counts& counts) {
  return counts.agpu.io && counts.launches > 0 && !counts.shared.empty() && !counts.global.empty();
}

Json model_value_json(const ModelValue& value) {
  if (const auto* count = std::get_if<std::int64_t>(&value)) return *count;
  if (const auto* bound = std::get_if<MmmBound>(&value))
    return bound->rest == 0 ? Json(bound->whole) : Json(bound->value());
  const auto* text = std::get_if<std::string>(&value);
  return text ? Json(*text) : Json();
}

namespace {

Json schema_of(const ModelField& field) {
  using Kind = ModelField::Kind;
  const std::string meaning = field.meaning_with_unit();
  const bool whole = field.kind == Kind::whole || field.kind == Kind::whole_or_none;
  const Json schema = whole                       ? schema::count(meaning)
                      : field.kind == Kind::line  ? schema::count(meaning, 1)
                      : field.kind == Kind::bound ? schema::real(meaning)
                      : field.kind == Kind::word  ? schema::word(field.words, meaning)
                                                  : schema::text(meaning);
  return field.may_be_none() ? schema::or_null(schema) : schema;
}

schema::Table<ModelCounts> object_of(const ModelTable& model) {
  schema::Members<ModelCounts> members, exact;
  for (const ModelField& field : model.fields) {
    const std::string name(field.name);
    members.push_back({name, schema_of(field), [&field](const ModelCounts& counts) {
                         return model_value_json(field.get(counts));
                       }});
    if (field.kind != ModelField::Kind::bound) continue;
    exact.push_back(
        {name + "_exact",
         schema::or_null(schema::text("the bound as a whole number and a fraction in "
                                      "lowest terms: 26 1/4")),
         [&field](const ModelCounts& counts) { return if_text(to_text(field.get(counts))); }});
  }
  return {std::move(members), exact};
}

} // namespace

const schema::Table<ModelCounts>& model_object(const ModelTable& model) {
  static const auto objects = [] {
    std::map<std::string_view, schema::Table<ModelCounts>> all;
    for (const ModelTable& one : model_tables()) all.emplace(one.name, object_of(one));
    return all;
  }();
  return objects.at(model.name);
}

// --- prices of runs on models of parallel computation

namespace {

const schema::Table<Price>& price_table() {
  static const schema::Table<Price> table(
      {{"text", schema::or_null(schema::text("the exact number, such as 127/2")),
        [](const Price& price) { return if_text(price.value.text); }},
       {"value", "the nearest double",
        [](const Price& price) {
          return price.value.text.empty() ? std::nullopt : std::optional(price.value.value);
        }},
       {"parameters", schema::map(schema::text("exact"), "of the model"),
        [](const Price& price) {
          auto json = Json::object();
          for (std::size_t k = 0; k < price.request.values.size(); ++k)
            json[std::string(price.request.model->parameters[k].name)] =
                price.request.values[k].text();
          return json;
        }},
       {"reason", "why there is no price", &Price::reason, schema::Presence::if_any}});
  return table;
}

} // namespace

Json prices_json(const std::vector<Price>& prices) {
  auto json = Json::object();
  for (const Price& price : prices)
    json[std::string(price.request.model->name)] = price_table().json(price);
  return json;
}

Json prices_schema() {
  std::string meaning = "by model";
  for (const PriceModel& model : price_models())
    meaning += fmt::format("; {}: {}", model.name, model.formula);
  return schema::map(price_table().schema("the run's price on the model"), meaning);
}

std::string price_cell(const std::vector<Price>& prices, const PriceModel& model) {
  for (const Price& price : prices)
    if (price.request.model == &model) return price.value.text;
  return "";
}

std::string prices_text(const std::vector<Price>& prices) {
  if (prices.empty()) return "";
  TextTable table({Align::left, Align::right, Align::left, Align::left});
  for (const Price& price : prices)
    table.add({std::string(price.request.model->title),
               price.value.text.empty() ? "none" : price.value.text, price.request.values_text(),
               price.reason.empty() ? std::string(price.request.model->formula) : price.reason});
  return "\nprices\n" + table.text(2);
}

} // namespace memlane
