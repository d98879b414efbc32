// Cells of a store as numbers of formulas, and back.
#pragma once

#include "memlane/lang/exact/number.hpp"
#include "memlane/store/store.hpp"
#include "memlane/support/result.hpp"

#include <optional>
#include <string>

namespace memlane {

/// An integer exactly, a real number as the shortest decimal that reads as it. None: the cell holds
/// no finite number.
std::optional<exact::Number> exact_number(const sweep::Cell& cell);
/// An integer of 64 bits, else the nearest double.
sweep::Cell cell_of_number(const exact::Number& number);
/// Of a formula over a column of texts; `option` holds the formula.
Diagnostic text_in_formula(const std::string& option, const std::string& column);

} // namespace memlane
