// The result of a run or of a replayed trace: one object of JSON, one row of CSV.

#include "memlane/show/run_columns.hpp"

#include "memlane/count/fields.hpp"
#include "memlane/machine/machine.hpp"
#include "memlane/show/cuda_kernels.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/machine_code.hpp"
#include "memlane/show/model_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace memlane {
namespace {

using schema::Json;
using schema::Presence;

Json line_schema() { return schema::count("of the program", 1); }

/// The member `line`: where the span begins, if it is known.
template <class T>
schema::Member<Placed<T>> line_member(Span T::*span) {
  return {"line", line_schema(),
          [span](const Placed<T>& p) { return p.whole.begin((*p).*span).line; },
          [span](const Placed<T>& p) { return ((*p).*span).known(); }};
}

std::vector<std::string_view> claim_kinds() {
  std::vector<std::string_view> kinds;
  for (int kind = 0; kind <= static_cast<int>(lang::ClaimKind::theta); ++kind)
    kinds.push_back(spelling(static_cast<lang::ClaimKind>(kind)));
  return kinds;
}

const schema::Table<Placed<EngineUse::ByWord>>& by_word_table() {
  static const schema::Table<Placed<EngineUse::ByWord>> table({
      {"kernel", "its name", &EngineUse::ByWord::kernel},
      {"array", "its name", &EngineUse::ByWord::array},
      line_member(&EngineUse::ByWord::at),
  });
  return table;
}

const schema::Table<Placed<EngineUse>>& engine_table() {
  using Engine = Placed<EngineUse>;
  static const schema::Table<Engine> table({
      {"name", schema::word({"fast", "reference"}, "the engine that made the counts"),
       [](const Engine& e) { return e->fast ? "fast" : "reference"; }},
      {"reason", "why it was the reference engine",
       [](const Engine& e) { return if_text(e->reason); }},
      {"restarts", "how often the run began again", &EngineUse::restarts},
      line_member(&EngineUse::reason_at),
      {"by_word", by_word_table(), "accesses of a kernel to an array",
       "accesses that were checked for races word by word",
       [](const Engine& e) { return parts_of(e->by_word, e.whole); }},
  });
  return table;
}

const schema::Table<std::pair<std::string, std::string>>& use_table() {
  using Use = std::pair<std::string, std::string>;
  static const schema::Table<Use> table({
      {"path", "of the program's file", &Use::first},
      {"sha256", sha256_schema(), &Use::second},
  });
  return table;
}

const schema::Table<TraceInfo>& trace_table() {
  static const schema::Table<TraceInfo> table({
      {"path", "of its file; - is standard input", &TraceInfo::path},
      {"whole", "whether it has an end line", &TraceInfo::whole},
  });
  return table;
}

const schema::Table<HostInfo>& host_table() {
  static const schema::Table<HostInfo> table({
      {"system", "the operating system", &HostInfo::system},
      {"architecture", "of the processor", &HostInfo::architecture},
      {"compiler", "that built the tool", &HostInfo::compiler},
  });
  return table;
}

} // namespace

const schema::Table<ClaimValue>& claim_side_table() {
  static const schema::Table<ClaimValue> table({
      {"text", "exact, or the nearest double of an irrational number", &ClaimValue::text},
      {"value", "the nearest double", &ClaimValue::value},
  });
  return table;
}

std::optional<ClaimValue> if_known(const ClaimValue& side) {
  return side.text.empty() ? std::nullopt : std::optional(side);
}

const schema::Table<ProgramInfo>& program_table() {
  static const schema::Table<ProgramInfo> table({
      {"path", "of its file", &ProgramInfo::path},
      {"sha256", sha256_schema(), &ProgramInfo::sha256},
      {"parameters", parameters_schema(), parameters_json},
      {"uses", use_table(), "a program", "programs that it uses", &ProgramInfo::uses,
       Presence::if_any},
      {"replaced", replaced_schema(), replaced_json, Presence::if_any},
      {"inputs", inputs_schema(), inputs_json, Presence::if_any},
      {"input_hashes",
       schema::map(schema::text("SHA-256"), "of the files, or of the programs, by array"),
       [](const ProgramInfo& program) {
         Json out = Json::object();
         for (const auto& [array, hash] : program.input_hashes) out[array] = hash;
         return out;
       },
       Presence::if_any},
  });
  return table;
}

namespace {

using Run = Placed<RunReport>;

bool of_program(const Run& r) { return r->program.has_value(); }

/// A column of CSV alone; of a trace it is empty.
template <class Cell>
Column<Run> program_cell(std::string name, Cell cell) {
  return csv_column<Run>(std::move(name), [cell](const Run& r) {
    return r->program ? std::string(cell(*r->program)) : std::string();
  });
}

Column<Run> replaced_column(std::string name, const char* option) {
  return program_cell(std::move(name), [option](const ProgramInfo& program) {
    return replaced_cell(program, option);
  });
}

/// `a=x.npy;b=descending`.
Column<Run> inputs_column(std::string name,
                          std::vector<std::pair<std::string, std::string>> ProgramInfo::*inputs) {
  return program_cell(std::move(name), [inputs](const ProgramInfo& program) {
    std::string text;
    for (const auto& [array, source] : program.*inputs)
      text += fmt::format("{}{}={}", text.empty() ? "" : ";", array, source);
    return text;
  });
}

/// A number as a number, for stores; unbounded is a text, as everywhere.
Json cell_of(const KeyValue& value) {
  const bool number =
      std::holds_alternative<std::int64_t>(value) || std::holds_alternative<Decimal>(value);
  return number ? json_of(value) : Json(text_of(value));
}

ColumnList<Run> subject_columns() {
  using C = Column<Run>;
  ColumnList<Run> columns = {
      C::json("tool", tool_schema(), [](const Run& r) { return tool_json(r->version); }),
      csv_column<Run>("version", &RunReport::version),
      csv_column<Run>("semantics", [](const Run&) { return semantics; }),
      C::json(
          "program", program_table(), "what was run; of a replay there is none",
          [](const Run& r) { return *r->program; }, of_program),
      C::json(
          "trace", trace_table(), "what was replayed", [](const Run& r) { return *r->trace; },
          [](const Run& r) { return r->trace.has_value(); }),
      csv_column<Run>("program",
                      [](const Run& r) { return r->program ? r->program->path : r->trace->path; }),
      program_cell("sha256", std::mem_fn(&ProgramInfo::sha256)),
      program_cell("parameters", parameters_cell),
      replaced_column("layouts", "--layout"),
      replaced_column("fns", "--fn"),
      replaced_column("types", "--type"),
      inputs_column("inputs", &ProgramInfo::inputs),
      inputs_column("input_hashes", &ProgramInfo::input_hashes),
      C::json("machine", effective_machine_schema(),
              [](const Run& r) { return to_json(r->machine); }),
  };
  for (const MachineKey& key : machine_keys()) {
    if (!key.fetch || key.kind == KeyKind::lines) continue;
    std::string name = fmt::format("machine_{}", key.path);
    std::replace(name.begin(), name.end(), '.', '_');
    columns.push_back(csv_column<Run>(name, [&key](const Run& r) {
      return contains(key.models, r->machine.model) ? cell_of(key.fetch(r->machine)) : Json("");
    }));
  }
  return columns;
}

/// Columns of CSV for the counts that `get` finds in a run; they are empty where it finds none.
template <class Counted, class Get>
void add_fields(ColumnList<Run>& columns, std::string_view prefix,
                const std::vector<Field<Counted>>& fields, Get get) {
  for (const Field<Counted>& field : fields) {
    columns.push_back(
        csv_column<Run>(fmt::format("{}{}", prefix, field.name), [&field, get](const Run& r) {
          const auto counts = get(*r);
          return counts ? field.count(*counts) : std::nullopt;
        }));
    columns.back().meaning = fmt::format("{} ({})", field.meaning, field.unit);
  }
}

ColumnList<Run> counted_columns() {
  using C = Column<Run>;
  ColumnList<Run> columns = {
      C("seed", "of random numbers", &RunReport::seed, of_program),
      C::json("host", host_table(), "the computer and the build that made the result",
              &RunReport::host),
      C::json(
          "engine", engine_table(), "how it was simulated",
          [](const Run& r) {
            return Placed<EngineUse>{r->run.engine, r.whole};
          },
          of_program),
      C("stop",
        schema::word(schema::names_up_to(Stop::interrupted),
                     "what stopped the run; none: it came to its end"),
        [](const Run& r) { return r->run.stop; }),
      C::json(
          "reached", "how far a stopped run came", [](const Run& r) { return r->run.reached; },
          Presence::if_any),
      C::json(
          "seconds", schema::real("of its time units, where the machine has a clock"),
          [](const Run& r) { return *r->seconds(); },
          [](const Run& r) { return r->seconds().has_value(); }),
      C::json("counts", counts_schema(), [](const Run& r) { return counts_json(r->run, r.whole); }),
  };
  add_fields(columns, "", count_fields(), [](const RunReport& r) { return &r.run.counts; });
  add_fields(columns, "", run_fields(), [](const RunReport& r) { return &r.run; });
  for (AnyColumn& column : model_columns<Run>([](const Run& r) { return &r->run.counts; }))
    if (column.in_csv) columns.push_back(std::move(column)); // `counts` has the others
  const auto sum = [](std::vector<UnitCounts> Counts::*units) {
    return [units](const RunReport& r) {
      const auto& all = r.run.counts.*units;
      return all.empty() ? std::nullopt : std::optional(sum_of(all));
    };
  };
  add_fields(columns, "global_", unit_fields(), sum(&Counts::global));
  add_fields(columns, "shared_", unit_fields(), sum(&Counts::shared));
  add_fields(columns, "", part_fields(), [](const RunReport& r) { return &r.run.counts; });
  columns.push_back(C::json(
      "prices", prices_schema(), [](const Run& r) { return prices_json(r->prices); },
      [](const Run& r) { return !r->prices.empty(); }));
  for (const PriceModel& model : price_models()) {
    columns.push_back(csv_column<Run>(fmt::format("price_{}", model.name), [&model](const Run& r) {
      return price_cell(r->prices, model);
    }));
    columns.back().meaning = "--price: " + std::string(model.formula);
  }
  return columns;
}

Column<Run> verdict_count(std::string name, ClaimVerdict verdict) {
  return csv_column<Run>(std::move(name), [verdict](const Run& r) {
    return std::count_if(r->claims.begin(), r->claims.end(),
                         [&](const ClaimOutcome& claim) { return claim.verdict == verdict; });
  });
}

Column<Run> estimated_time_column() {
  auto column = csv_column<Run>("estimated_time", [](const Run& r) {
    const bool is_estimated = r->cuda && r->cuda->estimated;
    return is_estimated ? std::optional(r->cuda->estimated->time) : std::nullopt;
  });
  column.meaning = "--sample-blocks: an estimate of the time units of all blocks; empty: they were "
                   "all executed";
  return column;
}

ColumnList<Run> checked_columns() {
  using C = Column<Run>;
  ColumnList<Run> columns = {
      C(
          "races_allowed", races_allowed_schema(),
          [](const Run& r) { return r->program ? r->program->races_allowed : ""; },
          Presence::if_any),
      C::json(
          "race_pairs", race_columns().json(), "an array and two lines",
          "races that the run continued after",
          [](const Run& r) { return parts_of(r->run.races.pairs, r.whole); }, Presence::if_any),
      C::json(
          "sectors",
          schema::list(sector_columns().json().schema("a source line that accesses global memory"),
                       "of CUDA kernels, by file and line"),
          [](const Run& r) {
            schema::Json lines = schema::Json::array();
            for (const SectorLine& line : r->cuda->sectors)
              lines.push_back(sector_columns().json().json(line));
            return lines;
          },
          [](const Run& r) { return r->cuda.has_value(); }),
      C::json(
          "equal_launches",
          schema::count("launches of CUDA kernels that were executed but not timed: an earlier one "
                        "had made the same requests"),
          [](const Run& r) { return r->cuda->equal_launches; },
          [](const Run& r) { return r->cuda.has_value(); }),
      C::json(
          "race_search",
          schema::word({"all", "part", "none"},
                       "which accesses of CUDA kernels were looked at for races; part: the search "
                       "could not follow all of a launch, it may have missed some"),
          [](const Run& r) { return r->cuda->race_search; },
          [](const Run& r) { return r->cuda.has_value(); }),
      C::json(
          "refused_launches", refused_launches_table(), "a kernel and a reason",
          "launches of CUDA kernels that did not begin",
          [](const Run& r) { return r->cuda ? r->cuda->refused : std::vector<RefusedLaunches>(); },
          Presence::if_any),
      C::json(
          "estimated",
          estimated_time_table().schema("of a run that has executed a part of the blocks: "
                                        "everything else is of these alone"),
          [](const Run& r) { return estimated_time_table().json(*r->cuda->estimated); },
          [](const Run& r) { return r->cuda && r->cuda->estimated; }),
      estimated_time_column(),
      C::json(
          "machine_code",
          schema::list(machine_code_table().schema("a kernel that was launched"),
                       "of the program's kernels, held against the PTX that was executed"),
          [](const Run& r) {
            schema::Json kernels = schema::Json::array();
            for (const MachineCode& kernel : r->cuda->machine_code)
              kernels.push_back(machine_code_table().json(kernel));
            return kernels;
          },
          [](const Run& r) { return r->cuda && !r->cuda->machine_code.empty(); }),
      C("verify", verify_schema(), [](const Run& r) { return r->run.verify; }),
      C::json(
          "verify_skipped", schema::constant(true, "the check of the result was left out"),
          [](const Run&) { return true; },
          [](const Run& r) {
            return r->run.verify == Verdict::not_run && r->run.stop == Stop::none;
          }),
      C::json("timing_only", schema::constant(true, "nothing was computed: --timing-only"),
              &RunReport::timing_only, [](const Run& r) { return r->timing_only; }),
      C::json("claims", claim_columns().json(), "a claim", "in the order of the program",
              [](const Run& r) { return parts_of(r->claims, r.whole); }),
      verdict_count("claims_hold", ClaimVerdict::holds),
      verdict_count("claims_fail", ClaimVerdict::fails),
      C::json("watch", watch_table(), "of --watch", &RunReport::watch,
              [](const Run& r) { return r->watch.has_value(); }),
      C::json("latency_hiding", latency_schema(),
              [](const Run& r) { return latency_json(latency_hiding_of(*r)); }),
      C::json(
          "explanation", schema::typed("object", "the run explained: --explain"),
          [](const Run& r) { return r->explanation->json(); },
          [](const Run& r) { return r->explanation.has_value(); }),
      C::json(
          "tries",
          schema::list(schema::typed("object", "a changed run beside this one"),
                       "in the order of --try"),
          [](const Run& r) {
            schema::Json tries = schema::Json::array();
            for (const AddedPart& tried : r->tries) tries.push_back(tried.json());
            return tries;
          },
          [](const Run& r) { return !r->tries.empty(); }),
  };
  const auto unit = [](std::optional<UnitHiding> LatencyHiding::*hiding) {
    return [hiding](const RunReport& r) {
      const auto account = latency_hiding_of(r);
      return account ? (*account).*hiding : std::nullopt;
    };
  };
  const auto add_unit = [&](std::string_view name, auto hiding) {
    add_fields(columns, fmt::format("latency_hiding_{}_", name), hiding_fields(), unit(hiding));
    columns.push_back(csv_column<Run>(
        fmt::format("latency_hiding_{}_hidden", name), [get = unit(hiding)](const Run& r) {
          const auto found = get(*r);
          return found ? std::optional(found->hidden()) : std::nullopt;
        }));
  };
  add_unit("global", &LatencyHiding::global);
  add_unit("shared", &LatencyHiding::shared);
  columns.push_back(csv_column<Run>("latency_hiding_largest", [](const Run& r) {
    const auto account = latency_hiding_of(*r);
    return account ? account->largest : std::nullopt;
  }));
  return columns;
}

} // namespace

const Columns<Placed<RunReport>>& run_columns() {
  static const Columns<Placed<RunReport>> columns(subject_columns(), counted_columns(),
                                                  checked_columns());
  return columns;
}

const Columns<Placed<ClaimOutcome>>& claim_columns() {
  using Claim = Placed<ClaimOutcome>;
  using C = Column<Claim>;
  static const Columns<Claim> columns({
      C(Shown{.heading = "claim", .is_code = true}, "text", "as the program writes it",
        &ClaimOutcome::text),
      C("source", "where it is from", &ClaimOutcome::source),
      C("kind", schema::word(claim_kinds(), "how the two sides are compared"),
        [](const Claim& c) { return spelling(c->kind); }),
      C(Shown{"verdict"}, "verdict",
        schema::word(schema::names_up_to(ClaimVerdict::ratio_only),
                     "ratio only: one run gives numbers, a grid of runs the verdict"),
        &ClaimOutcome::verdict),
      C("reason", "why it is not applicable or not evaluated", &ClaimOutcome::reason,
        Presence::if_any),
      C(Shown{"count", Align::right}, "left", claim_side_table(), "the count",
        [](const Claim& c) {
          return if_known(c->left);
        }).showing([](const Claim& c) { return c->left.text; }),
      C(Shown{"formula", Align::right}, "right", claim_side_table(), "the formula",
        [](const Claim& c) {
          return if_known(c->right);
        }).showing([](const Claim& c) { return c->right.text; }),
      C(Shown{"ratio", Align::right, ratio_cell}, "ratio", "left / right",
        [](const Claim& c) {
          const bool both = !c->left.text.empty() && !c->right.text.empty();
          return both ? std::optional(c->ratio) : std::nullopt;
        }),
      C(line_member(&ClaimOutcome::span)),
      table_column<Claim>(Shown{"source"}, [](const Claim& c) { return c->source; }),
  });
  return columns;
}

std::string replaced_cell(const ProgramInfo& program, std::string_view option) {
  std::string text;
  for (const auto& [own, replacement] : program.replaced)
    if (own == option) text += (text.empty() ? "" : ";") + replacement;
  return text;
}

Json run_json(const RunReport& report, const Sources& sources) {
  return run_columns().json().json({report, sources});
}

std::string run_csv(const RunReport& report, const Sources& sources) {
  switch (report.csv_rows) {
  case CsvRows::kernels: return kernel_columns().csv(report.run.kernels);
  case CsvRows::launches: return launch_columns().csv(report.run.launches);
  case CsvRows::lines: return line_columns().csv(counted_lines(report.run.counts, sources));
  case CsvRows::blocks: return mmm_block_columns().csv(report.run.blocks);
  case CsvRows::run: break;
  }
  return run_columns().csv(std::vector<Run>{{report, sources}});
}

Json run_schema() {
  return schema::document("The result of memlane run and memlane replay",
                          run_columns().json().schema("what --format json prints, and each line of "
                                                      "--format jsonl"));
}

} // namespace memlane
