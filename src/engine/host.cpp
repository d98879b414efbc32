#include "host.hpp"

#include "host_code.hpp"
#include "memory.hpp"
#include "saturate.hpp"

#include "memlane/ir/concurrent.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

using ir::Instruction;
using ir::Opcode;
using ir::Value;

Host::Host(const RunState& run, const Launcher& launcher, HostRuns how, const RunOptions& options,
           Observer& observer, RunOutcome& result)
    : run_(run), launcher_(launcher), how_(how), options_(options), observer_(observer),
      result_(result) {
  run_.options = &options;
}

std::string memory_text(const Budget& budget) {
  if (budget.wanted == INT64_MAX)
    return fmt::format("the arrays need more than 2^63 bytes, the limit is {}",
                       budget.limits->memory);
  return fmt::format("the arrays need {} bytes, the limit is {}", budget.wanted,
                     budget.limits->memory);
}

bool Host::stopped(Diagnostic error) {
  result_.stop = Stop::error;
  result_.errors.push_back(std::move(error));
  return false;
}

bool Host::stopped_at_launch(Diagnostics errors, Span launch) {
  for (Diagnostic& error : errors) error.notes.push_back(note_at(launch, "in the launch here"));
  result_.stop = Stop::error;
  result_.errors = std::move(errors);
  return false;
}

// How far the run came: steps, time and place.
bool Host::stopped_by(Stop why, std::int64_t launch, const std::string& kernel, Span at) {
  result_.stop = why;
  if (why == Stop::memory && run_.budget.stop == Stop::memory) {
    result_.reached = memory_text(run_.budget);
    return false;
  }
  const std::string where = launch >= 0
                                ? fmt::format("launch {} of the run, kernel {}", launch + 1, kernel)
                                : (phase_ == Phase::main ? "main" : "verify");
  // Of other machines the engine's clock is not what their time is.
  const std::string time = is_timed(run_.machine.model)
                               ? fmt::format(" and {} time units", result_.time.value)
                               : std::string();
  result_.reached = fmt::format("{} steps{}, in {}", run_.budget.steps, time, where);
  if (at.known())
    result_.reached +=
        fmt::format(", at {}:{}", run_.sources.path(at.file), run_.sources.begin(at).line);
  return false;
}

bool Host::run_main() {
  if (run_.program.main < 0) return true;
  const InPhase phase(run_.budget.clock, EnginePhase::host);
  const auto index = static_cast<std::size_t>(run_.program.main);
  main_.emplace(run_.program, run_.program.functions[index], 1);
  return run(run_.program.functions[index], *main_);
}

void Host::run_verify() {
  phase_ = Phase::verify;
  const InPhase phase(run_.budget.clock, EnginePhase::verify);
  const auto index = static_cast<std::size_t>(run_.program.verify);
  Lanes lanes(run_.program, run_.program.functions[index], 1);
  if (main_) lanes.inherit(*main_);
  if (run(run_.program.functions[index], lanes)) {
    if (lanes.asserted())
      result_.verify = Verdict::passed; // otherwise verify checked nothing
    else
      result_.verify = Verdict::none;
  } else if (result_.stop == Stop::error && lanes.fault().assertion) {
    result_.stop = Stop::none; // the run is complete; its result is wrong
    result_.verify = Verdict::failed;
  }
}

bool Host::run(const ir::Function& function, Lanes& lanes) {
  lanes.restart(Specials{}, 1);
  return how_ == HostRuns::as_lane ? run_as_lane(lanes) : run_as_code(function, lanes);
}

bool Host::fault(const Lanes& lanes) { return stopped(lanes.fault().diagnostic(run_.sources)); }

bool Host::run_as_lane(Lanes& lanes) {
  for (;;) {
    switch (lanes.run(run_.budget)) {
    case Lanes::Halt::operated: break; // only kernels ask for it
    case Lanes::Halt::stop: return stopped_by(run_.budget.stop, -1, "", run_.budget.at);
    case Lanes::Halt::fault: return fault(lanes);
    case Lanes::Halt::event:
      if (lanes.instruction().op == Opcode::end) return true;
      if (event(lanes)) {
        lanes.resume();
      } else {
        return result_.stop == Stop::none && fault(lanes); // otherwise a launch has stopped
      }
    }
  }
}

// The lane executes the instructions that the translated code does not.
bool Host::run_as_code(const ir::Function& function, Lanes& lanes) {
  HostCode code(run_.program, function, run_.memory, lanes, phase_ == Phase::verify);
  for (std::int32_t at = 0;; ++at) {
    const auto reached = code.run(at, run_.budget);
    if (phase_ == Phase::main) result_.host_words += code.take_words();
    if (code.asserted()) lanes.note_assert();
    if (!reached) return stopped_by(run_.budget.stop, -1, "", run_.budget.at);
    at = *reached;
    const auto halt = lanes.run_one(at, run_.budget);
    if (halt == Lanes::Halt::stop) return stopped_by(run_.budget.stop, -1, "", run_.budget.at);
    if (halt == Lanes::Halt::fault) return fault(lanes);
    const Opcode op = function.code[static_cast<std::size_t>(at)].op;
    if (op == Opcode::end) return true;
    if (halt && !event(lanes)) return result_.stop == Stop::none && fault(lanes);
    if (op == Opcode::local_new) code.refresh_arrays();
  }
}

// The host is a single lane, which executes all iterations of a proc's foralls.
bool Host::event(Lanes& lanes) {
  using ir::OpcodeGroup;
  const Opcode op = lanes.instruction().op;
  switch (ir::group_of(op)) {
  case OpcodeGroup::access:
    if (op != Opcode::defer) return op == Opcode::load ? load(lanes, false) : store(lanes);
    [[fallthrough]];
  case OpcodeGroup::drain: lanes.fail(0, "host code cannot run a forall sync"); return false;
  case OpcodeGroup::snapshot: return load(lanes, true);
  case OpcodeGroup::draw: return draw_number(lanes);
  case OpcodeGroup::launch: return launch_event(lanes);
  case OpcodeGroup::print:
    run_.printer.print(lanes, [](int) { return std::string(); });
    return true;
  case OpcodeGroup::parallel:
  case OpcodeGroup::call:
  case OpcodeGroup::end: return true;
  case OpcodeGroup::value: // these are no events
  case OpcodeGroup::arithmetic:
  case OpcodeGroup::comparison:
  case OpcodeGroup::check:
  case OpcodeGroup::own:
  case OpcodeGroup::warp:
  case OpcodeGroup::control: break;
  }
  return true;
}

bool Host::load(Lanes& lanes, bool initial) {
  const Instruction& in = lanes.instruction();
  const auto index = static_cast<std::size_t>(in.immediate);
  const ArrayState& array = run_.memory.arrays[index];
  const std::int64_t element = lanes.row(in.a)[0].integer();
  if (element < 0 || element >= array.elements) {
    lanes.fail(0, fmt::format("element {} is outside array {} (0..{})", element,
                              run_.program.arrays[index].name, array.elements));
    return false;
  }
  if (options_.timing_only) {
    lanes.row(in.d)[0] = {};
  } else {
    lanes.row(in.d)[0] = (initial ? array.snapshot : array.words).get(element);
  }
  if (phase_ == Phase::main) ++result_.host_words;
  return true;
}

bool Host::store(Lanes& lanes) {
  const Instruction& in = lanes.instruction();
  const auto index = static_cast<std::size_t>(in.immediate);
  ArrayState& array = run_.memory.arrays[index];
  const std::int64_t element = lanes.row(in.a)[0].integer();
  if (phase_ == Phase::verify) {
    lanes.fail(0, fmt::format("verify writes to array {}: it may only read",
                              run_.program.arrays[index].name));
    return false;
  }
  if (element < 0 || element >= array.elements) {
    lanes.fail(0, fmt::format("element {} is outside array {} (0..{})", element,
                              run_.program.arrays[index].name, array.elements));
    return false;
  }
  if (!options_.timing_only) array.words.set(element, lanes.row(in.b)[0]);
  if (run_.values)
    run_.values->host_wrote(static_cast<std::int32_t>(in.immediate), element, lanes.row(in.b)[0]);
  ++result_.host_words;
  return true;
}

bool Host::draw_number(Lanes& lanes) {
  const Instruction& in = lanes.instruction();
  const Value a = lanes.row(in.a)[0], b = lanes.row(in.b)[0];
  if (std::string why = random_fault(in, a, b); !why.empty()) {
    lanes.fail(0, std::move(why));
    return false;
  }
  lanes.row(in.d)[0] =
      draw(in, options_.seed, stream_of(Draws::host, 0, in.immediate), draws_++, a, b);
  return true;
}

bool Host::launch_event(Lanes& lanes) {
  switch (static_cast<ir::LaunchOpcode>(lanes.instruction().op)) {
  case ir::LaunchOpcode::launch: return launch(lanes);
  case ir::LaunchOpcode::concurrent: begin_concurrent(static_cast<std::size_t>(lanes.pc())); break;
  case ir::LaunchOpcode::endconcurrent: end_concurrent(); break;
  }
  return true;
}

/// The launches of a `concurrent`, which is at instruction `at` of main, have one stage.
void Host::begin_concurrent(std::size_t at) {
  const auto [known, fresh] = written_together_.try_emplace(at);
  const auto main = static_cast<std::size_t>(run_.program.main);
  if (fresh) known->second = ir::written_together(run_.program, run_.program.functions[main], at);
  run_.launch.written_together = &known->second;
  kept_users_.clear();
  observer_.concurrent_begins(run_.launch.stage);
}

void Host::end_concurrent() {
  if (run_.launch.independent) ++run_.launch.stage; // it has launched something
  run_.launch.independent = false;
  run_.launch.written_together = nullptr;
  observer_.concurrent_ends();
}

/// A race of this launch with others of its `concurrent` in a shared array that keeps its contents
/// after a block (is_kept). All these launches have a block 0 on multiprocessor 0, so they use the
/// same array there. As for host code, an array counts as a whole.
std::optional<LaunchFault> Host::kept_fault(const ir::Function& kernel) {
  if (!run_.launch.written_together || options_.allow_races || options_.timing_only) return {};
  for (const std::int32_t array : kernel.shared) {
    const auto index = static_cast<std::size_t>(array);
    const ir::Array& declared = run_.program.arrays[index];
    if (!is_kept(declared, run_.machine) || !(*run_.launch.written_together)[index]) continue;
    if (options_.heed_racy_text && !declared.races_allowed.empty()) continue;
    const auto [first, fresh] = kept_users_.try_emplace(array, result_.launches);
    if (!fresh)
      return LaunchFault{
          fmt::format("race in {}: launches {} and {} of one `concurrent` use the array, which "
                      "outlives their blocks on this machine, and it is written",
                      declared.name, first->second, result_.launches),
          fmt::format("end the `concurrent` between the two, declare {} in its kernels, or set "
                      "volatile=true",
                      declared.name)};
  }
  return {};
}

const KernelInfo& Host::info_of(const ir::Function& kernel) {
  const auto [known, fresh] = kernels_.try_emplace(&kernel);
  if (fresh) known->second = kernel_info(run_.program, kernel, run_.machine, run_.sources);
  return known->second;
}

bool Host::launch(Lanes& lanes) {
  const Instruction& in = lanes.instruction();
  const auto& site = run_.program.launches[static_cast<std::size_t>(in.immediate)];
  if (phase_ == Phase::verify) {
    lanes.fail(0, "verify launches a kernel: it may only read");
    return false;
  }
  const auto& kernel = run_.program.functions[static_cast<std::size_t>(site.kernel)];
  const auto value_or = [&](ir::Register r, std::int64_t otherwise) {
    return r < 0 ? otherwise : lanes.row(r)[0].integer();
  };
  LaunchShape shape;
  shape.kernel = &info_of(kernel);
  shape.blocks = value_or(site.blocks, 1);
  shape.threads = value_or(site.threads, run_.machine.threads);
  shape.threads_follow_machine = site.threads < 0 && !run_.program.threads_matter;
  auto fault = shape_fault(run_.machine, kernel.name, shape);
  if (!fault) fault = kept_fault(kernel);
  if (!fault) {
    const Status sized = size_arrays(run_.program, kernel, shape.threads, run_.machine,
                                     options_.seed, run_.sources, run_.budget, run_.memory);
    if (!sized) return stopped_at_launch(sized.errors(), in.span);
    if (run_.budget.stop != Stop::none)
      return stopped_by(run_.budget.stop, result_.launches, kernel.name, in.span);
    shape.shared_words = shared_words(kernel, run_.memory);
    fault = capacity_fault(run_.machine, kernel.name, shape, run_.memory.end);
  }
  if (fault) {
    result_.unfit = fault->unfit;
    lanes.fail(0, std::move(fault->message), {std::move(fault->help)});
    return false;
  }
  run_.launch.at = in.span;
  std::vector<Value> formals;
  for (ir::Register r : site.actuals) formals.push_back(lanes.row(r)[0]);
  for (const ir::LaunchExtent& extent : kernel.launch_extents)
    formals.push_back(Value::of(run_.memory.arrays[static_cast<std::size_t>(extent.array)]
                                    .extents[static_cast<std::size_t>(extent.dimension)]));
  return run_kernel(kernel, shape, std::move(formals));
}

std::int64_t bytes_of_registers(const ir::Function& kernel, std::int64_t threads) {
  const std::int64_t bytes =
      (std::int64_t{kernel.registers} + 1) * static_cast<std::int64_t>(sizeof(Value));
  return reference::saturating_multiply(threads, bytes);
}

bool Host::run_kernel(const ir::Function& kernel, const LaunchShape& shape,
                      std::vector<Value> formals) {
  const std::int64_t registers = launcher_.register_bytes(run_, kernel, shape);
  if (!run_.budget.reserve(registers, kernel.span)) {
    result_.stop = Stop::memory;
    result_.reached = fmt::format("the arrays, and registers of the threads of kernel {}, need {} "
                                  "bytes, the limit is {}",
                                  kernel.name, run_.budget.wanted, run_.budget.limits->memory);
    return false;
  }
  const std::int64_t number = result_.launches;
  observer_.launch_begins(number, shape, kernel.name);
  RunProgress* const progress = run_.budget.limits->progress;
  if (progress) progress->begin_launch(shape.blocks, result_.time.value);
  LaunchOutcome outcome;
  {
    const InPhase phase(run_.budget.clock, EnginePhase::execution);
    outcome = launcher_.run(run_, kernel, shape, std::move(formals), number, result_.time);
  }
  run_.budget.bytes -= registers;
  result_.time += outcome.tally.time;
  result_.launches += 1;
  if (progress) progress->end_launch(result_.time.value);
  outcome.tally.stage = run_.launch.stage;
  if (run_.launch.written_together)
    run_.launch.independent = true;
  else
    ++run_.launch.stage;
  observer_.launch_ends(number, outcome.tally);
  if (outcome.stop == Stop::none) return true;
  if (outcome.stop == Stop::error) {
    result_.stop = Stop::error;
    result_.errors = std::move(outcome.errors);
    return false;
  }
  // A stream can only report that it stopped; the budget has the reason.
  const bool by_budget = run_.budget.stop != Stop::none;
  return stopped_by(by_budget ? run_.budget.stop : outcome.stop, number, kernel.name,
                    run_.budget.at);
}

} // namespace memlane
