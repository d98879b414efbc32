// Whether the latency of memory was hidden, and bounds of the time: in sentences, and as JSON.
#include "memlane/machine/keys.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

#include <vector>

namespace memlane {

namespace {

/// A unit's name and what separates it from what follows; empty where there is one unit only.
std::string before(const MachineSpec& machine, bool global, std::string_view separator) {
  if (!machine.global || !machine.shared) return "";
  return fmt::format("{}{}", global ? "global" : "shared", separator);
}

/// Calls `f(unit, global)` for every unit that the machine has and the run used.
template <class F>
void for_used_units(const LatencyHiding& account, F&& f) {
  if (account.global && account.global->used()) f(*account.global, true);
  if (account.shared && account.shared->used()) f(*account.shared, false);
}

void append(std::string& list, std::string_view separator, std::string_view text) {
  if (!list.empty()) list += separator;
  list += text;
}

std::string percent_of(std::int64_t part, std::int64_t whole) {
  return fmt::format("{:.1f} % of the time",
                     100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string conditions(const LatencyHiding& account, const RunReport& report) {
  std::string text;
  for_used_units(account, [&](const UnitHiding& unit, bool global) {
    const std::string name = before(report.machine, global, " ");
    if (unit.hidden()) {
      append(text, "; ",
             fmt::format("{}hidden: the stages take longer than any warp's requests", name));
      return;
    }
    if (unit.untold > 0) {
      append(text, "; ",
             fmt::format(
                 "{}not told by these bounds: {}idle for {} time units ({}) while warps waited "
                 "for requests",
                 before(report.machine, global, ": "),
                 report.machine.is_beyond_papers()
                     ? "on this machine chains of requests take longer; "
                     : "",
                 unit.untold, percent_of(unit.untold, report.run.counts.time.value)));
      return;
    }
    const UnitSpec& spec = global ? *report.machine.global : *report.machine.shared;
    const std::int64_t k = report.machine.requests_in_flight;
    const std::int64_t stages = stages_of_warp(report.machine, spec);
    append(text, "; ",
           fmt::format("{}exposed for {} time units ({}): to hide it, {} threads must have {} at a "
                       "time (w x latency{}{}{}); on average {} have {}",
                       name, unit.exposed, percent_of(unit.exposed, report.run.counts.time.value),
                       unit.needed, k > 1 ? fmt::format("{} requests", k) : "a request",
                       spec.ports > 1 ? " x ports" : "", k > 1 ? fmt::format(" / {}", k) : "",
                       stages > 1 ? fmt::format(" / {} stages of a request", stages) : "",
                       unit.active, k > 1 ? "as many" : "one"));
  });
  return text.empty() ? "nothing to hide: no memory was accessed" : text;
}

std::string bounds(const LatencyHiding& account, const RunReport& report) {
  std::string text;
  const auto add = [&](std::string_view unit, std::string_view what, std::int64_t bound,
                       Limitation limitation) {
    std::string term = fmt::format("{}{} {}", unit, what, bound);
    if (account.largest == limitation) {
      term += fmt::format(" (the largest, {})", percent_of(bound, report.run.counts.time.value));
    }
    append(text, ", ", term);
  };
  const bool both = account.global && account.shared;
  if (account.global) {
    add(both ? "global " : "", "bandwidth", account.global->bandwidth,
        Limitation::global_bandwidth);
    add(both ? "global " : "", "latency", account.global->latency, Limitation::global_latency);
    if (account.global->atomics > 0)
      add(both ? "global " : "", "atomics of one address group", account.global->atomics,
          Limitation::global_atomics);
  }
  if (account.shared) {
    add(both ? "shared " : "", "bandwidth", account.shared->bandwidth,
        Limitation::shared_bandwidth);
    add(both ? "shared " : "", "latency", account.shared->latency, Limitation::shared_latency);
  }
  if (account.own_port) add("", "own ports", account.own_port->bound, Limitation::own_port);
  if (account.operations)
    add("operations of unit ", account.operations->unit, account.operations->bound,
        Limitation::operations);
  return text;
}

/// A machine file may hold the value.
bool may_be(std::string_view path, std::int64_t value) {
  for (const MachineKey& key : machine_keys()) {
    if (key.path == path) return value <= key.maximum;
  }
  return false;
}

/// `2048 threads per multiprocessor, or 4 resident blocks`; empty where neither helps.
std::string remedies(const UnitHiding& unit) {
  std::string text;
  const auto add = [&](std::string_view key, const std::optional<HidingAdvice>& advice,
                       std::string_view what) {
    if (!advice || !may_be(key, advice->value)) return;
    std::string term = fmt::format("{} {}", advice->value, what);
    if (advice->exposed > 0)
      term += fmt::format(" (at most {} time units remain exposed)", advice->exposed);
    append(text, ", or ", term);
  };
  add("threads", unit.threads, "threads per multiprocessor");
  add("resident_blocks", unit.resident_blocks, "resident blocks");
  return text;
}

std::string remedies(const LatencyHiding& account, const RunReport& report) {
  std::string text;
  bool exposed = false;
  for_used_units(account, [&](const UnitHiding& unit, bool global) {
    if (unit.hidden()) return;
    exposed = true;
    if (const std::string of_unit = remedies(unit); !of_unit.empty())
      append(text, "; ", before(report.machine, global, ": ") + of_unit);
  });
  if (!text.empty()) return text;
  const double bound = static_cast<double>(account.largest_bound);
  const bool tight = bound >= 0.9 * static_cast<double>(report.run.counts.time.value);
  if (!exposed && (!account.largest || tight)) return "nothing more is needed";
  if (!exposed)
    return "by these bounds nothing; more threads or resident blocks may still reduce "
           "idle_latency";
  // The counts do not say whether more would hide nothing, or whether that is not known.
  const std::string share =
      fmt::format("5 % of the time{}",
                  report.machine.launch_cost.value > 0 ? ", beside the cost of launches" : "");
  if (report.trace)
    return fmt::format("no number of resident blocks is known to hide {}; the number of threads is "
                       "fixed by the trace",
                       share);
  return fmt::format("no number of threads or resident blocks is known to hide {}; --explain "
                     "simulates changes that may help",
                     share);
}

using schema::Json;

const schema::Table<HidingAdvice>& value_table() {
  static const schema::Table<HidingAdvice> table({
      {"value", "of the machine's key, which hides all that it can hide", &HidingAdvice::value},
      {"exposed", "that remain exposed with it, at most (time units)", &HidingAdvice::exposed},
  });
  return table;
}

const schema::Table<UnitHiding>& advice_table() {
  static const schema::Table<UnitHiding> table({
      {"threads", value_table(),
       "another threads; null: none is known to hide 5 % of the time beside the cost of launches",
       &UnitHiding::threads},
      {"resident_blocks", value_table(),
       "another resident_blocks; null: none is known to hide 5 % of the time beside the cost of "
       "launches",
       &UnitHiding::resident_blocks},
  });
  return table;
}

schema::Table<UnitHiding> unit_hiding_table(const schema::Members<UnitHiding>& more) {
  return {
      count_members<UnitHiding>(hiding_fields()),
      {{"hidden",
        "whether no time units are exposed; false, too, where the bounds do not tell and the unit "
        "idles while warps wait (machines with keys of real GPUs)",
        &UnitHiding::hidden},
       {"advice", advice_table(), "values of the machine's keys that hide more", std::identity()}},
      more};
}

const schema::Table<UnitHiding>& global_hiding_table() {
  static const schema::Table<UnitHiding> table = unit_hiding_table(
      {{"atomics",
        "lower bound from atomics that one address group serves without a pause (time units)",
        &UnitHiding::atomics}});
  return table;
}

const schema::Table<UnitHiding>& shared_hiding_table() {
  static const schema::Table<UnitHiding> table = unit_hiding_table(
      {{"multiprocessor", "the one with the greatest bound", &UnitHiding::multiprocessor}});
  return table;
}

const schema::Table<Occupancy>& occupancy_table() {
  static const schema::Table<Occupancy> table({
      {"resident_warps", "the most at once (warps)", &Occupancy::resident},
      {"room_warps", "that it could hold (warps)", &Occupancy::room},
  });
  return table;
}

const schema::Members<BusiestUnit>& busiest_members() {
  static const schema::Members<BusiestUnit> members = {
      {"multiprocessor", "where it has the most stages", &BusiestUnit::multiprocessor},
      {"bound", "lower bound from their number (time units)", &BusiestUnit::bound},
  };
  return members;
}

const schema::Table<BusiestUnit>& own_port_table() {
  static const schema::Table<BusiestUnit> table(busiest_members());
  return table;
}

const schema::Table<BusiestUnit>& busiest_operations_table() {
  static const schema::Table<BusiestUnit> table = {{{"unit", "its name", &BusiestUnit::unit}},
                                                   busiest_members()};
  return table;
}

const schema::Table<LatencyHiding>& hiding_table() {
  static const schema::Table<LatencyHiding> table({
      {"global", global_hiding_table(), "the global unit; null: there is none",
       &LatencyHiding::global},
      {"shared", shared_hiding_table(), "the shared unit with the greatest bound",
       &LatencyHiding::shared},
      {"largest", schema::or_null(limitation_schema()), &LatencyHiding::largest},
      {"occupancy", occupancy_table(), "a multiprocessor", "by multiprocessor",
       &LatencyHiding::occupancy},
      {"operations", busiest_operations_table(),
       "the unit of operations with the greatest bound; null: none was asked",
       &LatencyHiding::operations},
      {"own_port", own_port_table(),
       "the multiprocessor's own port to global memory with the greatest bound; null: none was "
       "used",
       &LatencyHiding::own_port},
  });
  return table;
}

} // namespace

std::optional<LatencyHiding> latency_hiding_of(const RunReport& report) {
  if (report.run.stop != Stop::none || !is_timed(report.machine.model)) return std::nullopt;
  return latency_hiding(report.machine, report.run.counts);
}

std::string latency_text(const LatencyHiding& account, const RunReport& report) {
  constexpr std::size_t indent = 12;
  return '\n' + labelled_lines("latency", conditions(account, report), indent) +
         labelled_lines("bounds", bounds(account, report), indent) +
         labelled_lines("to hide it", remedies(account, report), indent);
}

std::string latency_summary(const LatencyHiding& account, const RunReport& report) {
  std::string text;
  for_used_units(account, [&](const UnitHiding& unit, bool global) {
    text += fmt::format("{}latency ", before(report.machine, global, " "));
    if (unit.hidden())
      text += "hidden\n";
    else if (unit.untold > 0)
      text += fmt::format("not told by bounds: idle for {} ({:.1f} %)\n",
                          counted(unit.untold, "time unit"),
                          100.0 * static_cast<double>(unit.untold) /
                              static_cast<double>(report.run.counts.time.value));
    else
      text += fmt::format("exposed for {} ({})\n", counted(unit.exposed, "time unit"),
                          percent_of(unit.exposed, report.run.counts.time.value));
  });
  return text;
}

Json latency_json(const std::optional<LatencyHiding>& account) {
  return account ? hiding_table().json(*account) : Json(nullptr);
}

Json latency_schema() {
  return schema::or_null(hiding_table().schema(
      "whether the latency of memory was hidden; null: the run did not come to its end"));
}

} // namespace memlane
