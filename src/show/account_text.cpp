// The account of a run in sentences. Numbers come from the account alone.
#include "memlane/show/account.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/paper_table.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace memlane {

namespace {

constexpr std::size_t longest_paragraph = 4000; ///< columns, in Markdown and LaTeX

std::int64_t of(const ExplainedUnit& unit, Cause cause) {
  return unit.time[static_cast<std::size_t>(cause)];
}

/// `the shared memory of multiprocessor 3, the busiest of 14,`; `the memory` where it is the only
/// one.
std::string subject_of(const ExplainedUnit& unit, const Account& account) {
  if (unit.own_port)
    return account.multiprocessors == 1
               ? "The multiprocessor's own port to global memory"
               : fmt::format("The own port of multiprocessor {}, the busiest of {},",
                             unit.multiprocessor, account.multiprocessors);
  if (has_one_memory(account.model)) return "The memory";
  if (unit.unit == UnitId::global) return "The global memory";
  if (account.multiprocessors == 1) return "The shared memory";
  return fmt::format("The shared memory of multiprocessor {}, the busiest of {},",
                     unit.multiprocessor, account.multiprocessors);
}

std::string busy_sentence(const ExplainedUnit& unit, const Account& account) {
  const std::int64_t time = account.time.value;
  const std::int64_t first = of(unit, Cause::first_stages), extra = of(unit, Cause::extra_stages);
  const std::string text =
      fmt::format("{} was busy in {} of {} ({})", subject_of(unit, account), first + extra,
                  counted(time, "time unit"), percent(first + extra, time));
  const bool one = unit.needs_one_stage();
  if (extra == 0)
    return text +
           (one ? ", with one stage for each request."
                : ", with the stages that each request takes at least, wherever its words lie.");
  return text +
         fmt::format(": {} ({}) with {}, and {} ({}) with extra stages of {}.", first,
                     percent(first, time),
                     one ? "first stages, one for each request"
                         : "the stages that each request takes at least, wherever its words lie",
                     extra, percent(extra, time),
                     one || unit.unit == UnitId::shared ? conflicts_of(unit.unit, account.model)
                                                        : "words that lie apart");
}

std::string idle_sentence(const ExplainedUnit& unit, const Account& account) {
  struct Idle {
    Cause cause;
    std::string_view words;
  };
  constexpr Idle kinds[] = {
      {Cause::latency, "while warps waited for a request and had another to make (latency)"},
      {Cause::barrier, "while warps waited at a barrier"},
      {Cause::drain, "while the last requests were on their way"},
      {Cause::launch, "for the cost of launches"},
      {Cause::empty, "with nothing on its way"},
  };
  const std::int64_t time = account.time.value;
  std::int64_t idle = 0;
  std::vector<std::pair<std::int64_t, std::string_view>> parts;
  for (const Idle& kind : kinds) {
    idle += of(unit, kind.cause);
    if (of(unit, kind.cause) > 0) parts.emplace_back(of(unit, kind.cause), kind.words);
  }
  if (idle == 0) return "It was never idle.";
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (const auto& [units, words] : parts)
    texts.push_back(fmt::format("{} ({}) {}", units, percent(units, time), words));
  if (texts.size() == 1)
    return fmt::format("It was idle for {} ({}) {}.", idle, percent(idle, time), parts[0].second);
  return fmt::format("It was idle for {}: {}.", idle, joined(texts));
}

/// `40 (12.5 %) warps waited for values, …`; empty where idle time is not told by waits.
std::string wait_sentence(const ExplainedUnit& unit, const Account& account) {
  constexpr std::string_view words[wait_causes] = {
      "for their request or operation to enter its unit",
      "with as many requests on their way as a warp may have",
      "for values of reads",
      "at a fence",
      "for reads of address groups that their block had read",
      "for an operation",
      "for the cost of operators",
      "for the cost of a barrier"};
  if (!unit.idle) return "";
  std::vector<std::pair<std::int64_t, std::string_view>> parts;
  for (std::size_t k = 0; k < wait_causes; ++k)
    if (unit.idle->waits[k] > 0) parts.emplace_back(unit.idle->waits[k], words[k]);
  if (parts.empty()) return "";
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (const auto& [units, what] : parts)
    texts.push_back(fmt::format("{} ({}) {}", units, percent(units, account.time.value), what));
  return fmt::format(" In the idle time units, the warp that went on next had waited: {}.",
                     joined(texts));
}

/// The lines that wait for values of the unit that comes first, with the most idle time.
std::string value_wait_sentence(const Account& account) {
  const std::string_view unit = account.units.front().unit == UnitId::global ? "global" : "shared";
  const auto most = std::find_if(account.value_waits.begin(), account.value_waits.end(),
                                 [&](const ShownWait& wait) { return wait.unit == unit; });
  if (most == account.value_waits.end()) return "";
  const auto name = [](const CountedLine& line) {
    return line.text.empty() ? fmt::format("line {}", line.number)
                             : fmt::format("line {} ({})", line.number, line.text);
  };
  const std::string what =
      most->waits.number == 0 ? "barriers and the ends of warps wait for reads"
      : most->read.number == 0
          ? fmt::format("{} waits for values", name(most->waits))
          : fmt::format("{} waits for the value that {} reads", name(most->waits),
                        most->read.number == most->waits.number ? "it" : name(most->read));
  const bool several = unit != "global" && account.multiprocessors > 1;
  return fmt::format("Of the waits for values, the most idle time is charged to one: {} ({}{}).",
                     what, counted(most->time, "time unit"),
                     several ? ", added over all multiprocessors" : "");
}

/// An AGPU counts: its time is a sum of costs, and its I/O is not in it.
ExplainedPart counted_part(const Account& account) {
  const AgpuCounts& agpu = account.agpu;
  ExplainedPart part{"what the model counts", {}};
  std::string text =
      agpu.time ? fmt::format("An AGPU is counted, not timed: {} are the costs of the statements "
                              "on the slowest multiprocessor of each launch, added over {}.",
                              counted(*agpu.time, "time unit"),
                              counted(account.launches, "launch", "launches"))
                : "An AGPU is counted, not timed, and this run's time is not known: its blocks do "
                  "not have one warp each.";
  if (agpu.io)
    text += fmt::format(" I/O, which is not in this time, is {}.", counted(*agpu.io, "block"));
  if (agpu.multiplicity)
    text += fmt::format(" A block uses {}, so that a multiprocessor has room for {} of them "
                        "(multiplicity {}).",
                        counted(agpu.shared_words, "shared word"),
                        agpu.multiplicity->capacity / agpu.multiplicity->used,
                        agpu.multiplicity->text());
  part.paragraphs.push_back({std::move(text)});
  return part;
}

/// Its number and what it says.
ExplainedPart::Paragraph code_of(const CountedLine& line) {
  return {line.number > 0 ? fmt::format("{}  {}", line.number, line.text) : line.text, true};
}

std::string name_of_line(const CountedLine& line) {
  return line.number > 0 ? fmt::format("line {}", line.number) : "a line";
}

void add_mmm_line(const std::optional<MmmLine>& most, std::string_view what, ExplainedPart& part) {
  if (!most) return;
  part.paragraphs.push_back(
      {fmt::format("Of {} {}, {} has {} ({}).", most->of_all, what, name_of_line(most->line),
                   most->cost, percent(most->cost, most->of_all))});
  part.paragraphs.push_back(code_of(most->line));
}

/// An MMM counts: its time is that of a schedule of blocks ([HMX] section 2.3).
ExplainedPart mmm_part(const Account& account) {
  const MmmCounts& m = *account.mmm;
  ExplainedPart part{"what the model counts", {}};
  const std::string processors = m.processors ? counted(*m.processors, "multiprocessor")
                                              : "as many multiprocessors as it can use";
  part.paragraphs.push_back({fmt::format(
      "The greedy schedule of {} on {} takes {}; Theorem 1 allows {}. On one multiprocessor it "
      "takes {}, and on any number at least {}.",
      counted(m.blocks, "block"), processors, counted(m.time, "time unit"), m.theorem1().text(),
      m.sequential_time, m.unbounded_time)});
  part.paragraphs.push_back({fmt::format(
      "A block takes its span and its overhead, together at most {}. Of all blocks' {}, {} ({}) "
      "are overhead: U for each of the r words that one thread reads at most, and of the s words "
      "that "
      "one thread writes at most.",
      m.block_cost, counted(m.sequential_time, "time unit"), m.overhead,
      percent(m.overhead, m.sequential_time))});
  add_mmm_line(account.work_line, "counted operators", part);
  add_mmm_line(account.words_line, "words between global and local memory", part);
  return part;
}

/// Of a run without requests: what takes its time.
std::string time_without_requests(const Account& account) {
  if (account.time.value == 0) return "The run took no time: it made no requests to memory.";
  std::vector<std::string> costs;
  if (account.timed_operators > 0) costs.emplace_back("operators");
  if (account.barriers > 0 && account.barrier_cost.value > 0) costs.emplace_back("barriers");
  // A run that was stopped in its first launch's cost has none of them.
  if (account.beside_launches < account.time.value || costs.empty())
    costs.emplace(costs.begin(), "launches");
  return fmt::format("The run made no requests to memory; its {} {} for {}.",
                     counted(account.time.value, "time unit"),
                     account.time.value == 1 ? "is" : "are", joined(costs));
}

ExplainedPart time_part(const Account& account) {
  if (account.counted()) return counted_part(account);
  if (account.mmm) return mmm_part(account);
  ExplainedPart part{"where the time went", {}};
  if (account.stop != Stop::none)
    part.paragraphs.push_back({fmt::format("The run was stopped: this explains its first {}.",
                                           counted(account.time.value, "time unit"))});
  if (account.units.empty()) {
    part.paragraphs.push_back({time_without_requests(account)});
    return part;
  }
  for (const ExplainedUnit& unit : account.units)
    part.paragraphs.push_back({busy_sentence(unit, account) + ' ' + idle_sentence(unit, account) +
                               wait_sentence(unit, account)});
  if (std::string most = value_wait_sentence(account); !most.empty())
    part.paragraphs.push_back({std::move(most)});
  if (account.barriers > 0 && account.barrier_cost.value > 0)
    part.paragraphs.push_back({fmt::format("Each of {} cost {}; blocks may pay for theirs side by "
                                           "side.",
                                           counted(account.barriers, "barrier"),
                                           counted(account.barrier_cost.value, "time unit"))});
  return part;
}

/// `the global memory`; `the memory` of a machine with one.
std::string_view memory_name(UnitId unit, const Account& account) {
  if (has_one_memory(account.model)) return "the memory";
  return unit == UnitId::global ? "the global memory" : "the shared memory";
}

/// Accesses of kernels are those of a memory: PTX has no arrays.
bool is_memory(const AccessCounts& access) {
  return access.array == "global" || access.array == "shared";
}
std::string array_words(const AccessCounts& access) {
  return is_memory(access) ? access.array + " memory" : access.array;
}

std::string access_text(const AccessCounts& access, const Account& account) {
  std::string text =
      fmt::format("{} of {}", counted(access.requests, name_of(access.kind)), array_words(access));
  if (!has_one_memory(account.model) && !is_memory(access))
    text += access.unit == UnitId::global ? " (global)" : " (shared)";
  const std::string_view each = access.requests == 1 ? "" : " each";
  if (access.worst <= 1) return text + fmt::format(", one stage{}", each);
  if (access.stages == access.requests * access.worst) {
    text += fmt::format(", {}{}", counted(access.worst, "stage"), each);
    return access.requests == 1 ? text : text + fmt::format(", {} in all", access.stages);
  }
  return text +
         fmt::format(", {:.2f} stages on average and {} at most, {} in all",
                     static_cast<double>(access.stages) / static_cast<double>(access.requests),
                     access.worst, access.stages);
}

/// What the lanes of a request ask for: `its 32 lanes read words 8 apart`.
std::string lanes_text(const AccessPattern& pattern, const AccessCounts& access) {
  const std::string lanes =
      fmt::format("its {} {}", counted(pattern.lanes, "lane"),
                  access.kind == AccessKind::atomic ? "update" : name_of(access.kind));
  if (pattern.words == 1) return lanes + " one word";
  if (pattern.words == pattern.of_lane)
    return fmt::format("{} the same {} words", lanes, pattern.words);
  const std::string each = pattern.of_lane == 1 ? "" : fmt::format("{} ", pattern.of_lane);
  if (pattern.stride)
    return fmt::format("{} {}words {}{} apart", lanes, each,
                       each.empty() ? "" : "each, which begin ", std::abs(*pattern.stride));
  return fmt::format("{} {} different words", lanes, pattern.words);
}

std::string pattern_sentence(const AccessPattern& pattern, const AccessCounts& access) {
  const std::string text =
      fmt::format("In a request for {} with {}, {}", array_words(access),
                  counted(pattern.stages, "stage"), lanes_text(pattern, access));
  if (pattern.kind == UnitKind::unified)
    return fmt::format("{}, in {}.", text, counted(pattern.groups, "address group"));
  if (pattern.banks == 1) return text + ", all in one bank.";
  return fmt::format("{}, in {} of {} banks with up to {} in one.", text, pattern.banks,
                     pattern.width, counted(pattern.stages, "word"));
}

std::string cost_sentence(const CostlyLine& line, const Account& account) {
  const std::string name = name_of_line(line.line);
  const std::string share = percent(line.cost, line.of_all);
  switch (line.by) {
  case LineCost::stages:
    return fmt::format("Of the {} {} {}, {} makes {} ({}).", counted(line.of_all, "stage"),
                       account.reuses && line.unit == UnitId::global ? "that entered" : "of",
                       memory_name(line.unit, account), name, line.cost, share);
  case LineCost::waits:
    return fmt::format("Added over all warps, requests take {}; those of {} take {} ({}).",
                       counted(line.of_all, "time unit"), name, line.cost, share);
  case LineCost::operators:
    return fmt::format("Of the {} of operations of unit {}, {} makes {} ({}).",
                       counted(line.of_all, "stage"), account.busiest->unit, name, line.cost,
                       share);
  case LineCost::port_stages:
    return fmt::format("Of the {} of own ports to {}, {} makes {} ({}).",
                       counted(line.of_all, "stage"), memory_name(line.unit, account), name,
                       line.cost, share);
  case LineCost::agpu_time: break;
  }
  return fmt::format("Of the {}, {} has {} ({}).",
                     counted(line.of_all, account.agpu.time ? "time unit" : "stage"), name,
                     line.cost, share);
}

ExplainedPart line_part(const Account& account) {
  const CostlyLine& line = *account.costliest;
  ExplainedPart part{"the line that costs most", {}};
  part.paragraphs.push_back({cost_sentence(line, account)});
  part.paragraphs.push_back(code_of(line.line));
  constexpr std::size_t most_accesses = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(line.accesses.size(), most_accesses); ++k)
    text += (k == 0 ? "It makes " : "; ") + access_text(line.accesses[k], account);
  if (line.accesses.size() > most_accesses) text += "; and others";
  if (!text.empty()) text += '.';
  if (line.line.counts.io && *line.line.counts.io > 0 && account.counted())
    text += fmt::format(" Its I/O is {}.", counted(*line.line.counts.io, "block"));
  if (line.pattern) text += ' ' + pattern_sentence(*line.pattern, line.accesses[line.pattern_of]);
  if (!text.empty()) part.paragraphs.push_back({std::move(text)});
  return part;
}

/// How requests of a chain may be faster than those that wait for each other (configs/README.md
/// section 10, "Requests in flight"); empty: they may not.
std::string chain_condition(UnitId unit, const Account& account) {
  std::vector<std::string> parts;
  if (account.requests_in_flight > 1)
    parts.push_back(fmt::format("{} at a time", account.requests_in_flight));
  if (unit == UnitId::global && account.reuses) parts.emplace_back("with each read a reuse");
  return joined(parts);
}

/// A lower bound of the time: what it is, in front of its time units; where it is from; and what
/// alone makes it smaller.
struct BoundWords {
  std::string what;
  std::string_view source;
  std::string_view remedy;
};
BoundWords words_of(Limitation tight, const Account& account) {
  constexpr std::string_view paper = " (Nakano & Ito 2014, section IV)";
  const bool shared = tight == Limitation::shared_bandwidth || tight == Limitation::shared_latency;
  const UnitId unit_id = shared ? UnitId::shared : UnitId::global;
  const std::string_view memory = memory_name(unit_id, account);
  switch (tight) {
  case Limitation::global_bandwidth:
  case Limitation::shared_bandwidth:
    return {fmt::format("The bandwidth of {}: its stages take at least", memory), paper,
            "fewer stages"};
  case Limitation::global_latency:
  case Limitation::shared_latency: {
    const std::string condition = chain_condition(unit_id, account);
    const std::string chain =
        condition.empty() ? "the longest chain of requests that wait for each other"
                          : fmt::format("a warp's longest chain of requests, {},", condition);
    return {fmt::format("The latency of {}: {} takes", memory, chain),
            condition.empty() ? paper : "", "shorter chains of requests"};
  }
  case Limitation::global_atomics:
    return {fmt::format("Atomics on one address group of {}, which serves one after the other "
                        "without a pause for",
                        memory),
            "", "fewer atomics on it (sums of a warp, or in shared memory, first)"};
  case Limitation::own_port:
  case Limitation::operations: break;
  }
  const BusiestUnit& unit = *account.busiest;
  const std::string where =
      account.multiprocessors > 1 ? fmt::format(" of multiprocessor {}", unit.multiprocessor) : "";
  if (tight == Limitation::own_port)
    return {fmt::format("The own port{} to {}: its stages take at least", where, memory), "",
            "fewer stages of its requests"};
  return {fmt::format("The operations of unit {}{}: their stages take at least", unit.unit, where),
          "", "fewer operations"};
}

ExplainedPart bound_part(const Account& account) {
  const std::int64_t time = account.time.value, bound = account.bound;
  const auto [what, source, remedy] = words_of(*account.tight, account);
  std::string text = fmt::format("{} {}, {} of the time{}.", what, counted(bound, "time unit"),
                                 percent(bound, time), source);
  const bool is_tight = static_cast<double>(bound) >= 0.9 * static_cast<double>(time);
  if (!is_tight)
    text += fmt::format(" It does not contain the other {} of the run.",
                        counted(time - bound, "time unit"));
  if (is_tight || source.empty())
    text += fmt::format(" Only {} can make {}.", remedy,
                        is_tight ? "the run much faster" : "the bound smaller");
  if (account.claimed)
    text += fmt::format(
        " The program claims that its time is at least {}, up to a constant "
        "factor, which is {} here; the run takes {} times that{}.",
        account.claimed->formula, account.claimed->value, ratio_cell(account.claimed->ratio),
        account.claimed->source.empty() ? "" : fmt::format(" ({})", account.claimed->source));
  return {is_tight ? "the bound that is tight" : "the largest bound", {{std::move(text)}}};
}

} // namespace

std::string paper_part(const ExplainedPart& part, Format format) {
  const bool latex = format == Format::latex;
  std::string text = latex ? fmt::format("\\paragraph{{{}}}\n", latex_text(part.heading))
                           : fmt::format("**{}**\n", markdown_text(part.heading));
  for (const ExplainedPart::Paragraph& paragraph : part.paragraphs) {
    const std::string line = on_one_line(paragraph.text, longest_paragraph);
    if (!paragraph.code)
      text += fmt::format("\n{}\n", latex ? latex_text(line) : markdown_text(line));
    else
      text += latex ? fmt::format("\n\\texttt{{{}}}\n", latex_text(line))
                    : fmt::format("\n    {}\n", line);
  }
  return text;
}

std::vector<ExplainedPart> account_parts(const Account& account) {
  std::vector<ExplainedPart> parts = {time_part(account)};
  if (account.costliest) parts.push_back(line_part(account));
  if (account.tight && account.time.value > 0) parts.push_back(bound_part(account));
  return parts;
}

std::string costliest_text(const Account& account) {
  constexpr std::size_t columns = 80;
  ExplainedPart part;
  add_mmm_line(account.work_line, "counted operators", part);
  add_mmm_line(account.words_line, "words between global and local memory", part);
  if (account.costliest)
    part.paragraphs = {{cost_sentence(*account.costliest, account)},
                       code_of(account.costliest->line)};
  std::string text;
  for (const ExplainedPart::Paragraph& paragraph : part.paragraphs)
    text += paragraph.code ? on_one_line("  " + paragraph.text, columns) + '\n'
                           : paragraph_text(paragraph.text, 0);
  return text;
}

} // namespace memlane
