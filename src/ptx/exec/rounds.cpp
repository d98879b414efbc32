// Loops in which a warp waits for what others write: a round that changes nothing is no work, since
// how many of them there are follows from the order in which warps are executed.
#include "run_warp.hpp"

#include <algorithm>
#include <bit>

namespace memlane::ptx {

namespace {

/// Steps of a round. More of them are counted, whatever they do.
constexpr std::int64_t longest_round = 1 << 12;

/// Whether the operation reads what others may change meanwhile, and something uses that.
bool polls(const Operation& op, const std::vector<std::uint8_t>& is_read) {
  return op.d.kind == OperandKind::reg && is_read[static_cast<std::size_t>(op.d.index)] &&
         (op.opcode == Opcode::atom ||
          (op.opcode == Opcode::ld &&
           op.words.any(Word::volatile_, Word::relaxed, Word::acquire, Word::mmio)));
}
/// A loop with such an operation waits there (WarpRun::control).
bool lets_others_go_on(const Operation& op) {
  return op.opcode == Opcode::nanosleep || op.opcode == Opcode::mbarrier;
}

} // namespace

void find_waits(Code& code) {
  const Function& function = *code.function;
  std::vector<std::uint8_t> is_read(function.registers.size(), 0);
  for (const Operation& op : function.code)
    for_registers(function, op, [&](std::int32_t reg, bool written) {
      if (!written) is_read[static_cast<std::size_t>(reg)] = 1;
    });
  std::vector<std::int32_t> polls_before{0}, others_before{0};
  for (std::size_t at = 0; at < function.code.size(); ++at) {
    const Operation& op = function.code[at];
    polls_before.push_back(polls_before.back() + (polls(op, is_read) ? 1 : 0));
    others_before.push_back(others_before.back() + (lets_others_go_on(op) ? 1 : 0));
    if (op.opcode != Opcode::bra || op.target > static_cast<std::int32_t>(at)) continue;
    const auto target = static_cast<std::size_t>(op.target);
    code.steps[at].may_wait =
        polls_before[at] > polls_before[target] && others_before[at] == others_before[target];
  }
}

WarpState WarpRun::run(std::int64_t steps) {
  round_.stopped = false;
  if (round_.open) note_counts(); // other warps add to the same counts
  go(steps);
  if (round_.open && !round_.stopped) end_round(RoundEvent::counts);
  return state_;
}

/// The warp has passed a branch back, or an operation that lets others go on: a round ends there,
/// and another one begins. Whether it has changed nothing: then the next one is like it until
/// others write.
bool WarpRun::waits_in_vain() {
  if (!round_.looks) return false;
  const Path& path = now();
  const Memories& memories = *warp_.memories;
  const bool vain = round_.open && round_.path == current_ && round_.at == path.at &&
                    round_.activation == path.activation && round_.lanes == path.lanes &&
                    round_.writes == memories.writes && round_.carry == warp_.carry &&
                    executed_ - round_.executed <= longest_round &&
                    activation().frame == round_.frame &&
                    std::equal(round_.local.begin(), round_.local.end(), memories.local);
  if (vain) {
    end_round(RoundEvent::vain);
  } else {
    if (round_.open) end_round(RoundEvent::counts);
    begin_round();
  }
  round_.stopped = vain;
  return vain;
}

/// The path lets others go on.
void WarpRun::yield() {
  if (warp_.mask == now().lanes) {
    waits_in_vain();
    round_.stopped = round_.open;
  }
  now().skipped = true;
  state_ = WarpState::yields;
}

void WarpRun::begin_round() {
  const Path& path = now();
  const Memories& memories = *warp_.memories;
  round_.open = true;
  round_.path = current_;
  round_.at = path.at;
  round_.activation = path.activation;
  round_.lanes = path.lanes;
  round_.carry = warp_.carry;
  round_.writes = memories.writes;
  round_.frame = activation().frame;
  round_.local.assign(memories.local, memories.local + memories.local_bytes * warp_lanes);
  note_counts();
  if (memories.observer) memories.observer->round(RoundEvent::begins);
}

/// What has been counted up to now.
void WarpRun::note_counts() {
  round_.executed = executed_;
  round_.counted = warp_.counted;
  round_.operated = warp_.operated;
  round_.operation = warp_.operation;
  if (!counts_) return;
  round_.counts.clear();
  for (const Activation& one : calls_)
    if (one.used && one.counts)
      round_.counts.emplace_back(
          one.counts, std::vector<StepCount>(one.counts, one.counts + one.code->steps.size()));
}

void WarpRun::end_round(RoundEvent how) {
  AccessObserver* const observer = warp_.memories->observer;
  const bool is_done = !observer || observer->round(how);
  if (how == RoundEvent::vain) {
    round_.executed = executed_;
    if (!is_done) return note_counts();
    for (const auto& [counts, before] : round_.counts)
      std::copy(before.begin(), before.end(), counts);
    warp_.counted = round_.counted;
    warp_.operated = round_.operated;
    warp_.operation = round_.operation;
  } else {
    round_.open = false;
  }
}

bool WarpRun::goes_round(std::int64_t steps) {
  const std::vector<Path> paths = paths_;
  std::vector<std::vector<std::uint8_t>> frames;
  for (const Activation& one : calls_)
    frames.push_back(one.used ? one.frame : std::vector<std::uint8_t>());
  const Memories& memories = *warp_.memories;
  const std::vector<std::uint8_t> local(memories.local,
                                        memories.local + memories.local_bytes * warp_lanes);
  const std::uint32_t carry = warp_.carry;
  const std::int64_t writes = memories.writes;
  const auto same_path = [](const Path& a, const Path& b) {
    return a.at == b.at && a.meets == b.meets && a.lanes == b.lanes && a.state == b.state &&
           a.activation == b.activation && a.skipped == b.skipped;
  };
  const auto same_frame = [](const Activation& a, const std::vector<std::uint8_t>& b) {
    return a.used ? a.frame == b : b.empty();
  };
  const auto is_as_before = [&] {
    return warp_.carry == carry && paths_.size() == paths.size() &&
           calls_.size() == frames.size() &&
           std::equal(paths.begin(), paths.end(), paths_.begin(), same_path) &&
           std::equal(calls_.begin(), calls_.end(), frames.begin(), same_frame) &&
           std::equal(local.begin(), local.end(), memories.local);
  };
  if (round_.open)
    note_counts();
  else if (current_ >= 0 && current_ < static_cast<std::int32_t>(paths_.size()))
    begin_round();
  round_.looks = false;
  bool same = false;
  // Or it has reached a barrier, its end, a fault.
  for (; steps > 0 && !same && go(1) == WarpState::yields; --steps) same = is_as_before();
  round_.looks = true;
  if (round_.open)
    end_round(same && memories.writes == writes ? RoundEvent::vain : RoundEvent::counts);
  return same;
}

Fault WarpRun::wait() const {
  Fault fault;
  fault.kind = FaultKind::waits_for_ever;
  for (const Path& path : paths_) {
    if (path.state != Path::State::goes || path.children > 0 || path.lanes == 0) continue;
    const std::vector<Step>& steps = calls_[static_cast<std::size_t>(path.activation)].code->steps;
    fault.lane = std::countr_zero(path.lanes);
    if (static_cast<std::size_t>(path.at) < steps.size())
      fault.step = &steps[static_cast<std::size_t>(path.at)];
  }
  return fault;
}

} // namespace memlane::ptx
