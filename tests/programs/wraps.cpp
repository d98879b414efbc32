// Indices that are what they are because arithmetic wrapped around.
#include "cli/shell.hpp"
#include "support/catch.hpp"

namespace memlane::test {

namespace {

/// The first line of what a run says of an error, without its place.
std::string said(const std::string& body, const std::string& engine) {
  const Playground playground;
  spit(playground.folder() + "/x.lane", "param n: int = 131072\nparam h: int = 65536\n"
                                        "memory a[n], b[n]: int = index\n" +
                                            body + "\nverify { assert true }\n");
  const Outcome outcome = playground.run("memlane run x.lane --engine " + engine);
  CHECK(outcome.status == 2);
  const std::string line = lines_of(outcome.err).front(), mark = "error: ";
  return line.substr(line.find(mark) + mark.size());
}

void check(const std::string& body, const std::string& message) {
  for (const char* engine : {"reference", "fast"}) {
    INFO(body << " on " << engine);
    CHECK(said(body, engine) == message);
  }
}

std::string kernel(const std::string& code) {
  return "kernel k() { " + code + " }\nmain { launch k() threads=32 }";
}

std::string host(const std::string& code) { return "kernel k() { }\nmain { " + code + " }"; }

} // namespace

TEST_CASE("an index that wrapped around is told as that, with the innermost expression") {
  check(kernel("forall i in 0..n/2 { let stride = h\n"
               "let at = (i + 1)*stride*2 - 1 if at < n { a[at] = 1 } }"),
        "index -2147352577 in thread 0 of block 0, kernel k: "
        "(i + 1)*stride*2 wrapped around; use long");
  check(kernel("a[(thread + h)*h] = 1"), "index 131072 in thread 2 of block 0, kernel k: "
                                         "(thread + h)*h wrapped around; use long");
}

TEST_CASE("wraps are found behind lets, fns, slices and other types, in host code too") {
  check(host("var g = h let x = g*g*2 - 1 let y = x + 5 let z = y - 5 a[z] = 1"),
        "index -1: g*g wrapped around; use long");
  check(host("var g: long = h a[g*g*g*g - 1] = 1"),
        "index -1: g*g*g*g wrapped around; a long has 64 bits");
  check(host("var g = 46341 view v = a[0..g*g]"),
        "index -2147479015: g*g wrapped around; use long");
  check("fn f(i) = i*h\n" + kernel("a[f(thread + 65535) - 1] = 1"),
        "index -65537 in thread 0 of block 0, kernel k: i*h wrapped around; use long");
}

TEST_CASE("an index outside its array for another reason is told as before") {
  check(host("var g = -3 a[g] = 1"), "index -3 is outside array a (0..131072)");
  check(kernel("let at = (thread + h)*2 + b[0] a[at] = 1"),
        "index 131072 is outside array a (0..131072) in thread 0 of block 0, kernel k");
  // A wrap that the index does not come from.
  check(host("var g = h let x = g*g let y = n + 1 a[y] = x"),
        "index 131073 is outside array a (0..131072)");
}

} // namespace memlane::test
