#include "memlane/kernels/launch_choice.hpp"

#include "memlane/ptx/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace memlane {

namespace {

/// Digits alone.
std::optional<std::int64_t> launch_number(std::string_view digits) {
  std::int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || digits.front() == '-') return std::nullopt;
  return number;
}

Result<LaunchRange> range_of(std::string_view part) {
  const std::vector<std::string> ways_out = {"e.g. 3, or 1,5-7, or 10- (all from number 10 on); "
                                             "the first launch is 0"};
  const std::size_t dash = part.find('-');
  const auto first = launch_number(part.substr(0, dash));
  std::optional<std::int64_t> last = first;
  if (dash != part.npos)
    last = dash + 1 == part.size() ? INT64_MAX : launch_number(part.substr(dash + 1));
  if (!first || !last)
    return error_in("--launches", fmt::format("'{}' is no launch and no range of launches", part),
                    ways_out);
  if (*last < *first)
    return error_in("--launches", fmt::format("the range {} ends before it begins", part),
                    {fmt::format("write {}-{}", *last, *first)});
  return LaunchRange{*first, *last};
}

} // namespace

bool LaunchChoice::has_number(std::int64_t number) const {
  return ranges.empty() || std::any_of(ranges.begin(), ranges.end(), [&](const LaunchRange& range) {
           return range.first <= number && number <= range.last;
         });
}

bool LaunchChoice::has(std::int64_t number, std::string_view symbol) const {
  if (!has_number(number)) return false;
  return kernels.empty() || std::any_of(kernels.begin(), kernels.end(), [&](const auto& name) {
           return names_kernel(name, symbol);
         });
}

bool names_kernel(std::string_view name, std::string_view symbol) {
  if (name == symbol) return true;
  const std::string own = ptx::source_name(std::string(symbol));
  // Without what stands in angle brackets, and without namespaces.
  const std::string_view shorter = std::string_view(own).substr(0, own.find('<'));
  const std::size_t scope = shorter.rfind("::");
  return name == own || name == shorter ||
         (scope != shorter.npos && name == shorter.substr(scope + 2));
}

Result<std::vector<LaunchRange>> read_launch_ranges(const std::string& text) {
  std::vector<LaunchRange> ranges;
  std::string_view rest = text;
  for (;;) {
    const std::size_t comma = rest.find(',');
    const Result<LaunchRange> range = range_of(rest.substr(0, comma));
    if (!range) return range.errors();
    ranges.push_back(*range);
    if (comma == rest.npos) return ranges;
    rest.remove_prefix(comma + 1);
  }
}

} // namespace memlane
