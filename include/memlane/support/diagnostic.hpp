// Errors, warnings and notes: collected as data, rendered by the caller of the library.
#pragma once

#include "memlane/support/limits.hpp"
#include "memlane/support/source.hpp"

#include <string>
#include <vector>

namespace memlane {

enum class Severity { error, warning, note };

/// One message. `place` names a place that is not in a source text, such as an option, or gives
/// detail to a span, such as a JSON key path.
struct Diagnostic {
  Severity severity = Severity::error;
  Span span;
  std::string place;
  std::string message;
  std::vector<std::string> help; ///< one suggestion each: accepted values, "did you mean …"
  std::vector<Diagnostic> notes; ///< related places: the other access of a race, a call site
  Stop stop = Stop::none;        ///< set if a limit or the caller stopped the work
};

using Diagnostics = std::vector<Diagnostic>;

Diagnostic error_at(Span span, std::string message, std::vector<std::string> help = {});
/// A note for Diagnostic::notes.
Diagnostic note_at(Span span, std::string message);
/// A message without a source text; `place` may be empty.
Diagnostic error_in(std::string place, std::string message, std::vector<std::string> help = {});

/// The error of work that was stopped; `doing` names the work: "parsing".
Diagnostic stopped_while(Stop stop, const std::string& doing);
/// The first `stop` of the errors that is not Stop::none; otherwise Stop::none.
Stop stop_of(const Diagnostics& errors);

/// `path:line:column: error: message` (or `error: place: message`), the source line, a caret range,
/// then help and notes; without a span `place: error: message`. Quotes the first line of a span
/// over several lines. Control characters and bytes that are not UTF-8 are replaced in the source
/// line and escaped elsewhere (utf8.hpp).
std::string render(const Diagnostic& diagnostic, const Sources& sources);
/// Sorted by file and place, without duplicates.
std::string render(const Diagnostics& diagnostics, const Sources& sources);

} // namespace memlane
