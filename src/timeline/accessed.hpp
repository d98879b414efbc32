// What one request accesses: the words, their lanes and their stages.
#pragma once

#include "memlane/timeline/timeline.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace memlane {

/// A word that a request accesses.
struct AccessedWord {
  std::vector<std::int64_t> lanes; ///< rising
  std::int64_t stage = 0;          ///< in which it enters
};

/// Refers to the timeline.
struct AccessedMemory {
  const Timeline& timeline;
  const Timeline::Request& request;
  const Timeline::Unit& unit;
  std::int64_t row_words;                     ///< of an address group or line
  std::map<std::int64_t, AccessedWord> words; ///< by address
  std::set<std::int64_t> stages;              ///< that have a word

  bool has_banks() const { return unit.kind == UnitKind::discrete; }
  /// What a row is, and a stage of a unit without banks.
  const char* row_noun() const { return unit.is_own_port() ? "line" : "address group"; }
};

/// Splits a request of the timeline, as `stages_of` in src/pages/timeline/state.js.
AccessedMemory accessed_memory(const Timeline& timeline, const Timeline::Request& request);

/// What the request accesses, and why it takes its stages: one sentence.
std::string access_sentence(const AccessedMemory& memory, const Sources& sources);

} // namespace memlane
