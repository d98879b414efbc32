// Deliberately wrong claims, each of which verify must refute.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

namespace memlane::test {
namespace {

using Claims = std::vector<std::string>;

/// A shipped program with other claims.
std::string claiming(const std::string& program, const Claims& claims) {
  std::string text = "use " + program + "\n";
  for (const std::string& claim : claims) text += "claim " + claim + " \"for the test\"\n";
  return text;
}

Outcome verify(const std::string& program, const Claims& claims, const std::string& options) {
  const Playground playground;
  spit(playground.folder() + "/claims.lane", claiming(program, claims));
  return playground.run("memlane verify claims.lane " + options);
}

/// Each claim must be refuted, not just undecided.
void check_refuted(const std::string& program, const Claims& claims, const std::string& options) {
  const Outcome outcome = verify(program, claims, options);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("every result right") != std::string::npos);
  for (const std::string& claim : claims) {
    INFO(claim);
    CHECK(outcome.out.find("\n  fails             " + claim) != std::string::npos);
  }
}

} // namespace

TEST_CASE("verify refutes bounds that are too small or too large", "[release]") {
  check_refuted("sum",
                {
                    "time = O(l)",               // no bandwidth at all
                    "time = O(l*log2(n))",       // likewise, with the depth right
                    "time = O(n/w)",             // no latency at all
                    "time = O(n/w + l*log2(n))", // few threads forgotten
                    "time = O(n/w + n*l/p + l)", // a forgotten log n
                    "time = O(n/w + n*l/p)",     // a forgotten term
                    "time = Omega(n*l)",         // parallelism forgotten
                    "time = Omega(n/w*log2(n) + n*l/p + l*log2(n))", // a log n too many
                    "time = Theta(n*log2(n)/w + n*l/p + l*log2(n))",
                },
                "--model dmm --model umm");
  check_refuted("multiply_dmm",
                {
                    "time = O(n^2)",     // a power too few
                    "time = O(n^2*l/p)", // likewise
                    "time = O(n^3/w)",   // no latency
                },
                "--model dmm --model umm");
}

TEST_CASE("verify refutes bounds on machines with two memories", "[release]") {
  check_refuted("sum_hmm",
                {
                    "time = O(L)", "time = O(n/w)",
                    "time = O(n/w + n*L/(d*p))",     // the depth forgotten
                    "time = O(n/w + n*L/(d*p) + L)", // the blocks' own sums forgotten
                },
                "--model hmm");
  check_refuted("copy_shared", {"time = O(n/w)", "time = O(L + l)"}, "--model hmm");
}

TEST_CASE("verify refutes exact claims that are off by one", "[release]") {
  check_refuted("sum", {"requests == 3*(n/w - 1 + log2(w)) + 1 when n % w == 0"}, "--model umm");
}

namespace {

/// verify of a program that copies n words. Where the condition holds, it reads each word twice.
Outcome verify_where(const std::string& condition) {
  const Playground playground;
  spit(playground.folder() + "/twice.lane",
       "param n: int = 64 where n >= 1\nmemory a[n]: int = index\n"
       "kernel k() { forall i in 0..n { let x = a[i]  if " +
           condition +
           " { let y = a[i] } } }\nmain { launch k() }\nverify { assert a[0] == 0 }\n"
           "claim requests == ceil(n/w) \"wrong there\"\n");
  return playground.run("memlane verify twice.lane");
}

} // namespace

TEST_CASE("verify refutes exact claims that are wrong for odd or small sizes or unusual machines",
          "[release]") {
  for (const char* condition : {"n % 2 == 1", "n < 8", "n == p + 1 or n == p - 1", "w == 1",
                                "not is_pow2(w)", "d % 2 == 1 and d > 1"}) {
    const Outcome outcome = verify_where(condition);
    INFO(condition << "\n" << outcome.out << outcome.err);
    CHECK(outcome.status == 1);
    CHECK(outcome.out.find("\n  fails             requests == ceil(n/w)") != std::string::npos);
  }
}

TEST_CASE("verify finds a result that is wrong for odd sizes alone") {
  const Playground playground;
  spit(playground.folder() + "/half.lane",
       "param n: int = 64 where n >= 1\nmemory a[n]: int = index + 1\nmemory c[n]: int\n"
       "kernel copy() { forall i in 0..n/2 { c[2*i] = a[2*i]  c[2*i + 1] = a[2*i + 1] } }\n"
       "main { launch copy() }\nverify { for i = 0 to n - 1 { assert c[i] == a[i] } }\n");
  const Outcome outcome = playground.run("memlane verify half.lane --model umm");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 1);
  CHECK(outcome.err.find("assert") != std::string::npos);
}

TEST_CASE("verify refutes claims about the MMM", "[release]") {
  check_refuted(
      "radix_sort_tiles",
      {
          "mmm_overhead = O(U*n/t) when radix <= t and n >= 4*t on mmm", // passes forgotten
          "mmm_path == passes*2*levels on mmm",                          // a launch forgotten
          "sort_tile.mmm_overhead <= 8*U*sort_tile.mmm_blocks on mmm", // counts of digits forgotten
      },
      "--model mmm");
}

TEST_CASE("verify does not pass a claim that it could not check") {
  const Outcome outcome = verify("sum", {"time == 1 when n == 3"}, "--model umm");
  INFO(outcome.out);
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("never applicable") != std::string::npos);
}

TEST_CASE("verify passes the same program with the right bound") {
  const Outcome outcome =
      verify("sum", {"time = Theta(n/w + n*l/p + l*log2(n))"}, "--model dmm --model umm");
  INFO(outcome.out);
  CHECK(outcome.status == 0);
}

} // namespace memlane::test
