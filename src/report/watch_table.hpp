// What --watch recorded, as text and JSON.
#pragma once

#include "memlane/count/watch.hpp"
#include "memlane/support/json_table.hpp"

#include <string>

namespace memlane {

const schema::Table<WatchRecord>& watch_table();
/// For people, part by part, in 80 columns unless a value is longer.
std::string watch_text(const WatchRecord& record);

} // namespace memlane
