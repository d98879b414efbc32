// verify judges true and false bounds whose answers are known.
#include "cli/shell.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include <string>
#include <vector>

namespace memlane::test {
namespace {

using Bounds = std::vector<std::string>;

/// Bounds of one program.
struct KnownBounds {
  std::string source; ///< a program without claims
  std::string options;
  Bounds right;
  Bounds wrong;
};

/// A program that copies an n x n matrix.
std::string copying(const std::string& kernel) {
  return "param n: int = 64 where n <= 2^15\nmemory a[n, n]: int = index\nmemory c[n, n]: int\n"
         "kernel copy() { " +
         kernel +
         " }\nmain { launch copy() }\n"
         "verify { for i = 0 to n - 1 { assert c[i, n - 1 - i] == a[i, n - 1 - i] } }\n";
}

const std::string rows = copying("forall i in 0..n, j in 0..n { c[i, j] = a[i, j] }");
const std::string columns = copying("forall j in 0..n, i in 0..n { c[i, j] = a[i, j] }");

const std::string gathering =
    "param n: int = 64 where n >= 1\nparam q: int = 64 where q >= 1\nmemory a[n]: int = index\n"
    "memory r[q]: int = random(0, n - 1)\nmemory c[q]: int\n"
    "kernel gather() { forall i in 0..q { c[i] = a[r[i]] } }\nmain { launch gather() }\n"
    "verify { for i = 0 to q - 1 { assert c[i] == r[i] } }\n";

/// A program that reads n words, in some way once more.
std::string reading(const std::string& more) {
  return "param n: int = 64 where n >= 1\nmemory a[n]: int = index\n"
         "kernel read() { forall i in 0..n { let x = a[i]  " +
         more + " } }\nmain { launch read() }\nverify { assert a[0] == 0 }\n";
}

std::vector<KnownBounds> known_bounds() {
  const std::string sum = "(n/w + n*l/p + l*log2(n))", square = "(n^2/w + n^2*l/p + l)";
  return {
      {"use sum",
       "--model dmm --model umm",
       {"time = Theta" + sum, "time = O(n*l)", "time = Omega(n/p)",
        "time = O((n/w + n*l/p + l)*log2(n))", "time = Omega(l*log2(n))",
        "requests = O(n/w + log2(n))", "time = O(n^2/w + n*l/p + l*log2(n))"},
       {"time = O(n/w + n*l/p + l)", "time = O(l*log2(n))", "time = O(n/w + l*log2(n))",
        "time = Omega(n/w*log2(n) + n*l/p + l*log2(n))", "time = Omega(n*l/w)",
        "requests = O(n/w)"}},
      {rows,
       "--model dmm --model umm",
       {"time = Theta" + square, "time = O(n^2*l)", "time = Omega(n^2/w)"},
       {"time = O(n^2/w + l)", "time = O(n^2/p + l)", "time = O(n^2/w + n^2*l/p)",
        "time = O(n*log2(n)/w + n*l/p + l)", "time = Omega(n^2*log2(n)/w)",
        "time = Omega(n^2*l/w)"}},
      {columns,
       "--model umm",
       {"time = Theta(n^2*min(n, w)/w + n^2*l/p + l)", "time = O(n^2 + n^2*l/p + l)"},
       {"time = O" + square}},
      {"use multiply_dmm",
       "--model dmm --model umm",
       {"time = Theta(n^3/w + n^3*l/p + n*l)", "time = O(n^3*l)"},
       {"time = O(n^2)", "time = O(n^3/w)", "time = O(n^2*l/p)", "time = Omega(n^3)"}},
      {"use scan_kogge_stone",
       "--model dmm --model umm",
       {"time = Theta(n*log2(n)/w + n*l*log2(n)/p + l*log2(n))"},
       {"time = O(n/w + n*l/p + l*log2(n))", "time = Omega(n*log2(n)^2/w)"}},
      {"use sum_hmm",
       "--model hmm",
       {"time = O(n/w + n*L/(d*p) + L + l*log2(n)) when n >= d*p and d <= p",
        "time = Omega(n/w + L)"},
       {"time = O(L)", "time = O(n/w)", "time = O(n/w + n*L/(d*p))", "time = Omega(n/w*log2(n))"}},
      {"param n: int = 64 where n <= 2^15\nmemory c[n]: int\n"
       "kernel triangle() { for i = 1 to n { forall j in 0..i { c[j] = i } } }\n"
       "main { launch triangle() }\nverify { assert c[0] == n }\n",
       "--model dmm --model umm",
       {"time = Theta(n^2/w + n^2*l/p + n*l)", "time = O(n^2*l)", "time = Omega(n*l)"},
       {"time = O(n^2/w + n*l)", "time = O(n^2/w + n^2*l/p)", "time = O(n^2/w + n^2*l/p + l)",
        "time = Omega(n^2*l/w)"}},
      {"use contiguous",
       "--model dmm --model umm",
       {"time = Theta(n/w + n*l/p + l)", "time = Omega(n/p + l)"},
       {"time = O(n/w + l)", "time = O(n/p + l)", "time = Omega(n*l/w)"}},
      {"use strided",
       "--model umm",
       {"time = Theta(n*min(s, w)/w + n*l/p + l)"},
       {"time = O(n/w + n*l/p + l)", "time = Omega(n*s/w)"}},
      // Odd strides have no bank conflicts: powers of two alone do not show that.
      {"use strided",
       "--model dmm",
       {"time = O(n*min(s, w)/w + n*l/p + l)", "time = Omega(n/w + l)"},
       {"time = Theta(n*min(s, w)/w + n*l/p + l)"}},
      // A request touches up to min(w, n/w) groups: w, n, q and p must grow at once to show it.
      {gathering,
       "--model umm --points 200",
       {"time = O(q + q*l/p + l)"},
       {"time = O(q/w + q*l/p + l)"}},
      // Powers of two and their multiples alone do not show what odd sizes cost.
      {reading("if n % 2 == 1 { for j = 1 to n { let y = a[i] } }"),
       "--model dmm --model umm",
       {"time = Omega(n/w + n*l/p + l)"},
       {"time = O(n/w + n*l/p + l)"}},
      {reading("if not is_pow2(n) { for j = 1 to log2(n) { let y = a[i] } }"),
       "--model dmm --model umm",
       {"time = Omega(n/w + n*l/p + l)"},
       {"time = O(n/w + n*l/p + l)"}},
      // An exact claim beside a false bound is false at sizes beyond those of the grid.
      {reading("for j = 1 to log2(n) { let y = a[i] }"),
       "--model dmm --model umm",
       {"time = O((n/w + n*l/p + l)*log2(n))"},
       {"time = O(n/w + n*l/p + l)", "time <= 20*(n/w + n*l/p + l)"}},
      {gathering,
       "--model umm --points 400",
       {"time = O(q + q*l/p + l)"},
       {"time = O(q/w + q*l/p + l)"}},
  };
}

std::string claiming(const KnownBounds& known) {
  std::string text = known.source + "\n";
  for (const Bounds& bounds : {known.right, known.wrong})
    for (const std::string& bound : bounds) text += "claim " + bound + " \"for the test\"\n";
  return text;
}

} // namespace

TEST_CASE("verify refutes no true bound, and every false one", "[release]") {
  std::size_t bounds = 0;
  for (const KnownBounds& known : known_bounds()) {
    const Playground playground;
    spit(playground.folder() + "/bounds.lane", claiming(known));
    const Outcome outcome = playground.run("memlane verify bounds.lane " + known.options);
    INFO(known.source << "\n" << outcome.out << outcome.err);
    const auto check = [&](const std::string& bound, const std::string& verdict) {
      INFO(bound);
      CHECK(outcome.out.find("\n  " + verdict + std::string(18 - verdict.size(), ' ') + bound) !=
            std::string::npos);
      ++bounds;
    };
    for (const std::string& bound : known.right) check(bound, "holds");
    for (const std::string& bound : known.wrong) check(bound, "fails");
  }
  CHECK(bounds >= 40);
}

namespace {

/// Sums of at most so many words, whose ratio to n/w + 1 grows with n until then.
std::string moving_sums(int words) {
  return "param n: int = 64 where n >= 2\nmemory a[n]: int = index\nmemory r[n]: int\n"
         "kernel k() { forall i in 0..n { var s = 0 for t = max(0, i - " +
         std::to_string(words - 1) +
         ") to i { s += a[t] } r[i] = s } }\nmain { launch k() }\nverify { assert r[0] == 0 }\n"
         "claim requests = O(n/w + 1) on umm \"true\"\n";
}

std::string judged(const std::string& program) {
  const Playground playground;
  spit(playground.folder() + "/sums.lane", program);
  return playground.run("memlane verify sums.lane --model umm").out;
}

bool holds(const std::string& report, const std::string& bound) {
  return report.find("  holds             " + bound) != std::string::npos;
}

} // namespace

TEST_CASE("an exact claim is judged by the runs beyond the grid, too", "[release]") {
  const std::string said =
      judged("param n: int = 64 where n >= 1\nmemory a[n]: int\n"
             "kernel pass() { forall i in 0..n { a[i] += 1 } }\n"
             "main { launch pass()  for k = 1 to n / 1000 { launch pass() } }\n"
             "verify { assert a[0] == 1 + n/1000 }\n"
             "claim time <= 10*(n/w + n*l/p + l) \"of few launches\"\n"
             "claim time = O(n/w + n*l/p + l) \"of few launches\"\n");
  INFO(said);
  CHECK(said.find("  fails             time <= 10*(n/w + n*l/p + l)") != std::string::npos);
  // Where the line ends, and where its growth would have left the claim behind.
  CHECK(said.find("fails at 2 of ") != std::string::npos);
}

TEST_CASE("a ratio that rises only at small sizes refutes no bound, and that at large ones does",
          "[release]") {
  const std::string log = "requests = O(n*log2(n)/w + 1)", lower = "requests = Omega(n^2/w)";
  for (const int words : {512, 1024, 2048}) {
    if (words == 1024 && !every_case) continue;
    const std::string report = judged(moving_sums(words) + "claim " + log + " on umm \"true\"\n" +
                                      "claim " + lower + " on umm \"false\"\n");
    INFO(report);
    for (const std::string& bound : {std::string("requests = O(n/w + 1)"), log}) {
      CHECK(report.find("fails             " + bound) == std::string::npos);
      if (words == 512) CHECK(holds(report, bound));
    }
    CHECK_FALSE(holds(report, lower));
    if (words < 2048) CHECK(report.find("fails             " + lower) != std::string::npos);
  }
}

TEST_CASE("a ratio that stops growing beyond the grid refutes no bound", "[release]") {
  const std::string bound = "time = O(n/w + n*l/p + l)";
  for (const int most : {14, 16, 20}) {
    if (most != 16 && !every_case) continue;
    const std::string program =
        reading("for j = 2 to min(log2(n), " + std::to_string(most) + ") { let y = a[i] }") +
        "claim " + bound + " \"true\"\n";
    const std::string alone = judged(program);
    INFO(alone);
    CHECK(alone.find("  not decided       " + bound) != std::string::npos);
    CHECK(alone.find("it grows no longer at ") != std::string::npos);
    const std::string both =
        judged(program + "claim time <= " + std::to_string(most) + "*(n/w + n*l/p + l) \"true\"\n");
    INFO(both);
    CHECK(holds(both, bound));
  }
}

TEST_CASE("an exact claim settles no growth that no run shows to stop", "[release]") {
  const std::string bound = "time = O(n/w + n*l/p + l)";
  const std::string report =
      judged(reading("for j = 1 to log2(n) { let y = a[i] }") + "claim " + bound +
             " \"false\"\nclaim time <= 60*(n/w + n*l/p + l) \"false from n = 2^60 on\"\n");
  INFO(report);
  CHECK(report.find("  not decided       " + bound) != std::string::npos);
  CHECK(report.find("an exact claim gives c = 60") != std::string::npos);
}

TEST_CASE("an exact claim with its formula settles a bound that larger sizes would have to decide",
          "[release]") {
  const std::string alone = moving_sums(2048);
  REQUIRE_FALSE(holds(judged(alone), "requests = O(n/w + 1)"));
  const std::string both = judged(alone + "claim requests <= 2100*(n/w + 1) on umm \"true\"\n");
  INFO(both);
  CHECK(holds(both, "requests = O(n/w + 1)"));
  CHECK(both.find("c = 2100, by an exact claim") != std::string::npos);
  CHECK(both.find("fails") == std::string::npos);
  // One that speaks of a part of the points decides nothing.
  const std::string part =
      judged(alone + "claim requests <= 40*(n/w + 1) when n <= 60 on umm \"true\"\n");
  CHECK_FALSE(holds(part, "requests = O(n/w + 1)"));
}

} // namespace memlane::test
