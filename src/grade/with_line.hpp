// Messages in a sentence, for tables and grade books.
#pragma once

#include "memlane/support/diagnostic.hpp"

#include <string>

namespace memlane::grade {

/// `line 12: index 64 is outside array c`; with two places `lines 12 and 14: race at c[3]: …`.
std::string with_line(const Diagnostic& message, const Sources& sources);

} // namespace memlane::grade
