#include "memory.hpp"

#include "lanes.hpp"

#include "memlane/support/random.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

namespace memlane {

using ir::Scalar;
using ir::Value;

/// Between two polls: the system takes most of the time, to clear new pages.
constexpr std::size_t piece_bytes = std::size_t{1} << 24;

Words::Words(Scalar type, std::int64_t count, Budget& budget) : type_(type) {
  const auto size = static_cast<std::size_t>(count * ir::size_of(type));
  bytes_.reserve(size);
  bytes_.resize(std::min(size, piece_bytes));
  while (bytes_.size() < size && budget.ask({}))
    bytes_.resize(std::min(size, bytes_.size() + piece_bytes));
}

Words::Words(const Words& from, Budget& budget) : type_(from.type_) {
  const std::size_t size = from.bytes_.size();
  bytes_.reserve(size);
  for (std::size_t at = 0; at < size && (at == 0 || budget.ask({})); at = bytes_.size()) {
    const auto* begin = from.bytes_.data() + at;
    bytes_.insert(bytes_.end(), begin, begin + std::min(piece_bytes, size - at));
  }
}

void Words::set(std::int64_t first, const Value* values, std::int64_t count) {
  if (type_ == Scalar::int32) { // the common case
    for (std::int64_t i = 0; i < count; ++i)
      set_word(Scalar::int32, bytes_.data(), first + i, values[i]);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) set(first + i, values[i]);
}

std::int64_t aligned(std::int64_t address, std::int64_t words) {
  return (address + words - 1) / words * words;
}

std::uint64_t stream_of(Draws use, std::int64_t array, std::int64_t site) {
  return static_cast<std::uint64_t>(use) << 60 | static_cast<std::uint64_t>(array) << 32 |
         static_cast<std::uint64_t>(site);
}

Value draw(const ir::Instruction& in, std::uint64_t seed, std::uint64_t stream,
           std::uint64_t counter, Value a, Value b) {
  if (ir::is_integer(in.type))
    return Value::of(random_integer(seed, stream, counter, a.integer(), b.integer()));
  const double drawn = random_real(seed, stream, counter, a.real(), b.real());
  if (in.type != Scalar::float32) return Value::of(drawn);
  // Rounding may give the upper bound, which must not be drawn.
  const auto rounded = static_cast<float>(drawn);
  const auto low = static_cast<float>(a.real()), high = static_cast<float>(b.real());
  return Value::of(static_cast<double>(rounded >= high ? std::nextafter(high, low) : rounded));
}

std::string random_fault(const ir::Instruction& in, Value a, Value b) {
  const bool empty = ir::is_integer(in.type) ? a.integer() > b.integer() : !(a.real() < b.real());
  if (!empty) return {};
  return fmt::format("random({}, {}) has nothing to draw from", to_string(in.type, a),
                     to_string(in.type, b));
}

namespace {

/// a * b; INT64_MAX if it does not fit.
std::int64_t product(std::int64_t a, std::int64_t b) {
  return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}

std::int64_t elements_of(const ir::Array& array) {
  std::int64_t n = 1;
  for (std::int64_t extent : array.extents)
    if (extent == 0) return 0;
  for (std::int64_t extent : array.extents) n = product(n, extent);
  return n;
}

bool has_snapshot(const ir::Program& program, const ir::Array& array, const RunOptions& options) {
  return options.verify && program.verify >= 0 && array.snapshot;
}

// A user-defined layout is stored as a table of words.
std::int64_t bytes_of(const ir::Program& program, const ir::Array& array,
                      const RunOptions& options) {
  const bool words = array.space == ir::Space::memory && !options.timing_only;
  const std::int64_t copies =
      (words ? 1 : 0) + (words && has_snapshot(program, array, options) ? 1 : 0);
  const std::int64_t table = array.layout == LayoutKind::function ? 8 : 0;
  if (elements_of(array) == INT64_MAX) return INT64_MAX;
  return product(elements_of(array), copies * ir::size_of(array.type) + table);
}

Status check_inputs(const ir::Program& program, const RunOptions& options) {
  std::vector<std::string> names;
  for (const ir::Array& array : program.arrays)
    if (array.space == ir::Space::memory) names.push_back(array.name);
  const auto known = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Diagnostics errors;
  const auto check = [&](const std::string& name) {
    if (!known(name))
      errors.push_back(error_in("", fmt::format("the program uses no memory array '{}'", name),
                                did_you_mean(name, names)));
  };
  for (const auto& [name, values] : options.inputs) check(name);
  for (const std::string& name : options.outputs) check(name);
  for (const ir::Array& array : program.arrays) {
    const auto input = options.inputs.find(array.name);
    if (input == options.inputs.end() || array.space != ir::Space::memory) continue;
    const auto given = static_cast<std::int64_t>(input->second->size());
    if (given != elements_of(array))
      errors.push_back(error_at(array.span, fmt::format("array {} has {} elements, its input {}",
                                                        array.name, elements_of(array), given)));
  }
  if (!errors.empty()) return errors;
  return Done{};
}

Status fill(const ir::Program& program, std::int32_t index, const RunOptions& options,
            Budget& budget, ArrayState& state) {
  const ir::Array& array = program.arrays[static_cast<std::size_t>(index)];
  state.words = Words(array.type, state.elements, budget);
  if (budget.stop != Stop::none) return Done{};
  if (const auto input = options.inputs.find(array.name); input != options.inputs.end()) {
    for (std::int64_t i = 0; i < state.elements; ++i) {
      if (i % words_between == words_between - 1 && !budget.ask(array.span)) break;
      state.words.set(i, (*input->second)[static_cast<std::size_t>(i)]);
    }
    return Done{};
  }
  if (array.initial < 0) return Done{};
  return for_elements(program, index, array.initial, array.extents, 1, options.seed,
                      "initial value", budget,
                      [&](std::int64_t first, const Value* values, std::int64_t count) {
                        state.words.set(first, values, count);
                      });
}

// Keeps addresses far below the limits of their type with any layout.
constexpr std::int64_t most_words = std::int64_t{1} << 60;

Status place_all(const ir::Program& program, const MachineSpec& machine, std::uint64_t seed,
                 Budget& budget, Memory& memory) {
  const std::int64_t unit =
      machine.has_own_ports() ? std::max(machine.width, machine.line_words()) : machine.width;
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    ArrayState& state = memory.arrays[k];
    state.extents = program.arrays[k].extents;
    state.words_of_element = machine.words_of(ir::size_of(program.arrays[k].type));
    if (!program.arrays[k].extent_functions.empty()) continue; // each launch places it
    auto placement = make_placement(program, static_cast<std::int32_t>(k), state.extents, 1,
                                    machine, seed, budget);
    if (!placement) return placement.errors();
    state.placement = std::move(*placement);
    if (program.arrays[k].space != ir::Space::memory) continue;
    if (state.placement.footprint > (most_words - memory.end) / state.words_of_element)
      return error_at(program.arrays[k].span,
                      fmt::format("array {} reaches beyond any memory", program.arrays[k].name));
    state.base = aligned(memory.end, std::lcm(unit, state.words_of_element));
    memory.words += state.all_words();
    memory.end = aligned(state.base + state.all_words(), unit);
  }
  return Done{};
}

} // namespace

std::int64_t bytes_of_arrays(const ir::Program& program, const RunOptions& options) {
  std::int64_t bytes = 0;
  for (const ir::Array& array : program.arrays) {
    const std::int64_t own = bytes_of(program, array, options);
    bytes = own > INT64_MAX - bytes ? INT64_MAX : bytes + own;
  }
  return bytes;
}

Result<Memory> make_memory(const ir::Program& program, const MachineSpec& machine,
                           const RunOptions& options, Budget& budget) {
  if (Status checked = check_inputs(program, options); !checked) return checked.errors();
  Span largest;
  std::int64_t most = -1;
  for (const ir::Array& array : program.arrays) {
    const std::int64_t own = bytes_of(program, array, options);
    if (own > most) most = own, largest = array.span;
  }
  Memory memory;
  if (!budget.reserve(bytes_of_arrays(program, options), largest)) return memory;
  memory.arrays.resize(program.arrays.size());
  for (std::size_t k = 0; k < program.arrays.size(); ++k)
    memory.arrays[k].elements = elements_of(program.arrays[k]);
  if (Status placed = place_all(program, machine, options.seed, budget, memory); !placed)
    return placed.errors();
  for (std::size_t k = 0; k < program.arrays.size() && budget.stop == Stop::none; ++k) {
    if (program.arrays[k].space != ir::Space::memory || options.timing_only) continue;
    ArrayState& state = memory.arrays[k];
    const Status filled = fill(program, static_cast<std::int32_t>(k), options, budget, state);
    if (!filled) return filled.errors();
    if (has_snapshot(program, program.arrays[k], options) && budget.stop == Stop::none)
      state.snapshot = Words(state.words, budget);
  }
  return memory;
}

SharedPlaces::SharedPlaces(const ir::Function& kernel, const Memory& memory,
                           const MachineSpec& machine) {
  std::int64_t end = 0;
  for (const std::int32_t array : kernel.shared) {
    const ArrayState& state = memory.arrays[static_cast<std::size_t>(array)];
    offsets_.push_back(aligned(end, std::lcm(machine.width, state.words_of_element)));
    end = aligned(offsets_.back() + state.all_words(), machine.width);
  }
  if (machine.global) return;
  first_ = memory.end;
  pitch_ = end;
}

// Functions evaluated for every element of an array: initial values and layouts.

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

bool keeps_shared_words(const ir::Program& program, const MachineSpec& machine) {
  return std::any_of(program.arrays.begin(), program.arrays.end(),
                     [&](const ir::Array& array) { return is_kept(array, machine); });
}

void SharedLeft::note(std::int64_t mp, std::int32_t array, std::int64_t launch,
                      const std::vector<std::uint8_t>& written, Budget& budget) {
  std::vector<std::uint32_t>& launches = launches_[{mp, array}];
  if (launches.size() < written.size()) {
    const auto more =
        static_cast<std::int64_t>((written.size() - launches.size()) * sizeof(std::uint32_t));
    if (more > budget.limits->memory - budget.bytes) return;
    budget.bytes += more;
    launches.resize(written.size(), no_launch);
  }
  const auto number = static_cast<std::uint32_t>(std::min<std::int64_t>(launch, INT32_MAX)) + 1;
  for (std::size_t element = 0; element < written.size(); ++element)
    if (written[element]) launches[element] = number;
}

std::optional<std::int64_t> SharedLeft::writer(std::int64_t mp, std::int32_t array,
                                               std::int64_t element) const {
  const auto found = launches_.find({mp, array});
  const auto at = static_cast<std::size_t>(element);
  if (found == launches_.end() || at >= found->second.size()) return std::nullopt;
  if (found->second[at] == no_launch) return std::nullopt;
  return std::int64_t{found->second[at]} - 1;
}

} // namespace memlane
