// Numbers of queries in sentences and tables.
#pragma once

#include "memlane/sweep/store.hpp"

#include <string>

namespace memlane {

/// Powers of two from 2^10 on as `2^20`; whole numbers as they are; others with three significant
/// digits; nothing as `none`.
std::string cell_in_words(const sweep::Cell& cell);

} // namespace memlane
