#include "memlane/report/relations.hpp"

#include "agpu_columns.hpp"
#include "run_columns.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/report/json_parts.hpp"

#include <fmt/format.h>

namespace memlane {

using sweep::Basis;
using sweep::Relation;
using sweep::RelationRun;
using sweep::Relations;

namespace {

using schema::Json;

constexpr const char* paper = "Koike 2015";

using RelationSide = ClaimValue Relation::*;

/// JSON has the number twice, CSV and tables its text.
Column<Relation> side_of_json(std::string name, RelationSide side) {
  return Column<Relation>::json(std::move(name), claim_side_table(), "null: there is none",
                                [side](const Relation& r) { return if_known(r.*side); });
}
Column<Relation> side_of_rows(std::string name, RelationSide side) {
  Shown shown{name, Align::right};
  return csv_column<Relation>(
      std::move(name), [side](const Relation& r) { return (r.*side).text; }, std::move(shown));
}

/// Both sides are there: without them the sign says nothing.
std::string sign_cell(const Relation& relation) {
  if (!relation.holds) return "";
  return relation.kind == lang::ClaimKind::equal ? "=" : "<=";
}

std::string holds_cell(const Relation& relation) {
  return relation.holds ? (*relation.holds ? "yes" : "no") : "";
}

/// Where the numbers come from, in words for tables.
std::string basis_cell(const Relation& relation) {
  return relation.basis == Basis::not_evaluated ? "not evaluated"
                                                : std::string(name_of(relation.basis));
}

const Columns<Relation>& relation_columns() {
  using C = Column<Relation>;
  static const Columns<Relation> columns({
      C("source", "where it is from",
        [](const Relation& r) { return fmt::format("{}, {}", paper, r.source); }),
      table_column<Relation>(Shown{paper}, [](const Relation& r) { return r.source; }),
      C(Shown{.heading = "relation", .width = 150}, "statement", "names both sides, the left first",
        &Relation::statement),
      side_of_json("left", &Relation::left),
      side_of_rows("left", &Relation::left),
      C(Shown{""}, "kind",
        schema::word({spelling(lang::ClaimKind::equal), spelling(lang::ClaimKind::at_most)},
                     "how the two sides are compared"),
        [](const Relation& r) {
          return spelling(r.kind);
        }).showing(sign_cell),
      side_of_json("right", &Relation::right),
      side_of_rows("right", &Relation::right),
      C(Shown{"holds"}, "holds", "null: one side is missing", &Relation::holds).showing(holds_cell),
      C(Shown{"from"}, "basis",
        schema::word(schema::names_up_to(Basis::not_evaluated),
                     "run: both sides are counted in runs; evaluated: one at least is a formula of "
                     "counts"),
        &Relation::basis)
          .showing(basis_cell),
      C(Shown{.heading = "note", .width = 200, .hide_empty = true}, "note",
        "why there are no numbers, or where they differ from a run's", &Relation::note),
  });
  return columns;
}

const schema::Table<RelationRun>& relation_run_table() {
  static const schema::Table<RelationRun> table({
      {"multiprocessors", "of its machine", &RelationRun::multiprocessors},
      {"volatile", "whether each block started with erased shared memory",
       &RelationRun::is_volatile},
      {"agpu", agpu_table(), "after Koike", &RelationRun::counts},
  });
  return table;
}

const schema::Table<Relations>& relations_table() {
  using R = Relations;
  static const schema::Table<R> table({
      {"tool", tool_schema(), [](const R& r) { return tool_json(r.version); }},
      {"program", program_table(), "what was run", &R::program},
      {"machine", effective_machine_schema(), [](const R& r) { return to_json(r.machine); }},
      {"seed", "of random numbers", &R::seed},
      {"agpu", agpu_table(), "counts of the run on this machine, after Koike", &R::counts},
      {"launches", "of the run", &R::launches},
      {"work", "q: time units of all multiprocessors", &R::work},
      {"depth",
       "t: time units of the longest block of each launch; null: blocks were not run apart",
       &R::depth},
      {"greedy", "time units if each block goes to the next free multiprocessor; null as depth",
       &R::greedy},
      {"verify", verify_schema(), &R::verify},
      {"timing_only", schema::constant(true, "nothing was computed: --timing-only"),
       &R::timing_only, [](const R& r) { return r.timing_only; }},
      {"races_allowed", races_allowed_schema(), [](const R& r) { return r.program.races_allowed; },
       schema::Presence::if_any},
      {"runs", relation_run_table(), "a run of the same code",
       "on machines with other multiprocessors", &R::runs},
      {"relations", relation_columns().json(), "a relation", "in the order of the dissertation",
       &R::relations},
      {"holds", "whether no relation is refuted", &R::hold},
  });
  return table;
}

std::string heading_of(const Relations& relations) {
  RunReport report;
  report.program = relations.program;
  report.machine = relations.machine;
  report.machine_path = relations.machine_path;
  report.seed = relations.seed;
  return heading_text(report);
}

/// What is known of the results.
std::string verify_text(const Relations& r) {
  if (r.timing_only) return "verify not run (--timing-only: nothing was computed)\n";
  return fmt::format("verify {}\n", name_of(r.failed ? Verdict::failed : r.verify));
}

/// The letters of the statements, with their values.
std::string letters_text(const Relations& r) {
  const std::int64_t k = r.machine.multiprocessors, b = r.machine.width;
  std::string text =
      fmt::format("\nv = {} cores: k = {} of b = {}, M = {} words each\n", k * b,
                  counted(k, "multiprocessor"), b, r.machine.shared->capacity.value_or(0));
  text += fmt::format("time {}, I/O {}, m = {} a block, s = {}\n", r.counts.time.value_or(0),
                      r.counts.io.value_or(0), counted(r.counts.shared_words, "word"),
                      counted(r.launches, "launch", "launches"));
  text += fmt::format("q = {}, the time units of all blocks", counted(r.work, "operation"));
  if (r.depth) text += fmt::format("; t = {}, those of the longest of each launch", *r.depth);
  text += '\n';
  if (r.races > 0)
    text += fmt::format("{} allowed: the theorems assume that blocks do not communicate\n",
                        counted(r.races, "race"));
  return text;
}

} // namespace

Json relations_json(const Relations& relations) { return relations_table().json(relations); }

Json relations_schema() {
  return schema::document("The result of memlane explain relations",
                          relations_table().schema("what --format json prints"));
}

Json relations_line_schema() {
  return line_document("explain relations", relation_columns().json().schema("a relation"));
}

std::string render_relations(const Relations& relations, Format format) {
  const std::vector<Relation>& rows = relations.relations;
  switch (format) {
  case Format::json: return json_text(relations_json(relations), 2);
  case Format::csv: return relation_columns().csv(rows);
  case Format::jsonl: return json_lines(relation_columns().json(), rows);
  case Format::markdown:
  case Format::latex:
    return paper_text({relation_columns().paper(
                          fmt::format("Relations of models: {}", relations.program.path), rows)},
                      format);
  case Format::table: break;
  }
  return heading_of(relations) + letters_text(relations) + '\n' +
         relation_columns().text(rows).text() + '\n' + verify_text(relations);
}

} // namespace memlane
