#include "memlane/count/derive.hpp"

namespace memlane {

std::int64_t count_operators(const LaunchTally& tally, const CodeFacts& facts) {
  std::int64_t operators = 0;
  for (const Tally& of_mp : tally.multiprocessors) {
    if (of_mp.executed.empty()) continue;
    for (const OperatorFacts& in : facts.operators) // a trace may say that there were 2^63
      if (__builtin_add_overflow(operators, of_mp.executed[in.instruction].warps, &operators))
        operators = INT64_MAX;
  }
  return operators;
}

} // namespace memlane
