#include "support/catch.hpp"

#include "memlane/machine/stages.hpp"

namespace memlane::test {

TEST_CASE("an element of several groups has its lanes in each of them") {
  const std::vector<std::int64_t> lanes = {4, -1, 4, 0};
  // Elements of two words, in groups of one word and of two.
  CHECK(atomic_groups(1, lanes, 2) == std::vector<AtomicGroup>{{0, 1}, {1, 1}, {4, 2}, {5, 2}});
  CHECK(atomic_groups(2, lanes, 2) == std::vector<AtomicGroup>{{0, 1}, {2, 2}});
  CHECK(atomic_groups(8, lanes, 2) == std::vector<AtomicGroup>{{0, 2}});
}

} // namespace memlane::test
