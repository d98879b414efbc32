// memlane compare --all-models: one program on every model of computation.
#pragma once

#include "command.hpp"
#include "compare_request.hpp"

namespace memlane::cli {

/// Of a comparison: the first of interrupted, error, limit and failed check that some row has.
/// `must_run`: a row that cannot run is an error.
Exit exit_of(const sweep::Comparison& comparison, bool must_run);

/// Runs the program on the machines, or on one of each model, and writes one table. `errors` has
/// those of the request.
Result<Exit> compare_models(CompareRequest& request, ErrorCollector errors, Sources& sources,
                            Console& console);

} // namespace memlane::cli
