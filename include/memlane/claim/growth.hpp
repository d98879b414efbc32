// Whether a ratio grows without end along a ray: the proof behind a refuted O, Omega or Theta.
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
#pragma once

#include "memlane/claim/claim.hpp"

#include <cstdint>
#include <set>
#include <span>

namespace memlane {

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
