// What is shipped, by kind, with a line about each: for `list` and for the completion of shells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memlane::cli {

/// What can be listed under a name.
struct Listed {
  std::string name;
  std::string folder; ///< of programs; also selects them
  std::string path;
};

struct Listing {
  std::string_view kind; ///< `programs`
  std::vector<Listed> (*entries)();
  std::string (*about)(const Listed&); ///< a sentence; reads the file
  /// The name of the entry that a number or a short name stands for, as other commands take it;
  /// empty: none. Null: such entries have names alone.
  std::string (*name_of)(const std::string& word) = nullptr;
};

/// The kinds that `list` knows.
const std::vector<Listing>& listings();
/// The one of a kind, or null.
const Listing* find_listing(std::string_view kind);

} // namespace memlane::cli
