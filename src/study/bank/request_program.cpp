#include "memlane/study/bank/request_program.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace memlane {
namespace {

constexpr std::int64_t most_page_rows = std::int64_t{1} << 14;
constexpr std::int64_t usual_rows = 4; // of an array without a shape, times the width

/// What the user has written: names of the program are no part of it.
std::string written_text(const BankQuery& query) {
  std::string all = query.expression + ' ' + query.active;
  for (const auto& [name, value] : query.parameters) all += fmt::format(" {} {}", name, value);
  return all;
}

std::string name_beside(std::string name, const std::string& written) {
  while (written.find(name) != std::string::npos) name += '_';
  return name;
}

/// `t` and `lane, 0` of `t[lane, 0]`; no name: the expression is an address.
struct WrittenElement {
  std::string name, indices;
};
WrittenElement element_written(const std::string& expression) {
  const std::string text = compact_source(expression);
  std::size_t end = 0;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
    ++end;
  std::size_t open = end, depth = 0;
  if (open < text.size() && text[open] == ' ') ++open;
  if (end == 0 || open >= text.size() || text[open] != '[' || text.back() != ']') return {"", text};
  for (std::size_t i = open; i + 1 < text.size(); ++i) { // `a[i] + b[j]` is not an element
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0) return {"", text};
  }
  return {text.substr(0, end), text.substr(open + 1, text.size() - open - 2)};
}

/// The parameter with a range for its slider, if its value is a number.
std::string parameter_text(const std::string& name, const std::string& value) {
  const auto number = number_of<std::int64_t>(value);
  constexpr std::int64_t usual = 64, most = std::int64_t{1} << 40;
  if (!number || *number > most || *number < -most)
    return fmt::format("param {}: long = 0\n", name);
  return fmt::format("param {0}: long = {1} where {2} <= {0} and {0} <= {3}\n", name, *number,
                     std::min<std::int64_t>(0, 2 * *number), std::max(usual, 2 * *number));
}

} // namespace

Result<std::string> request_program(const BankQuery& query, const BankReport& report,
                                    const std::string& command) {
  const std::string written = written_text(query);
  const WrittenElement element = element_written(query.expression);
  const auto is_value = [&](const auto& pair) { return pair.first == element.name; };
  const bool is_free = !element.name.empty() &&
                       std::none_of(query.parameters.begin(), query.parameters.end(), is_value);
  const std::string array = is_free ? element.name : name_beside("m", written);
  const std::string read = name_beside("x", written), address = name_beside("address", written);
  const bool has_shape = !query.shape.empty() && !element.name.empty();
  std::string extents = fmt::format("{}", fmt::join(query.shape, ", "));
  std::string access = fmt::format("let {} = {}[{}]", read, array, element.indices);
  if (!has_shape) {
    std::int64_t largest = 0, width = 1;
    for (const BankRequest& request : report.requests) {
      width = std::max(width, request.access.shape.width);
      for (const LaneAccess& lane : request.access.lanes)
        largest = std::max(largest, lane.address.value_or(0));
    }
    const std::int64_t length = report.requests.front().row_length;
    const std::string row = query.row > 0 || !query.shape.empty() ? std::to_string(length) : "w";
    const std::int64_t rows = largest / length + 1;
    if (rows > most_page_rows)
      return error_in(
          "EXPR",
          fmt::format("address {} is too far for a page: it has up to {} rows of {} words", largest,
                      most_page_rows, length),
          {"--row N gives it longer rows"});
    extents = rows > usual_rows * width ? fmt::format("{}, {}", 2 * rows, row)
                                        : fmt::format("{}*w, {}", usual_rows, row);
    access = fmt::format("let {0} = {1}\n    let {2} = {3}[{0} / {4}, {0} % {4}]", address,
                         element.indices, read, array, row);
  }
  std::string text =
      fmt::format("/// One request of a warp: {}\n/// Change its numbers, the machine, and the "
                  "layout of {}; or the expression here.\n",
                  on_one_line(command, 1000), array);
  for (const auto& [name, value] : query.parameters) text += parameter_text(name, value);
  const std::string kernel = name_beside("request", written);
  const bool names_threads =
      written.find("threads") != std::string::npos || written.find("warps") != std::string::npos;
  text += fmt::format(
      "memory {}[{}]: int = index\n\nkernel {}() {{\n  if warp == {}{} {{\n    {}\n  }}\n}}\n"
      "main   {{ launch {}(){} }}\nverify {{ }}\n",
      array, extents, kernel, query.warp,
      query.active.empty() ? "" : fmt::format(" and ({})", compact_source(query.active)), access,
      kernel,
      names_threads     ? ""
      : query.warp == 0 ? " threads=w"
                        : fmt::format(" threads={}*w", query.warp + 1));
  return text;
}

} // namespace memlane
