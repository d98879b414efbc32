// The JSON Schemas of prices in files.
#include "memlane/claim/prices.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace memlane {
namespace {

using Json = nlohmann::ordered_json;

Json any_of(Json first, Json second) {
  return {{"anyOf", Json::array({std::move(first), std::move(second)})}};
}

/// A number as JSON or as text, as fraction_of reads it.
Json value_schema(const PriceParameter& parameter) {
  Json schema = {{"description", parameter.meaning}};
  if (parameter.is_count)
    schema.update(
        any_of({{"type", "integer"}, {"minimum", 1}, {"maximum", 999'999'999'999'999'999}},
               {{"type", "string"}, {"pattern", "^[0-9]*[1-9][0-9]*(\\.0+)?$"}}));
  else
    schema.update(any_of({{"type", "number"}, {"minimum", 0}},
                         {{"type", "string"}, {"pattern", "^[0-9]+(\\.[0-9]+|/0*[1-9][0-9]*)?$"}}));
  return schema;
}

Json model_schema(const PriceModel& model) {
  Json schema = {
      {"description", model.formula}, {"type", "object"}, {"properties", Json::object()}};
  for (const PriceParameter& parameter : model.parameters) {
    schema["properties"][std::string(parameter.name)] = value_schema(parameter);
    schema["required"].push_back(parameter.name);
  }
  schema["additionalProperties"] = false;
  return schema;
}

} // namespace

Json price_object_schema() {
  Json schema = {{"type", "object"}, {"properties", Json::object()}};
  schema["properties"]["$schema"] = {{"description", "of editors"}, {"type", "string"}};
  for (const PriceModel& model : price_models())
    schema["properties"][std::string(model.name)] = model_schema(model);
  schema["additionalProperties"] = false;
  return schema;
}

Json price_file_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "Prices of runs of memlane on models of parallel computation"}};
  schema.update(price_object_schema());
  for (const PriceModel& model : price_models()) // at least one
    schema["anyOf"].push_back({{"required", Json::array({model.name})}});
  return schema;
}

} // namespace memlane
