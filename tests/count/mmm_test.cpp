// The greedy schedule and the bounds of an MMM, with numbers derived by hand.
#include "support/catch.hpp"

#include "memlane/count/mmm.hpp"

namespace memlane {
namespace {

MmmLaunch launch_of(std::int64_t blocks, const MmmBlock& block, std::int64_t transfer) {
  MmmLaunch launch;
  for (std::int64_t k = 0; k < blocks; ++k) launch.add(block, transfer);
  launch.blocks = blocks;
  return launch;
}

MmmBlock block_of(std::int64_t span, std::int64_t reads, std::int64_t writes) {
  return {2 * span, span, reads, writes, reads + writes, span};
}

} // namespace

TEST_CASE("twenty equal blocks on two multiprocessors: Corollary 1 is no bound, Theorem 1 is") {
  MmmSums sums(2);
  sums.add(launch_of(20, block_of(1, 1, 1), 2), 0); // each takes 1 + 4
  const MmmCounts counts = sums.counts();
  CHECK(counts.time == 50);
  CHECK(counts.theorem1() == MmmBound{55, 0, 1});
  CHECK(counts.antichain == 20);
  CHECK(!counts.corollary1());
  MmmSums enough(20);
  enough.add(launch_of(20, block_of(1, 1, 1), 2), 0);
  CHECK(enough.counts().time == 5);
  CHECK(enough.counts().corollary1() == MmmBound{10, 0, 1});
}

TEST_CASE("one block takes C: a path is counted in vertices") {
  MmmSums sums(std::nullopt);
  sums.add(launch_of(1, block_of(3, 2, 1), 4), 0);
  const MmmCounts counts = sums.counts();
  CHECK(counts.time == 15);
  CHECK(counts.path == 1);
  CHECK(counts.theorem1() == MmmBound{15, 0, 1});
  CHECK(counts.corollary1() == MmmBound{30, 0, 1});
}

TEST_CASE("launches of one stage share the multiprocessors, those of the next wait") {
  MmmSums sums(3);
  sums.add(launch_of(2, block_of(4, 0, 0), 2), 0);
  sums.add(launch_of(2, block_of(1, 0, 0), 2), 0);
  CHECK(sums.counts().time == 4); // 4, 4, 1 + 1
  CHECK(sums.counts().antichain == 4);
  sums.add(launch_of(1, block_of(2, 0, 0), 2), 1);
  CHECK(sums.counts().time == 6);
  CHECK(sums.counts().path == 2);
  CHECK(sums.counts().span == 6);
  CHECK(sums.counts_of_kernel().span == 4);
}

TEST_CASE("a bound is an exact fraction") {
  MmmSums sums(3);
  sums.add(launch_of(4, block_of(5, 0, 0), 2), 0);
  const MmmBound bound = sums.counts().theorem1(); // (4/3 + 1)·5
  CHECK(bound == MmmBound{11, 2, 3});
  CHECK(bound.text() == "11 2/3");
  CHECK(bound.value() == 35.0 / 3);
}

TEST_CASE("blocks that execute nothing take no time, and are blocks") {
  MmmSums sums(2);
  MmmLaunch launch = launch_of(1, block_of(3, 0, 0), 2);
  launch.blocks = 5;
  sums.add(launch, 0);
  CHECK(sums.counts().time == 3);
  CHECK(sums.counts().blocks == 5);
  CHECK(sums.counts().theorem1() == MmmBound{10, 1, 2});
}

TEST_CASE("sums that do not fit 64 bits stay at the greatest number") {
  constexpr std::int64_t large = std::int64_t{1} << 62;
  MmmSums sums(1);
  sums.add(launch_of(3, block_of(0, large / 1000, 0), 1000), 0);
  CHECK(sums.counts().overhead == INT64_MAX);
  CHECK(sums.counts().time == INT64_MAX);
  CHECK(sums.counts().sequential_time == INT64_MAX);
  MmmSums bounds(1); // only the bound is too large
  MmmLaunch two = launch_of(1, block_of(0, large / 1000, 0), 1000);
  two.blocks = 2;
  bounds.add(two, 0);
  CHECK(bounds.counts().time == large / 1000 * 1000);
  CHECK(bounds.counts().theorem1().whole == INT64_MAX);
}

} // namespace memlane
