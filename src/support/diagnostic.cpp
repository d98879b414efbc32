#include "memlane/support/diagnostic.hpp"

#include "memlane/support/text.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace memlane {

Span cover(Span a, Span b) {
  if (!a.known() || a.file != b.file) return a.known() ? a : b;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

namespace {

/// A line ends with LF, CR LF, or CR alone.
bool ends_line(std::string_view text, std::size_t at) {
  return text[at] == '\n' || (text[at] == '\r' && text.substr(at + 1, 1) != "\n");
}

} // namespace

std::int32_t Sources::add(std::string path, std::string text) {
  File file{std::move(path), std::move(text), {0}};
  for (std::size_t at = 0; at < file.text.size(); ++at)
    if (ends_line(file.text, at)) file.line_starts.push_back(static_cast<std::uint32_t>(at + 1));
  files_.push_back(std::move(file));
  return count() - 1;
}

const std::string& Sources::path(std::int32_t file) const {
  assert(file >= 0 && file < count());
  return files_[static_cast<std::size_t>(file)].path;
}

const std::string& Sources::text(std::int32_t file) const {
  assert(file >= 0 && file < count());
  return files_[static_cast<std::size_t>(file)].text;
}

std::string_view Sources::text(Span span) const {
  if (!span.known() || span.end < span.begin) return {};
  const std::string& whole = text(span.file);
  if (span.end > whole.size()) return {};
  return std::string_view(whole).substr(span.begin, span.end - span.begin);
}

Position Sources::position(std::int32_t file, std::uint32_t offset) const {
  assert(file >= 0 && file < count());
  const File& source = files_[static_cast<std::size_t>(file)];
  const auto inside = std::min(offset, static_cast<std::uint32_t>(source.text.size()));
  const auto& starts = source.line_starts;
  const auto after = std::upper_bound(starts.begin(), starts.end(), inside);
  return {static_cast<std::int32_t>(after - starts.begin()),
          static_cast<std::int32_t>(inside - *(after - 1)) + 1};
}

std::string_view Sources::line(std::int32_t file, std::int32_t line) const {
  assert(file >= 0 && file < count());
  const File& source = files_[static_cast<std::size_t>(file)];
  assert(line >= 1 && line <= static_cast<std::int32_t>(source.line_starts.size()));
  const auto number = static_cast<std::size_t>(line);
  const std::size_t begin = source.line_starts[number - 1];
  std::size_t end =
      number < source.line_starts.size() ? source.line_starts[number] : source.text.size();
  while (end > begin && (source.text[end - 1] == '\n' || source.text[end - 1] == '\r')) --end;
  return std::string_view(source.text).substr(begin, end - begin);
}

namespace {

constexpr std::size_t max_shown = 100;      ///< messages of a list
constexpr std::size_t max_line_width = 160; ///< characters of a quoted source line
constexpr std::size_t context_width = 60;   ///< characters before the caret in a line that is cut

const char* label(Severity severity) {
  switch (severity) {
  case Severity::error: return "error";
  case Severity::warning: return "warning";
  case Severity::note: return "note";
  }
  return "error";
}

/// A printable source line, and the line of carets below it.
struct Quote {
  std::string line;
  std::string carets;
};

/// The part of a line that is shown, since lines may be megabytes long. Makes `begin` and `end`
/// relative to it.
std::string_view part_to_show(std::string_view line, std::size_t& begin, std::size_t& end) {
  const std::size_t room = 4 * (max_line_width + context_width); // bytes of characters
  std::size_t from = begin > room ? begin - room : 0;
  while (from > 0 && from < line.size() && (static_cast<unsigned char>(line[from]) & 0xC0) == 0x80)
    ++from;
  begin -= from;
  end -= from;
  std::size_t to = std::min(line.size() - from, begin + room);
  while (to < line.size() - from && (static_cast<unsigned char>(line[from + to]) & 0xC0) == 0x80)
    ++to;
  return line.substr(from, to);
}

/// Copies the characters of `line`, but replaces invisible and control characters.
/// Tabs are kept, and repeated in the caret line, so that both advance alike.
Quote quote(std::string_view line, std::size_t begin, std::size_t end) {
  struct Character {
    std::string shown;
    bool marked;
  };
  std::vector<Character> characters;
  std::size_t first_marked = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t size = character_length(line.substr(at));
    const bool visible = size > 0 && (line[at] == '\t' || !is_control(line.substr(at, size)));
    const std::size_t next = at + std::max<std::size_t>(size, 1);
    const bool marked = at < end && next > begin;
    if (at < begin) first_marked = characters.size() + 1;
    characters.push_back({visible ? std::string(line.substr(at, size)) : "\uFFFD", marked});
    at = next;
  }
  std::size_t from = 0;
  std::size_t to = characters.size();
  if (to > max_line_width) {
    from = first_marked > context_width ? first_marked - context_width : 0;
    to = std::min(to, from + max_line_width);
  }
  Quote quoted;
  if (from > 0) quoted = {"...", "   "};
  bool any = false;
  for (std::size_t k = from; k < to; ++k) {
    const bool tab = characters[k].shown == "\t";
    quoted.line += characters[k].shown;
    quoted.carets += tab ? '\t' : characters[k].marked ? '^' : ' ';
    any = any || (characters[k].marked && !tab);
  }
  if (to < characters.size()) quoted.line += "...";
  if (!any) { // an empty span, one at the end of the line, or one of tabs alone
    std::size_t width = from > 0 ? 3 : 0;
    width += first_marked > from ? first_marked - from : 0;
    quoted.carets.resize(std::min(width, quoted.carets.size()));
    quoted.carets += '^';
  }
  quoted.carets.erase(quoted.carets.find_last_of('^') + 1);
  return quoted;
}

void render_into(std::string& out, const Diagnostic& diagnostic, const Sources& sources) {
  const Span span = diagnostic.span;
  if (span.known()) {
    const Position begin = sources.begin(span);
    const std::string_view line = sources.line(span.file, begin.line);
    const auto column = static_cast<std::size_t>(begin.column - 1);
    out += escape_controls(sources.path(span.file)) + ':' + std::to_string(begin.line) + ':' +
           std::to_string(begin.column) + ": " + label(diagnostic.severity) + ": ";
    if (!diagnostic.place.empty()) out += escape_controls(diagnostic.place) + ": ";
    out += escape_controls(diagnostic.message) + '\n';
    const std::size_t length = span.end > span.begin ? span.end - span.begin : 0;
    std::size_t begin_shown = column, end_shown = column + length;
    const std::string_view part = part_to_show(line, begin_shown, end_shown);
    const Quote quoted = quote(part, begin_shown, end_shown);
    out += "    " + quoted.line + "\n    " + quoted.carets + '\n';
  } else {
    if (!diagnostic.place.empty()) out += escape_controls(diagnostic.place) + ": ";
    out +=
        std::string(label(diagnostic.severity)) + ": " + escape_controls(diagnostic.message) + '\n';
  }
  for (const std::string& help : diagnostic.help) out += "  help: " + escape_controls(help) + '\n';
  for (const Diagnostic& note : diagnostic.notes) render_into(out, note, sources);
}

auto order(const Diagnostic& d) { return std::tie(d.span.file, d.span.begin, d.span.end); }

bool same(const Diagnostic& a, const Diagnostic& b) {
  return a.span == b.span && a.place == b.place && a.message == b.message &&
         a.severity == b.severity;
}

} // namespace

Diagnostic error_at(Span span, std::string message, std::vector<std::string> help) {
  return {Severity::error, span, {}, std::move(message), std::move(help), {}};
}

Diagnostic note_at(Span span, std::string message) {
  Diagnostic note;
  note.severity = Severity::note;
  note.span = span;
  note.message = std::move(message);
  return note;
}

Diagnostic error_in(std::string place, std::string message, std::vector<std::string> help) {
  return {Severity::error, {}, std::move(place), std::move(message), std::move(help), {}};
}

Diagnostic stopped_while(Stop stop, const std::string& doing) {
  Diagnostic error = error_in("", "stopped while " + doing);
  error.stop = stop;
  return error;
}

Stop stop_of(const Diagnostics& errors) {
  const auto stopped = std::find_if(errors.begin(), errors.end(),
                                    [](const Diagnostic& d) { return d.stop != Stop::none; });
  return stopped == errors.end() ? Stop::none : stopped->stop;
}

std::string render(const Diagnostic& diagnostic, const Sources& sources) {
  std::string out;
  render_into(out, diagnostic, sources);
  return out;
}

std::string render(const Diagnostics& diagnostics, const Sources& sources) {
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& diagnostic : diagnostics) sorted.push_back(&diagnostic);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Diagnostic* a, const Diagnostic* b) { return order(*a) < order(*b); });
  std::string out;
  std::size_t different = 0;
  std::vector<const Diagnostic*> at_place; // shown at the current place
  for (const Diagnostic* diagnostic : sorted) {
    if (!at_place.empty() && order(*at_place.front()) != order(*diagnostic)) at_place.clear();
    const bool shown = std::any_of(at_place.begin(), at_place.end(),
                                   [&](const Diagnostic* d) { return same(*d, *diagnostic); });
    if (shown) continue;
    at_place.push_back(diagnostic);
    if (++different <= max_shown) render_into(out, *diagnostic, sources);
  }
  if (different > max_shown)
    out += "and " + std::to_string(different - max_shown) + " more that are not shown\n";
  return out;
}

} // namespace memlane
