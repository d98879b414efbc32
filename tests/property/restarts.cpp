// Races that no closed form excludes: how the fast engine continues, and what it reports.
#include "compiling.hpp"
#include "difference.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include "memlane/count/simulate.hpp"

namespace memlane::test {
namespace {

MachineSpec small_hmm() { return hmm(2, 4, 2, 5, 16); }

struct Outcome {
  EngineUse use;
  std::string difference; ///< between the engines, where the fast one ran the program
  Sources sources;

  std::string by_word() const {
    std::string text;
    for (const EngineUse::ByWord& accesses : use.by_word)
      text += accesses.kernel + ' ' + accesses.array + ' ' +
              std::to_string(sources.begin(accesses.at).line) + '\n';
    return text;
  }
};

/// `compare`: also runs the reference engine.
void run(const std::string& text, const MachineSpec& machine, int tile_lanes, bool compare,
         Outcome& outcome) {
  const auto code = compiled(outcome.sources, text, machine);
  REQUIRE(code);
  RunOptions options;
  for (const ir::Array& array : code->arrays)
    if (array.space == ir::Space::memory) options.outputs.push_back(array.name);
  const auto fast = try_fast(*code, machine, options, outcome.sources, tile_lanes, &outcome.use);
  CHECK(fast.has_value() == outcome.use.fast);
  if (!fast || !compare) return;
  Observer observer;
  const RunResult reference = simulate(*code, machine, options, outcome.sources, observer);
  Difference d;
  d.compare("verdict", static_cast<int>(fast->verify), static_cast<int>(reference.verify));
  d.compare_counts(*fast, reference);
  if (fast->outputs != reference.outputs) d.compare("arrays", 1, 0);
  outcome.difference = d.text();
}

} // namespace

TEST_CASE("a proof that fails within an interval does not restart the run") {
  const std::string text = R"(memory a[64], b[64], q[64]: int = 63 - index
kernel one() {
  forall i in 0..32 { a[i] = a[i] + 1  b[q[i]] = a[i] }
  forall i in 0..32 { b[q[i]] += 1 }
}
kernel two() {
  shared s[32]: int
  forall i in 0..32 { s[i] = i }
  forall i in 0..32 { s[q[i] - 32] = b[i + 32] }
  forall i in 0..32 { a[i] = s[i] }
}
main { for t = 0 to 2 { launch one()  launch two() } }
verify { assert a[0] == 39 })";
  for (const int tile : {0, 4, 8}) {
    Outcome outcome;
    run(text, small_hmm(), tile, true, outcome);
    CHECK(outcome.difference.empty());
    CHECK(outcome.use.fast);
    CHECK(outcome.use.restarts == 0);
    CHECK(outcome.use.reason.empty());
    CHECK(outcome.by_word() == "one b 3\none b 4\ntwo s 9\n");
  }
}

TEST_CASE("accesses before the one at which a proof fails are checked as well") {
  // Element 3 is written by iteration 3 and, in the same interval, by iteration q[1] of another
  // warp: a race between two accesses, one with a closed form.
  const auto program = [](const std::string& q) {
    return "memory a[16], q[16]: int = " + q + R"(
kernel k() { a[thread] = 1  a[q[thread]] = 2 }
main { launch k() }
verify { assert a[0] == 2 })";
  };
  for (const int tile : {0, 4}) {
    Outcome apart, meeting;
    run(program("index xor 1"), small_hmm(), tile, true, apart);
    CHECK(apart.difference.empty());
    CHECK(apart.use.fast);
    CHECK(apart.by_word() == "k a 2\n");
    run(program("(index + 4) % 16"), small_hmm(), tile, true, meeting);
    CHECK(!meeting.use.fast);
    CHECK(meeting.use.restarts == 1);
    CHECK(meeting.use.reason == "accesses to array a of kernel k may race");
    CHECK(meeting.sources.begin(meeting.use.reason_at).line == 2);
  }
}

TEST_CASE("the run restarts once for all arrays whose log was too long") {
  const std::string text = R"(memory a[16], b[16], c[16], q[16]: int = index xor 1
kernel k() {
  for t = 1 to 140000 { a[thread] += 1  b[thread] += 1  c[thread] += 1 }
  a[q[thread]] += 1  b[q[thread]] += 1  c[q[thread]] += 1
}
main { launch k() }
verify { assert a[3] == 140003 })";
  MachineSpec machine = small_hmm(); // as few lanes as may race: each word is looked at twice
  machine.width = 2;
  machine.threads = 4;
  Outcome outcome;
  run(text, machine, 0, false, outcome);
  CHECK(outcome.use.fast);
  CHECK(outcome.use.restarts == 1);
  CHECK(outcome.by_word() == "k a 4\nk b 4\nk c 4\n");
}

TEST_CASE("the lanes of a block of one warp need no proof outside of foralls") {
  MachineSpec machine = small_hmm();
  machine.threads = 4;
  Outcome outcome;
  run(R"(memory a[8], q[8]: int = 7 - index
kernel k() { a[q[lane]] = a[lane]  a[lane] = a[7 - lane]  a[0] += 1 }
main { launch k() }
verify { assert a[1] == 6 })",
      machine, 0, true, outcome);
  CHECK(outcome.difference.empty());
  CHECK(outcome.use.fast);
  CHECK(outcome.by_word().empty());
}

} // namespace memlane::test
