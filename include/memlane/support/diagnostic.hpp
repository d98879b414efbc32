// Source texts, places in them, and messages about them.
#pragma once

#include "memlane/support/limits.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

// Source texts and places in them.

/// A half-open range of bytes of one source text. The default span is unknown.
struct Span {
  std::int32_t file = -1;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool operator==(const Span&) const = default;
  bool known() const { return file >= 0; }
};

/// The smallest span that contains both; if one is unknown, the other.
Span cover(Span a, Span b);

/// Both count from 1; columns are bytes.
struct Position {
  std::int32_t line = 0;
  std::int32_t column = 0;

  auto operator<=>(const Position&) const = default;
};

/// The texts of a compilation (a program, those it uses, and command-line options), and the limits
/// of the work on them.
class Sources {
public:
  /// Adds a text; messages name it by `path`. Returns its file number.
  std::int32_t add(std::string path, std::string text);

  const std::string& path(std::int32_t file) const;
  const std::string& text(std::int32_t file) const;
  /// The text of a span; empty if the span is unknown.
  std::string_view text(Span span) const;
  std::int32_t count() const { return static_cast<std::int32_t>(files_.size()); }

  /// Limits for each of parsing, checking and lowering; initially none.
  void set_limits(Limits limits) { limits_ = std::move(limits); }
  const Limits& limits() const { return limits_; }

  /// Line and column of a byte offset; O(log lines).
  Position position(std::int32_t file, std::uint32_t offset) const;
  Position begin(Span span) const { return position(span.file, span.begin); }
  /// The text of a line (from 1) without its line end.
  std::string_view line(std::int32_t file, std::int32_t line) const;

private:
  struct File {
    std::string path;
    std::string text;
    std::vector<std::uint32_t> line_starts;
  };
  std::vector<File> files_;
  Limits limits_;
};

// Errors, warnings and notes: collected as data, rendered by the caller of the library.

enum class Severity { error, warning, note };

/// The thread of its block in which a kernel failed, and how the message says it: ` in thread 3 of
/// block 0, kernel k`.
struct FailedThread {
  std::int64_t number = 0;
  std::string in_words;
};

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
  std::optional<FailedThread> thread = {}; ///< of an error in a kernel
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
/// line and escaped elsewhere (text.hpp).
std::string render(const Diagnostic& diagnostic, const Sources& sources);
/// Sorted by file and place, without duplicates.
std::string render(const Diagnostics& diagnostics, const Sources& sources);

} // namespace memlane
