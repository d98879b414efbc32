#include "lanes.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

namespace memlane {
namespace {

using schema::Json;
using Lanes = std::vector<std::optional<ir::Value>>;

/// The active lanes, if they are neighbours whose values grow by one stride.
struct Affine {
  std::size_t first = 0, last = 0;
  std::int64_t stride = 0;
};

std::optional<Affine> affine_of(ir::Scalar type, const Lanes& lanes) {
  Affine found;
  while (found.first < lanes.size() && !lanes[found.first]) ++found.first;
  if (found.first == lanes.size()) return std::nullopt;
  found.last = lanes.size() - 1;
  while (!lanes[found.last]) --found.last;
  const auto difference = [&](std::size_t i) {
    return static_cast<std::int64_t>(lanes[i]->bits - lanes[i - 1]->bits);
  };
  for (std::size_t i = found.first + 1; i <= found.last; ++i) {
    if (!lanes[i] || !lanes[i - 1]) return std::nullopt;
    if (i == found.first + 1) found.stride = difference(i);
    if (difference(i) != found.stride) return std::nullopt;
  }
  const bool equal = found.stride == 0; // reals and booleans form no other sequence
  if (!equal && !ir::is_integer(type)) return std::nullopt;
  return found;
}

constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;

Json json_of_lanes(ir::Scalar type, const Lanes& lanes) {
  if (const auto affine = affine_of(type, lanes);
      affine && std::abs(affine->stride) <= exact_in_double)
    return {{"base", value_json(type, *lanes[affine->first])},
            {"stride", affine->stride},
            {"lanes", {affine->first, affine->last}}};
  auto list = Json::array();
  for (const auto& lane : lanes) list.push_back(lane ? value_json(type, *lane) : Json(nullptr));
  return list;
}

} // namespace

Json value_json(ir::Scalar type, ir::Value value) {
  if (type == ir::Scalar::boolean) return value.truth();
  if (ir::is_integer(type)) {
    const std::int64_t number = value.integer();
    if (number > exact_in_double || number < -exact_in_double) return std::to_string(number);
    return number;
  }
  const std::string text = ir::to_string(type, value);
  if (!std::isfinite(value.real())) return text;
  return std::strtod(text.c_str(), nullptr); // the digits of a float32, not those of its double
}

Json value_schema(const char* meaning) {
  return {{"description", meaning}, {"type", {"number", "boolean", "string"}}};
}

Json lanes_json(const std::vector<std::int64_t>& addresses) {
  Lanes lanes;
  for (const std::int64_t address : addresses)
    lanes.push_back(address < 0 ? std::nullopt : std::optional(ir::Value::of(address)));
  return json_of_lanes(ir::Scalar::int64, lanes);
}

Json lanes_json(ir::Scalar type, const std::vector<ir::Value>& values,
                const std::vector<std::int64_t>& addresses) {
  Lanes lanes;
  for (std::size_t i = 0; i < values.size(); ++i)
    lanes.push_back(!addresses.empty() && addresses[i] < 0 ? std::nullopt
                                                           : std::optional(values[i]));
  return json_of_lanes(type, lanes);
}

Json contents_json(ir::Scalar type, const std::optional<Lanes>& words) {
  if (!words) return nullptr;
  Lanes written = *words;
  while (!written.empty() && !written.back()) written.pop_back();
  return json_of_lanes(type, written);
}

Json lanes_schema(const char* meaning) {
  const Json value = value_schema("of a lane");
  const Json affine = schema::object(
      "equal steps: those of lanes first to last are base, base + stride, …; others are inactive",
      {{"base", value},
       {"stride", schema::integer("from a lane to the next")},
       {"lanes", schema::list(schema::count("lane"), "the first and the last active one")}});
  Json item = value;
  item["type"].push_back("null");
  return {{"description", meaning},
          {"anyOf", {affine, schema::list(item, "by lane; null: inactive"), {{"type", "null"}}}}};
}

} // namespace memlane
