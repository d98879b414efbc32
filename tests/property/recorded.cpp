// Intervals that the fast engine records and replays: equal to the reference engine, and recognised
// wherever they repeat.
#include "compiling.hpp"
#include "difference.hpp"
#include "engine/fast/launch_run.hpp"
#include "random_text.hpp"
#include "support/catch.hpp"

#include "memlane/count/simulate.hpp"

namespace memlane::test {
namespace {

struct DoneAgain {
  std::int64_t again = 0; ///< intervals that were done again
  bool halted = false;
  std::string difference;
};

DoneAgain run_recorded(const std::string& text, const MachineSpec& machine) {
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code) FAIL(render(code.errors(), sources) << text);
  RunOptions options;
  for (const ir::Array& array : code->arrays)
    if (array.space == ir::Space::memory) options.outputs.push_back(array.name);
  fast::FastRun fast_run;
  fast_run.side_by_side = &options.side_by_side;
  TallyKeeper keeper;
  RunCounter counter(*code, machine, sources, options, keeper);
  RunOutcome run = run_with(fast::launcher(fast_run), HostRuns::as_code, *code, machine, options,
                            sources, counter);
  const TalliedRun f{counter.result(std::move(run)), std::move(keeper.launches),
                     std::move(keeper.kernels)};
  DoneAgain outcome;
  outcome.again = fast_run.work.intervals.skipped;
  outcome.halted = fast_run.halted != fast::Halted::no;
  if (outcome.halted) return outcome;
  const TalliedRun r = tallied_reference(*code, machine, options, sources);
  Difference d;
  d.compare("errors", render(f.result.errors, sources), render(r.result.errors, sources));
  d.compare("verdict", static_cast<int>(f.result.verify), static_cast<int>(r.result.verify));
  d.compare_runs(f, r);
  if (f.result.outputs != r.result.outputs)
    d.compare("arrays", std::string("other"), std::string("these"));
  outcome.difference = d.text();
  return outcome;
}

/// A kernel of several blocks whose rounds begin with a copy of a tile and go on with `body`.
std::string rounds(const std::string& body) {
  return R"(memory a[1024]: int = random(0, 99)
memory r[4*p]: int
const odd[5] = [1, 3, 5, 7, 9]
fn twice(x) = x + x
kernel k(q: int) {
  shared s[64], u[64]: int
  var e = 0
  forall i in 0..64 { u[i] = i }
  for t = 0 to 8 {
    forall i in 0..8, j in 0..8 { s[i*8 + j] = a[block*64 + t*7 + i*16 + j] }
)" + body +
         R"(    barrier
  }
  r[block*threads + thread] = e
}
main { launch k(3) blocks=4 }
verify { assert r[0] == r[0] }
)";
}

} // namespace

TEST_CASE("repeated intervals are replayed for all kinds of computation") {
  const std::string bodies[] = {
      // A product of tiles, in rows as long as a warp and not.
      R"(    forall i in 0..8, j in 0..8 { for x = 0 to 7 { u[i*8 + j] += s[i*8 + x]*s[x*8 + j] } }
    forall i in 0..16, j in 0..4 { for x = 0 to 3 { u[i*4 + j] += s[i*4 + x]*s[x*4 + j] } }
)",
      // Lanes that keep their values.
      "    if thread < 11 { e = e + s[thread] } else { e = e - 1 }\n",
      "    if thread % 3 == 1 { e = s[thread % 64] }\n",
      // A value that the interval does not use continues after it.
      "    let f = thread*3 % 7\n    barrier\n    e = e + f*s[f]\n",
      // Patterns, and data that picks from a table.
      "    forall i in 0..64 { u[i] = max(s[i], i*i % 31) + odd[s[i] % 5] }\n",
      // Threads' own arrays, and fns.
      "    var x[3]: int\n    x[t % 3] = s[thread % 64]\n    e = twice(e) + x[0] - x[q - 1]\n",
      // Two intervals that alternate.
      "    forall i in 0..32 + 32*(t % 2) { u[i] = s[63 - i] }\n",
      // Words without a pattern, checked for races one by one.
      "    forall i in 0..59 { u[i*i*i % 59] = s[i] }\n",
      "    forall i in 0..64 { u[i xor 5] = s[i xor 9] + a[i xor t] }\n"};
  for (const std::string& body : bodies)
    for (const Model model : {Model::dmm, Model::hmm})
      for (const std::int64_t threads : {8, 20, 64, 96}) {
        const std::string text = rounds(body);
        MachineSpec machine = machine_of_8(model, threads);
        if (threads == 20) machine.instruction_cost = Cycles{2};
        const DoneAgain outcome = run_recorded(text, machine);
        INFO(text << "model " << name_of(model) << ", " << threads << " threads");
        CHECK(outcome.difference.empty());
        CHECK_FALSE(outcome.halted);
        CHECK(outcome.again > 10);
      }
}

TEST_CASE("an interval whose requests depend on data is not replayed") {
  // The only repeated interval.
  const std::string text = R"(memory a[64]: int = random(0, 7)
memory r[4*p]: int
kernel k() {
  shared s[64]: int
  var e = 0
  s[thread] = a[thread]
  barrier
  for t = 0 to 8 { EACH  barrier }
  r[block*threads + thread] = e
}
main { launch k() blocks=4 }
verify { assert r[0] == r[0] }
)";
  const std::string decided[] = {"if s[thread] < 4 { e += s[0] }", "e += s[s[thread]]",
                                 "for x = 0 to s[thread] { e += 1 }"};
  for (const std::string& each : decided) {
    std::string program = text;
    program.replace(program.find("EACH"), 4, each);
    const DoneAgain outcome = run_recorded(program, machine_of_8(Model::hmm, 64));
    INFO(program);
    CHECK(outcome.difference.empty());
    CHECK_FALSE(outcome.halted);
    CHECK(outcome.again == 0);
  }
}

TEST_CASE("an error in one round of many is found") {
  const std::string wrong[] = {
      "    if t == 7 { u[0] = thread }\n",                          // a race
      "    forall i in 0..64 { u[i] = i / max(0, 50 - t*s[i]) }\n", // data divides by zero
      "    forall i in 0..64 { u[i + t/8] = s[i] }\n",              // an index outside
      "    if t > 6 { let x = s[thread % 64]  assert x < 0 }\n"};
  for (const std::string& body : wrong) {
    INFO(body);
    CHECK(run_recorded(rounds(body), machine_of_8(Model::hmm, 64)).halted);
  }
}

namespace {

/// Rounds of random statements, some of which prevent a replay of the interval.
class Rounds : RandomText {
public:
  explicit Rounds(std::uint64_t seed) : RandomText(seed, 61) {}

  std::string body() {
    std::string text;
    for (std::int64_t k = 0; k <= pick(3); ++k) {
      text += pick(2) == 0 ? "    forall i in 0..8, j in 0..8 { " + word("i*8 + j") + " = " +
                                 value() + " }\n"
                           : statement() + (pick(2) == 0 ? "    barrier\n" : "");
    }
    return text + "    barrier\n";
  }

private:
  std::string word(const std::string& index) { return (pick(3) == 0 ? "u[" : "v[") + index + "]"; }
  std::string value() {
    switch (pick(6)) {
    case 0: return "s[(i*" + number(9) + " + j*" + number(9) + ") % 64] + t";
    case 1: return "s[i*8 + j] * (i + " + number(3) + ")";
    case 2: return "a[t*" + number(20) + " + i + j*" + number(9) + "]";
    case 3: return "s[s[j] % 64]";
    case 4: return "i*j + q";
    default: return "max(s[j*8 + i], s[j] - " + number(50) + ")";
    }
  }
  std::string statement() {
    switch (pick(7)) {
    case 0: return "    if thread % " + number(4) + " + 1 == 1 { e = e + s[thread % 64] }\n";
    case 1: return "    if warp == t % 3 { e = e*3 + 1 } else { e = e + s[t] }\n";
    case 2: return "    if s[t] > 50 { e = e + 1 }\n";
    case 3: return "    for x = 0 to " + number(6) + " { e = e + s[(x*thread) % 64] }\n";
    case 4: return "    for x = t to 9 { e = e + a[x*thread % 1024] }\n";
    case 5:
      return "    let f" + std::to_string(names_++) + " = e % 5\n    e = odd[abs(e) % 5] + t\n";
    default: return "    e = max(e, twice(s[thread % 64]))\n";
    }
  }
  int names_ = 0;
};

} // namespace

TEST_CASE("both engines agree on random rounds") {
  std::int64_t again = 0, halted = 0;
  constexpr std::uint64_t programs_of_rounds = 120;
  for (std::uint64_t seed = 1; seed <= programs_of_rounds; ++seed) {
    std::string text = rounds(Rounds(seed).body());
    text.replace(text.find("s[64], u[64]"), 12, "s[64], u[64], v[64]");
    MachineSpec machine = machine_of_8(seed % 3 == 0 ? Model::dmm : Model::hmm,
                                       static_cast<std::int64_t>(8 + seed * 11 % 90));
    machine.instruction_cost = Cycles{static_cast<std::int64_t>(seed % 2)};
    const DoneAgain outcome = run_recorded(text, machine);
    INFO(text << "threads " << machine.threads);
    CHECK(outcome.difference.empty());
    again += outcome.again > 0 ? 1 : 0;
    halted += outcome.halted ? 1 : 0;
  }
  CHECK(again > 80);
  CHECK(halted < 20);
}

} // namespace memlane::test
