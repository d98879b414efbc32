#include "memlane/points/default_machine.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/support/machine_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

namespace memlane::sweep {
namespace {

/// In the order in which a later one runs more of what the programs of an earlier one ask for.
enum Choice : std::size_t { umm, dmm, hmm, mmm };
constexpr std::array<DefaultMachine, 4> machines = {
    {{}, {Model::dmm, "dmm-w32"}, {Model::hmm, "hmm-titan"}, {Model::mmm, "mmm-gpu"}}};

bool uses_any(const lang::Checked& program, std::initializer_list<MachineQuantity> quantities) {
  return std::any_of(program.letters.begin(), program.letters.end(), [&](const auto& letter) {
    const MachineQuantity own = find_machine_name(letter)->quantity;
    return std::find(quantities.begin(), quantities.end(), own) != quantities.end();
  });
}

bool has_claim_on(const lang::Checked& checked, Model model) {
  const auto& claims = checked.program.claims;
  return std::any_of(claims.begin(), claims.end(), [&](const lang::ClaimDecl& claim) {
    return !claim.machines.empty() && speaks_of(claim, name_of(model));
  });
}

Choice choice(const lang::Checked& program) {
  using enum MachineQuantity;
  if (uses_any(program, {local_words, transfer_time, processors})) return mmm;
  if (uses_any(program, {global_latency, capacity})) return hmm;
  const bool shared =
      std::any_of(program.arrays.begin(), program.arrays.end(), [](const lang::ArraySymbol& array) {
        return array.kind == lang::ArrayKind::shared && array.used;
      });
  if (!shared) return umm;
  return has_claim_on(program, Model::dmm) && !has_claim_on(program, Model::hmm) ? dmm : hmm;
}

} // namespace

DefaultMachine default_machine(const std::vector<const lang::Checked*>& programs) {
  Choice last = umm;
  for (const lang::Checked* program : programs) last = std::max(last, choice(*program));
  return machines[last];
}

} // namespace memlane::sweep
