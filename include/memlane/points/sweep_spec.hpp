// What a sweep varies: read from a file (configs/sweeps/*.json, sweep_file.hpp) or from the command
// line (sweep_options.hpp).
#pragma once

#include "memlane/claim/prices.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// More points than this are refused.
constexpr std::int64_t most_sweep_points = 10'000'000;
/// More axes, those of groups among them, are refused.
constexpr std::size_t most_sweep_axes = 100;

/// What an axis changes. `named`: a parameter that the programs have, else a key or a letter of the
/// machine. `input`: where an array's content comes from, for the programs that have the array.
/// `word`: a text in the words of commands, as a plan finds out of `named`.
enum class AxisKind : std::uint8_t { named, machine_key, layout, fn, type, input, word };

/// Whole numbers: first, first + step, …; or each twice the one before.
struct Progression {
  std::int64_t first = 0;
  std::int64_t step = 1;
  bool doubles = false;

  std::int64_t at(std::int64_t number) const;
};

/// A value of an axis, or several consecutive ones.
struct AxisPart {
  std::string text; ///< one value, as -D, --set, --layout, … take it
  Span span;        ///< the text of one parameter's value, else what gives the values
  std::optional<Progression> numbers = {}; ///< several values, instead of `text`
  std::int64_t begin = 0;                  ///< number of its first value in the axis
};

/// A name and the values that it takes: `n` 1024, 2048; `shared.latency` 1, 10; `layout t` rows,
/// padded(1).
struct SweepAxis {
  AxisKind kind = AxisKind::named;
  std::string name; ///< `t` of the layout of t
  std::vector<AxisPart> parts;
  std::int64_t size = 0; ///< number of values
  Span span;             ///< where the name is written

  /// Appends a value, or `count` values.
  void add(AxisPart part, std::int64_t count = 1);
  /// The part that has the value of this number. O(log parts).
  const AxisPart& part(std::int64_t number) const;
  /// The text of the value of this number.
  std::string value(std::int64_t number) const;
  /// `n`, `layout t`.
  std::string title() const;
};

/// `layout t`, `fn combine`, `type value`, `input a`, or the name alone.
std::string axis_title(AxisKind kind, std::string_view name);

/// A name and a text, with the place of the text. Of a parameter it is the place of the expression.
struct SweepDefinition {
  std::string name;
  std::string text;
  Span span = {};
};

/// A program and what is replaced in it at every point (`layout`, `t=rows`); or a command.
struct SweptProgram {
  std::string name; ///< of a command its text, until a plan knows the file
  std::vector<std::pair<std::string, std::string>> replaced = {};
  std::vector<SweepDefinition> definitions = {}; ///< values of -D for this program alone
  Span span = {};
  std::string command = {}; ///< `cuda ./my {n}`; empty: it is a program of memlane's language
  std::string folder = {};  ///< that paths of the command's files are relative to; empty: this one

  /// The name and its own values: `transpose t=rows n=32`.
  std::string title() const;
};

struct SweptMachine {
  std::string name;
  std::vector<std::string> overrides = {}; ///< `key=value`
  Span span = {};
  std::vector<std::string> also = {}; ///< titles of equal machines that a plan runs as this one

  /// The name and its own values: `dmm-w32 latency=5`; then those of equal machines, behind ` = `.
  std::string title() const;
};

/// `a = b`, for a machine that has two names; `a` if they are equal.
std::string joined_names(const std::string& a, const std::string& b);

struct SweepSpec {
  std::string name;        ///< the default is its file's or its first program's
  std::string description; ///< may be empty
  std::vector<SweptProgram> programs;
  std::vector<SweptMachine> machines;
  /// Axes that advance together; most groups have one.
  std::vector<std::vector<SweepAxis>> axes;
  std::string where; ///< a condition over parameters and machine letters; empty: all points
  Span where_span;   ///< where the condition is written
  std::vector<std::uint64_t> seeds = {1};
  bool timing_only = false;
  bool verify = true;
  bool allow_races = false;
  bool pram = false;
  std::vector<PriceRequest> prices; ///< every point is priced on these models
};

/// Programs x machines x values of the axes x seeds, as far as it fits 64 bits.
std::int64_t combinations(const SweepSpec& sweep);
/// An error with the number of points or axes if there are too many.
Status check_size(const SweepSpec& sweep);

} // namespace memlane::sweep
