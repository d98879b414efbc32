#include "memlane/lang/exact/number.hpp"
#include "memlane/study/verify/relations.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {
namespace {

using exact::Number;
using Kind = lang::ClaimKind;

Number number(std::int64_t value) { return Number(value); }
Number rounded_up(std::int64_t a, std::int64_t b) { return ceil(number(a) / number(b)); }

/// The relations of one program. The runs are on the asked machine alone if the program needs words
/// that a multiprocessor keeps.
class RelationList {
public:
  /// Refers to both.
  RelationList(const RelationsRequest& request, const Relations& sums)
      : request_(request), sums_(sums) {}

  std::vector<Relation> all() {
    add_other_models();
    add_io();
    add_saved();
    add_multithreading();
    return std::move(all_);
  }

private:
  using Side = std::optional<Number>;

  /// Without one of its sides a relation is not evaluated, for the reason `unknown`.
  Relation& add(const char* source, std::string statement, Kind kind, const Side& left,
                const Side& right, Basis basis, std::string_view unknown) {
    Relation& relation = all_.emplace_back(Relation{source, std::move(statement), kind});
    relation.basis = left && right ? basis : Basis::not_evaluated;
    if (left && right) {
      relation.left = {left->text(), left->to_double()};
      relation.right = {right->text(), right->to_double()};
      relation.holds = kind == Kind::equal ? *left == *right : *left <= *right;
    } else {
      relation.note = unknown;
    }
    return relation;
  }
  /// The same; a program that needs kept words lacks a side.
  Relation& add(const char* source, std::string statement, Kind kind, const Side& left,
                const Side& right, Basis basis) {
    return add(source, std::move(statement), kind, left, right, basis, needs_kept_);
  }

  /// None of a machine that the program was not run on.
  Side io_on(MachineVariant variant) const {
    const auto run = sums_.runs.find(variant);
    return run == sums_.runs.end() ? Side() : number(*run->second.result.counts.agpu.io);
  }

  /// [K] Theorem 2.2: an operation is a time unit of a multiprocessor. A schedule with this time
  /// exists: Graham's, which starts each block on the next free multiprocessor.
  /// Section 2.6.2: T = t + lambda q + sigma bounds the time of a round, which ends with a
  /// synchronization: a launch. Its t and q are time and I/O, not those of Brent's theorem.
  /// Theorem 3.2: b cores that simulate a PRAM take as many time units for a step as words of one
  /// bank are accessed.
  void add_other_models() {
    Side greedy, most;
    if (sums_.depth && sums_.greedy) {
      const Number t = number(*sums_.depth);
      greedy = number(*sums_.greedy);
      most = t + (number(sums_.work) - t) / number(k_);
    }
    add("Theorem 2.2 (Brent)",
        "time with blocks on the next free multiprocessor, at most t + (q - t)/k", Kind::at_most,
        greedy, most, Basis::evaluated,
        is_kept_ ? needs_kept_ : "too many blocks to run each by itself");
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
    std::int64_t congestion = 0;
    for (const UnitCounts& unit : counts_.shared)
      if (!unit.congestion.empty())
        congestion = std::max(congestion, unit.congestion.rbegin()->first);
    add("Theorem 3.2", "a PRAM's step in m shared words: stages of a request, at most ceil(m/b)",
        Kind::at_most, congestion == 0 ? Side() : number(congestion), rounded_up(m_, b_),
        Basis::evaluated, "no block uses shared memory");
  }

  /// [K] section 3.3.3, for volatile machines: by Lemma 3.3, the I/O model I/O(b, M) is an AGPU of
  /// one multiprocessor. Lemma 3.6, Theorem 3.7: one shared memory of kM words keeps what k of M
  /// words keep. A program that needs them cannot be run so, since one multiprocessor has one copy
  /// of each array.
  void add_io() {
    const std::string on_all = counted(k_, "multiprocessor");
    const Side one = io_on({1, true}), all = io_on({k_, true});
    add("Lemma 3.3", "I/O on one multiprocessor, volatile and not volatile", Kind::equal, one,
        io_on({1, false}), Basis::run);
    add("Lemma 3.4", fmt::format("I/O on {} and on one", on_all), Kind::equal, all, one,
        Basis::run);
    add("Theorem 3.5", fmt::format("I/O in the I/O model I/O(b, M) and on {}", on_all), Kind::equal,
        one, all, Basis::run);
    const Side keeping = is_kept_ ? kept_io_ : io_on({1, false});
    add("Lemma 3.6",
        fmt::format("I/O on one multiprocessor of {}M words, at most that on {}; not volatile", k_,
                    k_),
        Kind::at_most, keeping, kept_io_, is_kept_ ? Basis::evaluated : Basis::run)
        .note = is_kept_ ? "it makes the same accesses" : "";
    add("Lemma 3.6", fmt::format("shared words of {}, at most {}M", counted(k_, "block"), k_),
        Kind::at_most, number(k_) * number(m_), number(k_) * number(M_), Basis::evaluated);
    add("Theorem 3.7",
        fmt::format("I/O in the I/O model I/O(b, {}M), at most that on {}; not volatile", k_,
                    on_all),
        Kind::at_most, keeping, kept_io_, Basis::evaluated);
  }

  /// [K] Theorem 3.8: a volatile machine saves the shared memories at each of s synchronizations
  /// and restores them: 2 s k M/b blocks. The theorem's O(spM/b) counts words.
  void add_saved() {
    const Number s = number(counts_.launches), k = number(k_);
    const Number blocks = number(2) * s * k;
    const Number all_words = blocks * rounded_up(M_, b_), used_words = blocks * rounded_up(m_, b_);
    // Narrow memories need a larger constant of the O.
    const bool narrow = number(2) * rounded_up(M_, b_) > number(M_);
    const Number words = number(narrow ? 2 : 1) * s * k * number(M_);
    const std::string term = narrow ? "2*s*p*M/b" : "s*p*M/b";
    add("Theorem 3.8",
        (is_kept_ ? "I/O with m words saved and restored at each launch, at most I/O + "
                  : "I/O, at most that on a machine that is not volatile + ") +
            term,
        Kind::at_most, is_kept_ ? *kept_io_ + used_words : io_on({k_, true}), *kept_io_ + words,
        Basis::evaluated);
    add("Theorem 3.8",
        fmt::format("I/O to save and restore M words, 2*s*k*ceil(M/b), at most {}", term),
        Kind::at_most, all_words, words, Basis::evaluated);
    add("Theorem 3.8", "I/O to save and restore only m words, at most the I/O for M words",
        Kind::at_most, used_words, all_words, Basis::evaluated);
  }

  /// [K] Theorem 3.9: p < v cores run a program for v. The theorem's machine runs whole
  /// multiprocessors of the larger one, one after the other. The run assigns block g to
  /// multiprocessor g mod p/b, which is the same if p divides v, or if no multiprocessor of the
  /// larger machine has two blocks.
  void add_multithreading() {
    const std::vector<std::int64_t> all_fewer = fewer_multiprocessors(k_);
    if (all_fewer.empty() || is_kept_)
      add("Theorem 3.9", "I/O and time on fewer than v cores", Kind::equal, {}, {}, Basis::run,
          is_kept_ ? needs_kept_ : "the machine has one multiprocessor");
    for (const std::int64_t fewer : all_fewer) {
      if (is_kept_) break;
      const VariantRun& large = sums_.runs.at({k_, true});
      const std::int64_t p = fewer * b_, v = k_ * b_, times = (k_ + fewer - 1) / fewer;
      add("Theorem 3.9", fmt::format("I/O on p = {} and on v = {} cores", p, v), Kind::equal,
          io_on({fewer, true}), io_on({k_, true}), Basis::run);
      const std::int64_t run_time = *sums_.runs.at({fewer, true}).result.counts.agpu.time;
      const bool is_same = k_ % fewer == 0 || large.schedules.most_blocks <= k_;
      Relation& time =
          add("Theorem 3.9",
              fmt::format("time on p = {} cores, at most ceil(v/p) = {} times that on v = {}", p,
                          times, v),
              Kind::at_most, number(is_same ? run_time : large.schedules.merged.at(fewer)),
              number(times) * number(*large.result.counts.agpu.time),
              is_same ? Basis::run : Basis::evaluated);
      if (!is_same)
        time.note = fmt::format("multiprocessor j also has the blocks of j + {}, j + {}, ...; "
                                "with block g on g mod {} the time is {}",
                                fewer, 2 * fewer, fewer, run_time);
    }
  }

  const RelationsRequest& request_;
  const Relations& sums_;
  const MachineSpec& machine_ = request_.point.machine;
  const Counts& counts_ = sums_.run.counts;
  const std::int64_t k_ = machine_.multiprocessors, b_ = machine_.width;
  /// Words that a block uses, words of a shared memory.
  const std::int64_t m_ = counts_.agpu.shared_words, M_ = machine_.shared->capacity.value_or(0);
  const bool is_kept_ = sums_.runs.count({k_, true}) == 0;
  const std::string_view needs_kept_ =
      request_.point.options.timing_only
          ? "--timing-only does not find out whether the program needs words that a "
            "multiprocessor keeps"
          : "the program needs words that a multiprocessor keeps after a block";
  const Side kept_io_ = io_on({k_, false}); ///< I/O' on a machine that is not volatile
  std::vector<Relation> all_;
};

} // namespace

std::vector<Relation> relation_list(const RelationsRequest& request, const Relations& sums) {
  return RelationList(request, sums).all();
}

} // namespace memlane::sweep
