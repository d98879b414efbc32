#include "verdict.hpp"

#include "memlane/config/keys.hpp"
#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

/// A unit in the paper's letters.
struct Naming {
  std::string unit;    ///< `global`; empty where there is one unit only
  std::string latency; ///< `wL`
  std::string room;    ///< `dp`
};

Naming naming(const MachineSpec& machine, bool global) {
  const bool both = machine.global && machine.shared;
  const UnitSpec& unit = global ? *machine.global : *machine.shared;
  Naming names;
  names.unit = !both ? "" : global ? "global" : "shared";
  names.latency = both && global ? "wL" : "wl";
  if (unit.ports > 1) names.latency += " x ports";
  names.room = both && global ? "dp" : "p";
  if (machine.resident_blocks > 1) names.room += " x resident_blocks";
  return names;
}

/// The unit's name and what parts it from what follows; nothing where there is one unit only.
std::string before(const Naming& names, std::string_view separator) {
  return names.unit.empty() ? "" : fmt::format("{}{}", names.unit, separator);
}

/// Calls `f(unit, names)` for every unit that the machine has and the run used.
template <class F>
void for_used_units(const LatencyHiding& verdict, const MachineSpec& machine, F&& f) {
  if (verdict.global && verdict.global->used()) f(*verdict.global, naming(machine, true));
  if (verdict.shared && verdict.shared->used()) f(*verdict.shared, naming(machine, false));
}

void append(std::string& list, std::string_view separator, std::string_view text) {
  if (!list.empty()) list += separator;
  list += text;
}

std::string conditions(const LatencyHiding& verdict, const MachineSpec& machine) {
  std::string text;
  for_used_units(verdict, machine, [&](const UnitHiding& unit, const Naming& names) {
    append(text, "; ",
           fmt::format("{}{}hidden: {} = {} {} {} resident threads, {} = {}", before(names, " "),
                       unit.hidden() ? "" : "not ", names.latency, unit.needed,
                       unit.hidden() ? "<=" : ">", unit.resident, names.room, unit.room));
  });
  return text.empty() ? "nothing to hide: no memory was accessed" : text;
}

std::string percent_of(std::int64_t part, std::int64_t whole) {
  return fmt::format("{:.1f} % of the time",
                     100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string bounds(const LatencyHiding& verdict, const RunReport& report) {
  std::string text;
  const auto add = [&](std::string_view unit, std::string_view what, std::int64_t bound,
                       Limitation limitation) {
    std::string term = fmt::format("{}{} {}", unit, what, bound);
    if (verdict.largest == limitation) {
      term += fmt::format(" (the largest, {})", percent_of(bound, report.run.counts.time.value));
    }
    append(text, ", ", term);
  };
  const bool both = verdict.global && verdict.shared;
  if (verdict.global) {
    add(both ? "global " : "", "bandwidth", verdict.global->bandwidth,
        Limitation::global_bandwidth);
    add(both ? "global " : "", "latency", verdict.global->latency, Limitation::global_latency);
  }
  if (verdict.shared) {
    add(both ? "shared " : "", "bandwidth", verdict.shared->bandwidth,
        Limitation::shared_bandwidth);
    add(both ? "shared " : "", "latency", verdict.shared->latency, Limitation::shared_latency);
  }
  return text;
}

/// A machine file may hold the value.
bool may_be(std::string_view path, std::int64_t value) {
  for (const MachineKey& key : machine_keys()) {
    if (key.path == path) return value <= key.greatest;
  }
  return false;
}

/// Where the machine has room enough, but the launches did not use it.
std::string unfilled(const UnitHiding& unit, const LatencyHiding& verdict,
                     const RunReport& report) {
  std::string text = fmt::format("more or larger blocks, {} resident threads of the {} possible",
                                 unit.needed, unit.room);
  if (verdict.blocks_that_fit && *verdict.blocks_that_fit < report.machine.resident_blocks) {
    text += fmt::format(" (shared.capacity {} holds {} of {} words each)",
                        *report.machine.shared->capacity, *verdict.blocks_that_fit,
                        report.run.counts.shared_words);
  }
  return text;
}

std::string too_small(const UnitHiding& unit, const LatencyHiding& verdict,
                      const RunReport& report) {
  std::string text;
  const auto add = [&](std::string_view key, std::optional<std::int64_t> value) {
    if (value && may_be(key, *value)) append(text, " or ", fmt::format("{} {}", key, *value));
  };
  add("threads", unit.enough_threads);
  add("multiprocessors", unit.enough_multiprocessors);
  add("resident_blocks", unit.enough_resident_blocks);
  text = text.empty() ? "no allowed value of threads, multiprocessors or resident_blocks"
                      : text + ", filled by the launches";
  if (!unit.enough_resident_blocks) {
    text += fmt::format(" (no resident_blocks: shared.capacity {} holds {} of {} words each)",
                        *report.machine.shared->capacity, verdict.blocks_that_fit.value_or(0),
                        report.run.counts.shared_words);
  }
  return text;
}

std::string remedies(const LatencyHiding& verdict, const RunReport& report) {
  std::string text;
  for_used_units(verdict, report.machine, [&](const UnitHiding& unit, const Naming& names) {
    if (unit.hidden()) return;
    append(text, "; ",
           fmt::format("{}{}", before(names, ": "),
                       unit.machine_hides() ? unfilled(unit, verdict, report)
                                            : too_small(unit, verdict, report)));
  });
  if (!text.empty()) return text;
  // The conditions count threads; whether these have requests to fill the pipeline is another
  // matter.
  return verdict.largest && 2 * verdict.largest_bound < report.run.counts.time.value
             ? "nothing more: threads are enough, but for most of the time too few had requests"
             : "nothing more: the conditions hold";
}

} // namespace

std::optional<LatencyHiding> verdict_of(const RunReport& report) {
  if (report.run.stop != Stop::none) return std::nullopt;
  return latency_hiding(report.machine, report.run.counts);
}

std::string verdict_text(const LatencyHiding& verdict, const RunReport& report) {
  TextTable table({Align::left, Align::left});
  table.add({"latency", conditions(verdict, report.machine)});
  table.add({"bounds", bounds(verdict, report)});
  table.add({"to hide", remedies(verdict, report)});
  return '\n' + table.text();
}

void add_verdict(const std::optional<LatencyHiding>& verdict,
                 const std::function<void(std::string_view, std::string_view)>& add) {
  const auto unit_cells = [&](std::string_view name, const std::optional<UnitHiding>& unit) {
    for (const Field<UnitHiding>& field : hiding_fields()) {
      add(fmt::format("verdict_{}_{}", name, field.name),
          unit ? std::to_string(field.get(*unit)) : "");
    }
    add(fmt::format("verdict_{}_hidden", name), !unit ? "" : unit->hidden() ? "true" : "false");
  };
  unit_cells("global", verdict ? verdict->global : std::nullopt);
  unit_cells("shared", verdict ? verdict->shared : std::nullopt);
  add("verdict_largest", verdict && verdict->largest ? name_of(*verdict->largest) : "");
}

} // namespace memlane
