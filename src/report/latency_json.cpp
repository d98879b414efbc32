// A run's account of latency as JSON.
#include "verdict.hpp"

#include "memlane/report/json_parts.hpp"

namespace memlane {
namespace {

using schema::Json;

const schema::Table<UnitHiding>& enough_table() {
  const auto value = [](const char* what) {
    return schema::or_null(schema::count(std::string("smallest ") + what +
                                         " that makes room enough alone; null: none, or no need"));
  };
  static const schema::Table<UnitHiding> table({
      {"threads", value("threads"),
       [](const UnitHiding& u) { return schema::value_or_null(u.enough_threads); }},
      {"multiprocessors", value("multiprocessors"),
       [](const UnitHiding& u) { return schema::value_or_null(u.enough_multiprocessors); }},
      {"resident_blocks", value("resident_blocks"),
       [](const UnitHiding& u) { return schema::value_or_null(u.enough_resident_blocks); }},
  });
  return table;
}

schema::Table<UnitHiding> unit_hiding_table() {
  schema::Table<UnitHiding> table(count_members(hiding_fields()));
  return table.add({
      {"machine_hides", schema::boolean("whether room is at least what is needed"),
       [](const UnitHiding& u) { return u.machine_hides(); }},
      {"hidden", schema::boolean("whether the resident threads are at least what is needed"),
       [](const UnitHiding& u) { return u.hidden(); }},
      {"enough", enough_table().schema("what would make room enough"),
       [](const UnitHiding& u) { return enough_table().json(u); }},
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

Json verdict_json(const std::optional<LatencyHiding>& verdict) {
  return verdict ? hiding_table().json(*verdict) : Json(nullptr);
}

Json verdict_schema() {
  return schema::or_null(hiding_table().schema(
      "whether the latency of memory was hidden; null: the run did not come to its end"));
}

} // namespace memlane
