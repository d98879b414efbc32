// Relations between the AGPU and other models of computation, for one program: what the theorems of
// [K] chapters 2 and 3 (Koike 2015) say about a run, in numbers.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/claim/prices.hpp"
#include "memlane/points/point.hpp"
#include "memlane/show/run_report.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
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

/// Sums over launches, in time units after [K] (configs/README.md section 6), under other
/// assignments of their blocks. A block stands for all blocks of one of the run's multiprocessors:
/// for itself if no launch has more.
struct ScheduleSums {
  std::int64_t most_blocks = 0;                ///< of a launch
  std::int64_t most_code = 0;                  ///< instructions of a launched kernel
  std::int64_t work = 0;                       ///< q: all blocks
  std::int64_t depth = 0;                      ///< t: the longest block of each launch
  std::int64_t greedy = 0;                     ///< each block goes to the next free multiprocessor
  std::map<std::int64_t, std::int64_t> merged; ///< by c: block j goes to multiprocessor j mod c
};

/// An AGPU that differs from the asked one: multiprocessors, volatile.
using MachineVariant = std::pair<std::int64_t, bool>;

/// A run of the program whose names k, p, M and the like keep the values of the asked machine.
struct VariantRun {
  MachineSpec machine;
  RunResult result;
  ScheduleSums schedules;
};

struct Relations {
  std::map<MachineVariant, VariantRun> runs;
  RunResult run;                             ///< on the asked machine
  std::int64_t work = 0;                     ///< ScheduleSums::work of `run`
  std::optional<std::int64_t> depth, greedy; ///< none if blocks were not run apart
  std::vector<Relation> relations;           ///< empty if a run did not come to its end
  std::optional<VariantRun> failed; ///< a run that did not come to its end, or with a wrong result

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

/// The relations of runs that came to their end, in the order of [K].
std::vector<Relation> relation_list(const RelationsRequest& request, const Relations& sums);

/// Multiprocessors of the smaller machines of Theorem 3.9: powers of two below k, 1 among them, at
/// most eight.
std::vector<std::int64_t> fewer_multiprocessors(std::int64_t multiprocessors);

} // namespace memlane::sweep

namespace memlane {

struct RelationsReport {
  RunReport asked; ///< the run on the machine that was asked for
  sweep::Relations relations;
};

/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json relations_schema();
nlohmann::ordered_json relations_line_schema();
/// Any of the formats, ending with a line end. csv and jsonl: a relation a line.
std::string render_relations(const RelationsReport& report, Format format);

} // namespace memlane
