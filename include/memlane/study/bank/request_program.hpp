// A program whose only request is the one that `memlane bank` shows, for the playground.
#pragma once

#include "memlane/study/bank/bank.hpp"

#include <string>

namespace memlane {

/// The program's text: values of -D are its parameters, and its array has rows, so that layouts can
/// be chosen. `command` asks for it. Requires a query that report_of accepts with this report.
/// Errors: its array is larger than a page shows.
Result<std::string> request_program(const BankQuery& query, const BankReport& report,
                                    const std::string& command);

} // namespace memlane
