#include "memlane/points/sweep_options.hpp"

#include "axis_values.hpp"

#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace memlane::sweep {
namespace {

/// The parts of an option's `NAME=VALUES`.
struct NamedValues {
  std::string name;
  Span name_span;
  PlacedText values;
};

Result<NamedValues> split_named_values(Sources& sources, const char* option,
                                       const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return error_in(option, fmt::format("'{}' is not NAME=VALUES", text),
                    {option == std::string_view("--input")
                         ? "write a=first.npy,second.npy or a=descending"
                         : "write n=32,64,128 or n=2^10..2^20:pow2"});
  const std::int32_t file = sources.add(option, text);
  const auto begin = static_cast<std::uint32_t>(equals + 1);
  const auto end = static_cast<std::uint32_t>(text.size());
  return NamedValues{
      text.substr(0, equals), {file, 0, begin - 1}, {text.substr(equals + 1), {file, begin, end}}};
}

/// Reads options into the parts of a sweep that they give.
class SweepOptionReader {
public:
  SweepOptionReader(Sources& sources, const SweepOptions& options)
      : sources_(sources), options_(options) {}

  /// The sweep that the options alone give, without programs and machines where none are given.
  Result<SweepSpec> read();

private:
  void axes(const char* option, const std::vector<std::string>& texts, AxisKind kind);
  void fns();
  SweepAxis& axis(AxisKind kind, const std::string& name, Span span);

  Sources& sources_;
  const SweepOptions& options_;
  SweepSpec sweep_;
  ErrorCollector errors_;
};

/// The axis of the name; a new one comes last.
SweepAxis& SweepOptionReader::axis(AxisKind kind, const std::string& name, Span span) {
  for (auto& group : sweep_.axes)
    if (group.front().kind == kind && group.front().name == name) return group.front();
  SweepAxis fresh;
  fresh.kind = kind;
  fresh.name = name;
  fresh.span = span;
  sweep_.axes.push_back({std::move(fresh)});
  return sweep_.axes.back().front();
}

/// `name=values`.
void SweepOptionReader::axes(const char* option, const std::vector<std::string>& texts,
                             AxisKind kind) {
  for (const std::string& text : texts) {
    const Result<NamedValues> named = split_named_values(sources_, option, text);
    if (errors_.check(named))
      errors_.check(
          add_written_values(sources_, named->values, axis(kind, named->name, named->name_span)));
  }
}

/// `combine(x, y) = max(x, y)`: one value each.
void SweepOptionReader::fns() {
  for (const std::string& text : options_.fns) {
    const std::size_t end = text.find_first_of(" (=");
    if (end == std::string::npos || end == 0) {
      errors_.add(error_in("--fn", fmt::format("'{}' is no fn", text),
                           {"write it like \"combine(x, y) = max(x, y)\""}));
      continue;
    }
    const std::int32_t file = sources_.add("--fn", text);
    const std::size_t rest = text.find_first_not_of(' ', end);
    SweepAxis& into =
        axis(AxisKind::fn, text.substr(0, end), {file, 0, static_cast<std::uint32_t>(end)});
    into.add({text.substr(std::min(rest, text.size() - 1)),
              {file, 0, static_cast<std::uint32_t>(text.size())}});
  }
}

Result<SweepSpec> SweepOptionReader::read() {
  for (const std::string& name : options_.programs) sweep_.programs.push_back({name});
  for (const std::string& text : options_.commands) {
    const std::int32_t file = sources_.add("--command", text);
    SweptProgram& command = sweep_.programs.emplace_back();
    command.name = command.command = text;
    command.span = {file, 0, static_cast<std::uint32_t>(text.size())};
  }
  for (const std::string& name : options_.machines) sweep_.machines.push_back({name});
  axes("-D", options_.definitions, AxisKind::named);
  axes("--set", options_.settings, AxisKind::machine_key);
  fns();
  axes("--type", options_.types, AxisKind::type);
  axes("--layout", options_.layouts, AxisKind::layout);
  axes("--input", options_.inputs, AxisKind::input);
  if (!options_.where.empty()) {
    const std::int32_t file = sources_.add("--where", options_.where);
    sweep_.where = options_.where;
    sweep_.where_span = {file, 0, static_cast<std::uint32_t>(options_.where.size())};
  }
  if (options_.seeds) {
    sweep_.seeds.resize(static_cast<std::size_t>(*options_.seeds));
    for (std::size_t k = 0; k < sweep_.seeds.size(); ++k) sweep_.seeds[k] = k + 1;
  }
  sweep_.timing_only = options_.timing_only;
  sweep_.verify = options_.verify;
  sweep_.allow_races = options_.allow_races;
  sweep_.pram = options_.pram;
  sweep_.prices = options_.prices;
  const auto check_twice = [&](const auto& items, const char* what) {
    for (std::size_t k = 1; k < items.size(); ++k)
      for (std::size_t j = 0; j < k; ++j)
        if (items[j].name == items[k].name)
          errors_.add(error_in("", fmt::format("{} {} is given twice", what, items[k].name)));
  };
  check_twice(sweep_.programs, "program");
  check_twice(sweep_.machines, "machine");
  if (errors_.ok()) errors_.check(check_size(sweep_));
  for (const auto& group : sweep_.axes)
    if (errors_.ok()) errors_.check(check_repetitions(group));
  if (!errors_.ok()) return errors_.errors();
  return std::move(sweep_);
}

} // namespace

Result<SweepSpec> read_sweep_options(Sources& sources, const SweepOptions& options,
                                     const std::string& standard_machine) {
  Result<SweepSpec> sweep = SweepOptionReader(sources, options).read();
  if (!sweep) return sweep;
  if (sweep->machines.empty()) sweep->machines.push_back({standard_machine});
  if (!sweep->programs.empty())
    sweep->name = std::filesystem::path(sweep->programs.front().name).stem().generic_string();
  if (Status fits = check_size(*sweep); !fits) return fits.errors();
  return sweep;
}

Result<SweepSpec> change_sweep(Sources& sources, SweepSpec sweep, const SweepOptions& options) {
  Result<SweepSpec> change = SweepOptionReader(sources, options).read();
  if (!change) return change;
  ErrorCollector errors;
  if (!change->programs.empty())
    errors.add(error_in("",
                        fmt::format("the sweep file has its programs, and {} is given beside it",
                                    change->programs.front().name),
                        {"leave out the file or the program"}));
  if (!change->machines.empty()) sweep.machines = std::move(change->machines);
  for (std::vector<SweepAxis>& group : change->axes) {
    SweepAxis& axis = group.front();
    const auto old = std::find_if(sweep.axes.begin(), sweep.axes.end(), [&](const auto& known) {
      return std::any_of(known.begin(), known.end(),
                         [&](const SweepAxis& other) { return other.title() == axis.title(); });
    });
    if (old == sweep.axes.end()) {
      sweep.axes.push_back(std::move(group));
    } else if (old->size() > 1) {
      errors.add(error_at(
          axis.span,
          fmt::format("{} advances together with other axes in the sweep file", axis.title()),
          {"change the file's zip"}));
    } else {
      *old = std::move(group);
    }
  }
  if (!change->where.empty()) {
    sweep.where = change->where;
    sweep.where_span = change->where_span;
  }
  if (options.seeds) sweep.seeds = std::move(change->seeds);
  sweep.timing_only = sweep.timing_only || options.timing_only;
  sweep.verify = sweep.verify && options.verify;
  sweep.allow_races = sweep.allow_races || options.allow_races;
  sweep.pram = sweep.pram || options.pram;
  for (const PriceRequest& price : options.prices) {
    std::erase_if(sweep.prices, [&](const auto& known) { return known.model == price.model; });
    sweep.prices.push_back(price);
  }
  if (errors.ok()) errors.check(check_size(sweep));
  if (!errors.ok()) return errors.errors();
  return sweep;
}

Result<NamedNumbers> read_named_numbers(Sources& sources, const char* option,
                                        const std::string& text, std::int64_t most) {
  const Result<NamedValues> named = split_named_values(sources, option, text);
  if (!named) return named.errors();
  SweepAxis axis;
  axis.name = named->name;
  axis.span = named->name_span;
  if (Status added = add_written_values(sources, named->values, axis); !added)
    return added.errors();
  const Span span = named->values.span;
  if (axis.size > most)
    return error_at(span, fmt::format("{} has {} values, more than {}", axis.name, axis.size, most),
                    {"take larger steps: 1..1001:50, or 16..4096:pow2"});
  NamedNumbers numbers{axis.name, {}, span};
  ErrorCollector errors;
  for (const AxisPart& part : axis.parts) {
    if (part.numbers) {
      const std::int64_t next = &part == &axis.parts.back() ? axis.size : (&part + 1)->begin;
      for (std::int64_t k = 0; k < next - part.begin; ++k)
        numbers.values.push_back(part.numbers->at(k));
    } else {
      errors.take(placed_number(sources, {part.text, part.span}, "a value"),
                  numbers.values.emplace_back());
    }
  }
  if (!errors.ok()) return errors.errors();
  return numbers;
}

namespace {

/// As many steps more, one doubling; empty: the numbers do not go on.
std::string more_of_range(const Progression& numbers, std::int64_t count, bool beyond_greatest) {
  const std::int64_t first = numbers.first, last = numbers.at(count - 1);
  if (first < 1 || last > INT64_MAX / 4 || count > most_sweep_points) return "";
  if (numbers.doubles)
    return beyond_greatest  ? std::to_string(2 * last)
           : first % 2 == 0 ? std::to_string(first / 2)
                            : "";
  const std::int64_t length = last - first + numbers.step;
  const std::int64_t least = beyond_greatest
                                 ? last + numbers.step
                                 : std::max(first - length, 1 + (first - 1) % numbers.step);
  const std::int64_t greatest = beyond_greatest ? last + length : first - numbers.step;
  if (least > greatest) return "";
  return fmt::format("{}..{}{}", least, greatest,
                     numbers.step == 1 ? "" : fmt::format(":{}", numbers.step));
}

} // namespace

std::string more_values(const SweepAxis& axis, bool beyond_greatest) {
  if (axis.parts.size() == 1 && axis.parts[0].numbers)
    return more_of_range(*axis.parts[0].numbers, axis.size, beyond_greatest);
  std::int64_t least = INT64_MAX, greatest = 0;
  for (std::int64_t k = 0; k < axis.size; ++k) {
    const auto number = number_of<std::int64_t>(axis.value(k));
    if (!number || *number < 1) return "";
    least = std::min(least, *number);
    greatest = std::max(greatest, *number);
  }
  if (beyond_greatest ? greatest > INT64_MAX / 2 : least < 2) return "";
  return std::to_string(beyond_greatest ? 2 * greatest : least / 2);
}

} // namespace memlane::sweep
