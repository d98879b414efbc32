// Fuzzes programs: errors or code, and both engines agree on runs.
#include "fuzz.hpp"
#include "property/compiling.hpp"
#include "property/difference.hpp"

#include "memlane/ir/program.hpp"
#include "memlane/ir/without_data.hpp"

namespace {

using namespace memlane;

RunOptions small_run() {
  RunOptions options;
  options.limits.steps = 20'000;
  options.limits.time = 1'000'000;
  options.limits.memory = 1 << 20;
  return options;
}

void run_both(const ir::Program& code, const MachineSpec& machine, const Sources& sources) {
  Observer observer;
  const RunOptions options = small_run();
  const RunResult reference = simulate(code, machine, options, sources, observer);
  test::require(!render(reference.errors, sources).empty() == !reference.errors.empty());
  const std::optional<RunResult> fast = try_fast(code, machine, options, sources);
  if (!fast) return;
  test::Difference difference;
  difference.compare_counts(*fast, reference);
  if (!difference.text().empty()) std::fputs(difference.text().c_str(), stderr);
  test::require(difference.text().empty() && fast->stop == reference.stop);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The first byte selects the machine, because each model accepts different programs.
  const MachineSpec machine = test::random_machine(size > 0 ? data[0] % 24U : 0U);
  Sources sources;
  const std::string text = test::text_of(data, size);
  const Result<ir::Program> code = test::compiled(sources, text, machine);
  if (!code) {
    test::require(!render(code.errors(), sources).empty());
    return 0;
  }
  test::require(!ir::disassemble(*code, sources).empty());
  static_cast<void>(ir::without_data(*code));
  run_both(*code, machine, sources);
  return 0;
}
