// A verification that is stopped, on its grid or beyond it.
#include "support/checked_text.hpp"
#include "support/sanitized.hpp"

#include "memlane/study/verify/verification.hpp"

#include <algorithm>
#include <atomic>
#include <string>

namespace memlane::sweep {
namespace {

/// One true bound and one false one.
const std::string two_bounds = "param n: int = 64 where n <= 2^15\nmemory a[n]: int\n"
                               "kernel k() { forall i in 0..n { a[i] = i } }\nmain { launch k() }\n"
                               "verify { assert a[n - 1] == n - 1 }\n"
                               "claim time = O(n/w + n*l/p + l) \"test\"\n"
                               "claim time = O(n/w + l) \"test\"\n";

/// Stops when the limits were asked so many times; 0: never.
Verification verified(std::int64_t most_asked, std::int64_t& asked) {
  Sources sources;
  const std::vector<CheckedProgram> program = {
      test::checked_text(sources, "stopped.lane", two_bounds)};
  std::atomic<std::int64_t> count = 0;
  GridRequest request;
  request.models = {Model::umm};
  request.grid.points = 60;
  request.limits.check = [&] {
    return ++count > most_asked && most_asked > 0 ? Stop::interrupted : Stop::none;
  };
  sources.set_limits(request.limits);
  auto result = verify_over_grid(sources, program, request);
  REQUIRE(result);
  asked = count;
  return std::move(*result);
}

} // namespace

TEST_CASE("a verification that is stopped refutes no true bound, confirms none, and says so") {
  std::int64_t all = 0;
  const Verification whole = verified(0, all);
  REQUIRE(whole.claims.size() == 2);
  CHECK(whole.claims[0].judgement.verdict == GridVerdict::holds);
  CHECK(whole.claims[1].judgement.verdict == GridVerdict::fails);
  REQUIRE(whole.runs_beyond > 0);
  int beyond = 0;
  for (int part = 1; part < 20; part += test::sanitized ? 6 : 1) {
    std::int64_t asked = 0;
    const Verification stopped = verified(std::max<std::int64_t>(1, all * part / 20), asked);
    INFO(part << " of 20");
    CHECK(stopped.stop == Stop::interrupted);
    CHECK_FALSE(stopped.passed());
    for (const ClaimVerification& claim : stopped.claims)
      CHECK(claim.judgement.verdict != GridVerdict::holds);
    if (!stopped.claims.empty()) CHECK(stopped.claims[0].judgement.verdict != GridVerdict::fails);
    beyond += stopped.runs_beyond > 0 && stopped.runs_beyond < whole.runs_beyond;
  }
  CHECK(beyond > 0);
}

/// Arrays do not tell that its kernel cannot be lowered at w = 4.
static Result<Verification> verified_at(std::vector<std::int64_t> widths) {
  Sources sources;
  const std::vector<CheckedProgram> program = {test::checked_text(
      sources, "refused.lane",
      "param n: int = 64\nmemory a[n]: int\n"
      "kernel k() { var own[w - 4]: int\n own[0] = 1\n forall i in 0..n { a[i] = own[0] } }\n"
      "main { launch k() }\nverify { assert a[n - 1] == 1 }\nclaim requests >= n/w \"test\"\n")};
  GridRequest request;
  request.models = {Model::umm};
  request.axes = {{"w", std::move(widths)}};
  return verify_over_grid(sources, program, request);
}

TEST_CASE(
    "places whose code has errors are passed over, and are the reason where no other can run") {
  const auto some = verified_at({4, 8});
  REQUIRE(some);
  CHECK(some->runs > 50);
  CHECK(some->failed_runs == 0);
  CHECK(some->claims.front().judgement.verdict == GridVerdict::holds);
  const auto none = verified_at({4});
  REQUIRE(!none);
  CHECK(none.errors()[0].message.ends_with("can run at no point of its grid"));
  CHECK(none.errors()[1].message == "an extent of own is 0: extents are at least 1");
}

} // namespace memlane::sweep
