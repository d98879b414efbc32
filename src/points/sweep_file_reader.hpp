// Parts of the reader of sweep files.
#pragma once

#include "axis_values.hpp"

#include "memlane/points/sweep_file.hpp"
#include "memlane/support/json_record.hpp"

#include <string>
#include <string_view>

namespace memlane::sweep {

using schema::any_of, schema::Json, schema::map, schema::some;

/// How a fn is written in a sweep file.
inline constexpr const char* fn_form = "write the fn without its name: \"(x, y) = max(x, y)\"";

// --- values (sweep_file.cpp)

/// The text of a value with its place. A string with escapes becomes a text of its own, in which
/// places are those of its characters.
PlacedText placed(const JsonPlace& place);
/// A path of the file, as this process reads it; other names stay.
std::string beside_file(const JsonPlace& place, std::string_view ending);

// --- axes (sweep_file_axes.cpp)

/// The object with the values of an axis.
const Record<SweepAxis>& axis_record();
Json axis_schema();
void read_axes(const JsonPlace& place, SweepSpec& sweep);
void read_zip(const JsonPlace& place, SweepSpec& sweep);
void read_inputs(const JsonPlace& place, SweepSpec& sweep);

} // namespace memlane::sweep
