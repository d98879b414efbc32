// The values of a tuning with what their runs gave, from a store.
#pragma once

#include "tune_plans.hpp"
#include "tune_request.hpp"

#include "memlane/report/tuning.hpp"
#include "memlane/sweep/store_query.hpp"

#include <vector>

namespace memlane::cli {

/// The axes of the report: values as the plans evaluated them, as they are written where these
/// differ.
std::vector<sweep::TunedAxis> tuned_axes(const TuneRequest& request,
                                         const std::vector<TunedPlan>& plans);
/// Fills the rows of a machine, and that of the naive program. Requires that the store has the
/// columns of its measures.
Status read_rows(const TuneRequest& request, const TunedPlan& tuned, std::size_t number,
                 sweep::StoreReader& reader, TunedMachine& machine);

} // namespace memlane::cli
