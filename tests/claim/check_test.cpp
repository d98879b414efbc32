#include "claim_fixture.hpp"
#include "support/golden.hpp"

using namespace memlane;

namespace {

std::string errors_of(const std::string& text) {
  const ClaimFixture fixture(text);
  return fixture.checked ? "" : render(fixture.checked.errors(), fixture.sources);
}

} // namespace

TEST_CASE("messages about claims") {
  const std::string actual = errors_of(test::contents(test::golden_path("claim/errors.lane")));
  CHECK(actual == test::golden("claim/errors.txt", actual));
}

TEST_CASE("claims of the papers pass the check") {
  CHECK(errors_of("param n: int = 64\nparam m: int = w\nconst s = n / m\n"
                  "param commutative: bool = false\nkernel k() { shared t[w]: int }\n"
                  "fn A = m^2/p * ((d*p/w + L - 1) + (p/w + l - 1))\nfn B = m^2/p * (p/w + l - 1)\n"
                  "claim time == s^2/d * (s*(2*A + 4*m*B) + A + B)\n"
                  "  when lockstep and s^2 % d == 0 and 1 < k <= 2*b on hmm \"x\"\n"
                  "claim multiplicity == M/(2*b) when not commutative on agpu \"x\"\n"
                  "claim io == n/b + ceil(k/(2*b)) on agpu \"x\"\n"
                  "claim k.shared_stages ~ 3.5 when t.layout != rows \"x\"\n"
                  "claim A.steps = Theta(log2(n)) \"x\"") == "");
}
