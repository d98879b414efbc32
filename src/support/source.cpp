#include "memlane/support/source.hpp"

#include <algorithm>
#include <cassert>

namespace memlane {

Span cover(Span a, Span b) {
  if (!a.known() || a.file != b.file) return a.known() ? a : b;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

std::int32_t Sources::add(std::string path, std::string text) {
  File file{std::move(path), std::move(text), {0}};
  for (std::size_t at = 0; at < file.text.size(); ++at)
    if (file.text[at] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(at + 1));
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
  const std::size_t begin = source.line_starts[static_cast<std::size_t>(line) - 1];
  std::string_view rest = std::string_view(source.text).substr(begin);
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

} // namespace memlane
