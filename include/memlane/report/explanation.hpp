// A run explained, and a run beside changed ones, as people and programs read them.
#pragma once

#include "memlane/report/run_report.hpp"
#include "memlane/sweep/explanation.hpp"
#include "memlane/sweep/tried_change.hpp"

#include <string>
#include <vector>

namespace memlane {

/// A part of the explanation: a heading and its paragraphs. A paragraph that is `code` is a source
/// line or a command, and stays on one line.
struct ExplainedPart {
  struct Paragraph {
    std::string text;
    bool code = false;
  };
  std::string heading;
  std::vector<Paragraph> paragraphs;
};

/// The parts of the explanation: where the time went, the costliest line, the tight bound, what
/// would help.
std::vector<ExplainedPart> explained_parts(const sweep::Explanation& explanation);

/// The same as text of 80 columns; source lines and commands may be longer.
std::string explanation_text(const sweep::Explanation& explanation);

/// What the costliest line costs, and the line; of an MMM's run those with the most work and words.
/// In 80 columns; empty where no line costs anything.
std::string costliest_text(const sweep::Explanation& explanation);

/// A part in Markdown or LaTeX. Requires `markdown` or `latex`.
std::string paper_part(const ExplainedPart& part, Format format);

/// The explanation in Markdown or LaTeX: headings, paragraphs, and lines of code.
std::string explanation_paper(const sweep::Explanation& explanation, Format format);
/// A sentence, and a table of the source lines. Requires `markdown` or `latex`.
std::string tried_change_paper(const sweep::TriedChange& tried, Format format);

/// Each changed run beside the base: its times, then its source lines.
std::string tried_changes_text(const std::vector<sweep::TriedChange>& tries);

} // namespace memlane
