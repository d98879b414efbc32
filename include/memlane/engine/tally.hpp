// What a launch delivers: how often each instruction was executed, what its requests took, and
// where the time of each memory unit went. All counts of all models are derived from it (room
// `count`), with what the code says of its instructions.
#pragma once

#include "memlane/engine/account.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/support/units.hpp"

#include <cstdint>
#include <vector>

namespace memlane {

/// Executions of an instruction by warps with an active thread, and by active threads.
struct Executions {
  std::int64_t warps = 0;
  std::int64_t threads = 0;

  bool operator==(const Executions&) const = default;
};

/// Requests that took as many stages (configs/README.md section 2).
struct EqualRequests {
  std::int64_t stages = 0;
  std::int64_t requests = 0;

  bool operator==(const EqualRequests&) const = default;
};

/// The requests of one memory instruction.
struct RequestTally {
  std::vector<EqualRequests> by_stages; ///< rising in stages
  std::int64_t concurrent_writes = 0;   ///< words that two or more lanes of one request wrote
  /// Address groups that its requests to a discrete unit touched; of those to a unified one, their
  /// stages. The fast engine counts them where RunOptions::address_groups asks for it.
  std::int64_t groups = 0;

  void add(std::int64_t stages, std::int64_t requests);
  std::int64_t requests() const;
  std::int64_t stages() const;
  RequestTally& operator+=(const RequestTally& other);
  bool operator==(const RequestTally&) const = default;
};

/// What warps executed. The vectors are empty where none did.
struct Tally {
  std::vector<Executions> executed; ///< by instruction
  /// By memory instruction, in the order of the code (memory_instructions): a `defer` has the
  /// requests of its stores, which a `drain` makes.
  std::vector<RequestTally> requests;
  /// By statement, of those that perform `sometimes` (ir::Performs): executions by warps that
  /// performed neither a counted operator nor an access to a memory array.
  std::vector<std::int64_t> silent;

  /// The request tally of memory instruction number `site`, which is made if it is not there.
  RequestTally& of_site(std::size_t site);
  Tally& operator+=(const Tally& other);
  bool operator==(const Tally&) const = default;
};

/// One launch. Multiprocessors that executed nothing have an empty tally.
struct LaunchTally {
  const ir::Function* kernel = nullptr; ///< none: of a trace
  Cycles time{0};                       ///< its launch_cost included
  std::int64_t barriers = 0;            ///< released, summed over blocks
  std::int64_t shared_words = 0;        ///< of a block
  /// The blocks g of number g mod d: the static schedule's multiprocessors (configs/README.md
  /// section 4).
  std::vector<Tally> multiprocessors;
  /// The requests by the multiprocessor that ran the block, where the dynamic schedule decided it;
  /// else empty.
  std::vector<std::vector<RequestTally>> dynamic;
  std::vector<UnitAccount> shared; ///< one a multiprocessor; empty where the machine has none
  std::vector<UnitAccount> global; ///< one, or empty

  /// Another launch of the same kernel.
  LaunchTally& operator+=(const LaunchTally& other);
};

/// Sums, element by element; the longer one gives the length.
void add_requests(std::vector<RequestTally>& sums, const std::vector<RequestTally>& others);

/// The instructions of a kernel that make requests: loads, stores, deferred stores.
std::vector<std::size_t> memory_instructions(const ir::Function& kernel);

} // namespace memlane
