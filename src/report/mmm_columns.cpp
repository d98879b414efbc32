#include "mmm_columns.hpp"

#include "memlane/report/json_parts.hpp"

namespace memlane {

namespace {

schema::Json json_of(const MmmBound& bound) {
  return bound.rest == 0 ? schema::Json(bound.whole) : schema::Json(bound.value());
}

std::vector<schema::Member<MmmCounts>> bound_members() {
  std::vector<schema::Member<MmmCounts>> members;
  for (const BoundField& field : mmm_bounds())
    members.push_back({std::string(field.name), schema::or_null(schema::real(field.meaning)),
                       [&field](const MmmCounts& counts) {
                         const auto bound = field.get(counts);
                         return bound ? json_of(*bound) : schema::Json();
                       }});
  return members;
}

} // namespace

const schema::Table<MmmCounts>& mmm_table() {
  static const schema::Table<MmmCounts> table(count_members<MmmCounts>(mmm_fields()),
                                              bound_members());
  return table;
}

} // namespace memlane
