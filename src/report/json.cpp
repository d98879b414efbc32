// The result as one JSON object.
#include "cells.hpp"
#include "verdict.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/count/fields.hpp"
#include "memlane/report/run_report.hpp"

#include <nlohmann/json.hpp>

namespace memlane {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json json_of(const std::vector<Field<T>>& fields, const T& counts) {
  auto out = Json::object();
  for (const Field<T>& field : fields) out[std::string(field.name)] = field.get(counts);
  return out;
}

Json json_of(const UnitCounts& unit) {
  Json out = json_of(unit_fields(), unit);
  auto histogram = Json::array();
  for (const auto& [stages, requests] : unit.congestion) {
    histogram.push_back({{"stages", stages}, {"requests", requests}});
  }
  out["congestion"] = std::move(histogram);
  return out;
}

Json json_of_units(const Counts& counts) {
  auto units = Json::object();
  const auto add = [&](const char* name, const std::vector<UnitCounts>& all) {
    for (const UnitCounts& unit : all) units[name].push_back(json_of(unit));
  };
  add("global", counts.global);
  add("shared", counts.shared);
  return units;
}

Json json_of_lines(const Counts& counts, const Sources& sources) {
  auto lines = Json::array();
  for (const auto& [place, line] : counts.lines) {
    const auto [file, number] = place;
    Json entry;
    if (file >= 0 && file < sources.count()) entry["file"] = sources.path(file);
    entry["line"] = number;
    entry.update(json_of(line_fields(), line));
    if (line.requests > 0) {
      entry["mean"] = static_cast<double>(line.stages) / static_cast<double>(line.requests);
    }
    lines.push_back(std::move(entry));
  }
  return lines;
}

Json json_of_kernels(const RunResult& run) {
  auto kernels = Json::object();
  for (const auto& [name, counts] : run.kernels) {
    kernels[name] = json_of(count_fields(), counts);
    kernels[name]["units"] = json_of_units(counts);
  }
  return kernels;
}

Json json_of_counts(const RunResult& run, const Sources& sources) {
  Json counts = json_of(count_fields(), run.counts);
  counts.update(json_of(run_fields(), run));
  counts["units"] = json_of_units(run.counts);
  counts["lines"] = json_of_lines(run.counts, sources);
  counts["kernels"] = json_of_kernels(run);
  auto fns = Json::object();
  for (const auto& [name, fn] : run.fns) fns[name] = json_of(fn_fields(), fn);
  counts["fns"] = std::move(fns);
  return counts;
}

Json json_of(const ClaimValue& side) {
  if (side.text.empty()) return nullptr;
  return {{"text", side.text}, {"value", real_json(side.value)}};
}

Json json_of(const ClaimOutcome& claim, const Sources& sources) {
  Json out = {{"text", claim.text},
              {"source", claim.source},
              {"kind", spelling(claim.kind)},
              {"verdict", name_of(claim.verdict)}};
  if (!claim.reason.empty()) out["reason"] = claim.reason;
  out["left"] = json_of(claim.left);
  out["right"] = json_of(claim.right);
  out["ratio"] =
      claim.left.text.empty() || claim.right.text.empty() ? Json(nullptr) : real_json(claim.ratio);
  if (claim.span.known()) out["line"] = sources.begin(claim.span).line;
  return out;
}

Json json_of(const EngineUse& engine, const Sources& sources) {
  Json out = {{"name", engine.fast ? "fast" : "reference"},
              {"reason", engine.reason.empty() ? Json(nullptr) : Json(engine.reason)},
              {"restarts", engine.restarts}};
  if (engine.reason_at.known()) out["line"] = sources.begin(engine.reason_at).line;
  out["by_word"] = Json::array();
  for (const EngineUse::ByWord& accesses : engine.by_word) {
    Json entry = {{"kernel", accesses.kernel}, {"array", accesses.array}};
    if (accesses.at.known()) entry["line"] = sources.begin(accesses.at).line;
    out["by_word"].push_back(std::move(entry));
  }
  return out;
}

Json json_of(const ProgramInfo& program) {
  Json out = {{"path", program.path}, {"sha256", program.sha256}};
  out["parameters"] = Json::object();
  for (const ir::Constant& parameter : program.parameters) {
    out["parameters"][parameter.name] = constant_json(parameter);
  }
  for (const auto& [path, hash] : program.uses) {
    out["uses"].push_back({{"path", path}, {"sha256", hash}});
  }
  for (const auto& [option, text] : program.replaced) {
    out["replaced"].push_back({{"option", option}, {"text", text}});
  }
  for (const auto& [array, path] : program.inputs) out["inputs"][array] = path;
  return out;
}

} // namespace

Json run_json(const RunReport& report, const Sources& sources) {
  Json out;
  out["tool"] = {{"name", "memlane"}, {"version", report.version}, {"semantics", semantics}};
  if (report.program) out["program"] = json_of(*report.program);
  if (report.trace) out["trace"] = {{"path", report.trace->path}, {"whole", report.trace->whole}};
  out["machine"] = to_json(report.machine);
  if (report.program) out["seed"] = report.seed;
  out["host"] = {{"system", report.host.system},
                 {"architecture", report.host.architecture},
                 {"compiler", report.host.compiler}};
  if (report.program) out["engine"] = json_of(report.run.engine, sources);
  out["stop"] = name_of(report.run.stop);
  if (!report.run.reached.empty()) out["reached"] = report.run.reached;
  out["counts"] = json_of_counts(report.run, sources);
  if (report.program && !report.program->races_allowed.empty())
    out["races_allowed"] = report.program->races_allowed;
  out["verify"] = name_of(report.run.verify);
  if (report.run.verify == Verdict::not_run && report.run.stop == Stop::none) {
    out["verify_skipped"] = true;
  }
  if (report.timing_only) out["timing_only"] = true;
  out["claims"] = Json::array();
  for (const ClaimOutcome& claim : report.claims) out["claims"].push_back(json_of(claim, sources));
  out["verdict"] = verdict_json(verdict_of(report));
  return out;
}

} // namespace memlane
