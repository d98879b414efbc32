// Tests fns with blocks, `continue` and `print` on both engines and as CUDA C++.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>

namespace memlane::test {

namespace {

const std::string blocks = MEMLANE_SOURCE_DIR "/tests/programs/lane/fn_blocks.lane";

/// Wrapped lines as one line.
std::string on_one_line(const std::string& text) {
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// A result without the name of its engine.
nlohmann::json without_engine(const std::string& result) {
  nlohmann::json json = nlohmann::json::parse(result);
  json.erase("engine");
  return json;
}

std::string program(const std::string& text) { return "cat > t.lane <<'END'\n" + text + "\nEND\n"; }

} // namespace

TEST_CASE("fns with blocks compute the same on both engines and every kind of machine",
          "[release]") {
  const Playground playground;
  for (const char* machine :
       {"hmm-teaching", "hmm-titan-plain -D n=300", "dmm-w32 --set threads=96 -D n=1",
        "hmm-teaching --set lockstep=true --set instruction_cost=1 -D n=33"}) {
    const std::string run = "memlane run " + blocks + " -m " + machine + " --format json --engine ";
    const Outcome fast = playground.run(run + "fast"),
                  reference = playground.run(run + "reference");
    INFO(run << "\n" << reference.err);
    CHECK(fast.status == 0);
    CHECK(without_engine(fast.out) == without_engine(reference.out));
    CHECK(fast.out.find("\"verify\": \"passed\"") != std::string::npos);
    CHECK(fast.out.find("\"fails\"") == std::string::npos);
  }
}

// One warp. By configs/README.md section 6, x + 1, y*2 and g + 1 are counted; conditions, calls and
// operators without data are not.
TEST_CASE("the operators of a fn with a block are counted like those of a proc") {
  const Playground playground;
  playground.run(program(R"(memory a[4]: int = index
memory c[4]: int
fn f(x) { let y = x + 1  if y*3 > 6 { return y*2 }  return y }
fn steps(n) { var k = 0  for i = 1 to n { k += i }  return k }
fn around(x) = f(x)
kernel k() {
  c[steps(1) + lane - 1] = around(a[lane])
  if f(lane) > 100 { c[0] = 1 }
  let g = steps(a[lane] - lane)
  c[lane] = g + 1
}
main { launch k() threads=4 }
verify { assert c[2] == 1 })"));
  for (const char* engine : {"fast", "reference"}) {
    const Outcome counted = playground.run(
        std::string("memlane run t.lane -m hmm-teaching --format json --engine ") + engine);
    INFO(counted.out << counted.err);
    CHECK(counted.out.find("\"instructions\": 4,") != std::string::npos);
  }
}

TEST_CASE("print writes the same lines to standard error on both engines", "[release]") {
  const Playground playground;
  const std::string text = program(R"(memory a[4]: int = index
type pair = (x: int, y: double)
kernel k() {
  forall i in 0..4 { if i % 2 == 1 { let q = a[i]  print "i is", i, q > 2  a[i] = 7 } }
}
main { print "before", 0xFFFFFFFF, 1.5, pair(1, 2), true  launch k() threads=3  print a[1]  print "" }
verify { assert a[1] == 7  print "verified", initial(a)[1] })");
  const std::string expected = "before 4294967295 1.5 (1, 2) true\n"
                               "block 0, thread 1: i is 1 false\n"
                               "block 0, thread 0: i is 3 true\n"
                               "7\n\nverified 1\n";
  for (const char* engine : {"fast", "reference"}) {
    const Outcome run =
        playground.run(text + "memlane run t.lane -m hmm-teaching --engine " + engine);
    CHECK(run.status == 0);
    CHECK(run.err == expected);
  }
  const Outcome json = playground.run(text + "memlane run t.lane -m hmm-teaching --format json");
  CHECK(json.out.find("a kernel prints") != std::string::npos);
  const Outcome timed = playground.run(text + "memlane run t.lane -m hmm-teaching --timing-only");
  CHECK(timed.err.empty());
  const Outcome compared = playground.run(text + "memlane compare t.lane -m hmm-teaching");
  CHECK(compared.err.empty());
  const Outcome emitted = playground.run(text + "memlane emit-cuda t.lane -m hmm-h200-plain");
  CHECK(emitted.status == 0);
  CHECK(emitted.out.find("i is") == std::string::npos);
  CHECK(playground.run("memlane emit-cuda t.lane -m hmm-h200-plain --print").out.find("i is") !=
        std::string::npos);
}

TEST_CASE("print stops after a thousand lines with a message") {
  const Playground playground;
  const Outcome run =
      playground.run(program("main { for i = 1 to 5000 { print i } }\nverify { assert true }") +
                     "memlane run t.lane -m umm-w32");
  CHECK(run.status == 0);
  CHECK(run.err.find("\n1000\nmore lines than 1000 are printed: the others are not shown\n") !=
        std::string::npos);
  CHECK(run.err.find("1001") == std::string::npos);
}

TEST_CASE("a fn that does not terminate is an error where its value must be constant",
          "[release]") {
  const Playground playground;
  const std::string text = program(R"(param n: int = 8
fn endless(x) { var y = x  while y != 0 { y += 2 }  return y }
const a = endless(1 + n)
main { }
verify { assert a == 0 })");
  const Outcome run = playground.run(text + "memlane run t.lane -m umm-w32");
  CHECK(run.status == 2);
  CHECK(run.err.find("t.lane:2:28: error: this takes more than 10000000 steps before the run") !=
        std::string::npos);
  const Outcome claim =
      playground.run(program(R"(fn endless(x) { while x > 0 { let y = x }  return 1 }
fn halves(x) { var y = x  var k = 0  while y > 0 { y = y / 2  k += 1 }  return k }
fn third(x) { var y = x  y *= 2  return y / 6 }
memory a[8]: int
kernel k() { forall i in 0..8 { a[i] = i } }
main { launch k() }
verify { assert a[1] == 1 }
claim time >= endless(1) "never"
claim requests == 3*third(1) "in exact fractions")") +
                     "memlane run t.lane -m umm-w32 --claims");
  CHECK(on_one_line(claim.out).find(
            "more than 1000000 steps: does every loop of its fns end, where '/' is exact?") !=
        std::string::npos);
  CHECK(claim.out.find("holds: 1") != std::string::npos);
}

TEST_CASE("a replaced fn may have a block") {
  const Playground playground;
  const Outcome run = playground.run(
      "memlane run reduction -m hmm-teaching -D n=64 --fn 'identity = lowest(value)' "
      "--fn 'combine(x, y) { if x > y { return x }  return y }'");
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(run.out.find("verify passed") != std::string::npos);
}

} // namespace memlane::test
