#include "ptx_tries.hpp"

#include "explained_run.hpp"

#include "memlane/points/change.hpp"
#include "memlane/study/explain/explanation_text.hpp"
#include "memlane/study/explain/tried_change.hpp"
#include "memlane/support/sha256.hpp"

namespace memlane::cli {
namespace {

using sweep::ComparisonRow;
using sweep::TriedChange;

/// The row of a run that has begun. `changed`: by what; empty: by nothing.
ComparisonRow row_of(const PtxRequest& request, const std::string& ptx, const PtxRun& run,
                     const MachineSpec& machine, const std::string& changed) {
  ComparisonRow row;
  row.program = request.path;
  row.machine = request.machine.name + (changed.empty() ? "" : " with " + changed);
  row.info.path = request.path;
  row.info.sha256 = sha256(ptx);
  sweep::PointResult result;
  result.started = true;
  result.run = run.pricing().result();
  if (run.fault()) {
    result.run.stop = Stop::error;
    result.run.errors = {*run.fault()};
  }
  take_counts(row, machine, result);
  row.lines = counted_lines(row.counts, run.pricing().sources());
  return row;
}

TriedChange tried_machine(const PtxRequest& request, const std::string& ptx,
                          const MachineTry& tried, const ComparisonRow& base,
                          const MachineSpec& machine, Sources& sources) {
  TriedChange out;
  out.change = sweep::changes_text(tried.changes);
  out.base_time = base.counts.time.value;
  out.base_counts = base.counts;
  out.predicts = false;
  const auto nothing = [](const std::string&) {}; // the run has said it
  PtxRun run(request, tried.machine.spec, sources, nothing);
  Status ran = run.load(ptx);
  if (ran) ran = run.launch(nothing);
  out.row = row_of(request, ptx, run, tried.machine.spec, out.change);
  if (!ran) {
    out.row.stop = stop_of(ran.errors());
    out.row.ran = out.row.stop == Stop::none ? sweep::Ran::cannot_run : sweep::Ran::stopped;
    out.row.reason = ran.errors().front().message;
  }
  out.lines = compare_lines(base, out.row, sources);
  if (out.ended())
    out.causes = sweep::compare_causes(machine, base.counts, tried.machine.spec, out.row.counts);
  return out;
}

} // namespace

Result<std::vector<MachineTry>> read_machine_tries(const PtxRequest& request,
                                                   const LoadedMachine& machine, Sources& sources) {
  std::vector<MachineTry> tries;
  ErrorCollector errors;
  for (const std::string& text : request.tries) {
    MachineTry tried;
    if (!errors.take(sweep::read_machine_changes(text, machine.spec.model), tried.changes))
      continue;
    Recipe recipe;
    recipe.machine = request.machine;
    if (errors.take(load_selected_machine(sources, with_changes(recipe, tried.changes).machine),
                    tried.machine) &&
        errors.check(ptx::Pricing::check(tried.machine.spec)))
      tries.push_back(std::move(tried));
  }
  if (!errors.ok()) return errors.errors();
  return tries;
}

TriedMachines try_machines(const PtxRequest& request, const std::string& ptx, const PtxRun& run,
                           const MachineSpec& machine, const std::vector<MachineTry>& tries,
                           Sources& sources) {
  TriedMachines out;
  if (tries.empty()) return out;
  const ComparisonRow base = row_of(request, ptx, run, machine, "");
  std::vector<Exit> exits;
  for (const MachineTry& tried : tries) {
    TriedChange changed = tried_machine(request, ptx, tried, base, machine, sources);
    exits.push_back(exit_of_try(changed.row));
    out.parts.push_back(tried_part(std::move(changed)));
  }
  out.exit = worst_of(exits);
  return out;
}

} // namespace memlane::cli
