// Words that explanations of runs are made of.
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane {

/// `12.5 %`; of nothing 0.
std::string percent(std::int64_t part, std::int64_t whole);
/// `2.53`; without decimals from 100 on. Requires after > 0, else `infinitely many`.
std::string times_as_fast(std::int64_t before, std::int64_t after);
/// `a`, `a and b`, `a, b and c`.
std::string joined(const std::vector<std::string>& parts);
/// What extra stages come from: `bank conflicts`, `requests to several address groups`.
std::string conflicts_of(UnitId unit, Model model);
/// Lines of at most 80 columns, each indented, ending with a line end. A word that is longer than a
/// line has a line of its own.
std::string paragraph_text(const std::string& text, std::size_t indent);

} // namespace memlane
