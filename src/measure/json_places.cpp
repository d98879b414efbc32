#include "json_places.hpp"

namespace memlane::measure {
namespace {

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  const std::size_t found = text.find_first_not_of(" \t\r\n", at);
  return found == std::string_view::npos ? text.size() : found;
}

/// Behind the closing quote of the string that begins at `at`.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at < text.size() ? at + 1 : text.size();
}

/// Behind the value that begins at `at`. Brackets need not be told apart: the text is JSON.
std::size_t skip_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
    } else if (c == '[' || c == '{') {
      ++depth;
      ++at;
    } else if (c == ']' || c == '}') {
      --depth;
      ++at;
    } else if (depth > 0) {
      ++at;
      continue;
    } else {
      const std::size_t end = text.find_first_of(",]} \t\r\n", at);
      return end == std::string_view::npos ? text.size() : end;
    }
    if (depth == 0) return at;
  }
  return text.size();
}

} // namespace

std::vector<JsonMember> members_at(std::string_view text, std::size_t at) {
  std::vector<JsonMember> members;
  at = skip_blanks(text, at);
  if (at >= text.size() || text[at] != '{') return members;
  at = skip_blanks(text, at + 1);
  while (at < text.size() && text[at] == '"') {
    JsonMember member;
    member.key_begin = at;
    member.key_end = skip_string(text, at);
    member.key = text.substr(at + 1, member.key_end - at - 2);
    member.begin = skip_blanks(text, skip_blanks(text, member.key_end) + 1);
    member.end = skip_value(text, member.begin);
    members.push_back(member);
    at = skip_blanks(text, skip_blanks(text, member.end) + 1);
  }
  return members;
}

std::optional<JsonMember> item_at(std::string_view text, std::size_t at, std::size_t number) {
  at = skip_blanks(text, at);
  if (at >= text.size() || text[at] != '[') return std::nullopt;
  at = skip_blanks(text, at + 1);
  for (std::size_t i = 0; at < text.size() && text[at] != ']'; ++i) {
    const std::size_t end = skip_value(text, at);
    if (i == number) return JsonMember{{}, at, at, at, end};
    at = skip_blanks(text, skip_blanks(text, end) + 1);
  }
  return std::nullopt;
}

} // namespace memlane::measure
