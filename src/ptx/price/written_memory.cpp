#include "written_memory.hpp"

#include "memlane/ptx/flow.hpp"
#include "memlane/ptx/link.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace memlane::ptx {

namespace {

constexpr std::uint64_t anywhere = std::uint64_t{1} << 63; ///< a bit beside those of places
constexpr std::size_t most_places = 63;
/// Addresses go through few loops; what takes longer is not looked through.
constexpr int most_passes = 16;

bool writes_to_global(const Operation& op) {
  const Effects effects = row_of(op.opcode).effects;
  const bool stores_matrix = op.opcode == Opcode::wmma && op.words.has(Word::store);
  if (effects != Effects::writes && effects != Effects::updates && !stores_matrix) return false;
  if (op.opcode == Opcode::cp || op.opcode == Opcode::mbarrier) return false; // to shared memory
  return op.space == Space::global || op.space == Space::generic;
}

} // namespace

/// What the registers of a kernel are made of, whatever way its threads take.
class WrittenPlaces::Flow {
public:
  Flow(const Module& module, const Code& code, std::vector<Place>& places)
      : module_(module), code_(code), function_(*code.function), places_(places),
        from_(function_.registers.size()) {}

  /// False: it is not known after most_passes.
  bool settle() {
    for (int pass = 0; pass < most_passes; ++pass) {
      bool grows = false;
      for (const Operation& op : function_.code) {
        const std::uint64_t from = of(op);
        for_registers(function_, op, [&](std::int32_t reg, bool written) {
          std::uint64_t& known = from_[static_cast<std::size_t>(reg)];
          grows |= written && (from & ~known) != 0;
          if (written) known |= from;
        });
      }
      if (!grows) return true;
    }
    return false;
  }
  /// Of the address that the operation writes to.
  std::uint64_t of_address(const Operation& op) { return of(op.m); }

private:
  std::uint64_t bit_of(Place place) {
    auto known = std::find(places_.begin(), places_.end(), place);
    if (known == places_.end() && places_.size() == most_places) return anywhere;
    if (known == places_.end()) known = places_.insert(known, place);
    return std::uint64_t{1} << (known - places_.begin());
  }

  std::uint64_t of(const Operand& operand) {
    if (operand.kind == OperandKind::reg) return from_[static_cast<std::size_t>(operand.index)];
    if (operand.kind != OperandKind::variable || !operand.of_module) return 0;
    const auto number = static_cast<std::size_t>(operand.index);
    return module_.variables[number].space == Space::global ? bit_of({true, operand.index}) : 0;
  }

  /// Of what the operation computes.
  std::uint64_t of(const Operation& op) {
    const Effects effects = row_of(op.opcode).effects;
    if (effects == Effects::reads || effects == Effects::updates) return loaded(op);
    if (op.a.kind == OperandKind::vector) return anywhere; // an address from two halves
    std::uint64_t from = 0;
    for (const Operand* source : {&op.a, &op.b, &op.c, &op.e}) from |= of(*source);
    return from;
  }

  std::uint64_t loaded(const Operation& op) {
    if (bits_of(op.type) < 64) return 0;
    const auto& parameters = function_.parameters;
    const bool of_parameter =
        op.space == Space::param && op.m.kind == OperandKind::variable && !op.m.of_module &&
        op.lanes_of_vector == 1 &&
        std::find(parameters.begin(), parameters.end(), op.m.index) != parameters.end();
    if (!of_parameter) return anywhere;
    return bit_of({false, code_.offsets[static_cast<std::size_t>(op.m.index)] + op.m.value});
  }

  const Module& module_;
  const Code& code_;
  const Function& function_;
  std::vector<Place>& places_;
  std::vector<std::uint64_t> from_; ///< by register
};

WrittenPlaces::WrittenPlaces(const Module& module, const Code& kernel) {
  const std::vector<bool> reached = reached_from(module, static_cast<std::size_t>(kernel.number));
  for (std::size_t other = 0; other < reached.size(); ++other) {
    if (!reached[other] || static_cast<std::int32_t>(other) == kernel.number) continue;
    const std::vector<Operation>& code = module.functions[other].code;
    any_ = any_ || std::any_of(code.begin(), code.end(), writes_to_global);
  }
  Flow flow(module, kernel, places_);
  any_ = any_ || !flow.settle();
  for (const Operation& op : kernel.function->code) {
    if (any_ || !writes_to_global(op)) continue;
    const std::uint64_t from = uses_object(op.opcode) ? anywhere : flow.of_address(op);
    any_ = from == 0 || (from & anywhere) != 0;
    writes_.push_back(from);
  }
  std::sort(writes_.begin(), writes_.end());
  writes_.erase(std::unique(writes_.begin(), writes_.end()), writes_.end());
}

std::optional<WrittenPlaces::Ranges> WrittenPlaces::of(const Image& image,
                                                       const std::vector<std::uint8_t>& params,
                                                       const DeviceMemory& device) const {
  if (any_) return std::nullopt;
  Ranges ranges;
  for (const std::uint64_t write : writes_) {
    bool found = false;
    for (std::uint64_t left = write; left != 0; left &= left - 1) {
      const Place& place = places_[static_cast<std::size_t>(std::countr_zero(left))];
      std::uint64_t address = 0;
      const auto at = static_cast<std::size_t>(place.at);
      if (place.is_variable)
        address = image.address_of_variable(at);
      else if (at + sizeof address <= params.size())
        std::memcpy(&address, params.data() + at, sizeof address);
      // Of what an address is made of, numbers are no addresses.
      const DeviceMemory::Range* const range = device.find(address);
      if (!range) continue;
      ranges.emplace_back(range->begin, range->end);
      found = true;
    }
    if (!found) return std::nullopt;
  }
  std::sort(ranges.begin(), ranges.end());
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  return ranges;
}

} // namespace memlane::ptx
