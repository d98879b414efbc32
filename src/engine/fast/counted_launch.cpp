#include "counted_launch.hpp"

#include "known_blocks.hpp"
#include "machine_rules.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

namespace memlane::fast {

bool counts_alone(const LaunchRun& launch) {
  const RunOptions* const options = launch.run.options;
  const MachineSpec& machine = launch.run.machine;
  return options && options->known_blocks && !launch.fast.timing_only && !launch.ordered &&
         !launch.run.executions && launch.run.budget.limits->time == INT64_MAX &&
         reference::deals_statically(machine) && !machine.is_beyond_papers();
}

namespace {

class CountedLaunch {
public:
  CountedLaunch(LaunchRun& launch, BlockRunner& runner)
      : launch_(launch), runner_(runner), known_(*launch.run.options->known_blocks) {
    key_ = launch_key(launch.run.program, launch.kernel, launch.shape, launch.formals);
    key_.push_back(0);
    keeps_ = keep_arrays();
  }

  bool run() {
    for (std::int64_t block = 0; block < launch_.shape.blocks; ++block) {
      launch_.blocks_done = block;
      if (!launch_.poll()) return false;
      key_.back() = block;
      const auto variants = known_.find(key_);
      const auto same = std::find_if(variants.begin(), variants.end(),
                                     [&](const auto& variant) { return finds_the_same(*variant); });
      if (same != variants.end() ? !take(**same, block) : !execute(block)) return false;
    }
    return true;
  }

  std::int64_t barriers() const { return barriers_; }

private:
  using Block = KnownBlocks::Block;

  /// What they are before the launch; false: there is no memory for that.
  bool keep_arrays() {
    std::size_t bytes = 0;
    for (std::size_t k = 0; k < launch_.arrays.size(); ++k)
      if (changes(k)) bytes += bytes_of(k, launch_.arrays[k].elements);
    const Budget& budget = launch_.run.budget;
    if (static_cast<std::int64_t>(bytes) > budget.limits->memory - budget.bytes) return false;
    for (std::size_t k = 0; k < launch_.arrays.size(); ++k) {
      const ArrayView& array = launch_.arrays[k];
      if (changes(k)) before_[k].assign(array.data, array.data + bytes_of(k, array.elements));
    }
    return true;
  }
  /// A memory array that the kernel writes to.
  bool changes(std::size_t array) const {
    return launch_.arrays[array].blocks && launch_.facts.written[array];
  }
  std::size_t bytes_of(std::size_t array, std::int64_t elements) const {
    return static_cast<std::size_t>(ir::size_of(launch_.arrays[array].type) * elements);
  }
  /// Whether all words that the block read have what they had then. No other block of the launch
  /// may have written them, or it conflicts.
  bool finds_the_same(const Block& known) const {
    if (known.steps > launch_.run.budget.limits->steps - launch_.run.budget.steps) return false;
    const unsigned char* content = known.contents.data();
    for (const KnownBlocks::Elements& of : known.elements) {
      const std::size_t bytes = bytes_of(of.array, of.last - of.first + 1);
      const unsigned char* present = launch_.arrays[of.array].data + bytes_of(of.array, of.first);
      if (of.kind == AccessKind::read && std::memcmp(content, present, bytes) != 0) return false;
      content += bytes;
    }
    return true;
  }

  bool take(const Block& known, std::int64_t block) {
    const unsigned char* content = known.contents.data();
    for (const KnownBlocks::Elements& of : known.elements) {
      const ArrayView& array = launch_.arrays[of.array];
      const std::size_t bytes = bytes_of(of.array, of.last - of.first + 1);
      if (!array.blocks->set(of.kind, of.first, of.last)) return launch_.fast.halt(Halted::refused);
      if (of.kind == AccessKind::write)
        std::memcpy(array.data + bytes_of(of.array, of.first), content, bytes);
      content += bytes;
    }
    for (const ArrayView& array : launch_.arrays)
      if (array.blocks && !array.blocks->close_block()) return launch_.fast.halt(Halted::refused);
    launch_.tally.clear();
    for (const auto& [kind, number] : known.tally)
      launch_.tally.of(kind)[BlockTally::every] = number;
    const auto mps = static_cast<std::int64_t>(runner_.tallies().size());
    runner_.add_blocks(static_cast<std::size_t>(block % mps), 1, launch_.tally);
    launch_.run.budget.steps += known.steps;
    launch_.fast.work.intervals.add({known.barriers + 1, known.barriers + 1});
    barriers_ += known.barriers;
    return true;
  }

  bool execute(std::int64_t block) {
    const std::int64_t before = launch_.run.budget.steps;
    auto executed = std::make_shared<Block>();
    if (!runner_.start(block)) return false;
    for (Interval interval; !interval.last; executed->barriers += interval.last ? 0 : 1) {
      launch_.logged = 0;
      if (!runner_.advance(interval)) return false;
    }
    executed->steps = launch_.run.budget.steps - before;
    launch_.tally.since({}, [&](BlockTally::Kind kind, int, std::int64_t, std::int64_t number) {
      if (number != 0) executed->tally.emplace_back(kind, number);
    });
    const bool is_kept = keeps_ && note_words(*executed);
    BlockLoads unused;
    if (!runner_.finish(unused)) return false;
    barriers_ += executed->barriers;
    if (is_kept) known_.add(key_, std::move(executed));
    return true;
  }

  /// False: they are too many to keep.
  bool note_words(Block& executed) {
    for (std::size_t k = 0; k < launch_.arrays.size(); ++k) {
      const ArrayView& array = launch_.arrays[k];
      if (!array.blocks) continue;
      const auto before = before_.find(k);
      for (const AccessKind kind : {AccessKind::read, AccessKind::write})
        for (const auto& [first, last] : array.blocks->ranges(kind)) {
          const bool earlier = kind == AccessKind::read && before != before_.end();
          const unsigned char* from = earlier ? before->second.data() : array.data;
          executed.elements.push_back({k, kind, first, last});
          if (executed.bytes() + static_cast<std::int64_t>(bytes_of(k, last - first + 1)) >
              known_.most_bytes())
            return false;
          executed.contents.insert(executed.contents.end(), from + bytes_of(k, first),
                                   from + bytes_of(k, last + 1));
        }
    }
    return true;
  }

  LaunchRun& launch_;
  BlockRunner& runner_;
  KnownBlocks& known_;
  KnownBlocks::Key key_;
  std::map<std::size_t, std::vector<unsigned char>> before_; ///< arrays before the launch
  bool keeps_ = true; ///< there is memory for these: blocks that are executed are known then
  std::int64_t barriers_ = 0;
};

} // namespace

bool run_counted(LaunchRun& launch, BlockRunner& blocks, LaunchTally& tally) {
  CountedLaunch counted(launch, blocks);
  const bool whole = counted.run();
  tally.barriers = counted.barriers();
  return whole;
}

} // namespace memlane::fast
