// Errors about indices and extents that are wrong because arithmetic wrapped around.
#include "cli/shell.hpp"
#include "support/catch.hpp"

namespace memlane::test {

namespace {

/// The first line of a run's error, without its place.
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

TEST_CASE("the error about an index that wrapped around names the innermost expression",
          "[release]") {
  check(kernel("forall i in 0..n/2 { let stride = h\n"
               "let at = (i + 1)*stride*2 - 1 if at < n { a[at] = 1 } }"),
        "index -2147352577 in thread 0 of block 0, kernel k: "
        "(i + 1)*stride*2 wrapped around; use long");
  check(kernel("a[(thread + h)*h] = 1"), "index 131072 in thread 2 of block 0, kernel k: "
                                         "(thread + h)*h wrapped around; use long");
}

TEST_CASE("wraps are found through lets, fns, slices and other types, also in host code") {
  check(host("var g = h let x = g*g*2 - 1 let y = x + 5 let z = y - 5 a[z] = 1"),
        "index -1: g*g wrapped around; use long");
  check(host("var g: long = h a[g*g*g*g - 1] = 1"),
        "index -1: g*g*g*g wrapped around; a long has 64 bits");
  check(host("var g = 46341 view v = a[0..g*g]"),
        "index -2147479015: g*g wrapped around; use long");
  check("fn f(i) = i*h\n" + kernel("a[f(thread + 65535) - 1] = 1"),
        "index -65537 in thread 0 of block 0, kernel k: i*h wrapped around; use long");
}

TEST_CASE("an extent that wrapped around is an error with the exact number") {
  const Playground playground;
  const auto told = [&](const std::string& array, const std::string& rest) {
    spit(playground.folder() + "/x.lane",
         "param n: int = 65537\nparam m: long = n\n" + array + "\nmemory c[4]: int\nkernel k() { " +
             rest + " c[0] = 1 }\nmain { launch k() }\nverify { assert true }\n");
    const Outcome run = playground.run("memlane run x.lane");
    if (run.status == 0) return std::string("runs");
    CHECK(run.status == 2);
    for (const char* also : {"memlane check x.lane -D n=65537", "memlane run x.lane --timing-only"})
      CHECK(playground.run(also).err == run.err);
    return run.err.substr(0, run.err.find('\n'));
  };
  const auto at = [](const std::string& place, const std::string& message) {
    return "x.lane:" + place + ": error: " + message;
  };
  CHECK(told("memory a[n*n]: int", "a[0] = 1") ==
        at("3:10", "extent 131073 of a: n*n wrapped around; use long"));
  // 2^32 is 0 in an int: the message names the reason, not only the extent 0.
  CHECK(told("const h = n - 1\nmemory a[4, (h*h)/2]: int", "a[0, 0] = 1") ==
        at("4:13", "extent 0 of a: (h*h) wrapped around; use long"));
  CHECK(told("const s = n*n\nfn half(x) { let y = x/2 return y }\nshared a[half(s)]: int",
             "a[0] = 1") == at("5:10", "extent 65536 of a: n*n wrapped around; use long"));
  CHECK(told("", "var a[n*n - 131000]: int a[0] = 1") ==
        at("5:20", "extent 73 of a: n*n wrapped around; use long"));
  CHECK(told("const s[n*n]: int = 1\nmemory a[4]: int", "a[0] = s[0]") ==
        at("3:9", "extent 131073 of s: n*n wrapped around; use long"));
  CHECK(told("memory a[m*m*m*m*4 + 5]: int", "a[0] = 1")
            .find("m*m*m*m wrapped around; a long has 64 bits") != std::string::npos);
  spit(playground.folder() + "/y.lane",
       "param n: int = 4\nmemory a[n*n]: int\nkernel k() { a[0] = 1 }\n"
       "main { launch k() }\nverify { assert true }\n");
  CHECK(playground.run("memlane run y.lane -D n=65537")
            .err.find("help: n*n is 4295098369, which does not fit an int\n") != std::string::npos);
}

TEST_CASE("an extent from a launch's threads that wrapped around is an error at its place") {
  const auto run = [](const std::string& extent) {
    const Playground playground;
    spit(playground.folder() + "/x.lane", "memory a[8]: int\nkernel k() { shared s[" + extent +
                                              "]: int\n if thread == 0 { s[0] = 1 } }\nmain { "
                                              "launch k() threads=256 }\nverify { assert true }\n");
    return playground.run("memlane run x.lane -m dmm-w32");
  };
  const Outcome wrapped = run("threads*threads*threads*threads + 5");
  CHECK(wrapped.status == 2);
  CHECK(wrapped.err.find("x.lane:2:23: error: extent 5 of s: threads*threads*threads*threads "
                         "wrapped around; use long") != std::string::npos);
  CHECK(wrapped.err.find("is 4294967296, which does not fit an int") != std::string::npos);
  CHECK(run("threads*threads*threads*threads % 7 + 1").status == 0);
  CHECK(run("threads + 5").status == 0);
}

TEST_CASE("an extent may use some bits of a number that wrapped around, or a long") {
  const auto status = [](const std::string& array) {
    const Playground playground;
    spit(playground.folder() + "/x.lane",
         "param n: int = 65537\n" + array +
             "\nkernel k() { a[0] = 1 }\nmain { launch k() threads=1 }\nverify { assert true }\n");
    return playground.run("memlane run x.lane").status;
  };
  CHECK(status("memory a[n*n % 64 + 1]: int") == 0);
  CHECK(status("memory a[long(n)*n / 65537]: int") == 0);
  CHECK(status("memory a[if n*n > 0 then 8 else 4]: int") == 0);
  CHECK(status("const t[4]: int = [n*n, 8, 9, 10]\nmemory a[t[1]]: int") == 0);
}

TEST_CASE("the error about another index outside its array does not mention a wrap") {
  check(host("var g = -3 a[g] = 1"), "index -3 is outside array a (0..131072)");
  check(kernel("let at = (thread + h)*2 + b[0] a[at] = 1"),
        "index 131072 is outside array a (0..131072) in thread 0 of block 0, kernel k");
  // The wrapped value is not part of the index.
  check(host("var g = h let x = g*g let y = n + 1 a[y] = x"),
        "index 131073 is outside array a (0..131072)");
}

} // namespace memlane::test
