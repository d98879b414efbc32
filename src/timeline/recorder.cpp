#include "memlane/timeline/recorder.hpp"

#include "memlane/ir/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace memlane {

namespace {

std::vector<Timeline::Unit> units_of(const MachineSpec& machine) {
  std::vector<Timeline::Unit> units;
  for (std::int64_t mp = 0; machine.shared && mp < machine.multiprocessors; ++mp) {
    const bool is_only = !machine.global;
    units.push_back({UnitId::shared, is_only ? std::nullopt : std::optional(mp),
                     machine.shared->kind, machine.shared->latency.value, machine.shared->ports});
  }
  if (machine.has_own_ports()) {
    for (std::int64_t mp = 0; mp < machine.multiprocessors; ++mp)
      units.push_back({UnitId::global, mp, machine.global->kind, machine.global->latency.value, 1,
                       machine.line_words()});
  } else if (machine.global)
    units.push_back({UnitId::global, std::nullopt, machine.global->kind,
                     machine.global->latency.value, machine.global->ports, machine.global->group});
  return units;
}

std::vector<Timeline::Unit> other_units_of(const MachineSpec& machine) {
  std::vector<Timeline::Unit> units;
  if (machine.has_own_ports())
    units.push_back({UnitId::global, std::nullopt, machine.global->kind,
                     machine.global->latency.value, machine.global->ports, machine.global->group});
  const bool is_only = !machine.shared || !machine.global;
  for (std::int64_t mp = 0; mp < machine.multiprocessors; ++mp)
    for (const OperationUnit& unit : machine.operations)
      units.push_back({UnitId::shared,
                       is_only ? std::nullopt : std::optional(mp),
                       UnitKind::discrete,
                       unit.latency.value,
                       unit.ports,
                       {},
                       unit.name});
  return units;
}

} // namespace

Diagnostic nothing_in_window(const TimelineWindow& window, const TimelineRecorder& recorder,
                             std::string_view launch_option) {
  const std::int64_t launches = recorder.launches();
  const std::string option(launch_option);
  if (const auto launch = window.launch; launch && *launch < launches)
    return error_in(option, window.from > 0 ? fmt::format("launch {} ends before its time unit {}",
                                                          *launch, window.from)
                                            : fmt::format("launch {} has no time units", *launch));
  if (window.launch)
    return error_in(option, fmt::format("there is no launch {}", *window.launch),
                    {launches == 0   ? "the run launches no kernel"
                     : launches == 1 ? fmt::format("the run has one launch: {} 0", option)
                                     : fmt::format("the run has launches 0 to {}", launches - 1)});
  if (launches == 0) return error_in("", "the run launches no kernel, so it takes no time");
  if (recorder.time() == 0)
    return error_in("", "the run takes no time, so there is nothing to chart");
  return error_in(
      "--window",
      fmt::format("it begins at {}, and the run takes {} time units", window.from, recorder.time()),
      {fmt::format("choose one in 0:{}", recorder.time())});
}

TimelineRecorder::TimelineRecorder(const ir::Program& program, const MachineSpec& machine,
                                   const Sources& sources, TimelineWindow window, TakeTimeline take)
    : program_(program), machine_(machine), sources_(&sources), window_(window),
      take_(std::move(take)) {
  run_begins();
}

void TimelineRecorder::run_begins() {
  piece_ = {};
  piece_.width = machine_.width;
  piece_.units = units_of(machine_);
  piece_.has_registers = window_.values;
  piece_.others = other_units_of(machine_);
  ports_.assign(piece_.units.size() + piece_.others.size(), {});
  from_ = window_.from;
  to_ = window_.to;
  begun_ = over_ = delivered_ = in_launch_ = false;
  now_ = recorded_ = others_ = line_waiting_ = 0;
  launch_ = line_until_ = -1;
  contents_left_ = most_contents;
  registers_left_ = most_register_values;
  blocks_.clear();
  ended_.clear();
  memory_.clear();
  memory_numbers_.clear();
  names_.clear();
  placements_.clear();
}

bool TimelineRecorder::is_of_line(Span span) const {
  return window_.line && span.known() && span.file == window_.line->first &&
         sources_->begin(span).line == window_.line->second;
}

std::int64_t TimelineRecorder::unit_of(UnitId unit, std::int64_t multiprocessor) const {
  const auto last = static_cast<std::int64_t>(piece_.units.size()) - 1;
  const bool is_global = machine_.global && (!machine_.shared || unit == UnitId::global);
  if (is_global && machine_.has_own_ports())
    return last + 1 - machine_.multiprocessors + multiprocessor;
  return is_global ? last : multiprocessor;
}

TimelineRecorder::Warp& TimelineRecorder::warp_of(WarpRef warp) {
  return blocks_.at(warp.block).warps[static_cast<std::size_t>(warp.warp)];
}

/// The requests that may be under way, where they are not in the piece; null: none is.
std::vector<Timeline::Request>* TimelineRecorder::requests_of(WarpRef warp) {
  if (blocks_.count(warp.block) > 0) return &warp_of(warp).requests;
  const auto ended = ended_.find(warp.block);
  return ended == ended_.end() ? nullptr : &ended->second.requests;
}

/// Forgets ended blocks without a request under way at this time.
void TimelineRecorder::forget_completed(std::int64_t before) {
  for (auto& [number, block] : ended_)
    std::erase_if(block.requests, [&](const auto& one) { return one.completed <= before; });
  std::erase_if(ended_, [](const auto& entry) { return entry.second.requests.empty(); });
  most_ended_ = 2 * ended_.size() + 16; // so that each block is looked at a few times
}

// Where the window begins and ends

void TimelineRecorder::begin_if_due() {
  if (begun_ || over_) return;
  if (window_.line) return; // its first request begins the window
  if (window_.launch && !(in_launch_ && *window_.launch == launch_)) return;
  if (now_ >= from_) begin(from_);
}

void TimelineRecorder::begin(std::int64_t from) {
  begun_ = true;
  piece_.from = from;
  for (const ArrayView& view : memory_)
    memory_numbers_[view.array] = list_array(view, nullptr, false);
  if (in_launch_) piece_.launches.push_back(current_);
  for (auto& [number, block] : blocks_) {
    list_arrays(block, false);
    for (Warp& warp : block.warps) {
      for (Timeline::Request& request : warp.requests)
        if (request.completed > from) record(std::move(request));
      if (warp.compute && warp.compute->to > from) piece_.computes.push_back(*warp.compute);
      for (const Timeline::Entry& entry : warp.entries)
        if (entry.to > from) piece_.entries.push_back(entry);
      warp.entries.clear();
      warp.requests.clear();
      warp.compute.reset();
    }
  }
  forget_completed(from);
  for (auto& [number, block] : ended_) {
    piece_.blocks.push_back(block.place);
    for (Timeline::Request& request : block.requests) record(std::move(request));
    block.requests.clear();
  }
  const auto earlier = [](const Timeline::Request& a, const Timeline::Request& b) {
    return a.dispatched < b.dispatched;
  };
  std::stable_sort(piece_.requests.begin(), piece_.requests.end(), earlier);
}

void TimelineRecorder::time_advances(Cycles now) {
  now_ = now.value;
  begin_if_due();
  if (!is_recording()) return;
  constexpr std::int64_t others_of_a_request = 8; // this many are as long as a request
  if (now_ >= to_) return end_window(to_);
  if (recorded_ + others_ / others_of_a_request >= window_.most_requests && now_ > piece_.from) {
    const std::string others =
        recorded_ < window_.most_requests
            ? fmt::format(" and {} other events (every {} take the room of a request)", others_,
                          others_of_a_request)
            : "";
    note(fmt::format("The window ends at time {}, after {} requests{}: it has room for {}.", now_,
                     recorded_, others, window_.most_requests));
    return end_window(now_);
  }
  if (window_.only_line && line_waiting_ == 0 && line_until_ <= now_) {
    if (now_ - line_until_ >= shortest_left_out) pause();
    return;
  }
  if (now_ - piece_.from < window_.piece) return;
  close_piece(now_);
  deliver();
}

void TimelineRecorder::launch_begins(std::int64_t launch, const LaunchShape& shape,
                                     std::string_view kernel) {
  launch_ = launch;
  in_launch_ = true;
  const std::int64_t warps = (shape.threads - 1) / machine_.width + 1;
  current_ = {launch, std::string(kernel), {}, now_, {}, shape.blocks, shape.threads, warps};
  for (const ir::Function& function : program_.functions) {
    if (function.name != kernel) continue;
    current_.span = function.span;
    ahead_.clear();
    if (machine_.schedule != Schedule::hoisted && !ir::has_atomics(function)) continue;
    for (const ir::Instruction& in : function.code)
      if (ir::makes_request(in.op) && in.op != ir::Opcode::load)
        ahead_.insert(static_cast<std::int32_t>(in.immediate));
  }
  blocks_.clear();
  ended_.clear();
  if (over_) return;
  if (window_.launch == launch) {
    from_ = now_ + std::min(window_.from, INT64_MAX - now_);
    to_ = now_ + std::min(window_.to, INT64_MAX - now_);
  }
  if (is_recording())
    piece_.launches.push_back(current_);
  else
    begin_if_due();
}

void TimelineRecorder::launch_ends(std::int64_t launch, const LaunchTally& tally) {
  now_ = current_.begin + tally.time.value;
  current_.end = now_;
  in_launch_ = false;
  if (!is_recording()) return;
  if (piece_.launches.empty() || piece_.launches.back().launch != launch)
    piece_.launches.push_back(current_);
  piece_.launches.back().end = now_;
  if (window_.launch == launch) end_window(now_);
}

void TimelineRecorder::end_window(std::int64_t to) {
  close_piece(to);
  over_ = true;
}

void TimelineRecorder::finish(std::optional<std::int64_t> time) {
  if (!begun_) return;
  if (!over_) {
    // A time unit of the window that the run does not have is not in progress.
    close_piece(std::min(to_, now_));
    over_ = true;
  }
  piece_.time = time;
  if (window_.line && line_waiting_ == 0) trim(piece_, std::max(line_until_, piece_.from));
  if (piece_.to > piece_.from) deliver();
}

/// Adds what is in progress at the end of the piece.
void TimelineRecorder::close_piece(std::int64_t to) {
  piece_.to = to;
  for (const auto& [number, block] : blocks_) {
    piece_.blocks.push_back(block.place);
    for (std::size_t i = 0; i < block.warps.size(); ++i) {
      const Warp& warp = block.warps[i];
      const auto w = static_cast<std::int64_t>(i);
      switch (warp.doing) {
      case Doing::other: break;
      case Doing::waiting:
        piece_.waiting.push_back({launch_, number, w, warp.unit, warp.span, warp.since});
        break;
      case Doing::at_barrier:
        piece_.barriers.push_back({launch_, number, w, warp.since, {}});
        break;
      case Doing::done: piece_.done.push_back({launch_, number, w, warp.since}); break;
      }
    }
  }
  const auto by = [](auto member) {
    return [member](const auto& a, const auto& b) { return a.*member < b.*member; };
  };
  std::stable_sort(piece_.barriers.begin(), piece_.barriers.end(), by(&Timeline::Barrier::arrived));
  std::stable_sort(piece_.blocks.begin(), piece_.blocks.end(), by(&Timeline::Block::from));
  std::stable_sort(piece_.entries.begin(), piece_.entries.end(), by(&Timeline::Entry::from));
  std::stable_sort(piece_.registers.begin(), piece_.registers.end(),
                   by(&Timeline::RegisterChange::time));
}

/// Delivers what was recorded up to the end of the line's latest request. The next one begins a
/// window again.
void TimelineRecorder::pause() {
  close_piece(now_);
  for (Timeline::Request& request : piece_.requests) {
    if (request.completed <= now_) continue;
    recorded_ -= 1; // it is recorded again if the window begins before it is over
    if (auto* const requests = requests_of({request.block, request.warp}))
      requests->push_back(request);
  }
  forget_completed(now_);
  for (const Timeline::Compute& compute : piece_.computes)
    if (compute.to > now_) warp_of({compute.block, compute.warp}).compute = compute;
  trim(piece_, line_until_);
  deliver();
  piece_.requests.clear();
  piece_.computes.clear();
  piece_.entries.clear();
  piece_.launches.clear();
  begun_ = false;
}

/// Hands the piece over and begins the next one with what goes on.
void TimelineRecorder::deliver() {
  Timeline next;
  next.width = piece_.width;
  next.units = piece_.units;
  next.others = piece_.others;
  next.from = piece_.to;
  for (const Timeline::Request& request : piece_.requests)
    if (request.completed > piece_.to) next.requests.push_back(request);
  for (const Timeline::Compute& compute : piece_.computes)
    if (compute.to > piece_.to) next.computes.push_back(compute);
  for (const Timeline::Entry& entry : piece_.entries)
    if (entry.to > piece_.to) next.entries.push_back(entry);
  if (in_launch_) next.launches.push_back(current_);
  // Completions that are unknown yet are behind the piece; the next one has them.
  for (Timeline::Request& request : piece_.requests)
    if (request.completed == Dispatch::unknown.value) request.completed = piece_.to + 1;
  take_(std::move(piece_));
  delivered_ = true;
  piece_ = std::move(next);
}

// The steps of warps

void TimelineRecorder::block_starts(const BlockStart& start) {
  if (over_) return;
  ResidentBlock& block = blocks_[start.block];
  block.place = {start.launch, start.block, start.multiprocessor, start.slot, now_, {}};
  block.warps.resize(static_cast<std::size_t>(current_.warps));
  others_ += is_recording() ? 1 : 0;
}

void TimelineRecorder::block_ends(std::int64_t launch, std::int64_t number) {
  const auto found = blocks_.find(number);
  if (found == blocks_.end()) return;
  ResidentBlock& block = found->second;
  if (is_recording() && block.place.from < now_) {
    block.place.to = now_;
    piece_.blocks.push_back(block.place);
    for (std::size_t i = 0; i < block.warps.size(); ++i)
      if (block.warps[i].doing == Doing::done && block.warps[i].since < now_)
        piece_.done.push_back({launch, number, static_cast<std::int64_t>(i), block.warps[i].since});
  }
  if (!over_ && (!begun_ || window_.only_line)) {
    EndedBlock& ended = ended_[number];
    ended.place = block.place;
    ended.place.to = now_;
    for (Warp& warp : block.warps)
      std::move(warp.requests.begin(), warp.requests.end(), std::back_inserter(ended.requests));
    if (!begun_ && ended_.size() > most_ended_) forget_completed(now_);
  }
  blocks_.erase(found);
}

void TimelineRecorder::issued(std::int64_t, WarpRef ref, const Request& request) {
  if (over_) return;
  Warp& warp = warp_of(ref);
  warp.doing = Doing::waiting;
  warp.since = now_;
  warp.unit = unit_of(request.unit, blocks_.at(ref.block).place.multiprocessor);
  warp.span = request.span;
  if (!is_of_line(request.span)) return;
  line_waiting_ += 1;
  if (!begun_) begin(now_);
}

void TimelineRecorder::operator_issued(std::int64_t, WarpRef ref) {
  if (over_) return;
  Warp& warp = warp_of(ref);
  warp.doing = Doing::waiting;
  warp.since = now_;
  warp.unit.reset();
  warp.span = {};
}

void TimelineRecorder::dispatched(const Dispatch& dispatch) {
  if (over_) return;
  const Request& from = *dispatch.request;
  Warp& warp = warp_of(dispatch.warp);
  warp.doing = Doing::other;
  if (is_of_line(from.span)) line_waiting_ -= 1;
  Timeline::Request request;
  request.launch = dispatch.launch;
  request.block = dispatch.warp.block;
  request.warp = dispatch.warp.warp;
  request.number = dispatch.number;
  request.multiprocessor = dispatch.multiprocessor;
  request.unit = unit_of(from.unit, dispatch.multiprocessor);
  request.write = writes(from.kind);
  request.atomic = from.kind == AccessKind::atomic;
  request.span = from.span;
  request.issued = dispatch.issued.value;
  request.dispatched = dispatch.time.value;
  request.port = enter(request.unit, dispatch);
  request.last = dispatch.last.value;
  request.stages = dispatch.stages;
  request.completed = dispatch.completion.value;
  request.words_of_lane = from.words_of_lane;
  request.addresses = from.addresses;
  request.addresses.resize(static_cast<std::size_t>(machine_.width), -1);
  if (!is_recording()) {
    std::erase_if(warp.requests, [&](const auto& one) { return one.completed <= now_; });
    warp.requests.push_back(std::move(request));
    return;
  }
  if (array_ >= 0) {
    const auto& of_block = blocks_.at(dispatch.warp.block).arrays;
    const auto shared = of_block.find(array_);
    request.array = shared != of_block.end() ? shared->second : memory_numbers_.at(array_);
    request.values = std::move(values_);
    array_ = -1;
  }
  record(std::move(request));
}

void TimelineRecorder::completes(std::int64_t, WarpRef ref, std::int64_t number,
                                 Cycles completion) {
  if (over_) return;
  const auto is_it = [&](const Timeline::Request& request) {
    return request.block == ref.block && request.warp == ref.warp && request.number == number &&
           request.completed == Dispatch::unknown.value;
  };
  const auto found = std::find_if(piece_.requests.rbegin(), piece_.requests.rend(), is_it);
  if (found != piece_.requests.rend()) {
    found->completed = completion.value;
    if (is_of_line(found->span)) line_until_ = std::max(line_until_, completion.value);
  } else if (auto* const requests = requests_of(ref)) {
    for (Timeline::Request& request : *requests)
      if (is_it(request)) request.completed = completion.value;
  }
}

/// The port of the request's first stage (configs/README.md section 3, "Ports").
std::int64_t TimelineRecorder::enter(std::int64_t unit, const Dispatch& dispatch) {
  PortState& state = ports_[static_cast<std::size_t>(unit)];
  const std::int64_t ports = piece_.units[static_cast<std::size_t>(unit)].ports;
  const std::int64_t port = state.time == dispatch.time.value ? state.entered : 0;
  state = {dispatch.last.value, (port + dispatch.stages - 1) % ports + 1};
  return port;
}

void TimelineRecorder::record(Timeline::Request request) {
  if (is_of_line(request.span) && request.completed != Dispatch::unknown.value)
    line_until_ = std::max(line_until_, request.completed);
  recorded_ += 1;
  piece_.requests.push_back(std::move(request));
}

/// Where an operation that begins now enters its unit; none: there is no unit for it.
std::vector<Timeline::Entry> TimelineRecorder::entries_of(std::int64_t launch, WarpRef ref,
                                                          OperationClass operation) {
  const OperationUnit* const unit = machine_.unit_of(operation);
  if (!unit) return {};
  const std::int64_t mp = blocks_.at(ref.block).place.multiprocessor;
  const auto units = static_cast<std::int64_t>(machine_.operations.size());
  const std::int64_t other =
      (machine_.has_own_ports() ? 1 : 0) + mp * units + (unit - machine_.operations.data());
  Timeline::Request request;
  request.dispatched = now_;
  request.stages = unit->stages[static_cast<std::size_t>(operation)];
  PortState& state = ports_[piece_.units.size() + static_cast<std::size_t>(other)];
  request.port = state.time == now_ ? state.entered : 0;
  const std::int64_t last = request.port + request.stages - 1;
  state = {now_ + last / unit->ports, last % unit->ports + 1};
  std::vector<Timeline::Entry> entries;
  for (const PortUse& use : port_uses(request, unit->ports))
    entries.push_back({launch, ref.block, ref.warp, other, use.port, use.from, use.to});
  return entries;
}

void TimelineRecorder::enters_device(std::int64_t launch, WarpRef ref, std::int64_t port) {
  if (!is_recording()) return;
  piece_.entries.push_back({launch, ref.block, ref.warp, 0, port, now_, now_ + 1});
}

void TimelineRecorder::computed(std::int64_t launch, WarpRef ref, std::int64_t,
                                OperationClass operation, Cycles until) {
  if (over_ || until.value <= now_) return;
  Warp& warp = warp_of(ref);
  const bool waited = std::exchange(warp.doing, Doing::other) == Doing::waiting;
  const Timeline::Compute compute{launch, ref.block,  ref.warp, waited ? warp.since : now_,
                                  now_,   until.value};
  std::vector<Timeline::Entry> entries = entries_of(launch, ref, operation);
  if (!is_recording()) {
    warp.compute = compute;
    warp.entries = std::move(entries);
    return;
  }
  piece_.entries.insert(piece_.entries.end(), entries.begin(), entries.end());
  piece_.computes.push_back(compute);
  others_ += 1;
  // The values that were just recorded are known when the computation is over.
  for (auto change = piece_.registers.rbegin(); change != piece_.registers.rend(); ++change) {
    if (change->time != now_ || change->block != ref.block || change->warp != ref.warp) break;
    change->time = until.value;
  }
}

void TimelineRecorder::arrived(std::int64_t, WarpRef ref) {
  if (over_) return;
  Warp& warp = warp_of(ref);
  warp.doing = Doing::at_barrier;
  warp.since = now_;
}

void TimelineRecorder::released(std::int64_t launch, std::int64_t number) {
  if (over_) return;
  ResidentBlock& block = blocks_.at(number);
  for (std::size_t i = 0; i < block.warps.size(); ++i) {
    Warp& warp = block.warps[i];
    if (warp.doing != Doing::at_barrier) continue;
    warp.doing = Doing::other;
    if (!is_recording()) continue;
    piece_.barriers.push_back({launch, number, static_cast<std::int64_t>(i), warp.since, now_});
    others_ += 1;
  }
}

void TimelineRecorder::ended(std::int64_t, WarpRef ref) {
  if (over_) return;
  Warp& warp = warp_of(ref);
  warp.doing = Doing::done;
  warp.since = now_;
}

} // namespace memlane
