// What a run of the worst input tells: its costliest line, and the claims that bound the count.
#include "memlane/study/worst/worst_report.hpp"

#include <algorithm>
#include <map>

namespace memlane {
namespace {

/// `shared_stages<=4*n` of `claim shared_stages <= 4*n "…"`.
std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  return text;
}

bool bounds(lang::ClaimKind kind, bool least) {
  switch (kind) {
  case lang::ClaimKind::equal:
  case lang::ClaimKind::theta: return true;
  case lang::ClaimKind::at_most:
  case lang::ClaimKind::big_o: return !least;
  case lang::ClaimKind::at_least:
  case lang::ClaimKind::omega: return least;
  default: return false;
  }
}

} // namespace

std::optional<WorstLine> worst_line(const std::string& count, const RunResult& run,
                                    const Sources& sources) {
  const bool shared = count.find("shared") != std::string::npos;
  const bool global = count.find("global") != std::string::npos;
  std::map<SourceLine, WorstLine> lines;
  std::int64_t all = 0;
  for (const AccessCounts& access : run.accesses) {
    if (shared != global && (access.unit == UnitId::shared) != shared) continue;
    WorstLine& line = lines[access.line];
    line.requests += access.requests;
    line.stages += access.stages;
    line.worst = std::max(line.worst, access.worst);
    all += access.stages;
  }
  const auto most = std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    return a.second.stages < b.second.stages;
  });
  if (most == lines.end()) return std::nullopt;
  WorstLine found = most->second;
  found.of_all = all;
  Counts only;
  const auto counts = run.counts.lines.find(most->first);
  if (counts == run.counts.lines.end()) return std::nullopt;
  only.lines.insert(*counts);
  found.line = counted_lines(only, sources).front();
  return found;
}

std::vector<ClaimOutcome> claims_about(const std::string& count, bool least,
                                       const lang::Checked& checked, const Sources& sources,
                                       const std::vector<ClaimOutcome>& claims) {
  std::vector<ClaimOutcome> about;
  for (std::size_t k = 0; k < claims.size() && k < checked.program.claims.size(); ++k) {
    const Span span = checked.program.claims[k].left.span;
    if (!span.known() || !bounds(claims[k].kind, least)) continue;
    if (claims[k].verdict == ClaimVerdict::not_applicable) continue;
    const std::string left = sources.text(span.file).substr(span.begin, span.end - span.begin);
    if (without_blanks(left) == without_blanks(count)) about.push_back(claims[k]);
  }
  return about;
}

} // namespace memlane
