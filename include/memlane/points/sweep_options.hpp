// A sweep from the command line, alone or beside a sweep file.
#pragma once

#include "memlane/points/sweep_spec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

/// The words and options of `memlane sweep`, as they were written.
struct SweepOptions {
  std::vector<std::string> programs;
  std::vector<std::string> commands; ///< `cuda ./my {n}`, beside the programs
  std::vector<std::string> machines;
  std::vector<std::string> definitions; ///< -D: `n=2^10..2^20:pow2`, `p=32,64`
  std::vector<std::string> settings;    ///< --set: `shared.latency=1,10`
  std::vector<std::string> layouts;     ///< `t=rows,padded(1)`
  std::vector<std::string> types;       ///< `value=int,float`
  std::vector<std::string> fns;         ///< `combine(x, y) = max(x, y)`
  std::vector<std::string> inputs;      ///< `a=x.npy,descending`
  std::string where;
  std::optional<std::int64_t> seeds; ///< 1 to this number
  bool timing_only = false;
  bool verify = true;
  bool allow_races = false;
  bool pram = false;
  std::vector<PriceRequest> prices;
};

/// The sweep of the options alone; `standard_machine` where there is no -m. A repeated axis adds
/// its values. Errors: a value or range that is none, all of them together.
Result<SweepSpec> read_sweep_options(Sources& sources, const SweepOptions& options,
                                     const std::string& standard_machine);

/// The sweep of a file, with the options in place of what it says: an axis of an option replaces
/// the file's, or is added as the last; machines, condition, seeds and the price of a model replace
/// the file's. Errors: those of the options, and a program; an axis that advances together with
/// another.
Result<SweepSpec> change_sweep(Sources& sources, SweepSpec sweep, const SweepOptions& options);

/// Whole numbers under a name, as `n=64,256`, `n=1..33:2` or `n=2^4..2^12:pow2` write them.
struct NamedNumbers {
  std::string name;
  std::vector<std::int64_t> values; ///< their order and repetitions are those written
  Span span;                        ///< where all values are written
};

/// The numbers of an option's `NAME=VALUES`, read as the values of an axis. Errors: a value or
/// range that is none; more than `most` values.
Result<NamedNumbers> read_named_numbers(Sources& sources, const char* option,
                                        const std::string& text, std::int64_t most);

/// More values of an axis behind the greatest, or before the least, as an option writes them.
/// Empty: texts and numbers below 1 do not go on.
std::string more_values(const SweepAxis& axis, bool beyond_greatest);

} // namespace memlane::sweep
