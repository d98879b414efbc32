#include "accessed.hpp"

#include "memlane/machine/stages.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {
namespace {

/// The stage of each word: a unit with banks takes the k-th distinct word of each bank in stage k,
/// and lanes of several words in pieces, one after the other; the other kind takes one address
/// group a stage (configs/README.md sections 2 and 10).
void split_request(AccessedMemory& memory) {
  const Timeline::Request& request = memory.request;
  const std::int64_t width = memory.timeline.width;
  const auto piece_of = [&, lanes = std::max<std::int64_t>(1, width / request.words_of_lane)](
                            std::int64_t lane) { return memory.has_banks() ? lane / lanes : 0; };
  std::int64_t piece = 0, first = 0, end = 0; // of stages
  std::map<std::int64_t, std::int64_t> taken; // stages of a bank, or the stage of a group
  std::set<std::int64_t> of_piece;
  for (std::int64_t lane = 0; lane < static_cast<std::int64_t>(request.addresses.size()); ++lane) {
    const std::int64_t begin = request.addresses[static_cast<std::size_t>(lane)];
    if (begin < 0) continue;
    if (piece_of(lane) != piece) {
      piece = piece_of(lane);
      first = end;
      taken.clear();
      of_piece.clear();
    }
    for (std::int64_t address = begin; address < begin + request.words_of_lane; ++address) {
      AccessedWord& word = memory.words[address];
      if (of_piece.insert(address).second) {
        const std::int64_t stage =
            memory.has_banks()
                ? first + taken[address % width]++
                : taken.try_emplace(address / memory.row_words, taken.size()).first->second;
        if (word.lanes.empty()) word.stage = stage;
        memory.stages.insert(stage);
        end = std::max(end, stage + 1);
      }
      word.lanes.push_back(lane);
    }
  }
}

} // namespace

AccessedMemory accessed_memory(const Timeline& timeline, const Timeline::Request& request) {
  const Timeline::Unit& unit = timeline.units[static_cast<std::size_t>(request.unit)];
  const bool has_banks = unit.kind == UnitKind::discrete;
  AccessedMemory memory{timeline, request,
                        unit,     has_banks ? timeline.width : unit.group.value_or(timeline.width),
                        {},       {}};
  split_request(memory);
  return memory;
}

// picture.js has the same sentence; tests/timeline/memory_text_test.cpp compares them.
std::string access_sentence(const AccessedMemory& memory, const Sources& sources) {
  const Timeline::Request& request = memory.request;
  std::set<std::int64_t> banks, groups, lanes;
  for (const auto& [address, word] : memory.words) {
    banks.insert(address % memory.timeline.width);
    groups.insert(address / memory.row_words);
    lanes.insert(word.lanes.begin(), word.lanes.end());
  }
  const auto words = static_cast<std::int64_t>(memory.words.size());
  const auto filled = static_cast<std::int64_t>(memory.stages.size());
  const std::int64_t needed = needed_stages(words, memory.row_words);
  const auto count = [](const std::set<std::int64_t>& all, const char* noun) {
    return counted(static_cast<std::int64_t>(all.size()), noun);
  };
  std::string rest = "one stage delivers all of them.";
  if (filled < request.stages)
    rest =
        fmt::format("its words need {}, and the request takes {}: lanes of an atomic take turns, "
                    "or the unit takes more stages of each request.",
                    counted(filled, "stage"), request.stages);
  else if (request.stages > 1)
    rest =
        fmt::format("{}, so the request takes {} stages{}",
                    memory.has_banks() ? "a bank delivers one word a stage"
                                       : fmt::format("a stage delivers one {}", memory.row_noun()),
                    request.stages,
                    request.stages > needed ? fmt::format(" instead of {}.", needed)
                                            : ", the fewest for so many words.");
  return fmt::format(
      "{}{} of a warp {} {}{} in {}; {}",
      request.span.known() ? fmt::format("Line {}: ", sources.begin(request.span).line) : "",
      count(lanes, "lane"),
      std::string(request.write ? "write" : "read") + (lanes.size() == 1 ? "s" : ""),
      counted(words, "word"),
      request.array ? " of " + memory.timeline.arrays[static_cast<std::size_t>(*request.array)].name
                    : "",
      memory.has_banks() ? count(banks, "bank") : count(groups, memory.row_noun()), rest);
}

} // namespace memlane
