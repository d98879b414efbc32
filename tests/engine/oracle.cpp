#include "oracle.hpp"

#include <deque>
#include <list>
#include <set>

namespace memlane::test {
namespace {

using Time = std::int64_t;
constexpr Time unknown = Dispatch::unknown.value;

// Section 2 and "Elements of several words": what a request takes of a unit.

/// The words of lane i: e successive ones from its first word on.
std::vector<std::int64_t> words_of(const Request& request, std::size_t lane) {
  std::vector<std::int64_t> words;
  for (std::int64_t k = 0; request.addresses[lane] >= 0 && k < request.words_of_lane; ++k)
    words.push_back(request.addresses[lane] + k);
  return words;
}

std::set<std::int64_t> touched(const Request& request, std::int64_t words_of_group) {
  std::set<std::int64_t> groups;
  for (std::size_t lane = 0; lane < request.addresses.size(); ++lane)
    for (const std::int64_t word : words_of(request, lane)) groups.insert(word / words_of_group);
  return groups;
}

/// The most lanes on one element that has a word in the group.
std::int64_t lanes_on_an_element(const Request& request, std::int64_t words_of_group,
                                 std::int64_t group) {
  std::map<std::int64_t, std::int64_t> lanes;
  std::int64_t most = 0;
  for (std::size_t lane = 0; lane < request.addresses.size(); ++lane) {
    bool of_group = false;
    for (const std::int64_t word : words_of(request, lane))
      of_group = of_group || word / words_of_group == group;
    if (of_group) most = std::max(most, ++lanes[request.addresses[lane]]);
  }
  return most;
}

/// Pieces of lanes, one after the other; in each the fullest bank decides.
std::int64_t shared_stages(const Request& request, std::int64_t w, const UnitSpec& unit) {
  const bool atomic = request.kind == AccessKind::atomic;
  const auto piece = static_cast<std::size_t>(std::max<std::int64_t>(1, w / request.words_of_lane));
  std::int64_t stages = 0;
  for (std::size_t first = 0; first < request.addresses.size(); first += piece) {
    std::map<std::int64_t, std::int64_t> of_bank;
    std::set<std::int64_t> seen;
    std::int64_t most = 0;
    for (std::size_t lane = first; lane < std::min(first + piece, request.addresses.size()); ++lane)
      for (const std::int64_t word : words_of(request, lane))
        if (seen.insert(word).second || atomic) most = std::max(most, ++of_bank[word % w]);
    stages += most;
  }
  if (atomic) {
    const std::int64_t millionths = stages * unit.atomic_stages.millionths;
    stages = (millionths + 999999) / 1000000;
  }
  return std::max(stages, unit.least_stages);
}

struct Warp;

/// A request or an operation that a unit has dispatched.
struct Flight {
  Warp* warp = nullptr;
  const Act* act = nullptr;
  std::int64_t stages = 0;          ///< that have not entered
  std::vector<std::int64_t> groups; ///< of a unified unit, rising: those that have not entered
  std::size_t entry = SIZE_MAX;     ///< in the result; none of an operation
  Time dispatched = 0, completion = unknown;
  Time served = 0; ///< an atomic's last time unit of service
  bool reused = false;
};

/// `stalls`: the act at `at` needs earlier requests, or the warp has too many on their way.
enum class State { runs, waits, stalls, operates, computes, at_barrier, pays_barrier, ended };

/// What a warp waits for, and which of its waits for that it is.
struct Waits {
  WaitCause cause = WaitCause::port;
  std::size_t at = 0, requests = 0;
  std::int64_t which = 0;
  bool operator==(const Waits&) const = default;
};

struct Warp {
  std::int64_t block = 0, number = 0, mp = 0, slot = 0;
  const std::vector<Act>* acts = nullptr;
  std::size_t at = 0;
  std::int64_t repeated = 0; ///< operations of the act at `at` that are over
  State state = State::runs;
  bool given = false; ///< its request may be dispatched
  Time until = 0;
  Flight* operation = nullptr;        ///< where it operates
  std::vector<Flight*> requests = {}; ///< all that it has made
  bool gone = false;                  ///< its block has left
  std::int64_t others = 0;            ///< what it has done beside computing and waiting
  std::optional<Waits> wait = {};     ///< of the latest time unit
};

/// A port with its cyclic order (section 3).
struct Pipe {
  std::int64_t ports = 1;
  Time latency = 1;
  Flight* entering = nullptr;
  std::tuple<std::int64_t, std::int64_t, std::int64_t> last{-1, -1, -1};
  bool busy = false; ///< a stage has entered in this time unit
  // Of own ports:
  Time free_at = 0;
};

class Oracle {
public:
  Oracle(const MachineSpec& machine, const LaunchShape& shape, const Script& script)
      : m_(machine), shape_(shape), script_(script) {
    const auto d = static_cast<std::size_t>(m_.multiprocessors);
    if (m_.shared) shared_.assign(d, {m_.shared->ports, m_.shared->latency.value});
    if (m_.global) global_ = {m_.global->ports, m_.global->latency.value};
    if (m_.has_own_ports()) own_.resize(d);
    for (std::size_t mp = 0; mp < d; ++mp)
      for (const OperationUnit& unit : m_.operations)
        operations_.push_back({unit.ports, unit.latency.value});
    run_.shared.resize(shared_.size());
    run_.ports.resize(own_.size());
    run_.operations.resize(operations_.size());
    if (m_.global) run_.global.emplace();
    resident_.resize(d,
                     std::vector<std::int64_t>(static_cast<std::size_t>(m_.resident_blocks), -1));
    next_of_.resize(d);
    for (std::size_t mp = 0; mp < d; ++mp) next_of_[mp] = static_cast<std::int64_t>(mp);
  }

  OracleRun run() {
    for (now_ = 0; now_ < m_.launch_cost.value; ++now_) account();
    for (;; ++now_) {
      complete();
      do continue_warps();
      while (change_blocks());
      if (is_over()) break;
      if (m_.lockstep) begin_round();
      dispatch();
      account();
    }
    end_waits();
    run_.time = now_;
    return std::move(run_);
  }

private:
  // Phase 1.
  void complete() {
    for (Warp& warp : warps_) {
      if (warp.state == State::stalls) warp.state = State::runs;
      if (warp.state == State::operates && warp.operation->completion == now_) end_operation(warp);
      if (warp.state == State::computes && warp.until == now_) warp.state = State::runs;
      if (warp.state == State::pays_barrier && warp.until == now_) warp.state = State::runs;
    }
    for (Pipe& port : own_) {
      if (!port.entering || port.free_at != now_) continue;
      Flight& flight = *port.entering;
      port.entering = nullptr;
      if (flight.groups.empty())
        finish(flight, now_ + m_.global->reuse_latency.value);
      else
        for (const std::int64_t group : flight.groups) queue_.push_back({&flight, group});
    }
  }
  static void end_operation(Warp& warp) {
    warp.state = State::runs;
    if (++warp.repeated < (*warp.acts)[warp.at].count) return;
    warp.repeated = 0;
    ++warp.at;
  }
  bool flies(const Flight& flight) const {
    return flight.completion == unknown || flight.completion > now_;
  }
  /// The blocks have left, and their writes have completed.
  bool is_over() const {
    return started_ == shape_.blocks &&
           std::all_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.gone; }) &&
           std::none_of(flights_.begin(), flights_.end(),
                        [&](const Flight& flight) { return flies(flight); });
  }
  void finish(Flight& flight, Time completion) {
    flight.completion = completion;
    if (flight.entry == SIZE_MAX) return;
    run_.entries[flight.entry].completion = completion;
    const bool told = !own_.empty() || flight.act->request.kind == AccessKind::atomic;
    if (told && unit_of(*flight.act) == UnitId::global)
      run_.flown += completion - flight.dispatched;
  }

  // Phase 2.
  void continue_warps() {
    for (bool changed = true; changed;) {
      changed = false;
      for (Warp& warp : warps_)
        while (warp.state == State::runs) step(warp), changed = true;
      for (const Warp& warp : warps_)
        if (warp.state == State::at_barrier && arrived(warp.block))
          open(warp.block), changed = true;
    }
  }
  static bool is_active(const Act& act) {
    return std::any_of(act.request.addresses.begin(), act.request.addresses.end(),
                       [](std::int64_t address) { return address >= 0; });
  }
  static bool makes_request(const Act& act) {
    return act.kind == StepKind::request && is_active(act);
  }
  /// Whether fewer than k requests are on their way, and those that the next act needs are not.
  bool may_go_on(const Warp& warp) const {
    std::int64_t flying = 0;
    bool reads = false;
    for (const Flight* flight : warp.requests) {
      if (!flies(*flight)) continue;
      if (flight->dispatched == now_) return false; // not before the next time unit
      ++flying;
      const Request& request = flight->act->request;
      reads = reads || request.kind == AccessKind::read || request.uses_old;
    }
    if (flying >= m_.requests_in_flight) return false;
    const bool ends = warp.at == warp.acts->size();
    if (ends || (*warp.acts)[warp.at].kind == StepKind::barrier) return !reads;
    const Act& act = (*warp.acts)[warp.at];
    if (act.kind != StepKind::wait) return true;
    if (act.awaited.empty()) return flying == 0;
    return std::none_of(act.awaited.begin(), act.awaited.end(), [&](std::uint32_t back) {
      return back <= warp.requests.size() && flies(*warp.requests[warp.requests.size() - back]);
    });
  }
  void step(Warp& warp) {
    if (!may_go_on(warp)) {
      warp.state = State::stalls;
      return;
    }
    if (warp.at == warp.acts->size()) {
      warp.state = State::ended;
      return;
    }
    const Act& act = (*warp.acts)[warp.at];
    if (act.kind == StepKind::barrier || makes_request(act)) ++warp.others;
    if (act.kind == StepKind::barrier) {
      warp.state = State::at_barrier;
      ++warp.at;
    } else if (makes_request(act) || (act.kind == StepKind::compute && m_.unit_of(act.operation))) {
      warp.state = State::waits;
      warp.given = !m_.lockstep;
    } else {
      ++warp.at;
      const Time cost = act.kind == StepKind::compute ? act.count * m_.instruction_cost.value : 0;
      if (cost == 0) return;
      warp.state = State::computes;
      warp.until = now_ + cost;
    }
  }
  bool arrived(std::int64_t block) const {
    return std::all_of(warps_.begin(), warps_.end(), [&](const Warp& warp) {
      return warp.block != block || warp.state == State::at_barrier || warp.state == State::ended;
    });
  }
  void open(std::int64_t block) {
    for (Warp& warp : warps_) {
      if (warp.block != block || warp.state != State::at_barrier) continue;
      warp.state = m_.barrier_cost.value == 0 ? State::runs : State::pays_barrier;
      warp.until = now_ + m_.barrier_cost.value;
    }
  }

  // Phase 3 and section 4.
  bool change_blocks() {
    bool changed = false;
    for (std::vector<std::int64_t>& slots : resident_)
      for (std::int64_t& block : slots)
        if (block >= 0 && has_ended(block)) {
          for (Warp& warp : warps_) warp.gone = warp.gone || warp.block == block;
          read_.erase(block);
          block = -1;
          changed = true;
        }
    while (start_block()) changed = true;
    return changed;
  }
  bool has_ended(std::int64_t block) const {
    return std::all_of(warps_.begin(), warps_.end(), [&](const Warp& warp) {
      return warp.block != block || warp.state == State::ended;
    });
  }
  static std::int64_t residents(const std::vector<std::int64_t>& slots) {
    return std::count_if(slots.begin(), slots.end(), [](std::int64_t block) { return block >= 0; });
  }
  bool start_block() {
    std::optional<std::size_t> where;
    for (std::size_t mp = 0; mp < resident_.size(); ++mp) {
      if (residents(resident_[mp]) == m_.resident_blocks) continue;
      if (m_.block_schedule == BlockSchedule::static_) {
        if (next_of_[mp] < shape_.blocks) where = mp;
        if (where) break;
      } else if (started_ < shape_.blocks &&
                 (!where || residents(resident_[mp]) < residents(resident_[*where]))) {
        where = mp;
      }
    }
    if (!where) return false;
    const bool fixed = m_.block_schedule == BlockSchedule::static_;
    const std::int64_t block = fixed ? next_of_[*where] : started_;
    if (fixed) next_of_[*where] += m_.multiprocessors;
    ++started_;
    auto& slots = resident_[*where];
    const auto slot = std::find(slots.begin(), slots.end(), -1);
    *slot = block;
    for (std::int64_t w = 0; w * m_.width < shape_.threads; ++w) {
      const auto acts = script_.find({block, w});
      warps_.push_back({block, w, static_cast<std::int64_t>(*where), slot - slots.begin(),
                        acts == script_.end() ? &nothing_ : &acts->second});
    }
    return true;
  }

  void begin_round() {
    for (const Warp& warp : warps_)
      if ((warp.state == State::waits && warp.given) || warp.state == State::stalls ||
          warp.state == State::computes || warp.state == State::pays_barrier)
        return;
    for (Warp& warp : warps_) warp.given = warp.state == State::waits;
  }

  // Phase 4.
  void dispatch() {
    for (Pipe* pipe : pipes()) pipe->busy = false;
    for (std::size_t mp = 0; mp < shared_.size(); ++mp)
      enter(shared_[mp], [&](const Warp& warp) {
        return warp.mp == static_cast<std::int64_t>(mp) && asks(warp, UnitId::shared);
      });
    for (std::size_t k = 0; k < operations_.size(); ++k)
      enter(operations_[k], [&](const Warp& warp) {
        const auto units = m_.operations.size();
        const Act& act = (*warp.acts)[warp.at];
        return warp.mp == static_cast<std::int64_t>(k / units) && act.kind == StepKind::compute &&
               m_.unit_of(act.operation) == &m_.operations[k % units];
      });
    if (!own_.empty()) {
      for (std::size_t mp = 0; mp < own_.size(); ++mp) enter_own(mp);
      enter_queue();
    } else if (m_.global) {
      enter(global_, [&](const Warp& warp) { return asks(warp, UnitId::global); });
    }
  }
  std::vector<Pipe*> pipes() {
    std::vector<Pipe*> all{&global_};
    for (auto* pipes : {&shared_, &own_, &operations_})
      for (Pipe& pipe : *pipes) all.push_back(&pipe);
    return all;
  }
  UnitId unit_of(const Act& act) const {
    return !m_.global ? UnitId::shared : !m_.shared ? UnitId::global : act.request.unit;
  }
  bool asks(const Warp& warp, UnitId unit) const {
    const Act& act = (*warp.acts)[warp.at];
    return act.kind == StepKind::request && unit_of(act) == unit;
  }

  /// The waiting warp that is next in cyclic order.
  template <class Asks>
  Warp* next(const Pipe& pipe, Asks&& asks) {
    Warp* first = nullptr;
    Warp* after = nullptr;
    const auto place = [](const Warp& warp) { return std::tuple(warp.mp, warp.slot, warp.number); };
    for (Warp& warp : warps_) {
      if (warp.state != State::waits || !warp.given || !asks(warp)) continue;
      if (!first || place(warp) < place(*first)) first = &warp;
      if (place(warp) > pipe.last && (!after || place(warp) < place(*after))) after = &warp;
    }
    return after ? after : first;
  }
  Flight& depart(Pipe& pipe, Warp& warp) {
    const Act& act = (*warp.acts)[warp.at];
    pipe.last = {warp.mp, warp.slot, warp.number};
    Flight& flight = flights_.emplace_back();
    flight.warp = &warp;
    flight.act = &act;
    flight.dispatched = now_;
    if (act.kind == StepKind::compute) {
      warp.state = State::operates;
      warp.operation = &flight;
      return flight;
    }
    flight.entry = run_.entries.size();
    run_.entries.push_back({now_, warp.block, warp.number, unknown});
    warp.requests.push_back(&flight);
    warp.state = State::stalls;
    ++warp.at;
    return flight;
  }
  template <class Asks>
  void enter(Pipe& pipe, Asks&& asks) {
    for (std::int64_t room = pipe.ports; room > 0; --room) {
      if (!pipe.entering) {
        Warp* const warp = next(pipe, asks);
        if (!warp) return;
        Flight& flight = depart(pipe, *warp);
        pipe.entering = &flight;
        ask(flight);
      }
      pipe.busy = true;
      Flight& flight = *pipe.entering;
      if (!flight.groups.empty()) {
        serve(flight, flight.groups.front());
        flight.groups.erase(flight.groups.begin());
      }
      if (--flight.stages > 0) continue;
      pipe.entering = nullptr;
      finish(flight, std::max(now_, flight.served) + pipe.latency);
    }
  }
  /// The stages that a request or an operation takes of a unit of section 3.
  void ask(Flight& flight) {
    const Act& act = *flight.act;
    if (act.kind == StepKind::compute) {
      flight.stages = m_.unit_of(act.operation)->stages[static_cast<std::size_t>(act.operation)];
    } else if (unit_of(act) == UnitId::shared) {
      flight.stages = shared_stages(act.request, m_.width, *m_.shared);
    } else {
      const auto groups = touched(act.request, m_.stage_words(*m_.global));
      flight.groups.assign(groups.begin(), groups.end());
      flight.stages = static_cast<std::int64_t>(groups.size());
    }
  }
  /// Section 11: a group that enters now.
  void serve(Flight& flight, std::int64_t group) {
    if (flight.act->request.kind != AccessKind::atomic) return;
    const std::int64_t lanes =
        lanes_on_an_element(flight.act->request, m_.stage_words(*m_.global), group);
    Time& free = served_until_[group];
    free = std::max(now_, free) + std::max(m_.global->atomic_service.value, lanes);
    flight.served = std::max(flight.served, free - 1);
  }
  void enter_own(std::size_t mp) {
    Pipe& port = own_[mp];
    if (!port.entering) {
      Warp* const warp = next(port, [&](const Warp& of) {
        return of.mp == static_cast<std::int64_t>(mp) && asks(of, UnitId::global);
      });
      if (!warp) return;
      Flight& flight = depart(port, *warp);
      port.entering = &flight;
      const Request& request = flight.act->request;
      const auto lines = static_cast<Time>(touched(request, m_.line_words()).size());
      port.free_at = now_ + std::max(lines, m_.global->least_stages);
      const bool reads = request.kind == AccessKind::read && !request.is_volatile;
      for (const std::int64_t group : touched(request, m_.stage_words(*m_.global))) {
        const bool shares = reads && m_.global->reuse == Reuse::block;
        if (shares && !read_[warp->block].insert(group).second)
          ++run_.groups_reused;
        else
          flight.groups.push_back(group);
      }
      flight.stages = static_cast<std::int64_t>(flight.groups.size());
      flight.reused = flight.groups.empty();
    }
    port.busy = true;
  }
  void enter_queue() {
    for (std::int64_t room = global_.ports; room > 0 && !queue_.empty(); --room) {
      const auto [flight, group] = queue_.front();
      queue_.pop_front();
      global_.busy = true;
      serve(*flight, group);
      if (--flight->stages == 0) finish(*flight, std::max(now_, flight->served) + global_.latency);
    }
  }

  // Section 5.
  /// One that waits for its port has been made.
  static bool makes_another(const Warp& warp) {
    const std::size_t next = warp.at + (warp.state == State::waits ? 1 : 0);
    return std::any_of(warp.acts->begin() + static_cast<std::ptrdiff_t>(next), warp.acts->end(),
                       makes_request);
  }
  void account(OracleAccount& unit, bool busy, std::optional<std::int64_t> mp) {
    bool latency = false, barrier = false, drain = false;
    for (const Warp& warp : warps_) {
      if (mp && warp.mp != *mp) continue;
      const bool on_way = std::any_of(warp.requests.begin(), warp.requests.end(),
                                      [&](const Flight* flight) { return flies(*flight); });
      latency = latency || (on_way && makes_another(warp));
      drain = drain || on_way;
      barrier = barrier || warp.state == State::at_barrier || warp.state == State::pays_barrier;
    }
    if (!busy && m_.is_beyond_papers() && now_ >= m_.launch_cost.value) {
      idle_[&unit].mp = mp;
      ++idle_[&unit].time;
    }
    ++(busy      ? unit.busy
       : latency ? unit.latency
       : barrier ? unit.barrier
       : drain   ? unit.drain
                 : unit.empty);
  }

  // Section 10, "What warps wait for".
  std::optional<Waits> wait_of(const Warp& warp) const {
    const auto flying = std::count_if(warp.requests.begin(), warp.requests.end(),
                                      [&](const Flight* flight) { return flies(*flight); });
    const bool full = flying >= m_.requests_in_flight;
    const auto waits = [&](WaitCause cause, std::int64_t which = 0) {
      return Waits{cause, warp.at, warp.requests.size(), which};
    };
    switch (warp.state) {
    case State::waits: return waits(WaitCause::port, warp.repeated);
    case State::operates: return waits(WaitCause::operation, warp.repeated);
    case State::computes: return Waits{WaitCause::computation, 0, 0, warp.others};
    case State::pays_barrier: return waits(WaitCause::barrier);
    case State::stalls:
      if (full) return waits(WaitCause::requests);
      if (warp.requests.back()->dispatched == now_) return waits(WaitCause::port, -1);
      return waits(needs_all(warp) ? WaitCause::fence : WaitCause::value);
    case State::runs:
    case State::at_barrier:
    case State::ended: break;
    }
    return std::nullopt;
  }
  static bool needs_all(const Warp& warp) {
    if (warp.at == warp.acts->size()) return false;
    const Act& act = (*warp.acts)[warp.at];
    return act.kind == StepKind::wait && act.awaited.empty();
  }
  /// Whether request number `k` of a warp is one that a wait of it was for.
  static bool awaits(const Warp& warp, const Waits& wait, std::size_t k) {
    if (wait.cause != WaitCause::value) return true;
    const Request& request = warp.requests[k]->act->request;
    if (wait.at == warp.acts->size() || (*warp.acts)[wait.at].kind == StepKind::barrier)
      return request.kind == AccessKind::read || request.uses_old;
    const auto& awaited = (*warp.acts)[wait.at].awaited;
    return std::count(awaited.begin(), awaited.end(), wait.requests - k) > 0;
  }
  /// What is charged with idle time, when a wait has ended now.
  std::pair<WaitCause, std::pair<std::int32_t, std::int32_t>> charged(const Warp& warp,
                                                                      const Waits& wait) const {
    const bool of_requests = wait.cause == WaitCause::requests || wait.cause == WaitCause::value ||
                             wait.cause == WaitCause::fence;
    std::size_t k = 0;
    while (of_requests && (warp.requests[k]->completion != now_ || !awaits(warp, wait, k))) ++k;
    if (of_requests && warp.requests[k]->reused) return {WaitCause::reuse, {-1, -1}};
    if (wait.cause != WaitCause::value || wait.at == warp.acts->size())
      return {wait.cause, {-1, -1}};
    const Act& act = (*warp.acts)[wait.at];
    if (act.kind == StepKind::barrier) return {wait.cause, {-1, -1}};
    const auto site = static_cast<std::int32_t>(warp.requests[k]->act->request.site);
    return {wait.cause, {act.instruction, site}};
  }
  /// Of the waits that end now, that of the first warp gets the idle time before.
  void end_waits() {
    for (auto& [unit, idle] : idle_) {
      std::optional<std::tuple<std::int64_t, std::int64_t, std::int64_t>> first;
      std::pair<WaitCause, std::pair<std::int32_t, std::int32_t>> to;
      for (const Warp& warp : warps_) {
        if (idle.mp && warp.mp != *idle.mp) continue;
        if (!warp.wait || wait_of(warp) == warp.wait) continue;
        const bool of_block = warp.wait->cause == WaitCause::barrier;
        const std::tuple place(warp.mp, warp.slot, of_block ? 0 : warp.number);
        if (first && *first <= place) continue;
        first = place;
        to = charged(warp, *warp.wait);
      }
      if (!first) continue;
      const Time time = std::exchange(idle.time, 0);
      unit->waits[static_cast<std::size_t>(to.first)] += time;
      if (to.first == WaitCause::value && time > 0) unit->value_waits[to.second] += time;
    }
    for (Warp& warp : warps_) warp.wait = wait_of(warp);
  }

  void account() {
    const bool started = now_ >= m_.launch_cost.value;
    if (m_.is_beyond_papers()) end_waits();
    for (std::size_t mp = 0; mp < shared_.size(); ++mp)
      account(run_.shared[mp], started && shared_[mp].busy,
              m_.global ? std::optional(static_cast<std::int64_t>(mp)) : std::nullopt);
    for (std::size_t mp = 0; mp < own_.size(); ++mp)
      account(run_.ports[mp], started && own_[mp].busy, static_cast<std::int64_t>(mp));
    for (std::size_t k = 0; k < operations_.size(); ++k)
      run_.operations[k] += started && operations_[k].busy ? 1 : 0;
    if (m_.global) account(*run_.global, started && global_.busy, std::nullopt);
  }

  const MachineSpec& m_;
  const LaunchShape& shape_;
  const Script& script_;
  const std::vector<Act> nothing_;
  /// Idle time of a unit since a wait of its warps ended.
  struct Idle {
    std::optional<std::int64_t> mp; ///< none: all warps are its own
    Time time = 0;
  };

  OracleRun run_;
  std::map<OracleAccount*, Idle> idle_;
  Time now_ = 0;
  std::list<Warp> warps_; ///< of resident blocks
  std::deque<Flight> flights_;
  std::vector<Pipe> shared_, own_, operations_;
  Pipe global_;
  std::deque<std::pair<Flight*, std::int64_t>> queue_; ///< of groups, in front of the device's port
  std::map<std::int64_t, Time> served_until_;          ///< by group: the end of its atomics
  std::map<std::int64_t, std::set<std::int64_t>> read_; ///< groups by block
  std::vector<std::vector<std::int64_t>> resident_;     ///< block by multiprocessor and slot
  std::vector<std::int64_t> next_of_; ///< next block of a multiprocessor, where blocks are fixed
  std::int64_t started_ = 0;
};

} // namespace

OracleRun run_by_the_text(const MachineSpec& machine, const LaunchShape& shape,
                          const Script& script) {
  return Oracle(machine, shape, script).run();
}

} // namespace memlane::test
