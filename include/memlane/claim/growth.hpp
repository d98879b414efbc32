// Whether the ratio of a count to a formula grows without end, which refutes O, Omega and Theta:
// what a grid of runs shows, and the proof along rays beyond it.
#pragma once

#include "memlane/claim/claim.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace memlane {

// --- The first look: whether a ratio seems to grow with a parameter.
//
// A claim count = O(formula) says that count / formula stays below some constant. Runs over a grid
// show where it may not; runs beyond the grid decide (the proof below). The test looks at the
// *greatest* ratio (for Omega the least), since that is what the constant bounds. For every
// parameter x:
//
//   1. Put the points of one setting (machine model, lockstep or not, layout) into groups by x; a
//      group holds the values from its smallest to less than twice that. Keep the greatest ratio
//      of each group, at its x: the envelope. The grid has whole lines along x through these
//      points (lines_through_extremes in grid.hpp), so that groups are compared at the same values
//      of the other parameters, not at random ones.
//   2. Fit log ratio = c + s log x to the envelope by least squares. The envelope *seems to grow*
//      if s is above `whole_tolerance`, and if the slope over the tail, the upper half of the
//      groups, is above `tail_tolerance` and adds up to a factor of `tail_change` there: over few
//      values a constant looks like a slope.
//   3. Where the one-sided 99 % lower confidence bound of s (Student's t) is not above the
//      tolerance, the envelope scatters. Then the line through the setting's greatest ratio of all
//      decides, if the grid has it: nothing but x changes on it. It must rise likewise.
//
// The least ratios *seem to vanish* if the same is true with the signs turned.
//
// A ratio that moves between the constants of a sum's terms may seem to grow as far as any grid
// goes: n^2*l/p with p up to 512 hides n^2/w behind a latency of 10^8. A forgotten log n has a
// slope of 0.20 over n = 16 ... 4096 and still 0.146 over the tail; forgotten terms and wrong
// powers have more.

/// Values of parameters, in an order that all have.
using GridValues = std::vector<std::int64_t>;
/// Orders points by the product of their values plus one, then value by value.
bool is_smaller(const GridValues& a, const GridValues& b);

constexpr double whole_tolerance = 0.05;
constexpr double tail_tolerance = 0.13;
constexpr double tail_change = 1.4;
constexpr double trend_confidence = 0.99;

/// One run: the parameters' values and count / formula there.
struct TrendPoint {
  GridValues parameters;
  double ratio = 0;
  std::int64_t setting = 0; ///< points of different settings are not compared with each other
};

/// How the envelope of greatest (or least) ratios runs with one parameter.
struct Envelope {
  double slope = 0; ///< d log ratio / d log x
  double lower = 0; ///< its one-sided confidence bounds; equal to it where the fit is exact
  double upper = 0;
  double tail = 0;        ///< slope over the upper half
  double tail_length = 0; ///< of log x there
  bool line = false;      ///< whether the grid has the line through the greatest (least) of all
  double line_slope = 0;
  double line_tail = 0;
  double line_tail_length = 0;
};

/// What the grid says about one parameter: of all settings the worst.
struct ParameterTrend {
  std::string name;
  bool judged = false;     ///< false: fewer than least_groups groups in every setting
  std::int64_t groups = 0; ///< most of any setting
  Envelope greatest;
  Envelope least;

  bool seems_to_grow() const;   ///< the greatest ratios do
  bool seems_to_vanish() const; ///< the least ratios do
};

struct Trend {
  bool judged = false;
  std::string reason; ///< why not
  double least = 0;   ///< of the ratios: the fitted constants
  double greatest = 0;
  GridValues least_at, greatest_at;                     ///< the parameters of the first such points
  std::int64_t least_setting = 0, greatest_setting = 0; ///< and the settings
  std::vector<ParameterTrend> parameters;               ///< in the order of the names
};

/// Fewest points that are judged at all, and fewest groups of a parameter: with three, a slope's
/// own error is all but unknown.
constexpr std::size_t least_points = 8;
constexpr std::size_t least_groups = 4;
/// Fewest groups on a line, which has no scatter.
constexpr std::size_t least_line = 3;

/// The test above. Requires as many parameters in each point as names. Points with a ratio of 0 or
/// infinity only count for `least` and `greatest`, those where a parameter is not positive do not
/// count for the trend along this parameter.
/// O(parameters * points * log points).
Trend find_trend(const std::vector<std::string>& names, const std::vector<TrendPoint>& points);

// --- The proof: whether a ratio grows without end along a ray.
//
// Count and formula are sums of terms, each a product of powers and logarithms of the parameters. A
// bound is false if the ratio grows without end along some ray. A ray is a line of points: from one
// to the next some parameters double, others grow by four, and the rest stay. There the count and
// the formula are c * x^e * log(x)^k for large x, so that a ratio without a bound rises, from some
// point on, at least as a line in log x and at most as a power of x. A bounded ratio does neither
// for long: it falls, or what it gains from one doubling to the next dies out.
//
// The count is compared with the *leading* terms of the formula on this ray, those that no other
// term outgrows. The others would hide the rise of a ratio at small sizes, or look like one: with
// a constant of 12, n + 10^8 seems to be out of bounds until n is about 10^8.

enum class Growth : std::uint8_t {
  settles, ///< falls, or its gains die out
  grows,   ///< for six doublings at least as log x, and not faster than a power for ever
  unclear, ///< rises, and more doublings would tell
};

/// Of the ratios at the points of a ray, each a doubling after the one before. `grows` needs seven.
/// sqrt(log x) and slower factors settle or are unclear: no sizes that can be run tell them from a
/// constant.
Growth growth_of(std::span<const double> ratios);

/// Whether the ratios of a ray that ends where a parameter's range does still rise at its end, as
/// the parameter's square root or faster over the last four doublings.
bool grows_to_the_end(std::span<const double> ratios);

/// Terms of a formula that others outgrow, and that are left out.
using DroppedTerms = std::set<const lang::TExpr*>;

/// The terms of a claim's right side that others of the same sum outgrow between two points far out
/// on a ray, at least eight doublings apart: they lose a factor of eight. None where the formula
/// has no value there. `inputs.run` is not used; of the program only the constants are.
DroppedTerms outgrown_terms(const lang::Checked& checked, std::size_t claim,
                            const ClaimInputs& near, const ClaimInputs& far);

/// The right side without some terms, as evaluate_formula (claim.hpp) gives it, whatever `when` and
/// `on` say. None where it has no value.
std::optional<double> value_without(const lang::Checked& checked, std::size_t claim,
                                    const ClaimInputs& inputs, const DroppedTerms& dropped);

} // namespace memlane
