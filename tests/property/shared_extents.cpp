// Shared arrays sized by `threads`: equal to arrays of the same literal extents, in both engines.
#include "compiling.hpp"
#include "difference.hpp"
#include "support/catch.hpp"

#include "memlane/ir/without_data.hpp"

#include <fmt/format.h>

namespace memlane::test {
namespace {

RunResult run(const std::string& text, const MachineSpec& machine, bool fast = false) {
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code) FAIL(render(code.errors(), sources) << text);
  RunOptions options;
  for (const ir::Array& array : code->arrays)
    if (array.space == ir::Space::memory) options.outputs.push_back(array.name);
  Observer observer;
  RunResult result = fast ? simulate_fast(*code, machine, options, sources)
                          : simulate(*code, machine, options, sources, observer);
  if (fast && result.stop == Stop::none) {
    INFO(text);
    CHECK(try_fast(*code, machine, options, sources).has_value());
  }
  for (Diagnostic& error : result.errors) // as text, which needs the sources
    error = error_in("", render({error}, sources));
  return result;
}

/// Counting digits, a column a thread: the first half of a radix sort. `extent` is of the columns.
std::string radix(const std::string& extent, const std::string& launches,
                  const std::string& layout = "") {
  return fmt::format(R"(
const radix = 4
memory a[256]: int = random(0, 999)
memory digits[radix]: int
kernel count() {{
  shared c[radix, {}]: int{}
  for r = 0 to radix - 1 {{ c[r, thread] = 0 }}
  barrier
  for i = thread to 255 step threads {{ c[a[i] % radix, thread] += 1 }}
  barrier
  forall r in 0..radix {{
    var sum = 0
    for t = 0 to threads - 1 {{ sum += c[r, t] }}
    digits[r] = sum
  }}
}}
main {{ {} }}
verify {{
  for r = 0 to radix - 1 {{
    var sum = 0
    for i = 0 to 255 {{ if a[i] % radix == r {{ sum += 1 }} }}
    assert digits[r] == sum
  }}
}})",
                     extent, layout, launches);
}

std::string difference_of(const RunResult& found, const RunResult& reference) {
  Difference d;
  d.compare("stop", static_cast<int>(found.stop), static_cast<int>(reference.stop));
  d.compare("verdict", static_cast<int>(found.verify), static_cast<int>(reference.verify));
  d.compare_counts(found, reference);
  if (found.outputs != reference.outputs) d.compare("arrays", std::string("other"), std::string());
  return d.text();
}

} // namespace

TEST_CASE("a shared array sized by threads equals one with a literal extent") {
  for (const Model model : {Model::dmm, Model::hmm}) {
    const MachineSpec machine = machine_of_8(model);
    for (const char* layout :
         {"", " layout padded(1)", " layout diagonal", " layout swizzle(2, 0, 2)",
          " layout bits(1, 2, 5, 10)", " layout strides(1, 5)"}) {
      // Threads given by the launch, by the machine's p, or by a variable of main.
      const RunResult literal = run(radix("24", "launch count() threads=24", layout), machine);
      CHECK(literal.verify == Verdict::passed);
      for (const char* launch :
           {"launch count() threads=24", "var t = 3  t = t*8  launch count() threads=t"}) {
        const RunResult sized = run(radix("threads", launch, layout), machine);
        CHECK(sized.counts.shared_words == literal.counts.shared_words);
        CHECK(difference_of(run(radix("threads", launch, layout), machine, true), sized) == "");
        CHECK(sized.counts.time.value == literal.counts.time.value);
        CHECK(sized.outputs == literal.outputs);
      }
    }
    const RunResult all = run(radix("threads", "launch count()"), machine);
    CHECK(all.counts.shared_words == 4 * 64);
    CHECK(all.verify == Verdict::passed);
  }
}

TEST_CASE("each launch has shared arrays of its own size") {
  for (const Model model : {Model::dmm, Model::hmm}) {
    const std::string text = radix("threads", "for k = 0 to 3 { launch count() threads=8 << k }");
    const RunResult r = run(text, machine_of_8(model));
    CHECK(r.verify == Verdict::passed);
    CHECK(r.counts.shared_words == 4 * 64);
    CHECK(difference_of(run(text, machine_of_8(model), true), r) == "");
    std::int64_t time = 0;
    for (const int threads : {8, 16, 32, 64})
      time += run(radix(std::to_string(threads), fmt::format("launch count() threads={}", threads)),
                  machine_of_8(model))
                  .counts.time.value;
    CHECK(r.counts.time.value == time);
  }
}

TEST_CASE("the error about an array that does not fit names the launch") {
  MachineSpec machine = machine_of_8(Model::hmm);
  machine.shared->capacity = 100;
  const auto message = [&](const std::string& text) {
    const RunResult r = run(text, machine);
    CHECK(r.stop == Stop::error);
    const RunResult fast = run(text, machine, true);
    REQUIRE(r.errors.size() == 1);
    REQUIRE(fast.errors.size() == 1);
    CHECK(fast.errors[0].message == r.errors[0].message);
    return r.errors[0].message;
  };
  const auto has = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  CHECK(run(radix("threads", "launch count() threads=25"), machine).verify == Verdict::passed);
  has(message(radix("threads", "launch count() threads=26")),
      "count needs 104 shared words, more than the capacity of 100");
  const std::string none = message(radix("threads - 8", "launch count() threads=8"));
  has(none, "an extent of c is 0 in a launch of 8 threads: extents are at least 1");
  has(none, "note: in the launch here");
  has(message(radix("64/(threads - 8)", "launch count() threads=8")),
      "division by zero in an extent of c, for 8 threads");
  has(message(radix("2^40*threads^3", "launch count() threads=64")),
      "array c is larger than any memory in a launch of 64 threads");
  // Indices are checked against the extents of the launch.
  has(message(radix("threads - 1", "launch count() threads=9")),
      "index 8 is outside array c (0..8 in dimension 2 of 2)");
}

TEST_CASE("messages about races and unwritten words name arrays sized by threads") {
  const auto message = [](const std::string& body) {
    const RunResult r = run("memory a[8]: int\nkernel k() { shared s[2, threads]: int  " + body +
                                " }\nmain { launch k() threads=12 }\nverify { assert true }",
                            machine_of_8(Model::hmm));
    REQUIRE(r.errors.size() == 1);
    return r.errors[0].message;
  };
  CHECK(message("s[1, 5] = thread").find("race at s[1, 5]") != std::string::npos);
  CHECK(message("if thread == 0 { a[0] = s[1, 11] }").find("s[1, 11] is read before anything") !=
        std::string::npos);
}

TEST_CASE("top-level shared arrays, procs and records sized by threads") {
  const std::string text = R"(
type pair = (x: int, y: long)
memory out[64]: long
shared s[max(2, threads/2), 2]: pair
proc fill(part[rows, cols]: pair) {
  forall i in 0..rows, j in 0..cols { part[i, j] = pair(i, 10*j) }
}
proc half() {
  shared own[threads + 3]: int
  own[thread] = 1
  barrier
  forall i in 0..threads { out[i] += own[i] }
}
kernel k() {
  fill(s)
  half()
  forall i in 0..max(2, threads/2) { out[i] += s[i, 1].x + s[i, 1].y }
}
kernel other() { out[0] += 1000 }
main { launch k() threads=2  launch k() threads=40  launch other() threads=1 }
verify { assert out[0] == 1022  assert out[1] == 24  assert out[19] == 30  assert out[39] == 1 }
)";
  for (const Model model : {Model::dmm, Model::hmm}) {
    const RunResult r = run(text, machine_of_8(model));
    INFO((r.errors.empty() ? "" : r.errors[0].message));
    CHECK(r.verify == Verdict::passed);
    CHECK(difference_of(run(text, machine_of_8(model), true), r) == "");
    CHECK(r.counts.shared_words == 20 * 2 * 2 + 43);
    CHECK(r.kernels.at("other").shared_words == 0);
  }
}

TEST_CASE("time without data knows the extents of each launch") {
  const std::string text = R"(
memory a[4096]: int
kernel k() {
  shared s[threads, 3]: int layout padded(1)
  for t = 0 to 63 { forall i in 0..threads, j in 0..3 { s[i, j] = a[i + 64*t] + j } }
}
main { for g = 1 to 8 { launch k() blocks=g threads=8*g } }
verify { assert true })";
  for (const Model model : {Model::dmm, Model::hmm}) {
    const MachineSpec machine = machine_of_8(model);
    Sources sources;
    const auto code = compiled(sources, text, machine);
    REQUIRE(code);
    const auto plain = ir::without_data(*code);
    REQUIRE(plain);
    const RunResult whole = run(text, machine);
    const RunResult timed = simulate_timing(*plain, machine, {}, sources);
    CHECK(timed.counts.time.value == whole.counts.time.value);
    CHECK(timed.counts.shared_words == whole.counts.shared_words);
    CHECK(timed.stop == Stop::none);
  }
}

} // namespace memlane::test
