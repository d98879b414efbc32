// The parts of emitted files that are the same in all of them.
#pragma once

#include "memlane/machine/spec.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memlane::cuda {

/// What is included, and of the prelude the parts that declare functions which are called.
std::string prelude_of(const std::set<std::string>& called);
/// The harness without what it includes.
std::string harness_part();

/// What a line of measurements says of a program, without its parameters: members of JSON.
std::string facts_json(const std::string& program, const std::string& sha256,
                       const std::string& variant,
                       const std::vector<std::pair<std::string, std::string>>& replaced,
                       const MachineSpec& machine, const std::string& problem);

} // namespace memlane::cuda
