// Sweep files: JSON with places, and their schema. The keys are in configs/README.md.
#pragma once

#include "memlane/points/sweep_spec.hpp"
#include "memlane/support/json_text.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace memlane::sweep {

/// The keys of sweep files, in display order.
std::vector<FileKey> sweep_file_keys();

/// A sweep file that is in `sources`. Returns all independent errors, each with its place and JSON
/// path. Paths in it become relative to where the path of the file is relative to. Adds to
/// `sources` only texts that are written with escapes. Cost: the size of the file. A file without
/// machines has the `machines`, names that are given beside it.
Result<SweepSpec> read_sweep_file(Sources& sources, std::int32_t file,
                                  const std::vector<std::string>& machines = {});
/// The same of an object in another file; `path` is where messages say that it is: `sweep`.
Result<SweepSpec> read_sweep(Sources& sources, const JsonValue& sweep, const std::string& path);

/// The JSON Schema (draft 7) of sweep files: configs/sweep.schema.json.
nlohmann::ordered_json sweep_schema();

} // namespace memlane::sweep
