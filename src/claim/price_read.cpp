// Reads prices from options and from files, whose JSON Schemas are here too.
#include "memlane/claim/prices.hpp"
#include "memlane/support/json_table.hpp"
#include "memlane/support/json_text.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace memlane {
namespace {

constexpr std::size_t most_digits = 18; // below 2^63
constexpr const char* example_of_file =
    R"(such as {"pem": {"lambda": 400, "sigma": 10}, "io": {}})";

std::optional<std::int64_t> digits_of(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || text.size() > most_digits || !std::all_of(text.begin(), text.end(), is_digit))
    return std::nullopt;
  return number_of<std::int64_t>(text);
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const PriceModel& model : price_models()) names.emplace_back(model.name);
  return names;
}

/// A parameter as it is written, and its place.
struct Written {
  std::string name;
  std::string value; ///< its text
  bool is_number = true;
  Span name_at, at; ///< unknown in options
};

/// Reads the parameters of one price; `place` is the option's name, or empty.
class PriceReader {
public:
  PriceReader(std::string place, ErrorCollector& errors)
      : place_(std::move(place)), errors_(errors) {}

  /// None if there is no such model.
  const PriceModel* model(const std::string& name, Span at);
  void add(const PriceModel& model, const std::vector<Written>& written, Span at);
  std::vector<PriceRequest> prices;

private:
  void fail(Span at, const std::string& message, std::vector<std::string> help) {
    errors_.add(at.known() ? error_at(at, message, std::move(help))
                           : error_in(place_, message, std::move(help)));
  }
  bool take(const PriceModel& model, const Written& written, PriceRequest& price,
            std::vector<bool>& given);

  std::string place_;
  ErrorCollector& errors_;
};

const PriceModel* PriceReader::model(const std::string& name, Span at) {
  const PriceModel* model = price_model_named(name);
  if (!model) {
    std::vector<std::string> help = did_you_mean(name, model_names());
    help.push_back(fmt::format("accepted: {}", fmt::join(model_names(), ", ")));
    fail(at, fmt::format("no model of prices is named '{}'", name), std::move(help));
  }
  for (const PriceRequest& price : prices)
    if (model && price.model == model) {
      fail(at, fmt::format("{} is given twice", model->name), {"leave one out"});
      return nullptr;
    }
  return model;
}

bool PriceReader::take(const PriceModel& model, const Written& written, PriceRequest& price,
                       std::vector<bool>& given) {
  const auto& known = model.parameters;
  const auto found = std::find_if(known.begin(), known.end(), [&](const PriceParameter& parameter) {
    return parameter.name == written.name;
  });
  if (found == known.end()) {
    fail(written.name_at, fmt::format("{} has no parameter '{}'", model.name, written.name),
         {known.empty() ? fmt::format("it has none: {}", model.example())
                        : "write it like this: " + model.example()});
    return false;
  }
  const auto k = static_cast<std::size_t>(found - known.begin());
  if (given[k]) {
    fail(written.name_at, fmt::format("{} of {} is given twice", found->name, model.name),
         {"leave one out"});
    return false;
  }
  given[k] = true;
  const auto value = written.is_number ? fraction_of(written.value) : std::nullopt;
  const bool right =
      value && (!found->is_count || (value->denominator == 1 && value->numerator >= 1));
  if (!right) {
    fail(written.at,
         fmt::format("{} of {} is '{}'", found->name, model.name, on_one_line(written.value, 40)),
         {fmt::format("accepted: a {}, at most {} digits{}",
                      found->is_count ? "whole number of at least 1" : "number of at least 0",
                      most_digits, found->is_count ? "" : ": such as 400, 2.5, 5/2"),
          "no sign, exponent, expression or name"});
    return false;
  }
  price.values[k] = *value;
  return true;
}

void PriceReader::add(const PriceModel& model, const std::vector<Written>& written, Span at) {
  PriceRequest price{&model, std::vector<Fraction>(model.parameters.size())};
  std::vector<bool> given(model.parameters.size());
  bool right = true;
  for (const Written& one : written) right = take(model, one, price, given) && right;
  std::vector<std::string_view> missing;
  for (std::size_t k = 0; k < given.size(); ++k)
    if (!given[k]) missing.push_back(model.parameters[k].name);
  if (right && !missing.empty()) {
    fail(at, fmt::format("{} lacks {}", model.name, fmt::join(missing, " and ")),
         {"write it like this: " + model.example()});
    right = false;
  }
  if (right) prices.push_back(std::move(price));
}

/// `lambda=400,sigma=10`.
std::vector<Written> parts_of(std::string_view text) {
  std::vector<Written> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    const std::size_t equals = part.find('=');
    const bool whole = equals != std::string_view::npos;
    parts.push_back({std::string(part.substr(0, equals)),
                     whole ? std::string(part.substr(equals + 1)) : "",
                     true,
                     {},
                     {}});
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return parts;
}

void read_model(const JsonMember& member, PriceReader& reader, ErrorCollector& errors) {
  const PriceModel* model = reader.model(member.key, member.key_span);
  if (!model) return;
  if (member.value.kind != JsonKind::object) {
    errors.add(
        error_at(member.value.span, fmt::format("{}: must be an object of its parameters, is {}",
                                                shown_key(member.key), describe(member.value))));
    return;
  }
  std::vector<Written> written;
  for (const JsonMember& one : member.value.members) {
    const bool number = one.value.kind == JsonKind::number || one.value.kind == JsonKind::string;
    written.push_back({one.key, number ? one.value.text : describe(one.value), number, one.key_span,
                       one.value.span});
  }
  reader.add(*model, written, member.key_span);
}

// --- schemas

using schema::any_of, schema::Json;

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
  schema::Properties parameters;
  for (const PriceParameter& parameter : model.parameters)
    parameters.emplace_back(parameter.name, value_schema(parameter));
  return schema::object(model.formula, parameters);
}

} // namespace

std::optional<Fraction> fraction_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::size_t point = text.substr(0, slash).find('.');
  std::string digits(text.substr(0, std::min(point, slash)));
  std::int64_t denominator = 1;
  if (point != std::string_view::npos) {
    const std::string_view decimals = text.substr(point + 1);
    if (slash != std::string_view::npos || decimals.empty() || digits.empty()) return std::nullopt;
    digits += decimals;
    for (std::size_t k = 0; k < decimals.size() && k < most_digits; ++k) denominator *= 10;
  } else if (slash != std::string_view::npos) {
    const auto below = digits_of(text.substr(slash + 1));
    if (!below || *below == 0) return std::nullopt;
    denominator = *below;
  }
  const auto numerator = digits_of(digits);
  if (!numerator) return std::nullopt;
  const std::int64_t common = std::gcd(*numerator, denominator);
  return Fraction{*numerator / common, denominator / common};
}

Result<std::vector<PriceRequest>> read_prices(const std::vector<std::string>& texts) {
  ErrorCollector errors;
  PriceReader reader("--price", errors);
  for (const std::string& text : texts) {
    const std::size_t colon = text.find(':');
    const PriceModel* model = reader.model(text.substr(0, colon), {});
    if (!model) continue;
    const bool empty = colon == std::string::npos;
    reader.add(*model, empty ? std::vector<Written>() : parts_of(text.substr(colon + 1)), {});
  }
  if (!errors.ok()) return errors.errors();
  return std::move(reader.prices);
}

Result<std::vector<PriceRequest>> read_price_object(const JsonValue& object) {
  ErrorCollector errors;
  PriceReader reader("", errors);
  if (object.kind != JsonKind::object)
    errors.add(error_at(
        object.span,
        fmt::format("must be an object with a member for each model, is {}", describe(object)),
        {example_of_file}));
  for (const JsonMember& member : object.members)
    if (member.key != "$schema") read_model(member, reader, errors);
  if (!errors.ok()) return errors.errors();
  return std::move(reader.prices);
}

Result<std::vector<PriceRequest>> read_price_file(const Sources& sources, std::int32_t file) {
  Diagnostics wrong;
  const std::optional<JsonValue> root = read_json(sources, file, "prices", wrong);
  if (!root) return wrong;
  ErrorCollector errors;
  if (!wrong.empty()) errors.add(wrong);
  std::vector<PriceRequest> prices;
  errors.take(read_price_object(*root), prices);
  if (errors.ok() && prices.empty())
    errors.add(error_at(root->span, "the file prices on no model", {example_of_file}));
  if (!errors.ok()) return errors.errors();
  return prices;
}

Result<std::vector<PriceRequest>> join_prices(std::vector<PriceRequest> first,
                                              const std::vector<PriceRequest>& then) {
  for (const PriceRequest& price : then) {
    for (const PriceRequest& other : first)
      if (other.model == price.model)
        return error_in(
            "--prices",
            fmt::format("the file has prices of {}, and --price, too", price.model->name),
            {"leave one of them out"});
    first.push_back(price);
  }
  return first;
}

Json price_object_schema() {
  schema::Properties models = {{"$schema", schema::text("of editors")}};
  for (const PriceModel& model : price_models())
    models.emplace_back(model.name, model_schema(model));
  return schema::object({}, {}, models);
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
