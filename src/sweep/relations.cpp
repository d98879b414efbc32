#include "memlane/sweep/relations.hpp"

#include "relation_runs.hpp"

#include "memlane/lang/exact/number.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {
namespace {

using exact::Number;
using Kind = lang::ClaimKind;

Number number(std::int64_t value) { return Number(value); }
Number rounded_up(std::int64_t a, std::int64_t b) { return ceil(number(a) / number(b)); }
ClaimValue side_of(const Number& value) { return {value.text(), value.to_double()}; }

constexpr std::string_view keeps_words =
    "the program needs words that a multiprocessor keeps after a block";
constexpr std::string_view may_keep_words =
    "--timing-only does not find out whether the program needs words that a multiprocessor keeps";

/// The relations of one program, in the order of [K].
class RelationList {
public:
  /// Refers to all of them. `is_kept`: the program was not run on volatile machines.
  RelationList(const RelationsRequest& request, const RelationRuns& runs, bool is_kept)
      : machine_(request.point.machine), k_(machine_.multiprocessors), price_(request.price),
        runs_(runs), is_kept_(is_kept),
        kept_note_(request.point.options.timing_only ? may_keep_words : keeps_words),
        asked_(runs.at({k_, machine_.is_volatile})), counts_(asked_.result.counts),
        used_(counts_.agpu.shared_words), capacity_(machine_.shared->capacity.value_or(0)) {}

  std::vector<Relation> all(const Relations& sums) {
    add_brent(sums);
    add_pem();
    add_pram();
    add_io_model();
    add_kept();
    add_saved();
    add_multithreading();
    return std::move(all_);
  }

private:
  void add(std::string source, std::string statement, Kind kind, const Number& left,
           const Number& right, Basis basis);
  void add_unknown(std::string source, std::string statement, Kind kind, std::string_view note);
  void add_volatile(std::string source, std::string statement, const RunResult* left,
                    const RunResult* right);
  void add_brent(const Relations& sums);
  void add_pem();
  void add_pram();
  void add_io_model();
  void add_kept();
  void add_saved();
  void add_multithreading();
  void add_time_on_fewer(std::int64_t fewer);

  std::int64_t io_of(MachineVariant variant) const {
    return *runs_.at(variant).result.counts.agpu.io;
  }
  /// I/O' of the program on k multiprocessors that are not volatile.
  std::int64_t kept_io() const { return io_of({k_, false}); }

  const MachineSpec& machine_;
  std::int64_t k_;
  std::optional<PriceRequest> price_;
  const RelationRuns& runs_;
  bool is_kept_;
  std::string_view kept_note_;
  const VariantRun& asked_;
  const Counts& counts_;
  std::int64_t used_, capacity_; ///< words that a block uses, words of a shared memory
  std::vector<Relation> all_;
};

void RelationList::add(std::string source, std::string statement, Kind kind, const Number& left,
                       const Number& right, Basis basis) {
  const bool holds = kind == Kind::equal ? left == right : left <= right;
  all_.push_back(
      {std::move(source), std::move(statement), kind, side_of(left), side_of(right), holds, basis});
}

void RelationList::add_unknown(std::string source, std::string statement, Kind kind,
                               std::string_view note) {
  all_.push_back({std::move(source),
                  std::move(statement),
                  kind,
                  {},
                  {},
                  {},
                  Basis::not_evaluated,
                  std::string(note)});
}

/// [K] Theorem 2.2. An operation is a time unit of a multiprocessor. A schedule with this time
/// exists: Graham's, which starts each block on the next free multiprocessor.
void RelationList::add_brent(const Relations& sums) {
  const std::string source = "Theorem 2.2 (Brent)";
  const std::string statement =
      "time with blocks on the next free multiprocessor, at most t + (q - t)/k";
  if (!sums.depth || !sums.greedy)
    return add_unknown(source, statement, Kind::at_most,
                       is_kept_ ? kept_note_ : "too many blocks to run each by itself");
  const Number t = number(*sums.depth);
  add(source, statement, Kind::at_most, number(*sums.greedy),
      t + (number(sums.work) - t) / number(k_), Basis::evaluated);
}

/// [K] section 2.6.2: T = t + lambda q + sigma bounds the time of a round, which ends with a
/// synchronization: a launch.
void RelationList::add_pem() {
  const std::int64_t time = *counts_.agpu.time, io = *counts_.agpu.io;
  Relation pem{"section 2.6.2 (PEM)",
               fmt::format("sum over launches of T = t + lambda q + sigma: {} + {} lambda + {} "
                           "sigma",
                           time, io, counts_.launches)};
  if (price_) {
    pem.statement += fmt::format("; lambda = {}, sigma = {}", price_->values[0].text(),
                                 price_->values[1].text());
    pem.right = price_of(*price_, machine_, counts_).value;
  }
  all_.push_back(std::move(pem));
}

/// [K] Theorem 3.2: b cores that simulate a PRAM take as many time units for a step as words of one
/// bank are accessed.
void RelationList::add_pram() {
  std::int64_t most = 0;
  for (const UnitCounts& unit : counts_.shared)
    if (!unit.congestion.empty()) most = std::max(most, unit.congestion.rbegin()->first);
  const std::string statement =
      "a PRAM's step in m shared words: stages of a request, at most ceil(m/b)";
  if (most == 0)
    return add_unknown("Theorem 3.2", statement, Kind::at_most, "no block uses shared memory");
  add("Theorem 3.2", statement, Kind::at_most, number(most), rounded_up(used_, machine_.width),
      Basis::evaluated);
}

/// Compares the I/O of two runs, which only a program that runs on volatile machines has.
void RelationList::add_volatile(std::string source, std::string statement, const RunResult* left,
                                const RunResult* right) {
  if (!left || !right)
    return add_unknown(std::move(source), std::move(statement), Kind::equal, kept_note_);
  add(std::move(source), std::move(statement), Kind::equal, number(*left->counts.agpu.io),
      number(*right->counts.agpu.io), Basis::run);
}

/// [K] section 3.3.3, for volatile machines. By Lemma 3.3, the I/O model I/O(b, M) is an AGPU of
/// one multiprocessor.
void RelationList::add_io_model() {
  const auto run = [&](std::int64_t count, bool is_volatile) {
    return is_kept_ ? nullptr : &runs_.at({count, is_volatile}).result;
  };
  const RunResult* one = run(1, true);
  add_volatile("Lemma 3.3", "I/O on one multiprocessor, volatile and not volatile", one,
               run(1, false));
  add_volatile("Lemma 3.4", fmt::format("I/O on {} and on one", counted(k_, "multiprocessor")),
               run(k_, true), one);
  add_volatile(
      "Theorem 3.5",
      fmt::format("I/O in the I/O model I/O(b, M) and on {}", counted(k_, "multiprocessor")), one,
      run(k_, true));
}

/// [K] Lemma 3.6, Theorem 3.7: one shared memory of kM words keeps what k of M words keep. A
/// program that needs them cannot be run so, since one multiprocessor has one copy of each array.
void RelationList::add_kept() {
  const Number kept = number(kept_io());
  const Number one = is_kept_ ? kept : number(io_of({1, false}));
  const Basis basis = is_kept_ ? Basis::evaluated : Basis::run;
  add("Lemma 3.6",
      fmt::format("I/O on one multiprocessor of {}M words, at most that on {}; not volatile", k_,
                  k_),
      Kind::at_most, one, kept, basis);
  if (is_kept_) all_.back().note = "it makes the same accesses";
  add("Lemma 3.6", fmt::format("shared words of {}, at most {}M", counted(k_, "block"), k_),
      Kind::at_most, number(k_) * number(used_), number(k_) * number(capacity_), Basis::evaluated);
  add("Theorem 3.7",
      fmt::format("I/O in the I/O model I/O(b, {}M), at most that on {}; not volatile", k_,
                  counted(k_, "multiprocessor")),
      Kind::at_most, one, kept, Basis::evaluated);
}

/// [K] Theorem 3.8: a volatile machine saves the shared memories at each of s synchronizations and
/// restores them: 2 s k M/b blocks. The theorem's O(spM/b) counts words.
void RelationList::add_saved() {
  const Number s = number(counts_.launches), k = number(k_);
  const Number blocks = number(2) * s * k;
  const Number all_words = blocks * rounded_up(capacity_, machine_.width);
  const Number used_words = blocks * rounded_up(used_, machine_.width);
  // Narrow memories need a larger constant of the O.
  const bool narrow = number(2) * rounded_up(capacity_, machine_.width) > number(capacity_);
  const Number words = number(narrow ? 2 : 1) * s * k * number(capacity_);
  const std::string_view term = narrow ? "2*s*p*M/b" : "s*p*M/b";
  const Number kept = number(kept_io());
  if (is_kept_) {
    add("Theorem 3.8",
        fmt::format("I/O with m words saved and restored at each launch, at most I/O + {}", term),
        Kind::at_most, kept + used_words, kept + words, Basis::evaluated);
  } else {
    add("Theorem 3.8",
        fmt::format("I/O, at most that on a machine that is not volatile + {}", term),
        Kind::at_most, number(io_of({k_, true})), kept + words, Basis::evaluated);
  }
  add("Theorem 3.8",
      fmt::format("I/O to save and restore M words, 2*s*k*ceil(M/b), at most {}", term),
      Kind::at_most, all_words, words, Basis::evaluated);
  add("Theorem 3.8", "I/O to save and restore only m words, at most the I/O for M words",
      Kind::at_most, used_words, all_words, Basis::evaluated);
}

/// [K] Theorem 3.9: p < v cores run a program for v.
void RelationList::add_multithreading() {
  const std::vector<std::int64_t> fewer = fewer_multiprocessors(k_);
  if (fewer.empty() || is_kept_)
    return add_unknown("Theorem 3.9", "I/O and time on fewer than v cores", Kind::equal,
                       is_kept_ ? kept_note_ : "the machine has one multiprocessor");
  const std::int64_t v = k_ * machine_.width;
  for (const std::int64_t count : fewer) {
    add("Theorem 3.9", fmt::format("I/O on p = {} and on v = {} cores", count * machine_.width, v),
        Kind::equal, number(io_of({count, true})), number(io_of({k_, true})), Basis::run);
    add_time_on_fewer(count);
  }
}

/// The theorem's machine runs whole multiprocessors of the larger one, one after the other. The
/// run assigns block g to multiprocessor g mod p/b, which is the same if p divides v, or if no
/// multiprocessor of the larger machine has two blocks.
void RelationList::add_time_on_fewer(std::int64_t fewer) {
  const VariantRun& large = runs_.at({k_, true});
  const std::int64_t run_time = *runs_.at({fewer, true}).result.counts.agpu.time;
  const bool is_same = k_ % fewer == 0 || large.schedules.most_blocks <= k_;
  const std::int64_t times = (k_ + fewer - 1) / fewer;
  add("Theorem 3.9",
      fmt::format("time on p = {} cores, at most ceil(v/p) = {} times that on v = {}",
                  fewer * machine_.width, times, k_ * machine_.width),
      Kind::at_most, number(is_same ? run_time : large.schedules.merged.at(fewer)),
      number(times) * number(*large.result.counts.agpu.time),
      is_same ? Basis::run : Basis::evaluated);
  if (!is_same)
    all_.back().note = fmt::format("multiprocessor j also has the blocks of j + {}, j + {}, ...; "
                                   "with block g on g mod {} the time is {}",
                                   fewer, 2 * fewer, fewer, run_time);
}

bool ended(const VariantRun& run) { return run.result.stop == Stop::none; }

/// Whether the machine keeps shared arrays of the program.
bool keeps_shared(const ir::Program& program, const MachineSpec& machine) {
  return !machine.is_volatile &&
         std::any_of(program.arrays.begin(), program.arrays.end(), [](const ir::Array& array) {
           return array.space == ir::Space::shared && array.top_level;
         });
}

/// Whether a run with a multiprocessor for each block is possible: its tallies fit into memory.
bool can_run_apart(const ScheduleSums& sums, const Limits& limits) {
  constexpr std::int64_t most = 65536;                       // multiprocessors of any machine
  constexpr std::int64_t bytes = 2 * 4 * sizeof(Executions); // a tally and its sum, by instruction
  return sums.most_blocks <= most &&
         sums.most_blocks * bytes <= limits.memory / (sums.most_code + 1);
}

void set_sums(const RelationRuns& runs, const VariantRun& asked, const VariantRun* apart,
              Relations& relations) {
  const Counts& counts = asked.result.counts;
  relations.counts = counts.agpu;
  relations.launches = counts.launches;
  relations.races = asked.result.races.races;
  relations.verify = asked.result.verify;
  relations.work = asked.schedules.work;
  if (apart) {
    relations.depth = apart->schedules.depth;
    relations.greedy = apart->schedules.greedy;
  }
  for (const auto& [variant, run] : runs.all())
    if (ended(*run))
      relations.runs.push_back({variant.first, variant.second, run->result.counts.agpu});
}

/// The first run that did not come to its end, else the first with a wrong result. The run on the
/// machine that was asked for comes first.
std::optional<FailedRun> failed_run(const RelationRuns& runs, const VariantRun& asked,
                                    const VariantRun* expected) {
  std::vector<const VariantRun*> all = {&asked};
  for (const auto& [variant, run] : runs.all())
    if (run.get() != expected) all.push_back(run.get());
  const auto first = [&](auto is_failed) -> std::optional<FailedRun> {
    const auto failed = std::find_if(all.begin(), all.end(), is_failed);
    if (failed == all.end()) return std::nullopt;
    return FailedRun{(*failed)->machine, (*failed)->result};
  };
  auto failed = first([](const VariantRun* run) { return !ended(*run); });
  if (!failed)
    failed = first([](const VariantRun* run) { return run->result.verify == Verdict::failed; });
  return failed;
}

} // namespace

std::string_view name_of(Basis basis) {
  switch (basis) {
  case Basis::run: return "run";
  case Basis::evaluated: return "evaluated";
  case Basis::not_evaluated: break;
  }
  return "not_evaluated";
}

bool Relations::hold() const {
  return std::none_of(relations.begin(), relations.end(),
                      [](const Relation& relation) { return relation.holds == false; });
}

Relations relations_of(const RelationsRequest& request, const Sources& sources) {
  const MachineSpec& machine = request.point.machine;
  const std::int64_t k = machine.multiprocessors;
  Relations relations;
  relations.machine = machine;
  relations.seed = request.point.options.seed;
  relations.timing_only = request.point.options.timing_only;
  RelationRuns runs(request, sources);
  const bool may_keep = relations.timing_only && keeps_shared(*request.point.code, machine);
  runs.run({{k, machine.is_volatile}, {k, machine.is_volatile || !may_keep}});
  const VariantRun& asked = runs.at({k, machine.is_volatile});
  // Only reads of erased words can fail on the volatile machine alone.
  const bool is_kept = may_keep || (ended(asked) && runs.at({k, true}).result.stop == Stop::error);
  const VariantRun* const expected = is_kept && !may_keep ? &runs.at({k, true}) : nullptr;
  relations.failed = failed_run(runs, asked, expected);
  if (relations.failed && relations.failed->run.stop != Stop::none) return relations;

  const ScheduleSums& sums = asked.schedules;
  const std::int64_t blocks = std::max(k, sums.most_blocks);
  const bool apart = !is_kept && can_run_apart(sums, request.point.options.limits);
  if (!is_kept) {
    std::vector<MachineVariant> more = {{k, false}, {1, true}, {1, false}};
    for (const std::int64_t fewer : fewer_multiprocessors(k)) more.emplace_back(fewer, true);
    if (apart) more.emplace_back(blocks, true);
    runs.run(more);
    relations.failed = failed_run(runs, asked, expected);
    if (relations.failed && relations.failed->run.stop != Stop::none) return relations;
  }
  set_sums(runs, asked, apart ? &runs.at({blocks, true}) : nullptr, relations);
  relations.relations = RelationList(request, runs, is_kept).all(relations);
  return relations;
}

} // namespace memlane::sweep
