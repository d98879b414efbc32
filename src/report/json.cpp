// The result of a run or of a replayed trace as one JSON object.
#include "cells.hpp"
#include "json_counts.hpp"
#include "latency_account.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/report/json_parts.hpp"

namespace memlane {
namespace {

using schema::Json;
using schema::text;

/// What a T says of a program whose text is among the sources.
template <class T>
struct Placed {
  const T& of;
  const Sources& sources;

  const T* operator->() const { return &of; }
  std::int64_t line(Span span) const { return sources.begin(span).line; }
};

Json line_schema() { return schema::count("of the program", 1); }

const schema::Table<ClaimValue>& claim_side_table() {
  static const schema::Table<ClaimValue> table({
      {"text", text("exact, or the nearest double of an irrational number"),
       [](const ClaimValue& side) { return side.text; }},
      {"value", real_schema("the nearest double"),
       [](const ClaimValue& side) { return real_json(side.value); }},
  });
  return table;
}

Json claim_side_schema(std::string_view meaning) {
  return schema::or_null(claim_side_table().schema(meaning));
}

Json claim_side_json(const ClaimValue& side) {
  return side.text.empty() ? Json(nullptr) : claim_side_table().json(side);
}

std::vector<std::string_view> claim_kinds() {
  std::vector<std::string_view> kinds;
  for (int kind = 0; kind <= static_cast<int>(lang::ClaimKind::theta); ++kind)
    kinds.push_back(spelling(static_cast<lang::ClaimKind>(kind)));
  return kinds;
}

const schema::Table<Placed<ClaimOutcome>>& claim_table() {
  using Claim = Placed<ClaimOutcome>;
  static const schema::Table<Claim> table({
      {"text", text("as the program writes it"), [](const Claim& c) { return c->text; }},
      {"source", text("where it is from"), [](const Claim& c) { return c->source; }},
      {"kind", schema::word(claim_kinds(), "how the two sides are compared"),
       [](const Claim& c) { return spelling(c->kind); }},
      {"verdict",
       schema::word(schema::names_up_to(ClaimVerdict::ratio_only),
                    "ratio only: one run gives numbers, a grid of runs the verdict"),
       [](const Claim& c) { return name_of(c->verdict); }},
      {"reason", text("why it is not applicable or not evaluated"),
       [](const Claim& c) { return c->reason; }, [](const Claim& c) { return !c->reason.empty(); }},
      {"left", claim_side_schema("the count"),
       [](const Claim& c) { return claim_side_json(c->left); }},
      {"right", claim_side_schema("the formula"),
       [](const Claim& c) { return claim_side_json(c->right); }},
      {"ratio", real_schema("left / right"),
       [](const Claim& c) {
         const bool both = !c->left.text.empty() && !c->right.text.empty();
         return both ? real_json(c->ratio) : Json(nullptr);
       }},
      {"line", line_schema(), [](const Claim& c) { return c.line(c->span); },
       [](const Claim& c) { return c->span.known(); }},
  });
  return table;
}

const schema::Table<Placed<EngineUse::ByWord>>& by_word_table() {
  using Accesses = Placed<EngineUse::ByWord>;
  static const schema::Table<Accesses> table({
      {"kernel", text("its name"), [](const Accesses& a) { return a->kernel; }},
      {"array", text("its name"), [](const Accesses& a) { return a->array; }},
      {"line", line_schema(), [](const Accesses& a) { return a.line(a->at); },
       [](const Accesses& a) { return a->at.known(); }},
  });
  return table;
}

const schema::Table<Placed<EngineUse>>& engine_table() {
  using Engine = Placed<EngineUse>;
  static const schema::Table<Engine> table({
      {"name", schema::word({"fast", "reference"}, "the engine that made the counts"),
       [](const Engine& e) { return e->fast ? "fast" : "reference"; }},
      {"reason", schema::or_null(text("why it was the reference engine")),
       [](const Engine& e) { return e->reason.empty() ? Json(nullptr) : Json(e->reason); }},
      {"restarts", schema::count("how often the run began again"),
       [](const Engine& e) { return e->restarts; }},
      {"line", line_schema(), [](const Engine& e) { return e.line(e->reason_at); },
       [](const Engine& e) { return e->reason_at.known(); }},
      {"by_word",
       schema::list(by_word_table().schema("accesses of a kernel to an array"),
                    "accesses that were checked for races word by word"),
       [](const Engine& e) {
         auto all = Json::array();
         for (const EngineUse::ByWord& accesses : e->by_word)
           all.push_back(by_word_table().json({accesses, e.sources}));
         return all;
       }},
  });
  return table;
}

const schema::Table<std::pair<std::string, std::string>>& use_table() {
  using Use = std::pair<std::string, std::string>;
  static const schema::Table<Use> table({
      {"path", text("of the program's file"), [](const Use& use) { return use.first; }},
      {"sha256", sha256_schema(), [](const Use& use) { return use.second; }},
  });
  return table;
}

const schema::Table<ProgramInfo>& program_table() {
  static const schema::Table<ProgramInfo> table({
      {"path", text("of its file"), [](const ProgramInfo& p) { return p.path; }},
      {"sha256", sha256_schema(), [](const ProgramInfo& p) { return p.sha256; }},
      {"parameters", parameters_schema(), parameters_json},
      {"uses", schema::list(use_table().schema("a program"), "programs that it uses"),
       [](const ProgramInfo& p) { return use_table().json_of_all(p.uses); },
       [](const ProgramInfo& p) { return !p.uses.empty(); }},
      {"replaced", replaced_schema(), replaced_json,
       [](const ProgramInfo& p) { return !p.replaced.empty(); }},
      {"inputs", inputs_schema(), inputs_json,
       [](const ProgramInfo& p) { return !p.inputs.empty(); }},
  });
  return table;
}

const schema::Table<TraceInfo>& trace_table() {
  static const schema::Table<TraceInfo> table({
      {"path", text("of its file; - is standard input"), [](const TraceInfo& t) { return t.path; }},
      {"whole", schema::boolean("whether it has an end line"),
       [](const TraceInfo& t) { return t.whole; }},
  });
  return table;
}

const schema::Table<HostInfo>& host_table() {
  static const schema::Table<HostInfo> table({
      {"system", text("the operating system"), [](const HostInfo& h) { return h.system; }},
      {"architecture", text("of the processor"), [](const HostInfo& h) { return h.architecture; }},
      {"compiler", text("that built the tool"), [](const HostInfo& h) { return h.compiler; }},
  });
  return table;
}

const schema::Table<Placed<RunReport>>& run_table_of_json() {
  using Run = Placed<RunReport>;
  const auto of_program = [](const Run& r) { return r->program.has_value(); };
  static const schema::Table<Run> table({
      {"tool", tool_schema(), [](const Run& r) { return tool_json(r->version); }},
      {"program", program_table().schema("what was run; of a replay there is none"),
       [](const Run& r) { return program_table().json(*r->program); }, of_program},
      {"trace", trace_table().schema("what was replayed"),
       [](const Run& r) { return trace_table().json(*r->trace); },
       [](const Run& r) { return r->trace.has_value(); }},
      {"machine", effective_machine_schema(), [](const Run& r) { return to_json(r->machine); }},
      {"seed", schema::count("of random numbers"), [](const Run& r) { return r->seed; },
       of_program},
      {"host", host_table().schema("the computer and the build that made the result"),
       [](const Run& r) { return host_table().json(r->host); }},
      {"engine", engine_table().schema("how it was simulated"),
       [](const Run& r) {
         return engine_table().json({r->run.engine, r.sources});
       },
       of_program},
      {"stop",
       schema::word(schema::names_up_to(Stop::interrupted),
                    "what stopped the run; none: it came to its end"),
       [](const Run& r) { return name_of(r->run.stop); }},
      {"reached", text("how far a stopped run came"), [](const Run& r) { return r->run.reached; },
       [](const Run& r) { return !r->run.reached.empty(); }},
      {"counts", counts_schema(), [](const Run& r) { return counts_json(r->run, r.sources); }},
      {"races_allowed", races_allowed_schema(),
       [](const Run& r) { return r->program->races_allowed; },
       [](const Run& r) { return r->program && !r->program->races_allowed.empty(); }},
      {"verify", verify_schema(), [](const Run& r) { return name_of(r->run.verify); }},
      {"verify_skipped", schema::constant(true, "the check of the result was left out"),
       [](const Run&) { return true; },
       [](const Run& r) { return r->run.verify == Verdict::not_run && r->run.stop == Stop::none; }},
      {"timing_only", schema::constant(true, "nothing was computed: --timing-only"),
       [](const Run&) { return true; }, [](const Run& r) { return r->timing_only; }},
      {"claims", schema::list(claim_table().schema("a claim"), "in the order of the program"),
       [](const Run& r) {
         auto claims = Json::array();
         for (const ClaimOutcome& claim : r->claims)
           claims.push_back(claim_table().json({claim, r.sources}));
         return claims;
       }},
      {"latency_hiding", latency_schema(),
       [](const Run& r) { return latency_json(latency_hiding_of(r.of)); }},
  });
  return table;
}

} // namespace

Json run_json(const RunReport& report, const Sources& sources) {
  return run_table_of_json().json({report, sources});
}

Json run_schema() {
  return schema::document("The result of memlane run and memlane replay",
                          run_table_of_json().schema("what --format json prints, and each line of "
                                                     "--format jsonl"));
}

} // namespace memlane
