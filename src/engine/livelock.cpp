// Livelocks: found by the warps that repeat their states, told with why no other warp can end them.
#include "kernel_stream.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace memlane {

namespace {

/// Rounds without a change of memory before a state is kept.
constexpr std::int64_t first_kept = 64;

} // namespace

WarpRepeats::Found WarpRepeats::round_ends(const Lanes& lanes, std::uint64_t changes,
                                           Budget& budget) {
  if (changes_ != changes || rounds_ == 0) {
    changes_ = changes;
    rounds_ = 0;
    next_ = first_kept;
    repeats_ = false;
  }
  if (repeats_) return Found::nothing;
  if (++rounds_ == next_) { // each twice as late: a cycle may begin late and be long
    next_ = keep(lanes, budget) ? 2 * next_ : INT64_MAX;
    return Found::nothing;
  }
  if (rounds_ < first_kept || next_ == INT64_MAX || !lanes.is_in(*kept_)) return Found::nothing;
  if (reads_ == reads_before_) return Found::alone;
  repeats_ = true;
  barrier_ = barriers_ != barriers_before_;
  return Found::repeats;
}

/// False: there is no memory for the state.
bool WarpRepeats::keep(const Lanes& lanes, Budget& budget) {
  const std::int64_t more = lanes.bytes_of_state() - bytes_;
  if (more > budget.limits->memory - budget.bytes) return false;
  if (more > 0) {
    budget.bytes += more;
    bytes_ += more;
  }
  kept_ = lanes.state();
  reads_before_ = reads_;
  barriers_before_ = barriers_;
  return true;
}

/// Called at the end of each round of a loop. True, with a fault: the launch never ends.
bool KernelStream::round_ends(Warp& warp) {
  if (!warp.queue.empty()) return false; // stores wait: a part of its state
  const auto found = warp.repeats.round_ends(warp.lanes, changes_, run_.budget);
  if (found == WarpRepeats::Found::nothing) return false;
  const bool alone = found == WarpRepeats::Found::alone;
  if (!alone && !in_order_ && !all_repeat()) return false;
  std::vector<std::string> help = {"it reads no word, so nothing can end the loop"};
  if (!alone) help = why_none_goes_on(warp);
  const auto mask = warp.lanes.mask();
  const auto active = std::find(mask.begin(), mask.end(), std::uint8_t{1});
  warp.lanes.fail(static_cast<int>(active - mask.begin()),
                  fmt::format("livelock: warp {} repeats the same state for ever", warp.number),
                  std::move(help));
  return true;
}

/// Who waits for which word, what the other warps do that have not ended, and what would help.
std::vector<std::string> KernelStream::why_none_goes_on(const Warp& found) const {
  std::vector<std::string> help = waited_words(found);
  if (in_order_) {
    help.emplace_back("this launch is computed block by block, and between two barriers warp by "
                      "warp: no loop may wait for a later one");
    help.emplace_back("let blocks wait for those before them, which they know by a ticket: "
                      "let number = atomic tickets[0] += 1");
    return help;
  }
  std::int64_t others = -1, waiting = 0; // excludes the one that is reported
  for (const auto& block : blocks_)
    for (const Warp& warp : block.second.warps) {
      others += warp.ended ? 0 : 1;
      waiting += warp.at_barrier ? 1 : 0;
    }
  help.emplace_back("no word changes any more, so no loop that waits for one ends");
  if (others > 0)
    help.push_back(fmt::format("of {} that {} not ended, {} at a barrier, the rest in such loops",
                               counted(others, "other warp"), others == 1 ? "has" : "have",
                               waiting));
  if (started_ == shape_.blocks) {
    help.emplace_back("let a warp that does not wait write the word, or a launch before this one");
    return help;
  }
  help.push_back(fmt::format("{} of {} blocks have started: a block must not wait for a later one, "
                             "which may start only when it has ended",
                             started_, shape_.blocks));
  help.emplace_back(
      "let blocks wait for those before them, or launch no more of them than start at once");
  return help;
}

/// By word and line, the blocks whose loops wait: `blocks 1 and 2 wait for flag[0], read in line
/// 6`.
std::vector<std::string> KernelStream::waited_words(const Warp& found) const {
  constexpr std::size_t most = 4; // words, and blocks of a word
  std::map<std::pair<std::string, std::int32_t>, std::vector<std::string>> blocks;
  for (const auto& [id, block] : blocks_)
    for (const Warp& warp : block.warps) {
      if (warp.ended || warp.at_barrier || (in_order_ && &warp != &found)) continue;
      const WarpRepeats::Read& read = warp.repeats.latest_read();
      const ir::Instruction& in = at(read.site);
      const auto array = static_cast<std::size_t>(in.immediate);
      const std::string word = element_name(run_.program.arrays[array].name,
                                            run_.memory.arrays[array].extents, read.element);
      auto& of_word = blocks[{word, run_.sources.begin(in.span).line}];
      if (of_word.empty() || of_word.back() != std::to_string(id))
        of_word.push_back(std::to_string(id));
    }
  std::vector<std::string> told;
  for (const auto& [word, waiting] : blocks) {
    if (told.size() == most) {
      told.push_back(fmt::format("others wait for {} more words", blocks.size() - most));
      break;
    }
    std::vector<std::string> some(waiting.begin(),
                                  waiting.begin() +
                                      static_cast<std::ptrdiff_t>(std::min(most, waiting.size())));
    if (waiting.size() > most) some.push_back(fmt::format("{} others", waiting.size() - most));
    told.push_back(fmt::format("{} {} {} for {}, read in line {}",
                               waiting.size() == 1 ? "block" : "blocks", fmt::join(some, ", "),
                               waiting.size() == 1 ? "waits" : "wait", word.first, word.second));
  }
  return told;
}

bool KernelStream::all_repeat() const {
  return std::all_of(blocks_.begin(), blocks_.end(),
                     [&](const auto& block) { return never_ends(block.second); });
}

/// Whether each warp that has not ended repeats its states, or waits at a barrier for one that does
/// and never arrives there.
bool KernelStream::never_ends(const Block& block) const {
  bool waits = false, keeps_waiting = false;
  for (const Warp& warp : block.warps) {
    if (warp.ended) continue;
    if (warp.repeats.repeats(changes_))
      keeps_waiting = keeps_waiting || warp.repeats.without_barrier();
    else if (warp.at_barrier)
      waits = true;
    else
      return false;
  }
  return !waits || keeps_waiting;
}

} // namespace memlane
