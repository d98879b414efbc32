// What `memlane bank` is asked for.
#pragma once

#include "options.hpp"
#include "program.hpp"
#include "results.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

struct BankCommand {
  std::string expression, active;
  std::vector<NameAndValue> parameters;
  std::vector<std::string> definitions; ///< the same, as they were written
  std::vector<MachineSelection> machines;
  std::vector<std::int64_t> shape; ///< of --shape; empty: not given
  std::int64_t row = 0;            ///< of --row; 0: not given
  std::int64_t warp = 0, bytes = 4;
  std::vector<ResultTarget> targets;
};

std::vector<Option> bank_options();
/// Errors stay in `options`.
BankCommand read_bank_command(OptionReader& options);

} // namespace memlane::cli
