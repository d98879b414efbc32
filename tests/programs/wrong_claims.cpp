// Deliberately wrong claims: verify must find each of them.
#include "cli/shell.hpp"
#include "support/catch.hpp"

namespace memlane::test {
namespace {

/// The optimal sum with one claim of its time.
std::string sum_claiming(const std::string& claim) {
  return "param n: int = 1024 where is_pow2(n)\n"
         "memory a[n]: int = random(0, 9)\n"
         "kernel sum() {\n"
         "  for t = log2(n) - 1 downto 0 { forall i in 0..2^t { a[i] = a[i] + a[i + 2^t] } }\n"
         "}\n"
         "main { launch sum() }\n"
         "verify { var s = 0  for i = 0 to n - 1 { s += initial(a)[i] }  assert a[0] == s }\n"
         "claim " +
         claim + " \"wrong on purpose\"\n";
}

Outcome verify(const std::string& claim) {
  const Playground playground;
  spit(playground.folder() + "/wrong.lane", sum_claiming(claim));
  return playground.run("memlane verify wrong.lane --model dmm --model umm");
}

} // namespace

TEST_CASE("verify refutes bounds that are too small or too large") {
  for (const char* const claim : {
           "time = O(n/w)",                                 // no latency at all
           "time = O(n/w + l*log2(n))",                     // few threads forgotten
           "time = O(n/w + n*l/p + l)",                     // a forgotten log n
           "time = O(n/w + n*l/p)",                         // a forgotten term
           "time = Omega(n*l)",                             // parallelism forgotten
           "time = Omega(n/w*log2(n) + n*l/p + l*log2(n))", // a log n too many
           "time = Theta(n*log2(n)/w + n*l/p + l*log2(n))",
       }) {
    const Outcome outcome = verify(claim);
    INFO(claim << "\n" << outcome.out << outcome.err);
    CHECK(outcome.status == 1);
    CHECK(outcome.out.find("\n  fails ") != std::string::npos);
  }
}

TEST_CASE("verify refutes exact claims that are off by one somewhere") {
  const Outcome outcome = verify("requests == 3*(n/w - 1 + log2(w)) + 1 when n % w == 0");
  INFO(outcome.out);
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("fails at ") != std::string::npos);
}

TEST_CASE("verify does not pass a claim that it could not check") {
  const Outcome outcome = verify("time == 1 when n == 3");
  INFO(outcome.out);
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("never applicable") != std::string::npos);
}

TEST_CASE("verify passes the same program with the right bound") {
  CHECK(verify("time = Theta(n/w + n*l/p + l*log2(n))").status == 0);
}

} // namespace memlane::test
