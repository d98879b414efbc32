// Integers of unbounded size.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <cstdint>

namespace memlane::exact {

using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;

/// Bits of |a|; 0 for 0.
inline std::size_t bits(const Integer& a) {
  return a == 0 ? 0 : boost::multiprecision::msb(boost::multiprecision::abs(a)) + 1;
}

/// Quotients rounded toward negative and positive infinity; require b not 0.
Integer floor_divide(const Integer& a, const Integer& b);
Integer ceil_divide(const Integer& a, const Integer& b);

/// a * 2^by for a >= 0, rounded down or up where bits are dropped.
Integer shift_down(const Integer& a, std::int64_t by);
Integer shift_up(const Integer& a, std::int64_t by);

} // namespace memlane::exact
