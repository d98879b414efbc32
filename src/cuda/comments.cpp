#include "comments.hpp"

#include <algorithm>

namespace memlane::cuda {

const std::vector<Comments::Line>& Comments::lines(std::int32_t file) {
  const auto found = files_.find(file);
  if (found != files_.end()) return found->second;
  std::vector<Line> all;
  std::string_view text = sources_.text(file);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    Line parts;
    bool in_string = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') in_string = !in_string;
      if (!in_string && line.substr(i, 2) == "//") {
        parts.comment = line.substr(i);
        while (!parts.comment.empty() &&
               (parts.comment.back() == ' ' || parts.comment.back() == '\r'))
          parts.comment.pop_back();
        break;
      }
      parts.code = parts.code || (line[i] != ' ' && line[i] != '\t' && line[i] != '\r');
    }
    // A comment that ends in a backslash would go on in C++.
    if (!parts.comment.empty() && parts.comment.back() == '\\') parts.comment += " .";
    all.push_back(std::move(parts));
  }
  return files_[file] = std::move(all);
}

void Comments::leave_out_head(std::int32_t file) {
  const std::vector<Line>& all = lines(file);
  for (std::size_t i = 0; i < all.size() && !all[i].code && !all[i].comment.empty(); ++i)
    taken_.insert({file, static_cast<std::int32_t>(i + 1)});
}

std::vector<std::string> Comments::above(Span place) {
  std::vector<std::string> found;
  if (!place.known()) return found;
  const std::vector<Line>& all = lines(place.file);
  for (std::int32_t line = sources_.begin(place).line - 1; line >= 1; --line) {
    const Line& parts = all[std::size_t(line - 1)];
    if (parts.code || parts.comment.empty()) break;
    if (!taken_.insert({place.file, line}).second) break;
    found.insert(found.begin(), parts.comment);
  }
  return found;
}

std::string Comments::behind(Span place) {
  if (!place.known()) return {};
  const std::int32_t line = sources_.begin(place).line;
  const std::vector<Line>& all = lines(place.file);
  if (std::size_t(line) > all.size() || all[std::size_t(line - 1)].comment.empty()) return {};
  if (!taken_.insert({place.file, line}).second) return {};
  return all[std::size_t(line - 1)].comment;
}

} // namespace memlane::cuda
