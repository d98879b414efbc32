// The option --timing-only: exact time and counts without the data.
#pragma once

#include "arguments.hpp"

#include "memlane/ir/program.hpp"

#include <initializer_list>

namespace memlane::cli {

std::vector<Option> timing_only_options();

/// Errors: an option is given beside it that needs data, or the reference engine.
Status check_timing_only(const Arguments& arguments, std::initializer_list<std::string_view> needs);

} // namespace memlane::cli
