// The key of a point: a hash of all that its result depends on.
#pragma once

#include "memlane/points/point.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// Names and texts.
using Texts = std::vector<std::pair<std::string, std::string>>;

/// The parameters of bound code, or of a plan, with their values as texts.
Texts parameter_texts(const std::vector<ir::Constant>& parameters);

/// The parts of a point's key, which has its hashes of inputs. `parameters`: all of the program.
/// Neither paths nor limits nor the engine are part of it.
Texts key_parts_of(const Point& point, const Texts& parameters);

/// Texts of --price with blanks between, in an order of their own; empty: there are none.
std::string prices_text(const std::vector<PriceRequest>& prices);

/// Whether every run has the same result on both: they may differ in their names and texts.
bool same_machine(const MachineSpec& a, const MachineSpec& b);

/// 64 hexadecimal digits.
std::string key_of(const Texts& parts);

} // namespace memlane::sweep
