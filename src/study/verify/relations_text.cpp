#include "memlane/machine/machine.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/model_columns.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/study/verify/relations.hpp"

#include <fmt/format.h>

namespace memlane {

namespace {

using schema::Json;
using sweep::Basis;
using sweep::Relation;

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

using VariantRun = std::pair<const sweep::MachineVariant, sweep::VariantRun>;

const schema::Table<VariantRun>& variant_run_table() {
  using R = VariantRun;
  static const schema::Table<R> table({
      {"multiprocessors", "of its machine", [](const R& r) { return r.first.first; }},
      {"volatile", "whether each block started with erased shared memory",
       [](const R& r) { return r.first.second; }},
      {"agpu", model_object(model_table("agpu")), "after Koike",
       [](const R& r) -> const ModelCounts& { return r.second.result.counts; }},
  });
  return table;
}

const schema::Table<RelationsReport>& relations_table() {
  using R = RelationsReport;
  static const schema::Table<R> table({
      {"tool", tool_schema(), [](const R& r) { return tool_json(r.asked.version); }},
      {"program", program_table(), "what was run", [](const R& r) { return *r.asked.program; }},
      {"machine", effective_machine_schema(), [](const R& r) { return to_json(r.asked.machine); }},
      {"seed", "of random numbers", [](const R& r) { return r.asked.seed; }},
      {"agpu", model_object(model_table("agpu")), "counts of the run on this machine, after Koike",
       [](const R& r) -> const ModelCounts& { return r.asked.run.counts; }},
      {"launches", "of the run", [](const R& r) { return r.asked.run.counts.launches; }},
      {"work", "q: time units of all multiprocessors", [](const R& r) { return r.relations.work; }},
      {"depth",
       "t: time units of the longest block of each launch; null: blocks were not run apart",
       [](const R& r) { return r.relations.depth; }},
      {"greedy", "time units if each block goes to the next free multiprocessor; null as depth",
       [](const R& r) { return r.relations.greedy; }},
      {"verify", verify_schema(), [](const R& r) { return r.asked.run.verify; }},
      {"timing_only", schema::constant(true, "nothing was computed: --timing-only"),
       [](const R& r) { return r.asked.timing_only; },
       [](const R& r) { return r.asked.timing_only; }},
      {"races_allowed", races_allowed_schema(),
       [](const R& r) { return r.asked.program->races_allowed; }, schema::Presence::if_any},
      {"runs", variant_run_table(), "a run of the same code",
       "on machines with other multiprocessors", [](const R& r) { return r.relations.runs; }},
      {"relations", relation_columns().json(), "a relation", "in the order of the dissertation",
       [](const R& r) { return r.relations.relations; }},
      {"holds", "whether no relation is refuted", [](const R& r) { return r.relations.hold(); }},
  });
  return table;
}

/// The letters of the statements, with their values.
std::string letters_text(const RelationsReport& report) {
  const sweep::Relations& r = report.relations;
  const Counts& counts = report.asked.run.counts;
  const std::int64_t races = report.asked.run.races.races;
  const MachineSpec& machine = report.asked.machine;
  const std::int64_t k = machine.multiprocessors, b = machine.width;
  std::string text =
      fmt::format("\nv = {} cores: k = {} of b = {}, M = {} words each\n", k * b,
                  counted(k, "multiprocessor"), b, machine.shared->capacity.value_or(0));
  text += fmt::format("time {}, I/O {}, m = {} a block, s = {}\n", counts.agpu.time.value_or(0),
                      counts.agpu.io.value_or(0), counted(counts.agpu.shared_words, "word"),
                      counted(counts.launches, "launch", "launches"));
  text += fmt::format("q = {}, the time units of all blocks", counted(r.work, "operation"));
  if (r.depth) text += fmt::format("; t = {}, those of the longest of each launch", *r.depth);
  text += '\n';
  if (races > 0)
    text += fmt::format("{} allowed: the theorems assume that blocks do not communicate\n",
                        counted(races, "race"));
  return text;
}

/// What is known of the results.
std::string verify_text(const RelationsReport& report) {
  if (report.asked.timing_only) return "verify not run (--timing-only: nothing was computed)\n";
  const Verdict verdict = report.relations.failed ? Verdict::failed : report.asked.run.verify;
  return fmt::format("verify {}\n", name_of(verdict));
}

} // namespace

Json relations_schema() {
  return schema::document("The result of memlane explain relations",
                          relations_table().schema("what --format json prints"));
}

Json relations_line_schema() {
  return line_document("explain relations", relation_columns().json().schema("a relation"));
}

std::string render_relations(const RelationsReport& report, Format format) {
  const std::vector<Relation>& rows = report.relations.relations;
  return relation_columns().text_in(
      format, fmt::format("Relations of models: {}", report.asked.program->path), rows,
      [&] {
        return heading_text(report.asked) + letters_text(report) + '\n' +
               relation_columns().text(rows).text() + '\n' + verify_text(report);
      },
      [&] { return relations_table().json(report); });
}

std::string_view sweep::name_of(Basis basis) {
  switch (basis) {
  case Basis::run: return "run";
  case Basis::evaluated: return "evaluated";
  case Basis::not_evaluated: break;
  }
  return "not_evaluated";
}

} // namespace memlane
