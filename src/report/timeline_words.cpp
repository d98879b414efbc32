#include "timeline_words.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane {

std::string unit_text(const Timeline& timeline, std::int64_t unit) {
  if (timeline.units.size() == 1) return "memory";
  const auto& mp = timeline.units[static_cast<std::size_t>(unit)].multiprocessor;
  return mp ? fmt::format("shared {}", *mp) : "global";
}

std::string access_text(const Timeline& timeline, const Timeline::Request& request) {
  std::string text = request.write ? "write" : "read";
  if (request.array) text += ' ' + timeline.arrays[static_cast<std::size_t>(*request.array)].name;
  const auto& addresses = request.addresses;
  bool is_row = addresses.size() > 2;
  for (std::size_t i = 0; i < addresses.size(); ++i)
    is_row =
        is_row && addresses[i] >= 0 && addresses[i] == addresses[0] + static_cast<std::int64_t>(i);
  if (is_row) return text + fmt::format(" {}..{}", addresses.front(), addresses.back());
  for (const std::int64_t address : addresses)
    text += address < 0 ? std::string(" -") : fmt::format(" {}", address);
  return text;
}

std::int32_t line_of(const Sources& sources, Span span) {
  return span.known() ? sources.begin(span).line : 0;
}

std::string source_text(const Sources& sources, Span span) {
  if (!span.known()) return {};
  return source_on_one_line(sources.line(span.file, line_of(sources, span)));
}

} // namespace memlane
