// A run as a store of results keeps it.
#pragma once

#include "memlane/machine/keys.hpp"
#include "memlane/show/count_groups.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/store/store.hpp"
#include "memlane/support/json_table.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// What a store keeps of a run in columns: the cells of its CSV but the parameters, which are
/// columns by their own names; `program` and `machine` are their names, `path` the program's file;
/// at the end `prices`, what was asked for, `reason`, why it failed, and `command`.
const std::vector<sweep::StoreColumn>& stored_columns();

/// By stored_columns; the report must be of a program. `command`: that repeats the run. Real
/// numbers are stored to the last digit.
std::vector<sweep::Cell> stored_cells(const RunReport& report, const Sources& sources,
                                      std::string_view command = "");

/// The parameters of a program, with their values.
std::vector<std::pair<std::string, sweep::Cell>> stored_parameters(const ProgramInfo& program);

/// A value of a result's JSON; a list or an object as its text.
sweep::Cell cell_of(const schema::Json& value);

/// As the column of a store has a value of a result: fractions and values of machines as numbers.
sweep::Cell stored_cell(std::string_view column, const schema::Json& value);
/// The key that the column `machine_shared_capacity` holds: NULL where the machine has no value for
/// it, or not the key. Null: another column.
const MachineKey* key_of_column(std::string_view column);

/// `sum` for `programs/reduction/sum.lane`.
std::string name_of_file(const std::string& path);

/// The columns of stores that are not counts of a run, with their meanings, for `explain counts`.
CountGroup stored_columns_group();

} // namespace memlane
