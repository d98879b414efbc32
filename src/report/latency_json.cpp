// A run's account of latency as JSON.
#include "latency_account.hpp"

#include "memlane/report/json_parts.hpp"

namespace memlane {
namespace {

using schema::Json;

const schema::Table<HidingAdvice>& value_table() {
  static const schema::Table<HidingAdvice> table({
      {"value", schema::count("of the machine's key, which hides all that it can hide"),
       [](const HidingAdvice& a) { return a.value; }},
      {"exposed", schema::count("that remain exposed with it, at most (time units)"),
       [](const HidingAdvice& a) { return a.exposed; }},
  });
  return table;
}

Json value_json(const std::optional<HidingAdvice>& advice) {
  return advice ? value_table().json(*advice) : Json(nullptr);
}

const schema::Table<UnitHiding>& advice_table() {
  const auto value = [](const char* key) {
    return schema::or_null(
        value_table().schema(std::string("another ") + key + "; null: more of them hide nothing"));
  };
  static const schema::Table<UnitHiding> table({
      {"threads", value("threads"), [](const UnitHiding& u) { return value_json(u.threads); }},
      {"resident_blocks", value("resident_blocks"),
       [](const UnitHiding& u) { return value_json(u.resident_blocks); }},
  });
  return table;
}

schema::Table<UnitHiding> unit_hiding_table() {
  schema::Table<UnitHiding> table(count_members(hiding_fields()));
  return table.add({
      {"hidden", schema::boolean("whether no time units are exposed"),
       [](const UnitHiding& u) { return u.hidden(); }},
      {"advice", advice_table().schema("values of the machine's keys that hide more"),
       [](const UnitHiding& u) { return advice_table().json(u); }},
  });
}

const schema::Table<UnitHiding>& global_hiding_table() {
  static const schema::Table<UnitHiding> table = unit_hiding_table();
  return table;
}

const schema::Table<UnitHiding>& shared_hiding_table() {
  static const schema::Table<UnitHiding> table =
      unit_hiding_table().add({{"multiprocessor", schema::count("the one with the greatest bound"),
                                [](const UnitHiding& u) { return u.multiprocessor; }}});
  return table;
}

const schema::Table<Occupancy>& occupancy_table() {
  static const schema::Table<Occupancy> table({
      {"resident_warps", schema::count("the most at once (warps)"),
       [](const Occupancy& o) { return o.resident; }},
      {"room_warps", schema::count("that it could hold (warps)"),
       [](const Occupancy& o) { return o.room; }},
  });
  return table;
}

Json unit_json(const schema::Table<UnitHiding>& table, const std::optional<UnitHiding>& unit) {
  return unit ? table.json(*unit) : Json(nullptr);
}

const schema::Table<LatencyHiding>& hiding_table() {
  using schema::or_null;
  static const schema::Table<LatencyHiding> table({
      {"global", or_null(global_hiding_table().schema("the global unit; null: there is none")),
       [](const LatencyHiding& h) { return unit_json(global_hiding_table(), h.global); }},
      {"shared", or_null(shared_hiding_table().schema("the shared unit with the greatest bound")),
       [](const LatencyHiding& h) { return unit_json(shared_hiding_table(), h.shared); }},
      {"largest", or_null(limitation_schema()),
       [](const LatencyHiding& h) {
         return h.largest ? Json(name_of(*h.largest)) : Json(nullptr);
       }},
      {"occupancy", schema::list(occupancy_table().schema("a multiprocessor"), "by multiprocessor"),
       [](const LatencyHiding& h) { return occupancy_table().json_of_all(h.occupancy); }},
  });
  return table;
}

} // namespace

Json latency_json(const std::optional<LatencyHiding>& account) {
  return account ? hiding_table().json(*account) : Json(nullptr);
}

Json latency_schema() {
  return schema::or_null(hiding_table().schema(
      "whether the latency of memory was hidden; null: the run did not come to its end"));
}

} // namespace memlane
