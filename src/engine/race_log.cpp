#include "race_log.hpp"

#include "memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

namespace {

constexpr const char* way_to_combine =
    "combine in a tree as in sum.lane, or in a word for each thread; --allow-races goes on anyway";
constexpr const char* way_to_go_on =
    "a thread's own word is written in order by a loop: for i = {} to … step {} {{ … }}";
constexpr const char* way_to_read_first =
    "`forall sync` lets all read before any writes; a sum of all is a tree as in sum.lane";

} // namespace

void PathLog::begin(std::uint64_t serial) {
  serial_ = serial;
  tidy_ = 0;
  entries_.clear();
}

void PathLog::add(const Entry& entry) {
  entries_.push_back(entry);
  // A long loop on the then-path accesses the same words many times: each is kept once.
  if (entries_.size() >= 4096 && entries_.size() >= 2 * tidy_) tidy();
}

// By word and kind; writes first, since they conflict with all accesses.
void PathLog::tidy() {
  const auto key = [](const Entry& e) {
    return std::tuple(e.array, e.element, plane_of(e.access), !e.write);
  };
  std::stable_sort(entries_.begin(), entries_.end(),
                   [&](const Entry& x, const Entry& y) { return key(x) < key(y); });
  const auto last = std::unique(entries_.begin(), entries_.end(),
                                [&](const auto& x, const auto& y) { return key(x) == key(y); });
  entries_.erase(last, entries_.end());
  tidy_ = entries_.size();
}

const PathLog::Entry* PathLog::find(std::int32_t array, std::int64_t element, bool write,
                                    std::size_t plane) {
  if (tidy_ != entries_.size()) tidy();
  const auto key = [](const Entry& e) {
    return std::tuple(e.array, e.element, plane_of(e.access));
  };
  const auto sought = std::tuple(array, element, plane);
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), sought,
                                   [&](const Entry& e, const auto& k) { return key(e) < k; });
  if (at == entries_.end() || key(*at) != sought) return nullptr;
  return at->write || write ? &*at : nullptr;
}

void RaceLog::begin_launch(const LoggedLaunch& launch, bool independent) {
  if (!independent) launches_.clear();
  launches_.push_back(launch);
  phases_.begin_launch(independent);
}

Span RaceLog::span_of(const Access& access) const {
  return launch_of(access).kernel->code[access.site].span;
}

std::string RaceLog::name_of(std::int32_t array, std::int64_t element) const {
  const auto index = static_cast<std::size_t>(array);
  return element_name(program_->arrays[index].name, memory_->arrays[index].extents, element);
}

// The enclosing forall.
std::string RaceLog::loop_of(const Access& access) const {
  auto at = static_cast<std::ptrdiff_t>(access.site);
  const auto& code = launch_of(access).kernel->code;
  while (at > 0 && code[static_cast<std::size_t>(at)].op != ir::Opcode::forall) --at;
  const bool grid = code[static_cast<std::size_t>(at)].immediate != 0;
  return fmt::format(way_to_go_on, grid ? "block*threads + thread" : "thread",
                     grid ? "threads*blocks" : "threads");
}

std::string RaceLog::thread_of(const Access& access) const {
  return fmt::format("thread {} of block {}", access.thread, phases_.block_of(access.phase));
}

std::string RaceLog::launched_thread_of(const Access& access) const {
  const LoggedLaunch& launch = launch_of(access);
  return fmt::format("launch {} ({}, {})", launch.number, launch.kernel->name, thread_of(access));
}

std::optional<Diagnostic> RaceLog::found(const RacingAccesses& at, const std::string& message,
                                         std::vector<std::string> help,
                                         std::vector<Diagnostic> notes) {
  const Span here = span_of(*at.later), there = span_of(*at.earlier);
  const bool one_launch = &launch_of(*at.earlier) == &launch_of(*at.later);
  Diagnostic race = error_at(here, message, std::move(help));
  race.notes.push_back(note_at(
      there, fmt::format("{} {} it here",
                         one_launch ? thread_of(*at.earlier) : launched_thread_of(*at.earlier),
                         verb_of(at.earlier_does))));
  for (Diagnostic& note : notes) race.notes.push_back(std::move(note));
  if (!allow_ && races_allowed(at).empty()) {
    if (heed_text_ && at.earlier->racy != at.later->racy)
      race.help.emplace_back("only one of the two statements is `racy`: both must be");
    return race;
  }
  count(at, std::move(race));
  return std::nullopt;
}

/// Why the program's text allows it; empty: it does not.
std::string RaceLog::races_allowed(const RacingAccesses& at) const {
  if (!heed_text_) return "";
  const ir::Array& array = program_->arrays[static_cast<std::size_t>(at.array)];
  if (!array.races_allowed.empty()) return array.races_allowed;
  return at.earlier->racy && at.later->racy ? "racy" : "";
}

void RaceLog::count(const RacingAccesses& at, Diagnostic race) {
  ++counts_.races;
  const Span here = race.span, there = race.notes.front().span;
  const auto line = [&](Span span) { return span.known() ? sources_->begin(span).line : 0; };
  const auto [pair, fresh] = pairs_.try_emplace(
      {at.array, here.file, line(here), there.file, line(there)}, counts_.pairs.size());
  if (fresh)
    counts_.pairs.push_back({std::move(race),
                             program_->arrays[static_cast<std::size_t>(at.array)].name,
                             races_allowed(at), at.later_does, at.earlier_does, 0});
  ++counts_.pairs[pair->second].races;
}

std::optional<Diagnostic> RaceLog::found(const RacingAccesses& at, Conflict conflict) {
  const Access &earlier = *at.earlier, &later = *at.later;
  const std::string_view does = verb_of(at.later_does), did = past_of(at.earlier_does);
  const std::string name = name_of(at.array, at.element);
  const bool one_statement = span_of(later) == span_of(earlier);
  const bool iterations = conflict != Conflict::blocks && earlier.forall != 0 &&
                          earlier.forall == later.forall && earlier.iteration != later.iteration;
  const bool combines = (writes(at.later_does) && writes(at.earlier_does)) || one_statement;
  if (conflict == Conflict::launches) return found_between_launches(at, name);
  const bool deferred = launches_.back().kernel->code[later.site].op == ir::Opcode::defer;
  if (iterations && earlier.thread == later.thread && !deferred)
    return found(
        at,
        fmt::format("race at {}: iterations {} and {} of one forall, both of {}: the later one {} "
                    "what the other {}",
                    name, earlier.iteration, later.iteration, thread_of(later), does, did),
        {"iterations of one forall are independent, those of one thread, too", loop_of(later),
         combines ? way_to_combine : way_to_read_first});
  // Iterations of one forall are named by their numbers, even if different warps run them.
  if (iterations)
    return found(at,
                 fmt::format("race at {}: iteration {} ({}) {} what iteration {} (thread {}) {}",
                             name, later.iteration, thread_of(later), does, earlier.iteration,
                             earlier.thread, did),
                 {"iterations of one forall are independent: they must not access the same word if "
                  "one of them writes it",
                  combines ? way_to_combine : way_to_read_first});
  const std::string message = fmt::format("race at {}: {} {} what {} {}", name, thread_of(later),
                                          does, thread_of(earlier), did);
  if (conflict == Conflict::blocks)
    return found(at, message,
                 {"blocks of one launch run without any order between them",
                  "give each block words of its own, and let a second launch combine them"});
  return found(at, message,
               {"there is no barrier between the two: their order depends on the machine",
                one_statement ? way_to_combine : "write `barrier` between the two"});
}

// Both launches are named, with their places in main behind those of the accesses.
std::optional<Diagnostic> RaceLog::found_between_launches(const RacingAccesses& at,
                                                          const std::string& name) {
  const std::string message = fmt::format(
      "race at {}: {} {} what {} {}", name, launched_thread_of(*at.later), verb_of(at.later_does),
      launched_thread_of(*at.earlier), past_of(at.earlier_does));
  std::vector<std::string> help = {
      "launches of one `concurrent` run without any order between them",
      "end the `concurrent` between the two, or give each launch words of its own"};
  std::vector<Diagnostic> notes;
  for (const Access* access : {at.earlier, at.later}) {
    const LoggedLaunch& launch = launch_of(*access);
    notes.push_back(note_at(launch.at, fmt::format("launch {} is this one", launch.number)));
  }
  return found(at, message, std::move(help), std::move(notes));
}

std::optional<Diagnostic> RaceLog::check(const Shadow& shadow, std::int32_t array,
                                         std::int64_t element, const Access& access, bool write) {
  Shadow::Found earlier;
  for (std::size_t plane = 0; plane < access_planes && earlier.conflict == Conflict::none; ++plane)
    if (may_race(access, plane)) earlier = shadow.find(phases_, element, access, write, plane);
  if (earlier.conflict == Conflict::none) return std::nullopt;
  return found({array, element, &earlier.earlier, kind_of(earlier.earlier, earlier.earlier_writes),
                &access, kind_of(access, write)},
               earlier.conflict);
}

std::optional<Diagnostic> RaceLog::check_paths(const Lanes& lanes, std::vector<PathLog>& logs,
                                               std::int32_t array, std::int64_t element,
                                               const Access& access, bool write, bool told) {
  const auto& frames = lanes.frames();
  if (logs.size() < frames.size()) logs.resize(frames.size());
  for (std::size_t depth = 0; depth < frames.size(); ++depth) {
    const Lanes::Frame& frame = frames[depth];
    if (!frame.divergent) continue;
    PathLog& log = logs[depth];
    if (!log.belongs_to(frame.serial)) log.begin(frame.serial);
    if (!frame.in_else) {
      log.add({array, element, write, access});
      continue;
    }
    const PathLog::Entry* other = nullptr;
    for (std::size_t plane = 0; plane < access_planes && !other; ++plane)
      if (may_race(access, plane)) other = log.find(array, element, write, plane);
    if (!other) continue;
    const RacingAccesses both{array,          element,
                              &other->access, kind_of(other->access, other->write),
                              &access,        kind_of(access, write)};
    if (told && (allow_ || !races_allowed(both).empty())) continue;
    told = true;
    const std::string message =
        fmt::format("race at {}: {} {} what {} {}, on the two paths of one if",
                    name_of(array, element), thread_of(access), verb_of(both.later_does),
                    thread_of(other->access), past_of(both.earlier_does));
    auto stop = found(
        both, message,
        {"then- and else-lanes of one if must not access the same word if one of them writes it",
         "end the if and begin another between the two"});
    if (stop) return stop;
  }
  return std::nullopt;
}

} // namespace memlane
