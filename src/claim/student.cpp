#include "student.hpp"

#include <boost/math/distributions/students_t.hpp>

namespace memlane::claims {

double student_quantile(double probability, std::ptrdiff_t freedom) {
  if (freedom < 1) return 0;
  return quantile(boost::math::students_t(static_cast<double>(freedom)), probability);
}

} // namespace memlane::claims
