// The result as one row. Columns come from the tables of keys and fields; what a machine or a
// program does not have is an empty cell.
#include "cells.hpp"
#include "latency_account.hpp"

#include "memlane/config/keys.hpp"
#include "memlane/count/fields.hpp"
#include "memlane/report/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {
namespace {

struct Row {
  std::string names, cells;

  void add(std::string_view name, std::string_view cell);
  void add(std::string_view name, std::int64_t cell) { add(name, std::to_string(cell)); }
};

void Row::add(std::string_view name, std::string_view cell) {
  if (!names.empty()) {
    names += ',';
    cells += ',';
  }
  names += name;
  cells += csv_cell(cell);
}

template <class T>
void add_fields(Row& row, std::string_view prefix, const std::vector<Field<T>>& fields,
                const T* counts) {
  for (const Field<T>& field : fields) {
    const std::string name = fmt::format("{}{}", prefix, field.name);
    row.add(name, counts ? std::to_string(field.get(*counts)) : std::string());
  }
}

void add_machine(Row& row, const MachineSpec& machine) {
  for (const MachineKey& key : machine_keys()) {
    if (!key.fetch || key.kind == KeyKind::lines) continue;
    std::string name = fmt::format("machine_{}", key.path);
    std::replace(name.begin(), name.end(), '.', '_');
    row.add(name, contains(key.models, machine.model) ? text_of(key.fetch(machine)) : "");
  }
}

void add_claims(Row& row, const std::vector<ClaimOutcome>& claims) {
  const auto count = [&](ClaimVerdict verdict) {
    return static_cast<std::int64_t>(
        std::count_if(claims.begin(), claims.end(),
                      [&](const ClaimOutcome& claim) { return claim.verdict == verdict; }));
  };
  row.add("claims_hold", count(ClaimVerdict::holds));
  row.add("claims_fail", count(ClaimVerdict::fails));
}

} // namespace

std::string replaced_cell(const ProgramInfo& program, std::string_view option) {
  std::string text;
  for (const auto& [own, replacement] : program.replaced)
    if (own == option) text += (text.empty() ? "" : ";") + replacement;
  return text;
}

std::string run_csv(const RunReport& report) {
  Row row;
  row.add("version", report.version);
  row.add("semantics", semantics);
  row.add("program", report.program ? report.program->path : report.trace->path);
  row.add("sha256", report.program ? report.program->sha256 : "");
  row.add("parameters", report.program ? parameters_cell(*report.program) : "");
  row.add("layouts", report.program ? replaced_cell(*report.program, "--layout") : "");
  row.add("fns", report.program ? replaced_cell(*report.program, "--fn") : "");
  row.add("types", report.program ? replaced_cell(*report.program, "--type") : "");
  add_machine(row, report.machine);
  row.add("seed", report.program ? std::to_string(report.seed) : "");
  row.add("stop", name_of(report.run.stop));
  add_fields(row, "", count_fields(), &report.run.counts);
  add_fields(row, "", run_fields(), &report.run);
  const Counts& counts = report.run.counts;
  add_fields(row, "global_", unit_fields(),
             counts.global.empty() ? nullptr : &counts.global.front());
  const UnitCounts shared = sum_of(counts.shared);
  add_fields(row, "shared_", unit_fields(), counts.shared.empty() ? nullptr : &shared);
  row.add("races_allowed", report.program ? report.program->races_allowed : "");
  row.add("verify", name_of(report.run.verify));
  add_claims(row, report.claims);
  add_latency_cells(latency_hiding_of(report),
                    [&](std::string_view name, std::string_view cell) { row.add(name, cell); });
  return row.names + '\n' + row.cells + '\n';
}

} // namespace memlane
