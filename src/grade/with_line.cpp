#include "with_line.hpp"

#include <fmt/format.h>

namespace memlane::grade {

std::string with_line(const Diagnostic& message, const Sources& sources) {
  if (!message.span.known()) return message.message;
  const auto line = [&](Span span) { return sources.begin(span).line; };
  for (const Diagnostic& note : message.notes)
    if (note.span.known() && line(note.span) != line(message.span))
      return fmt::format("lines {} and {}: {}", line(message.span), line(note.span),
                         message.message);
  return fmt::format("line {}: {}", line(message.span), message.message);
}

} // namespace memlane::grade
