// Functions evaluated for every element of an array: initial values and layouts.
#include "lanes.hpp"
#include "memory.hpp"

#include "memlane/support/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace memlane {

namespace {

constexpr std::int64_t most_lanes = 1024; // enough to amortise the interpretation of an instruction
/// Calls of the function between two questions whether to stop: some milliseconds of random
/// numbers, whose few instructions reach the budget's own question only every few million numbers.
constexpr std::int64_t calls_between = 64;

Diagnostic fault_of(const Fault& fault, const std::string& element, const char* what) {
  return error_at(fault.span, fault.text(fmt::format(" in the {} of {}", what, element)),
                  fault.help);
}

/// The common case, integers with the same bounds in all lanes. False: this is another case.
bool draw_alike(Lanes& lanes, std::uint64_t seed, std::uint64_t stream, std::int64_t first) {
  const ir::Instruction& in = lanes.instruction();
  const ir::Value *a = lanes.row(in.a), *b = lanes.row(in.b);
  if (!ir::is_integer(in.type) || lanes.active() != lanes.lanes()) return false;
  if (a[0].integer() > b[0].integer()) return false;
  for (int i = 1; i < lanes.lanes(); ++i)
    if (!(a[i] == a[0]) || !(b[i] == b[0])) return false;
  std::array<std::int64_t, most_lanes> numbers;
  random_integers(seed, stream, static_cast<std::uint64_t>(first), lanes.lanes(), a[0].integer(),
                  b[0].integer(), numbers.data());
  ir::Value* d = lanes.row(in.d);
  for (int i = 0; i < lanes.lanes(); ++i)
    d[i] = ir::Value::of(numbers[static_cast<std::size_t>(i)]);
  return true;
}

/// Draws for all active lanes. False, with a fault, if the bounds are empty.
bool draw_all(Lanes& lanes, std::uint64_t seed, std::int32_t array, std::int64_t first) {
  const ir::Instruction& in = lanes.instruction();
  const std::uint64_t stream = stream_of(Draws::initial, array, in.immediate);
  if (draw_alike(lanes, seed, stream, first)) return true;
  for (int i = 0; i < lanes.lanes(); ++i) {
    if (!lanes.is_active(i)) continue;
    const ir::Value a = lanes.row(in.a)[i], b = lanes.row(in.b)[i];
    if (std::string why = random_fault(in, a, b); !why.empty()) {
      lanes.fail(i, std::move(why));
      return false;
    }
    lanes.row(in.d)[i] = draw(in, seed, stream, static_cast<std::uint64_t>(first + i), a, b);
  }
  return true;
}

/// Runs the function to its end. False, with a fault, if it fails.
bool run_to_end(Lanes& lanes, Budget& budget, std::uint64_t seed, std::int32_t array,
                std::int64_t first) {
  for (;;) {
    const Lanes::Halt halt = lanes.run(budget);
    if (halt != Lanes::Halt::event) return halt == Lanes::Halt::stop;
    const ir::OpcodeGroup group = ir::group_of(lanes.instruction().op);
    if (group == ir::OpcodeGroup::end) return true;
    if (group == ir::OpcodeGroup::draw) {
      if (!draw_all(lanes, seed, array, first)) return false;
    } else if (group != ir::OpcodeGroup::call) { // counted in kernels only
      lanes.fail(0, "arrays cannot be read");
      return false;
    }
    lanes.resume();
  }
}

} // namespace

Status for_elements(const ir::Program& program, std::int32_t array, std::int32_t function,
                    const std::vector<std::int64_t>& extents, std::int64_t threads,
                    std::uint64_t seed, const char* what, Budget& budget,
                    const std::function<void(std::int64_t first, const ir::Value* values,
                                             std::int64_t count)>& take) {
  const ir::Array& declared = program.arrays[static_cast<std::size_t>(array)];
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents) elements *= extent;
  const std::int64_t width = std::min(most_lanes, elements);
  Lanes lanes(program, program.functions[static_cast<std::size_t>(function)],
              static_cast<int>(width));
  // These steps are not the run's: they are counted separately, without a limit.
  Limits free = {INT64_MAX, INT64_MAX, INT64_MAX, budget.limits->check};
  Budget own;
  own.limits = &free;
  for (std::int64_t first = 0; first < elements; first += width) {
    const std::int64_t count = std::min(width, elements - first);
    Specials specials;
    specials.index = first;
    specials.threads = threads;
    lanes.restart(specials, static_cast<int>(count));
    if (!run_to_end(lanes, own, seed, array, first))
      return fault_of(lanes.fault(),
                      element_name(declared.name, extents, first + lanes.fault().lane), what);
    if (own.stop != Stop::none) {
      budget.halt(own.stop, own.at);
      return Done{};
    }
    take(first, lanes.row(0), count);
    if (first / width % calls_between == calls_between - 1 && !budget.ask(declared.span))
      return Done{};
  }
  return Done{};
}

} // namespace memlane
