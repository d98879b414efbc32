// Measurements of a GPU as rows of a store, beside those of the model.
#pragma once

#include "memlane/store/store.hpp"
#include "memlane/study/gpu/measurements.hpp"

#include <vector>

namespace memlane {

/// The columns of a measured row. A store of results has them, too: model and GPU are side by side.
const std::vector<sweep::StoreColumn>& measured_columns();
/// A measured point as such a row. Another measurement of the same kernel on the same device has
/// the same key, and replaces it.
sweep::StoredPoint measured_row(const measure::MeasuredPoint& point, const Sources& sources);

} // namespace memlane
