// fns with blocks have equal values as constants, in threads, in host code and in claims.
#include "compiling.hpp"
#include "difference.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/check.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/parse.hpp"

namespace memlane::test {

namespace {

constexpr std::uint64_t fn_programs = tried(120);

/// Errors of a run of the program; empty: none.
std::string wrong_with(const std::string& text, const MachineSpec& machine) {
  Sources sources;
  const auto file = sources.add("fns.lane", text);
  auto program = lang::parse_text(sources, file);
  if (!program) return render(program.errors(), sources);
  const auto checked = lang::check(sources, std::move(*program), claim_counts());
  if (!checked) return render(checked.errors(), sources);
  const auto code = lang::lower(*checked, {letters(machine), machine.name, {}}, sources);
  if (!code) return render(code.errors(), sources);
  RunOptions options;
  const TalliedRun whole = tallied_reference(*code, machine, options, sources);
  const RunResult& reference = whole.result;
  const auto fast = tallied_fast(*code, machine, options, sources);
  std::string wrong = render(reference.errors, sources);
  if (reference.verify != Verdict::passed) wrong += "verify did not pass\n";
  if (!fast) return wrong + "the fast engine left the run to the reference engine\n";
  Difference difference;
  difference.compare("verdict", static_cast<int>(fast->result.verify),
                     static_cast<int>(reference.verify));
  difference.compare_runs(*fast, whole);
  wrong += difference.text();
  for (const ClaimOutcome& claim :
       evaluate_claims(*checked, sources, {&*code, &machine, &reference}))
    if (claim.verdict != ClaimVerdict::holds) wrong += "a claim: " + claim.reason + "\n";
  return wrong;
}

} // namespace

TEST_CASE("fns with blocks have the same values wherever they are computed") {
  for (std::uint64_t seed = 0; seed < fn_programs; ++seed) {
    const std::string text = fn_program(seed);
    const std::string wrong = wrong_with(text, random_machine(seed));
    INFO("seed " << seed << "\n" << text);
    CHECK(wrong == "");
  }
}

} // namespace memlane::test
