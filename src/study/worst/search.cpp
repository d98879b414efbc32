#include "memlane/study/worst/search.hpp"

#include "inputs.hpp"

#include <algorithm>

namespace memlane::sweep {
namespace {

/// Local searches that go on side by side.
constexpr std::size_t climbers = 4;
/// Changes of one input that are tried side by side: twice as many each time none is better.
constexpr std::size_t most_changes = 4;
/// A climber that has gained nothing in so many trials begins elsewhere.
constexpr std::int64_t patience = 400;
constexpr std::size_t trials_at_once = 256;
/// After so many trials half of the climbers go on, after twice as many the best one alone.
constexpr std::int64_t together = 200;
/// Streams of random numbers: one for each change of each round.
constexpr std::uint64_t streams_of_round = climbers * most_changes + climbers;

struct Climber {
  std::size_t place = 0, start = 0;
  SearchedInput input;
  std::optional<double> value; ///< none: any input is better
  std::size_t changes = 2;
  std::int64_t without_gain = 0;
};

class Search {
public:
  Search(const std::vector<SearchPlace>& places, const SearchOptions& options,
         const EvaluateTrials& evaluate)
      : places_(places), options_(options), evaluate_(evaluate) {}

  SearchOutcome run();

private:
  bool is_better(double value, double than) const {
    return options_.least ? value < than : value > than;
  }
  std::int64_t left() const { return options_.trials - outcome_.trials; }
  bool goes_on() const { return !outcome_.stopped && left() > 0; }
  /// `starts`: where each trial comes from.
  std::vector<TrialValue> evaluate(const std::vector<SearchTrial>& trials,
                                   const std::vector<std::size_t>& starts);
  void try_every_input();
  void try_starts();
  void begin_climbing();
  void climb();
  void leave_behind();
  void move_on(std::size_t climber, std::uint64_t stream);

  const std::vector<SearchPlace>& places_;
  const SearchOptions& options_;
  const EvaluateTrials& evaluate_;
  SearchOutcome outcome_;
  std::vector<Climber> climbers_;
  ChangeRates rates_;
  std::vector<TriedStart> ranked_; ///< starts with a value, the best first
  std::size_t next_start_ = 0;     ///< of `ranked_`, for climbers that begin again
  std::uint64_t restarts_ = 0;
};

/// Evaluates, and counts up to the first trial that did not end: what ended beyond depends on the
/// threads.
std::vector<TrialValue> Search::evaluate(const std::vector<SearchTrial>& trials,
                                         const std::vector<std::size_t>& starts) {
  std::vector<TrialValue> values = evaluate_(trials);
  for (std::size_t k = 0; k < trials.size(); ++k) {
    if (!values[k].ended) {
      outcome_.stopped = true;
      // Trials that had ended before the stop count: one may be the best so far.
    } else {
      outcome_.trials += 1;
      outcome_.failed += values[k].value ? 0 : 1;
      outcome_.limited += values[k].limited ? 1 : 0;
    }
    const FoundInput tried{trials[k].place,   {}, values[k].value, starts[k], outcome_.trials,
                           trials[k].is_start};
    const auto take = [&](std::optional<FoundInput>& as) {
      as = tried;
      as->input = trials[k].input;
    };
    if (values[k].refutes && !outcome_.refuting) take(outcome_.refuting);
    if (!values[k].value) continue;
    if (!outcome_.found || is_better(*values[k].value, *outcome_.found->value))
      take(outcome_.found);
  }
  return values;
}

void Search::try_every_input() {
  outcome_.enumerates = true;
  for (std::size_t place = 0; place < places_.size() && !outcome_.stopped; ++place) {
    EveryInput every(places_[place]);
    for (bool more = true; more && !outcome_.stopped;) {
      std::vector<SearchTrial> trials;
      while (more && trials.size() < trials_at_once) {
        trials.push_back({place, every.input()});
        more = every.next();
      }
      evaluate(trials, std::vector<std::size_t>(trials.size()));
    }
  }
  outcome_.every_input = !outcome_.stopped;
}

void Search::try_starts() {
  std::vector<SearchTrial> trials;
  std::vector<std::size_t> from;
  for (std::size_t place = 0; place < places_.size(); ++place)
    for (std::size_t start = 0; start < places_[place].starts.size(); ++start) {
      if (static_cast<std::int64_t>(trials.size()) == left()) break;
      trials.push_back({place, places_[place].starts[start].input, true});
      from.push_back(start);
    }
  const std::vector<TrialValue> values = evaluate(trials, from);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (values[k].ended) outcome_.starts.push_back({trials[k].place, from[k], values[k].value});
}

void Search::begin_climbing() {
  for (const TriedStart& tried : outcome_.starts)
    if (tried.value) ranked_.push_back(tried);
  std::stable_sort(ranked_.begin(), ranked_.end(), [&](const TriedStart& a, const TriedStart& b) {
    return is_better(*a.value, *b.value);
  });
  while (climbers_.size() < climbers && next_start_ < ranked_.size()) {
    const TriedStart& from = ranked_[next_start_++];
    climbers_.push_back(
        {from.place, from.start, places_[from.place].starts[from.start].input, from.value});
  }
}

/// In turn: near the best input, from the next start, anywhere.
void Search::move_on(std::size_t number, std::uint64_t stream) {
  ChangeNumbers numbers(options_.seed, stream);
  Climber& climber = climbers_[number];
  const std::uint64_t turn = restarts_++ % 3;
  const FoundInput& best = *outcome_.found;
  climber = {best.place, best.start, best.input, std::nullopt};
  const std::vector<SearchedArray>& arrays = places_[best.place].arrays;
  if (turn == 1 && next_start_ < ranked_.size()) {
    const TriedStart& from = ranked_[next_start_++];
    climber = {from.place, from.start, places_[from.place].starts[from.start].input, from.value};
  } else if (turn == 2) {
    climber.input = random_input(arrays, numbers);
    climber.start = 0;
  } else {
    constexpr std::int64_t most_steps = 16;
    for (std::int64_t k = numbers.from(1, most_steps); k > 0; --k)
      change(climber.input, arrays, rates_, numbers);
  }
}

/// Climbers that are behind end: the best one has more of the trials that are left.
void Search::leave_behind() {
  const std::size_t kept = outcome_.trials >= 2 * together ? 1
                           : outcome_.trials >= together   ? climbers / 2
                                                           : climbers;
  if (climbers_.size() <= kept) return;
  std::stable_sort(climbers_.begin(), climbers_.end(), [&](const Climber& a, const Climber& b) {
    return a.value && (!b.value || is_better(*a.value, *b.value));
  });
  climbers_.resize(kept);
}

void Search::climb() {
  for (std::uint64_t round = 1; goes_on(); ++round) {
    leave_behind();
    const std::uint64_t streams = round * streams_of_round;
    std::vector<SearchTrial> trials;
    std::vector<std::size_t> from;
    std::vector<std::size_t> of; // the climber of each trial
    std::vector<KindsOfChange> kinds;
    for (std::size_t c = 0; c < climbers_.size(); ++c)
      for (std::size_t k = 0; k < climbers_[c].changes; ++k) {
        if (static_cast<std::int64_t>(trials.size()) == left()) break;
        const Climber& climber = climbers_[c];
        ChangeNumbers numbers(options_.seed, streams + c * most_changes + k);
        SearchTrial& trial = trials.emplace_back(SearchTrial{climber.place, climber.input});
        kinds.push_back(change(trial.input, places_[climber.place].arrays, rates_, numbers));
        from.push_back(climber.start);
        of.push_back(c);
      }
    const std::vector<TrialValue> values = evaluate(trials, from);
    if (outcome_.stopped) return;
    std::vector<const SearchTrial*> best(climbers_.size(), nullptr);
    std::vector<double> best_value(climbers_.size());
    std::vector<std::int64_t> tried(climbers_.size());
    for (std::size_t k = 0; k < trials.size(); ++k) {
      const std::size_t c = of[k];
      tried[c] += 1;
      rates_.note(kinds[k], values[k].value && climbers_[c].value &&
                                is_better(*values[k].value, *climbers_[c].value));
      if (!values[k].value || (best[c] && !is_better(*values[k].value, best_value[c]))) continue;
      best[c] = &trials[k];
      best_value[c] = *values[k].value;
    }
    for (std::size_t c = 0; c < climbers_.size(); ++c) {
      Climber& climber = climbers_[c];
      const bool gains = best[c] && (!climber.value || is_better(best_value[c], *climber.value));
      if (best[c] && (gains || best_value[c] == *climber.value)) {
        climber.input = best[c]->input;
        climber.value = best_value[c];
      }
      climber.changes = gains ? 2 : std::min(most_changes, 2 * climber.changes);
      climber.without_gain = gains ? 0 : climber.without_gain + tried[c];
      if (climber.without_gain >= patience) move_on(c, streams + climbers * most_changes + c);
    }
  }
}

SearchOutcome Search::run() {
  std::int64_t inputs = 0;
  for (const SearchPlace& place : places_)
    if (__builtin_add_overflow(inputs, inputs_of(place), &inputs)) inputs = INT64_MAX;
  if (inputs <= options_.trials) {
    try_every_input();
    return std::move(outcome_);
  }
  try_starts();
  if (!goes_on()) return std::move(outcome_);
  begin_climbing();
  if (!climbers_.empty()) climb();
  return std::move(outcome_);
}

} // namespace

SearchOutcome search_inputs(const std::vector<SearchPlace>& places, const SearchOptions& options,
                            const EvaluateTrials& evaluate) {
  return Search(places, options, evaluate).run();
}

} // namespace memlane::sweep
