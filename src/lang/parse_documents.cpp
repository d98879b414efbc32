// The `///` lines of programs, params and kernels.
#include "parser.hpp"

#include <algorithm>

namespace memlane::lang {
namespace {

void append_line(std::string& text, const std::string& line) {
  if (!text.empty()) text += '\n';
  text += line;
}

} // namespace

/// The text of a comment, without slashes, one space and trailing white space.
std::string Parser::document_text(const Comment& comment) const {
  std::string_view said = text(comment.span);
  said.remove_prefix(comment.document ? 3 : 2);
  if (!said.empty() && said.front() == ' ') said.remove_prefix(1);
  while (!said.empty() && (said.back() == ' ' || said.back() == '\t')) said.remove_suffix(1);
  return std::string(said);
}

/// The lines that open the text, up to an empty line or the first declaration.
std::string Parser::opening_document() {
  std::string result;
  int expected_line = 0;
  for (const Comment& comment : comments_) {
    const int here = sources_->begin(comment.span).line;
    const bool goes_on = expected_line == 0 || here == expected_line;
    if (!comment.document || !goes_on || comment.span.begin > tokens_.front().span.begin) break;
    append_line(result, document_text(comment));
    expected_line = here + 1;
    opening_end_ = comment.span.end;
  }
  return result;
}

/// The lines directly above a token, unless they open the text.
std::string Parser::document_before(const Token& token) const {
  const auto behind = [](const Comment& c, std::uint32_t at) { return c.span.begin < at; };
  const auto end = std::lower_bound(comments_.begin(), comments_.end(), token.span.begin, behind);
  auto first = end;
  int expected_line = line(token) - 1;
  while (first != comments_.begin()) {
    const Comment& above = *(first - 1);
    if (!above.document || !above.first_on_line || above.span.begin < opening_end_ ||
        sources_->begin(above.span).line != expected_line)
      break;
    --expected_line;
    --first;
  }
  std::string result;
  for (; first != end; ++first) append_line(result, document_text(*first));
  return result;
}

/// The comment on the same line, after what was just parsed.
std::string Parser::comment_behind() const {
  const auto behind = [](const Comment& c, std::uint32_t at) { return c.span.begin < at; };
  const Token& last = previous();
  const auto comment = std::lower_bound(comments_.begin(), comments_.end(), last.span.end, behind);
  if (comment == comments_.end() || sources_->begin(comment->span).line != line(last)) return {};
  if (comment->span.begin > current().span.begin) return {}; // of the declaration after this one
  return document_text(*comment);
}

} // namespace memlane::lang
