#include "memlane/study/verify/relations.hpp"

#include "launch_schedules.hpp"

#include "memlane/lang/exact/number.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace memlane::sweep {
namespace {

using exact::Number;
using Kind = lang::ClaimKind;

Number number(std::int64_t value) { return Number(value); }
Number rounded_up(std::int64_t a, std::int64_t b) { return ceil(number(a) / number(b)); }

/// An AGPU that differs from the asked one: multiprocessors, volatile.
using MachineVariant = std::pair<std::int64_t, bool>;

struct VariantRun {
  MachineSpec machine;
  RunResult result;
  ScheduleSums schedules;
};
using VariantRuns = std::map<MachineVariant, VariantRun>;

/// Runs the variants that have not been run, side by side. The code is as it was bound to the asked
/// machine, thus with that machine's k, p and M.
void run_variants(const RelationsRequest& request, const Sources& sources,
                  const std::vector<MachineVariant>& variants, VariantRuns& runs) {
  const Point& asked = request.point;
  const std::int64_t k = asked.machine.multiprocessors;
  std::vector<Point> points;
  std::vector<VariantRun*> of_points;
  std::deque<LaunchSchedules> schedules;
  for (const auto& [multiprocessors, is_volatile] : variants) {
    const auto [place, is_new] = runs.try_emplace({multiprocessors, is_volatile});
    if (!is_new) continue;
    MachineSpec& machine = place->second.machine;
    machine = asked.machine;
    machine.multiprocessors = multiprocessors;
    machine.is_volatile = is_volatile;
    // Ports change no count of an AGPU, but many multiprocessors with one take long to simulate.
    if (multiprocessors > k) machine.global->ports = multiprocessors;
    schedules.emplace_back(*asked.code, machine, sources, k,
                           multiprocessors == k ? fewer_multiprocessors(k)
                                                : std::vector<std::int64_t>());
    Point& point = points.emplace_back(asked);
    point.machine = machine;
    point.claims = false;
    point.observer = &schedules.back();
    of_points.push_back(&place->second);
  }
  run_points(points, sources, request.runs, [&](std::size_t at, PointResult result) {
    of_points[at]->result = std::move(result.run);
    of_points[at]->schedules = schedules[at].sums();
  });
}

/// The relations of one program, in the order of [K]. The runs are on the asked machine alone if
/// the program needs words that a multiprocessor keeps.
class RelationList {
public:
  /// Refers to all of them.
  RelationList(const RelationsRequest& request, const VariantRuns& runs, const Relations& sums)
      : request_(request), runs_(runs), sums_(sums), is_kept_(runs.count({k_, true}) == 0) {}

  std::vector<Relation> all() {
    add_brent();
    add_pem();
    add_pram();
    add_io_model();
    add_kept();
    add_saved();
    add_multithreading();
    return std::move(all_);
  }

private:
  using Side = std::optional<Number>;

  /// Without one of its sides a relation is not evaluated, for the reason `unknown`.
  Relation& add(const char* source, std::string statement, Kind kind, const Side& left,
                const Side& right, Basis basis, std::string_view unknown = {}) {
    Relation& relation = all_.emplace_back(Relation{source, std::move(statement), kind});
    if (left && right) {
      relation.left = {left->text(), left->to_double()};
      relation.right = {right->text(), right->to_double()};
      relation.holds = kind == Kind::equal ? *left == *right : *left <= *right;
      relation.basis = basis;
    } else {
      relation.basis = Basis::not_evaluated;
      relation.note = unknown;
    }
    return relation;
  }

  /// None of a machine that the program was not run on.
  Side io_on(MachineVariant variant) const {
    const auto run = runs_.find(variant);
    return run == runs_.end() ? Side() : number(*run->second.result.counts.agpu.io);
  }

  std::string_view kept_note() const {
    return request_.point.options.timing_only
               ? "--timing-only does not find out whether the program needs words that a "
                 "multiprocessor keeps"
               : "the program needs words that a multiprocessor keeps after a block";
  }

  /// [K] Theorem 2.2. An operation is a time unit of a multiprocessor. A schedule with this time
  /// exists: Graham's, which starts each block on the next free multiprocessor.
  void add_brent() {
    Side greedy, most;
    if (sums_.depth && sums_.greedy) {
      const Number t = number(*sums_.depth);
      greedy = number(*sums_.greedy);
      most = t + (number(sums_.work) - t) / number(k_);
    }
    add("Theorem 2.2 (Brent)",
        "time with blocks on the next free multiprocessor, at most t + (q - t)/k", Kind::at_most,
        greedy, most, Basis::evaluated,
        is_kept_ ? kept_note() : "too many blocks to run each by itself");
  }

  /// [K] section 2.6.2: T = t + lambda q + sigma bounds the time of a round, which ends with a
  /// synchronization: a launch. Its t and q are time and I/O, not those of Brent's theorem.
  void add_pem() {
    Relation pem{"section 2.6.2 (PEM)",
                 fmt::format("sum over launches of T = time + lambda I/O + sigma: {} + {} lambda "
                             "+ {} sigma",
                             *counts_.agpu.time, *counts_.agpu.io, counts_.launches)};
    if (const auto& price = request_.price) {
      pem.statement += fmt::format("; lambda = {}, sigma = {}", price->values[0].text(),
                                   price->values[1].text());
      pem.right = price_of(*price, machine_, counts_).value;
    }
    all_.push_back(std::move(pem));
  }

  /// [K] Theorem 3.2: b cores that simulate a PRAM take as many time units for a step as words of
  /// one bank are accessed.
  void add_pram() {
    std::int64_t most = 0;
    for (const UnitCounts& unit : counts_.shared)
      if (!unit.congestion.empty()) most = std::max(most, unit.congestion.rbegin()->first);
    add("Theorem 3.2", "a PRAM's step in m shared words: stages of a request, at most ceil(m/b)",
        Kind::at_most, most == 0 ? Side() : number(most), rounded_up(used_, machine_.width),
        Basis::evaluated, "no block uses shared memory");
  }

  /// [K] section 3.3.3, for volatile machines. By Lemma 3.3, the I/O model I/O(b, M) is an AGPU of
  /// one multiprocessor.
  void add_io_model() {
    const Side one = io_on({1, true}), all = io_on({k_, true});
    const auto add_equal = [&](const char* source, std::string statement, const Side& left,
                               const Side& right) {
      add(source, std::move(statement), Kind::equal, left, right, Basis::run, kept_note());
    };
    add_equal("Lemma 3.3", "I/O on one multiprocessor, volatile and not volatile", one,
              io_on({1, false}));
    add_equal("Lemma 3.4", fmt::format("I/O on {} and on one", counted(k_, "multiprocessor")), all,
              one);
    add_equal(
        "Theorem 3.5",
        fmt::format("I/O in the I/O model I/O(b, M) and on {}", counted(k_, "multiprocessor")), one,
        all);
  }

  /// [K] Lemma 3.6, Theorem 3.7: one shared memory of kM words keeps what k of M words keep. A
  /// program that needs them cannot be run so, since one multiprocessor has one copy of each array.
  void add_kept() {
    const Side one = is_kept_ ? kept_io_ : io_on({1, false});
    Relation& on_one =
        add("Lemma 3.6",
            fmt::format("I/O on one multiprocessor of {}M words, at most that on {}; not volatile",
                        k_, k_),
            Kind::at_most, one, kept_io_, is_kept_ ? Basis::evaluated : Basis::run);
    if (is_kept_) on_one.note = "it makes the same accesses";
    add("Lemma 3.6", fmt::format("shared words of {}, at most {}M", counted(k_, "block"), k_),
        Kind::at_most, number(k_) * number(used_), number(k_) * number(capacity_),
        Basis::evaluated);
    add("Theorem 3.7",
        fmt::format("I/O in the I/O model I/O(b, {}M), at most that on {}; not volatile", k_,
                    counted(k_, "multiprocessor")),
        Kind::at_most, one, kept_io_, Basis::evaluated);
  }

  /// [K] Theorem 3.8: a volatile machine saves the shared memories at each of s synchronizations
  /// and restores them: 2 s k M/b blocks. The theorem's O(spM/b) counts words.
  void add_saved() {
    const Number s = number(counts_.launches), k = number(k_);
    const Number blocks = number(2) * s * k;
    const Number all_words = blocks * rounded_up(capacity_, machine_.width);
    const Number used_words = blocks * rounded_up(used_, machine_.width);
    // Narrow memories need a larger constant of the O.
    const bool narrow = number(2) * rounded_up(capacity_, machine_.width) > number(capacity_);
    const Number words = number(narrow ? 2 : 1) * s * k * number(capacity_);
    const std::string_view term = narrow ? "2*s*p*M/b" : "s*p*M/b";
    const std::string left =
        is_kept_ ? "I/O with m words saved and restored at each launch" : "I/O";
    const std::string right = is_kept_ ? "I/O" : "that on a machine that is not volatile";
    add("Theorem 3.8", fmt::format("{}, at most {} + {}", left, right, term), Kind::at_most,
        is_kept_ ? *kept_io_ + used_words : io_on({k_, true}), *kept_io_ + words, Basis::evaluated);
    add("Theorem 3.8",
        fmt::format("I/O to save and restore M words, 2*s*k*ceil(M/b), at most {}", term),
        Kind::at_most, all_words, words, Basis::evaluated);
    add("Theorem 3.8", "I/O to save and restore only m words, at most the I/O for M words",
        Kind::at_most, used_words, all_words, Basis::evaluated);
  }

  /// [K] Theorem 3.9: p < v cores run a program for v.
  void add_multithreading() {
    const std::vector<std::int64_t> fewer = fewer_multiprocessors(k_);
    if (fewer.empty() || is_kept_)
      add("Theorem 3.9", "I/O and time on fewer than v cores", Kind::equal, {}, {}, Basis::run,
          is_kept_ ? kept_note() : "the machine has one multiprocessor");
    for (std::size_t i = 0; i < fewer.size() && !is_kept_; ++i) {
      add("Theorem 3.9",
          fmt::format("I/O on p = {} and on v = {} cores", fewer[i] * machine_.width,
                      k_ * machine_.width),
          Kind::equal, io_on({fewer[i], true}), io_on({k_, true}), Basis::run);
      add_time_on_fewer(fewer[i]);
    }
  }

  /// The theorem's machine runs whole multiprocessors of the larger one, one after the other. The
  /// run assigns block g to multiprocessor g mod p/b, which is the same if p divides v, or if no
  /// multiprocessor of the larger machine has two blocks.
  void add_time_on_fewer(std::int64_t fewer) {
    const VariantRun& large = runs_.at({k_, true});
    const std::int64_t run_time = *runs_.at({fewer, true}).result.counts.agpu.time;
    const bool is_same = k_ % fewer == 0 || large.schedules.most_blocks <= k_;
    const std::int64_t times = (k_ + fewer - 1) / fewer;
    Relation& time =
        add("Theorem 3.9",
            fmt::format("time on p = {} cores, at most ceil(v/p) = {} times that on v = {}",
                        fewer * machine_.width, times, k_ * machine_.width),
            Kind::at_most, number(is_same ? run_time : large.schedules.merged.at(fewer)),
            number(times) * number(*large.result.counts.agpu.time),
            is_same ? Basis::run : Basis::evaluated);
    if (!is_same)
      time.note = fmt::format("multiprocessor j also has the blocks of j + {}, j + {}, ...; "
                              "with block g on g mod {} the time is {}",
                              fewer, 2 * fewer, fewer, run_time);
  }

  const RelationsRequest& request_;
  const VariantRuns& runs_;
  const Relations& sums_;
  const MachineSpec& machine_ = request_.point.machine;
  const Counts& counts_ = sums_.run.counts;
  std::int64_t k_ = machine_.multiprocessors;
  /// Words that a block uses, words of a shared memory.
  std::int64_t used_ = counts_.agpu.shared_words, capacity_ = machine_.shared->capacity.value_or(0);
  bool is_kept_;
  Side kept_io_ = io_on({k_, false}); ///< I/O' on a machine that is not volatile
  std::vector<Relation> all_;
};

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

/// The first run that did not come to its end, else the first with a wrong result. The run on the
/// machine that was asked for comes first.
std::optional<FailedRun> failed_run(const VariantRuns& runs, MachineVariant asked) {
  std::vector<const VariantRun*> all = {&runs.at(asked)};
  for (const auto& [variant, run] : runs) all.push_back(&run);
  const auto has_failed = [](const VariantRun* run) {
    return run->result.verify == Verdict::failed;
  };
  auto failed = std::find_if(all.begin(), all.end(), [](auto* run) { return !ended(*run); });
  if (failed == all.end()) failed = std::find_if(all.begin(), all.end(), has_failed);
  if (failed == all.end()) return std::nullopt;
  return FailedRun{(*failed)->machine, (*failed)->result};
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

std::vector<std::int64_t> fewer_multiprocessors(std::int64_t multiprocessors) {
  constexpr std::size_t most = 8;
  for (std::int64_t factor = 2;; factor *= 2) {
    std::vector<std::int64_t> fewer;
    for (std::int64_t count = 1; count < multiprocessors; count *= factor) fewer.push_back(count);
    if (fewer.size() <= most) return fewer;
  }
}

Relations relations_of(const RelationsRequest& request, const Sources& sources) {
  const Point& point = request.point;
  const std::int64_t k = point.machine.multiprocessors;
  const MachineVariant asked = {k, point.machine.is_volatile}, erasing = {k, true};
  Relations relations;
  VariantRuns runs;
  const auto is_cut = [&] {
    relations.failed = failed_run(runs, asked);
    return relations.failed && relations.failed->run.stop != Stop::none;
  };
  const bool may_keep = point.options.timing_only && keeps_shared(*point.code, point.machine);
  run_variants(request, sources, {asked, may_keep ? asked : erasing}, runs);
  // Only reads of erased words can fail on the volatile machine alone.
  const bool is_kept =
      may_keep || (ended(runs.at(asked)) && runs.at(erasing).result.stop == Stop::error);
  if (is_kept) runs.erase(erasing);
  if (is_cut()) return relations;

  const ScheduleSums& sums = runs.at(asked).schedules;
  const MachineVariant apart = {std::max(k, sums.most_blocks), true};
  if (!is_kept) {
    std::vector<MachineVariant> more = {{k, false}, {1, true}, {1, false}};
    for (const std::int64_t fewer : fewer_multiprocessors(k)) more.emplace_back(fewer, true);
    if (can_run_apart(sums, point.options.limits)) more.push_back(apart);
    run_variants(request, sources, more, runs);
    if (is_cut()) return relations;
  }
  relations.run = runs.at(asked).result;
  relations.work = sums.work;
  if (!is_kept && can_run_apart(sums, point.options.limits)) {
    relations.depth = runs.at(apart).schedules.depth;
    relations.greedy = runs.at(apart).schedules.greedy;
  }
  for (const auto& [variant, run] : runs)
    relations.runs.push_back({variant.first, variant.second, run.result.counts});
  relations.relations = RelationList(request, runs, relations).all();
  return relations;
}

} // namespace memlane::sweep
