// Relations between the AGPU and other models of computation, for one program: what the theorems of
// [K] chapters 2 and 3 (Koike 2015) say about a run, in numbers.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/claim/prices.hpp"
#include "memlane/points/point.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

/// Where both sides of a relation come from.
enum class Basis {
  run,          ///< counted in runs of the program
  evaluated,    ///< one side at least is a formula of counts
  not_evaluated ///< see Relation::note
};
/// `run`, `evaluated`, `not_evaluated`.
std::string_view name_of(Basis basis);

struct Relation {
  std::string source;                            ///< in [K]: `Theorem 3.9`
  std::string statement;                         ///< names both sides
  lang::ClaimKind kind = lang::ClaimKind::equal; ///< or at_most
  ClaimValue left = {}, right = {};              ///< empty texts where there are none
  std::optional<bool> holds = {};                ///< none without two sides
  Basis basis = Basis::evaluated;
  std::string note = {};
};

/// A run of the program whose names k, p, M and the like keep the values of the asked machine.
struct RelationRun {
  std::int64_t multiprocessors = 1;
  bool is_volatile = true;
  ModelCounts counts = {};
};

/// A run that did not come to its end, or whose verify failed.
struct FailedRun {
  MachineSpec machine;
  RunResult run;
};

struct Relations {
  RunResult run;         ///< on the asked machine
  std::int64_t work = 0; ///< q: time units of all multiprocessors
  /// t: of each launch the longest block. As `greedy` none if blocks were not run apart.
  std::optional<std::int64_t> depth;
  /// The time if each block goes to the next free multiprocessor, in the order of blocks.
  std::optional<std::int64_t> greedy;
  std::vector<RelationRun> runs;
  std::vector<Relation> relations; ///< empty if a run did not come to its end
  std::optional<FailedRun> failed;

  /// No relation is refuted.
  bool hold() const;
};

struct RelationsRequest {
  Point point; ///< bound, on an AGPU
  PointRuns runs = {};
  std::optional<PriceRequest> price = {}; ///< of PEM
};

/// Runs the program on the machine, on fewer multiprocessors, on one that is volatile and one that
/// is not, and on one for each block; about twelve runs in all.
Relations relations_of(const RelationsRequest& request, const Sources& sources);

/// Multiprocessors of the smaller machines of Theorem 3.9: powers of two below k, 1 among them, at
/// most eight.
std::vector<std::int64_t> fewer_multiprocessors(std::int64_t multiprocessors);

} // namespace memlane::sweep
