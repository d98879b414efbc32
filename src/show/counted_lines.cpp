#include "memlane/show/counted_lines.hpp"

#include "memlane/support/text.hpp"

namespace memlane {

std::vector<CountedLine> counted_lines(const Counts& counts, const Sources& sources) {
  std::vector<CountedLine> lines;
  for (const auto& [place, line_counts] : counts.lines) {
    const auto [file, number] = place;
    CountedLine line{"", number, "", line_counts};
    if (file >= 0 && file < sources.count()) {
      std::string_view text = sources.line(file, number);
      text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
      line.file = sources.path(file);
      line.text = on_one_line(text, 400);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace memlane
