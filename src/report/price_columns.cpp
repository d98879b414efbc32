#include "price_columns.hpp"

#include "memlane/report/json_parts.hpp"
#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

namespace memlane {

using schema::Json;

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
