#include "memlane/points/sweep_spec.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {

std::int64_t Progression::at(std::int64_t number) const {
  return doubles ? first << number : first + number * step;
}

void SweepAxis::add(AxisPart part, std::int64_t count) {
  part.begin = size;
  size += count;
  parts.push_back(std::move(part));
}

const AxisPart& SweepAxis::part(std::int64_t number) const {
  const auto after = std::upper_bound(
      parts.begin(), parts.end(), number,
      [](std::int64_t wanted, const AxisPart& part) { return wanted < part.begin; });
  return *(after - 1);
}

std::string SweepAxis::value(std::int64_t number) const {
  const AxisPart& from = part(number);
  return from.numbers ? std::to_string(from.numbers->at(number - from.begin)) : from.text;
}

std::string SweepAxis::title() const { return axis_title(kind, name); }

std::string axis_title(AxisKind kind, std::string_view name) {
  switch (kind) {
  case AxisKind::layout: return fmt::format("layout {}", name);
  case AxisKind::fn: return fmt::format("fn {}", name);
  case AxisKind::type: return fmt::format("type {}", name);
  case AxisKind::input: return fmt::format("input {}", name);
  case AxisKind::named:
  case AxisKind::word:
  case AxisKind::machine_key: break;
  }
  return std::string(name);
}

std::string SweptProgram::title() const {
  std::string text = name;
  for (const auto& [option, own] : replaced) text += " " + own;
  for (const SweepDefinition& own : definitions) text += fmt::format(" {}={}", own.name, own.text);
  return text;
}

std::string SweptMachine::title() const {
  std::string text = name;
  for (const std::string& own : overrides) text += " " + own;
  for (const std::string& other : also) text = joined_names(text, other);
  return text;
}

std::string joined_names(const std::string& a, const std::string& b) {
  return a == b || b.empty() ? a : a.empty() ? b : a + " = " + b;
}

namespace {

template <class List>
std::string counted_of(const List& list, std::string_view noun) {
  return counted(static_cast<std::int64_t>(list.size()), noun);
}

/// The product of all sizes; nothing where it does not fit 64 bits.
std::optional<std::int64_t> product_of_sizes(const SweepSpec& sweep) {
  std::vector<std::int64_t> sizes = {static_cast<std::int64_t>(sweep.programs.size()),
                                     static_cast<std::int64_t>(sweep.machines.size()),
                                     static_cast<std::int64_t>(sweep.seeds.size())};
  for (const auto& group : sweep.axes) sizes.push_back(group.front().size);
  std::int64_t product = 1;
  for (const std::int64_t size : sizes)
    if (__builtin_mul_overflow(product, size, &product)) return std::nullopt;
  return product;
}

} // namespace

std::int64_t combinations(const SweepSpec& sweep) {
  return product_of_sizes(sweep).value_or(INT64_MAX);
}

Status check_size(const SweepSpec& sweep) {
  std::size_t axes = 0;
  for (const auto& group : sweep.axes) axes += group.size();
  if (axes > most_sweep_axes)
    return error_at(
        sweep.axes.back().front().span,
        fmt::format("the sweep has {} axes, at most {} are allowed", axes, most_sweep_axes));
  const auto points = product_of_sizes(sweep);
  if (points && *points <= most_sweep_points) return Done{};
  std::string factors = fmt::format("{} x {}", counted_of(sweep.programs, "program"),
                                    counted_of(sweep.machines, "machine"));
  Span place;
  for (const auto& group : sweep.axes) {
    place = group.front().span;
    factors += fmt::format(" x {} of {}", group.front().size, group.front().title());
  }
  factors += " x " + counted_of(sweep.seeds, "seed");
  return error_at(place,
                  fmt::format("the sweep has {} points, at most {} are allowed",
                              points ? std::to_string(*points) : "more than 2^63",
                              most_sweep_points),
                  {"they are " + factors + ", those that a condition excludes among them"});
}

} // namespace memlane::sweep
