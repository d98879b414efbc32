// What went wrong, where, and the way out: collected as data, rendered once at the edge.
#pragma once

#include "memlane/support/limits.hpp"
#include "memlane/support/source.hpp"

#include <string>
#include <vector>

namespace memlane {

enum class Severity { error, warning, note };

/// One message. `place` names a place in words (a JSON key path, an option): alone, or beside a
/// span.
struct Diagnostic {
  Severity severity = Severity::error;
  Span span;
  std::string place;
  std::string message;
  std::vector<std::string> help; ///< ways out, a line each: accepted values, "did you mean …"
  std::vector<Diagnostic> notes; ///< further places: the other side of a race, a call's site
  Stop stop = Stop::none;        ///< no mistake: a limit or the caller ended the work
};

using Diagnostics = std::vector<Diagnostic>;

Diagnostic error_at(Span span, std::string message, std::vector<std::string> help = {});
/// A message without a source text; `place` may be empty.
Diagnostic error_in(std::string place, std::string message, std::vector<std::string> help = {});

/// The error of work that was ended; `doing` says what work: "parsing".
Diagnostic stopped_while(Stop stop, const std::string& doing);
/// Why the work was ended, where one of the errors says that it was; else Stop::none.
Stop stop_of(const Diagnostics& errors);

/// `path:line:column: error: message` (`place: ` before the message if there is one too), the
/// source line, a caret range, then help and notes; without a span `place: error: message`. Of a
/// span over several lines the first is shown. Control characters and bytes that are not UTF-8 are
/// replaced in the source line and escaped elsewhere (escape.hpp).
std::string render(const Diagnostic& diagnostic, const Sources& sources);
/// All of them, sorted by file and place, the same message at one place only once.
std::string render(const Diagnostics& diagnostics, const Sources& sources);

} // namespace memlane
