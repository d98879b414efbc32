#include "memlane/support/source.hpp"

#include <algorithm>
#include <cassert>

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

} // namespace memlane
