// The result as people read it.
#include "memlane/count/fields.hpp"
#include "memlane/machine/keys.hpp"
#include "memlane/show/account.hpp"
#include "memlane/show/count_groups.hpp"
#include "memlane/show/cuda_kernels.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/model_columns.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace memlane {
namespace {

/// Words in colour, where colour is wanted.
class Painter {
public:
  explicit Painter(TableStyle style) : on_(style.color) {}
  std::string strong(std::string_view text) const { return painted("1", text); }
  std::string good(std::string_view text) const { return painted("32", text); }
  std::string bad(std::string_view text) const { return painted("1;31", text); }

private:
  std::string painted(std::string_view code, std::string_view text) const {
    return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
  bool on_;
};

std::string machine_line(const RunReport& report) {
  return fmt::format("{}  ({}{})", machine_settings(report.machine),
                     on_one_line(report.machine_path, 200),
                     report.standard_machine ? ", the machine of runs without -m" : "");
}

using Heading = std::vector<std::pair<std::string, std::string>>;

void add_program(Heading& head, const ProgramInfo& program) {
  head.emplace_back("program", on_one_line(program.path, 200));
  std::string parameters;
  for (const ir::Constant& p : program.parameters) {
    parameters += fmt::format("{}{} = {}", parameters.empty() ? "" : ", ", p.name,
                              to_string(p.type, p.value));
  }
  if (!parameters.empty()) head.emplace_back("params", parameters);
  for (const auto& [option, text] : program.replaced) {
    head.emplace_back(option, on_one_line(text, 200));
  }
  for (const auto& [array, path] : program.inputs) {
    head.emplace_back("input", fmt::format("{} = {}", array, on_one_line(path, 200)));
  }
}

/// The counts after [K], where they are known.
std::string agpu_line(const RunReport& report) {
  const AgpuCounts& agpu = report.run.counts.agpu;
  if (!shows_agpu(report.run.counts)) return "";
  const bool timed = !counts_statements(report.machine.model);
  std::string text;
  if (timed && agpu.time) text += fmt::format("time {}, ", counted(*agpu.time, "time unit"));
  text += fmt::format("I/O {} of {} words, {} a block", counted(*agpu.io, "block"),
                      report.machine.width, counted(agpu.shared_words, "shared word"));
  if (agpu.global_words) text += fmt::format(", {}", counted(*agpu.global_words, "global word"));
  if (agpu.multiplicity) text += fmt::format(", multiplicity {}", agpu.multiplicity->text());
  return timed ? labelled_lines("AGPU", text, 6) : labelled_lines("", text, 2);
}

/// The counts of a PRAM, where they were asked for.
std::string pram_line(const RunReport& report) {
  const std::optional<PramCounts>& pram = report.run.counts.pram;
  if (!pram) return "";
  std::string text = fmt::format("PRAM  {}, work {}, {}", counted(pram->steps, "step"), pram->work,
                                 name_of(pram->needs));
  if (pram->place.line.second > 0) {
    const bool own = report.program && report.program->path == pram->file;
    text += own ? fmt::format(" (line {}", pram->place.line.second)
                : fmt::format(" ({}:{}", on_one_line(pram->file, 200), pram->place.line.second);
    text += fmt::format(", round {} of launch {})", pram->place.round, pram->place.launch);
  }
  return text + '\n';
}

/// The counts after [HMX]: of the blocks, the bounds of their time, and inequalities (1) and (2).
std::string mmm_lines(const Counts& counts, TableStyle style) {
  if (!counts.mmm) return "";
  const MmmCounts& m = *counts.mmm;
  const auto corollary = m.corollary1();
  const auto least = [](const MmmBound& bound, std::int64_t time) {
    return fmt::format("{}, {} above the time", bound.text(),
                       MmmBound{bound.whole - time, bound.rest, bound.of}.text());
  };
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"work W", std::to_string(m.work), "counted operators of all threads"});
  table.add({"span S", std::to_string(m.span),
             "operators of the busiest threads of the launches along the heaviest path"});
  table.add({"overhead O", std::to_string(m.overhead),
             fmt::format("(r + s)·U time units a block; its busiest thread alone takes: {}",
                         m.transfer_time)});
  table.add({"blocks N", std::to_string(m.blocks),
             fmt::format("path Λ = {}, antichain K = {}", m.path, m.antichain)});
  table.add({"block cost C", std::to_string(m.block_cost), "the largest S + O of a block"});
  table.add({"local accesses", std::to_string(m.local_accesses), "not in the work"});
  table.add({"on one multiprocessor", std::to_string(m.sequential_time),
             fmt::format("without bound: {}", m.unbounded_time)});
  std::string text =
      table.text(2, style.columns) + fmt::format("  Theorem 1: {}\n", least(m.theorem1(), m.time));
  text += corollary ? fmt::format("  Corollary 1: {}\n", least(*corollary, m.time))
                    : fmt::format("  Corollary 1: needs P >= K = {}\n", m.antichain);
  return text;
}

std::string result_line(const RunReport& report, TableStyle style) {
  const Counts& counts = report.run.counts;
  const std::string time = counts.time_known ? counted(counts.time.value, "time unit")
                                             : "unknown: a trace has no statements";
  std::string text = fmt::format("\n{} {}", report.run.stop == Stop::none ? "time" : "time so far",
                                 Painter(style).strong(time));
  if (const auto seconds = report.seconds())
    text += fmt::format(" = {}", short_time(1e9 * *seconds));
  text += fmt::format("  ({}, {}", counted(counts.launches, "launch", "launches"),
                      counted(counts.barriers, "barrier"));
  if (!counts.mmm) // its work has those of every thread
    text += fmt::format(", {}", counted(counts.instructions, "counted operator"));
  return text + ")\n" + estimate_text(report) + agpu_line(report) + mmm_lines(counts, style) +
         pram_line(report);
}

std::string line_section(const RunReport& report, const Sources& sources, TableStyle style) {
  std::vector<CountedLine> lines = counted_lines(report.run.counts, sources);
  if (!shows_agpu(report.run.counts))
    for (CountedLine& line : lines) line.counts.agpu_time.reset();
  if (lines.empty()) return "";
  const auto columns = line_columns().without_empty(lines);
  TextTable table = columns.text_heading();
  const std::string *first = &lines.front().file, *file = first;
  for (const CountedLine& line : lines) {
    if (line.file != *file) table.add({"", on_one_line(line.file, 200) + ":"});
    file = &line.file;
    table.add(columns.text_cells(line));
  }
  return fmt::format("\nby source line ({})\n{}",
                     first->empty() ? "the trace" : on_one_line(*first, 200),
                     table.text(2, style.columns));
}

std::string verdict_word(const ClaimOutcome& claim, const Painter& paint) {
  switch (claim.verdict) {
  case ClaimVerdict::holds: return paint.good("holds");
  case ClaimVerdict::fails: return paint.bad("FAILS");
  case ClaimVerdict::not_applicable: return "not applicable";
  case ClaimVerdict::not_evaluated: return paint.bad("not evaluated");
  case ClaimVerdict::ratio_only: break;
  }
  return "ratio";
}

std::string claim_text(const ClaimOutcome& claim, const Painter& paint) {
  std::string text = verdict_word(claim, paint);
  if (!claim.left.text.empty() && !claim.right.text.empty())
    text = claim.verdict == ClaimVerdict::ratio_only ? claim_sides(claim)
                                                     : text + ": " + claim_sides(claim);
  if (!claim.reason.empty()) text += fmt::format(": {}", on_one_line(claim.reason, 400));
  text += fmt::format("  [{}]", on_one_line(claim.source, 200));
  return paragraph_text(on_one_line(claim.text, 400), 2) + paragraph_text(text, 4);
}

std::string verify_line(const RunReport& report, const Painter& paint) {
  switch (report.run.verify) {
  case Verdict::passed: return fmt::format("\nverify {}\n", paint.good("passed"));
  case Verdict::failed: return fmt::format("\nverify {}\n", paint.bad("FAILED"));
  case Verdict::not_run:
    return fmt::format("\nverify not run ({})\n",
                       report.run.stop != Stop::none ? "the run did not end"
                       : report.timing_only          ? "--timing-only: nothing was computed"
                                                     : "--no-verify");
  case Verdict::none: break;
  }
  return report.program && !report.cuda ? "\nverify none\n" : "";
}

/// A replay has no program to correct: its races are reported, and refuse nothing.
std::string races_of_trace(const RunReport& report, const Sources& sources, const Painter& paint) {
  return fmt::format("\n{}: accesses of different warps, blocks or launches without an order\n{}",
                     paint.bad(counted(report.run.races.races, "race")),
                     races_text(report.run.races, sources));
}

/// Races that the run continued after, where they were, and why it might.
std::string races_section(const RunReport& report, const Sources& sources, const Painter& paint) {
  const std::int64_t races = report.run.races.races;
  const std::string found = report.timing_only ? "races not looked for"
                            : races == 0       ? "no races"
                                               : counted(races, "race");
  const std::string& allowed = report.program->races_allowed;
  return fmt::format("\n{}{}\n{}", races > 0 ? paint.bad(found) : found,
                     allowed.empty() ? ""
                                     : fmt::format(" (allowed: {})", on_one_line(allowed, 300)),
                     races_text(report.run.races, sources));
}

std::string kernel_section(const RunReport& report, std::size_t columns) {
  if (report.run.kernels.size() < 2 || report.cuda) return "";
  auto kernels = report.run.kernels;
  for (auto& [name, counts] : kernels) {
    if (counts_statements(report.machine.model)) counts.agpu.time.reset();
    if (!shows_agpu(report.run.counts)) counts.agpu.io.reset();
  }
  return "\nby kernel\n" + kernel_columns().text(kernels).text(2, columns);
}

/// Rows of the table of launches.
constexpr std::size_t most_launch_rows = 16;

/// Of runs whose counts after [K] or [HMX] are known.
std::string launch_section(const RunReport& report, std::size_t columns) {
  std::vector<LaunchCounts> launches = report.run.launches;
  const bool has_more = shows_agpu(report.run.counts) || report.run.counts.mmm;
  if (launches.size() < 2 || !has_more) return "";
  launches.resize(std::min(launches.size(), most_launch_rows));
  if (counts_statements(report.machine.model))
    for (LaunchCounts& launch : launches) launch.agpu.time.reset();
  std::string text = "\nby launch\n" + launch_columns().text(launches).text(2, columns);
  const std::int64_t more = report.run.counts.launches - static_cast<std::int64_t>(launches.size());
  if (more > 0) text += fmt::format("  and {}\n", counted(more, "more launch", "more launches"));
  return text;
}

/// One line for all claims; those that fail in full.
std::string claims_line(const RunReport& report, const Painter& paint) {
  std::int64_t holds = 0, fails = 0, bounds = 0;
  std::string failed;
  for (const ClaimOutcome& claim : report.claims) {
    holds += claim.verdict == ClaimVerdict::holds ? 1 : 0;
    bounds += claim.verdict == ClaimVerdict::ratio_only ? 1 : 0;
    const bool wrong =
        claim.verdict == ClaimVerdict::fails || claim.verdict == ClaimVerdict::not_evaluated;
    fails += wrong ? 1 : 0;
    if (wrong) failed += claim_text(claim, paint);
  }
  if (holds + fails + bounds == 0) return "";
  std::string text = holds + fails == 0 ? std::string("claims: ")
                                        : fmt::format("claims {} of {} hold", holds, holds + fails);
  if (bounds > 0)
    text += fmt::format("{}{} judged by memlane verify", holds + fails == 0 ? "" : ", ",
                        counted(bounds, "bound is", "bounds are"));
  return text + '\n' + failed;
}

/// What a person reads of a run: what the memories did, the costliest line, and the latency.
std::string summary(const RunReport& report, const Sources& sources) {
  std::string text =
      unit_lines(report) + costliest_text(account_of(report.machine, report.run, sources));
  if (const auto account = latency_hiding_of(report)) text += latency_summary(*account, report);
  return text;
}

std::string details(const RunReport& report, const Sources& sources, TableStyle style) {
  return unit_sections(report, style.columns) +
         waits_text(report.run.counts, sources, style.columns) +
         kernel_section(report, style.columns) + launch_section(report, style.columns) +
         line_section(report, sources, style);
}

} // namespace

std::string heading_text(const RunReport& report) {
  Heading head;
  if (report.program) add_program(head, *report.program);
  if (report.trace) head.emplace_back("trace", on_one_line(report.trace->path, 200));
  head.emplace_back("machine", machine_line(report));
  if (report.program) head.emplace_back("seed", std::to_string(report.seed));
  std::size_t widest = 0;
  for (const auto& [label, words] : head) widest = std::max(widest, label.size());
  std::string text;
  for (const auto& [label, words] : head) text += labelled_lines(label, words, widest + 2);
  return text;
}

std::string run_table(const RunReport& report, const Sources& sources, TableStyle style) {
  const Painter paint(style);
  std::string text = heading_text(report) + result_line(report, style) + prices_text(report.prices);
  const bool explained = report.explanation || !report.tries.empty();
  if (report.explanation) text += '\n' + report.explanation->text(Format::table, style.columns);
  for (const AddedPart& tried : report.tries)
    text += '\n' + tried.text(Format::table, style.columns);
  if (report.cuda) text += cuda_kernels_text(report, sources, style.columns);
  if (report.details)
    text += details(report, sources, style);
  else if (!explained)
    text += (report.prices.empty() ? "" : "\n") + summary(report, sources);
  if (report.program &&
      (!report.program->races_allowed.empty() || (report.cuda && report.run.races.races > 0)))
    text += races_section(report, sources, paint);
  if (report.trace && report.run.races.races > 0) text += races_of_trace(report, sources, paint);
  text += verify_line(report, paint);
  if (!report.each_claim) text += claims_line(report, paint);
  if (report.each_claim && !report.claims.empty()) text += "\nclaims\n";
  if (report.each_claim)
    for (const ClaimOutcome& claim : report.claims) text += claim_text(claim, paint);
  if (report.details)
    if (const auto account = latency_hiding_of(report)) text += latency_text(*account, report);
  if (report.cuda) text += sectors_text(report, style.columns);
  if (report.watch) text += watch_text(*report.watch);
  if (!explained && !report.details && !report.watch && report.run.stop == Stop::none)
    text += fmt::format("\nmore: {}\n", report.offers);
  return text;
}

namespace {

template <class AnyField>
ListedCount listed(const AnyField& field) {
  return {std::string(field.name), std::string(field.unit), std::string(field.meaning)};
}

template <class T>
CountGroup group_of(std::string title, const std::vector<Field<T>>& fields) {
  CountGroup group{std::move(title), {}};
  for (const Field<T>& field : fields) group.counts.push_back(listed(field));
  return group;
}

} // namespace

std::vector<CountGroup> count_groups() {
  std::vector<CountGroup> groups = {
      group_of("of a run, or of all launches of one kernel", count_fields()),
      group_of("of a run", run_fields())};
  for (const ModelTable& model : model_tables()) {
    groups.push_back(
        {fmt::format("{}: of a run, of a kernel's launches, of a launch", model.name), {}});
    for (const ModelField& field : model.fields)
      if (field.kind != ModelField::Kind::file) groups.back().counts.push_back(listed(field));
  }
  groups.push_back(group_of("of a memory unit", unit_fields()));
  groups.push_back(
      group_of("of own ports and tensor units, of all multiprocessors", part_fields()));
  groups.push_back(group_of("of latency hiding, by memory unit", hiding_fields()));
  groups.push_back(group_of("of a source line", line_fields()));
  for (const ModelTable& model : model_tables())
    if (!model.line_fields.empty())
      groups.push_back(
          group_of(fmt::format("{}: of a source line", model.name), model.line_fields));
  groups.push_back(group_of("of a fn", fn_fields()));
  return groups;
}

std::string counts_text(const std::vector<CountGroup>& groups, std::size_t columns) {
  TextTable table({Align::left, Align::left, Align::prose});
  for (const CountGroup& group : groups) {
    table.add({group.title});
    for (const ListedCount& count : group.counts)
      table.add({"  " + count.name, count.unit, count.meaning});
  }
  return table.text(0, columns);
}

std::string render_run(const RunReport& report, const Sources& sources, Format format,
                       TableStyle style) {
  // Bytes that are not UTF-8 (of a file's name) must not lose the result.
  switch (format) {
  case Format::json: return json_text(run_json(report, sources), 2);
  case Format::jsonl: return json_text(run_json(report, sources), -1);
  case Format::csv: return run_csv(report, sources);
  case Format::markdown:
  case Format::latex: return run_paper(report, sources, format);
  case Format::table: break;
  }
  return run_table(report, sources, style);
}

} // namespace memlane
