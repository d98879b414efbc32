// The layout with the fewest stages for some requests, as people and programs read it.
#pragma once

#include "memlane/show/bank_report.hpp"
#include "memlane/support/json_table.hpp"

namespace memlane {

const schema::Table<BankSearchReport>& bank_search_table();
/// Text, Markdown or LaTeX; other formats: text.
std::string render_bank_search(const BankSearchReport& report, Format format);

} // namespace memlane
