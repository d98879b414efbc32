// Words that texts about runs are made of: of machines, of explanations, of what an engine did.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/engine/outcome.hpp"
#include "memlane/engine/stream.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane {

/// The model, and every setting that is not at its default or has none: `MMM, local_words 64,
/// transfer 10`.
std::string machine_settings(const MachineSpec& machine);
/// The same with the papers' letters: `MMM, P unbounded (multiprocessors), Z = 64 (local_words), U
/// = 10 (transfer)`. Settings that have a letter are always there.
std::string machine_with_letters(const MachineSpec& machine);

/// `12.5 %`; of nothing 0.
std::string percent(std::int64_t part, std::int64_t whole);
/// `2.53`; without decimals from 100 on. Requires after > 0, else `infinitely many`.
std::string times_as_fast(std::int64_t before, std::int64_t after);
/// `a`, `a and b`, `a, b and c`.
std::string joined(const std::vector<std::string>& parts);
/// What extra stages come from: `bank conflicts`, `requests to several address groups`.
std::string conflicts_of(UnitId unit, Model model);

/// The claim's two sides and their ratio, if both sides are known: `11 against 2, ratio 5.5`; of
/// what is a ratio alone `ratio 2.125: 952 against 448`.
std::string claim_sides(const ClaimOutcome& claim);

/// A line for each way of skipping that the fast engine had a use for, as `loops: 3 of 8 iterations
/// executed, the rest extrapolated or replayed`. Empty for the reference engine.
std::string engine_work_text(const EngineWork& work);

/// One line: the seconds of each phase that took any; empty where no clock was given.
std::string phase_seconds_text(const PhaseSeconds& seconds);

} // namespace memlane
