// Names of PTX as their sources have them.
#pragma once

#include <string>

namespace memlane::ptx {

/// `add(float*, int)` of `_Z3addPfi`; what is no such name stays.
std::string readable_name(const std::string& symbol);

/// The name of a function alone: `add` of `_Z3addPfi`, `own::add<float>` of a template.
std::string source_name(const std::string& symbol);

/// The name of an array in shared memory: `part` of `_ZZ5tiledPfPKfiE4part`.
std::string shared_array_name(const std::string& symbol);

} // namespace memlane::ptx
