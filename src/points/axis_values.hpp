// Values of axes: lists and ranges, from files and from options.
#pragma once

#include "memlane/points/sweep_spec.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// A text with its place in `sources`, which has the same characters.
struct PlacedText {
  std::string text;
  Span span;
};

/// The whole number of an expression that names nothing, `what` it is in messages.
Result<std::int64_t> placed_number(const Sources& sources, const PlacedText& text,
                                   std::string_view what);

/// Whole numbers from first to last, both included, and how many; `place` is of all three. Errors:
/// a descending range, a step that does not come to the last.
Result<std::pair<Progression, std::int64_t>> steps_of(std::int64_t first, std::int64_t last,
                                                      std::int64_t step, Span place);
/// The same, each twice the one before.
Result<std::pair<Progression, std::int64_t>> doubles_of(std::int64_t first, std::int64_t last,
                                                        Span place);

/// The parts of a text between the separators outside of brackets and quotes, without blanks around
/// them.
std::vector<PlacedText> split_outside_brackets(const PlacedText& text, char separator);

/// Adds the values of `2^10..2^20:pow2`, `1..33:2`, `32,64,128` to the axis.
Status add_written_values(const Sources& sources, const PlacedText& text, SweepAxis& axis);

/// An error where axes that advance together have the same values twice. Requires equally many of
/// each.
Status check_repetitions(const std::vector<SweepAxis>& group);

} // namespace memlane::sweep
