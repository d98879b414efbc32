#include "memlane/show/kernel_name.hpp"

#include "memlane/support/text.hpp"

#include <string_view>

namespace memlane {

namespace {

/// A function without the type of its result and the scopes that it is in.
std::string without_scopes(const std::string& name) {
  constexpr std::string_view nameless = "(anonymous namespace)";
  std::size_t from = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name.compare(at, nameless.size(), nameless) == 0)
      at += nameless.size() - 1;
    else if (name[at] == '<' || name[at] == '(')
      break;
    else if (name[at] == ' ')
      from = at + 1;
    else if (name.compare(at, 2, "::") == 0)
      from = at + 2;
  }
  return name.substr(from);
}

} // namespace

std::string name_in_width(const std::string& name, std::size_t width) {
  std::string line = on_one_line(name, std::string::npos);
  if (display_width(line) <= width) return line;
  line = without_scopes(line);
  if (display_width(line) <= width) return line;
  // The end tells a name from its like.
  std::size_t end = line.size();
  for (std::size_t kept = 0; kept < width / 2; ++kept) do
      --end;
    while ((static_cast<unsigned char>(line[end]) & 0xC0) == 0x80);
  return on_one_line(line, width - width / 2) + line.substr(end);
}

} // namespace memlane
