#include "explanation_words.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <sstream>

namespace memlane {

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "0 %";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.1f} %", share);
}

std::string times_as_fast(std::int64_t before, std::int64_t after) {
  if (after == 0) return "infinitely many";
  const double times = static_cast<double>(before) / static_cast<double>(after);
  return times < 100 ? fmt::format("{:.2f}", times) : fmt::format("{:.0f}", times);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t k = 0; k < parts.size(); ++k)
    text += (k == 0 ? "" : k + 1 == parts.size() ? " and " : ", ") + parts[k];
  return text;
}

std::string conflicts_of(UnitId unit, Model model) {
  const bool banks = model == Model::dmm || (model != Model::umm && unit == UnitId::shared);
  return banks ? "bank conflicts" : "requests to several address groups";
}

std::string paragraph_text(const std::string& text, std::size_t indent) {
  constexpr std::size_t columns = 80;
  const std::string margin(indent, ' ');
  std::istringstream words(text);
  std::string out, line;
  std::vector<std::string> kept; // a number and its % stay together
  for (std::string word; words >> word;)
    if (word.front() == '%' && !kept.empty())
      kept.back() += ' ' + word;
    else
      kept.push_back(word);
  for (const std::string& word : kept) {
    const bool fits = indent + display_width(line) + 1 + display_width(word) <= columns;
    if (!line.empty() && !fits) {
      out += margin + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + margin + line + '\n';
}

} // namespace memlane
