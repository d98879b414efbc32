#include "mmm_columns.hpp"

#include "run_columns.hpp"

#include "memlane/report/json_parts.hpp"

#include <fmt/format.h>

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

std::vector<schema::Member<MmmCounts>> exact_members() {
  std::vector<schema::Member<MmmCounts>> members;
  for (const BoundField& field : mmm_bounds())
    members.push_back({std::string(field.name) + "_exact",
                       schema::or_null(schema::text("the bound as a whole number and a fraction in "
                                                    "lowest terms: 26 1/4")),
                       [&field](const MmmCounts& counts) {
                         const auto bound = field.get(counts);
                         return bound ? schema::Json(bound->text()) : schema::Json();
                       }});
  return members;
}

} // namespace

std::string_view mmm_heading(std::string_view count) {
  return count == "work" || count == "span" || count == "overhead" ? count
         : count == "blocks"                                       ? "N"
         : count == "path"                                         ? "Λ"
         : count == "antichain"                                    ? "K"
         : count == "block_cost"                                   ? "C"
                                                                   : "";
}

const schema::Table<MmmCounts>& mmm_numbers() {
  static const schema::Table<MmmCounts> table(count_members<MmmCounts>(mmm_fields()),
                                              bound_members());
  return table;
}

const schema::Table<MmmCounts>& mmm_table() {
  static const schema::Table<MmmCounts> table(count_members<MmmCounts>(mmm_fields()),
                                              bound_members(), exact_members());
  return table;
}

namespace {

/// A count of two runs. `more`: how much more the second has; empty: as much, or not whole.
struct ComparedCount {
  std::string name, a, b, more;
};

std::vector<ComparedCount> compared_counts(const MmmCounts& a, const MmmCounts& b) {
  std::vector<ComparedCount> rows;
  for (const Field<MmmCounts>& field : mmm_fields()) {
    const std::int64_t first = field.get(a), second = field.get(b);
    rows.push_back({std::string(field.name), std::to_string(first), std::to_string(second),
                    first == second ? "" : fmt::format("{:+}", second - first)});
  }
  for (const BoundField& field : mmm_bounds()) {
    const auto first = field.get(a), second = field.get(b);
    rows.push_back(
        {std::string(field.name), first ? first->text() : "", second ? second->text() : "", ""});
  }
  return rows;
}

const Columns<ComparedCount>& compared_count_columns() {
  using R = ComparedCount;
  static const Columns<R> columns(
      {table_column<R>(Shown{"count"}, [](const R& r) { return r.name; }),
       table_column<R>(Shown{"A", Align::right}, [](const R& r) { return r.a; }),
       table_column<R>(Shown{"B", Align::right}, [](const R& r) { return r.b; }),
       table_column<R>(Shown{"B - A", Align::right}, [](const R& r) { return r.more; })});
  return columns;
}

} // namespace

std::string compared_mmm_text(const MmmCounts& a, const MmmCounts& b) {
  return "counts of the MMM\n" + compared_count_columns().text(compared_counts(a, b)).text(2);
}

PaperTable compared_mmm_paper(const MmmCounts& a, const MmmCounts& b) {
  return compared_count_columns().paper("Counts of A and B on the MMM", compared_counts(a, b));
}

const Columns<BlockCounts>& mmm_block_columns() {
  using C = Column<BlockCounts>;
  static const Columns<BlockCounts> columns(
      {C("launch", "its number, counted from 0", &BlockCounts::launch),
       C("kernel", "its name", &BlockCounts::kernel),
       C("block", "its number in the launch", &BlockCounts::block),
       C("work", "operators: W, of all its threads", &BlockCounts::work),
       C("span", "operators: S, of the thread with the most", &BlockCounts::span),
       C("reads", "words: r, the most that a thread reads from global memory", &BlockCounts::reads),
       C("writes", "words: s, the most that a thread writes to global memory",
         &BlockCounts::writes),
       C("overhead", "time units: O = (r + s)*U", &BlockCounts::overhead),
       C("multiprocessor", "that runs it; without bound each block of a stage has its own",
         &BlockCounts::multiprocessor),
       C("start", "time units: when it starts in the greedy schedule", &BlockCounts::start),
       C("end", "time units: start + S + O", &BlockCounts::end)});
  return columns;
}

} // namespace memlane
