// A run's account of latency as JSON.

#include "run_columns.hpp"

#include "memlane/report/json_parts.hpp"

namespace memlane {
namespace {

using schema::Json;

const schema::Table<HidingAdvice>& value_table() {
  static const schema::Table<HidingAdvice> table({
      {"value", "of the machine's key, which hides all that it can hide", &HidingAdvice::value},
      {"exposed", "that remain exposed with it, at most (time units)", &HidingAdvice::exposed},
  });
  return table;
}

const schema::Table<UnitHiding>& advice_table() {
  static const schema::Table<UnitHiding> table({
      {"threads", value_table(), "another threads; null: more of them hide nothing",
       &UnitHiding::threads},
      {"resident_blocks", value_table(), "another resident_blocks; null: more of them hide nothing",
       &UnitHiding::resident_blocks},
  });
  return table;
}

schema::Table<UnitHiding> unit_hiding_table(const std::vector<schema::Member<UnitHiding>>& more) {
  return {
      count_members<UnitHiding>(hiding_fields()),
      {{"hidden", "whether no time units are exposed", &UnitHiding::hidden},
       {"advice", advice_table(), "values of the machine's keys that hide more", std::identity()}},
      more};
}

const schema::Table<UnitHiding>& global_hiding_table() {
  static const schema::Table<UnitHiding> table = unit_hiding_table({});
  return table;
}

const schema::Table<UnitHiding>& shared_hiding_table() {
  static const schema::Table<UnitHiding> table = unit_hiding_table(
      {{"multiprocessor", "the one with the greatest bound", &UnitHiding::multiprocessor}});
  return table;
}

const schema::Table<Occupancy>& occupancy_table() {
  static const schema::Table<Occupancy> table({
      {"resident_warps", "the most at once (warps)", &Occupancy::resident},
      {"room_warps", "that it could hold (warps)", &Occupancy::room},
  });
  return table;
}

const schema::Table<LatencyHiding>& hiding_table() {
  static const schema::Table<LatencyHiding> table({
      {"global", global_hiding_table(), "the global unit; null: there is none",
       &LatencyHiding::global},
      {"shared", shared_hiding_table(), "the shared unit with the greatest bound",
       &LatencyHiding::shared},
      {"largest", schema::or_null(limitation_schema()), &LatencyHiding::largest},
      {"occupancy", occupancy_table(), "a multiprocessor", "by multiprocessor",
       &LatencyHiding::occupancy},
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
