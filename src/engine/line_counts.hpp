// Counts by source line, without a search through the source text at every request.
#pragma once

#include "memlane/engine/counts.hpp"
#include "memlane/support/source.hpp"

#include <unordered_map>

namespace memlane::reference {

/// Adds requests to the lines their spans begin on. Spans must lie in `sources`; a request
/// without a known span belongs to no line.
class LineCounter {
public:
  LineCounter(const Sources& sources, Counts& counts) : sources_(sources), counts_(counts) {}

  void add(Span span, std::int64_t stages) {
    if (!span.known()) return;
    LineCounts& line = at(span);
    line.requests += 1;
    line.stages += stages;
    if (stages > line.worst) line.worst = stages;
  }

private:
  LineCounts& at(Span span) {
    const auto place = (static_cast<std::uint64_t>(span.file) << 32) | span.begin;
    LineCounts*& known = lines_[place];
    if (!known) known = &counts_.lines[{span.file, sources_.begin(span).line}];
    return *known;
  }

  const Sources& sources_;
  Counts& counts_;
  std::unordered_map<std::uint64_t, LineCounts*> lines_; ///< a map's elements stay in place
};

} // namespace memlane::reference
