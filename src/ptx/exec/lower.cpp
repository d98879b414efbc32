// From operations to steps: places of operands, functions that execute them.
#include "image.hpp"
#include "run_warp.hpp"

#include "memlane/ptx/device.hpp"
#include "memlane/ptx/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace memlane::ptx {

namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t align) {
  return (value + align - 1) / align * align;
}

/// Functions have addresses that no memory has.
constexpr std::uint64_t function_base = std::uint64_t{0x7f} << 56;

/// Bytes that a thread may have by alloca in each function that uses it.
constexpr std::int64_t of_alloca = 16 << 10;

/// Bytes of a warp's registers in one function.
constexpr std::int32_t most_frame = 1 << 26;

/// Calls have the arguments and results that the function has. (Those by address have prototypes,
/// which nothing here keeps.)
void check_calls(const Module& module, Diagnostics& errors) {
  for (const Function& function : module.functions)
    for (const Operation& op : function.code) {
      if (op.opcode != Opcode::call) continue;
      const Call& call = function.calls[static_cast<std::size_t>(op.target)];
      if (call.function < 0) continue;
      const Function& callee = module.functions[static_cast<std::size_t>(call.function)];
      if (call.arguments.size() == callee.parameters.size() &&
          call.results.size() == callee.results.size())
        continue;
      errors.push_back(error_at(op.span, fmt::format("{} has other parameters", callee.name)));
    }
}

} // namespace

class Lowering {
public:
  Lowering(Image& image, Code& code) : image_(image), code_(code), function_(*code.function) {}

  void lower() {
    code_.flow = flow_of(function_);
    code_.frame = frame_of(function_, code_.flow);
    code_.frame.bytes = static_cast<std::int32_t>(rounded_up(code_.frame.bytes, 64));
    code_.steps.reserve(function_.code.size() + 1);
    for (std::size_t at = 0; at < function_.code.size(); ++at)
      code_.steps.push_back(step_of(function_.code[at], at));
    for (const BasicBlock& block : code_.flow.blocks)
      for (const std::int32_t next : block.next)
        if (next >= 0 && code_.flow.blocks[static_cast<std::size_t>(next)].first < block.last)
          code_
              .steps[static_cast<std::size_t>(
                  code_.flow.blocks[static_cast<std::size_t>(next)].first)]
              .begins_loop = true;
    find_waits(code_);
  }

  /// Before any function is lowered: others see where its shared variables are.
  void place_variables() {
    std::int64_t shared = 0, local = 0, param = 0;
    for (const Variable& variable : function_.variables) {
      std::int64_t& end = variable.space == Space::shared  ? shared
                          : variable.space == Space::local ? local
                                                           : param;
      end = rounded_up(end, variable.align);
      code_.offsets.push_back(end);
      end += variable.bytes;
    }
    code_.shared_bytes = shared;
    code_.local_bytes = rounded_up(local, 16);
    const auto& code = function_.code;
    const bool allocates = std::any_of(
        code.begin(), code.end(), [](const Operation& op) { return op.opcode == Opcode::alloca; });
    code_.own_bytes = code_.local_bytes + (allocates ? of_alloca : 0);
    code_.param_bytes = rounded_up(param, 8);
  }

private:
  int bits_of_register(std::int32_t reg) const {
    const Type type = function_.registers[static_cast<std::size_t>(reg)];
    return type == Type::pred ? 1 : std::max(16, bits_of(type));
  }
  Place place_of_register(std::int32_t reg) const {
    return code_.frame.places[static_cast<std::size_t>(reg)];
  }

  /// A row of one value, which no step writes.
  Place constant(std::uint64_t value, int bits) {
    const auto [known, fresh] = constants_.try_emplace({value, bits}, 0);
    if (!fresh) return known->second;
    const std::size_t at = code_.constants.size();
    code_.constants.resize(at + static_cast<std::size_t>(warp_lanes) * 8);
    for (int l = 0; l < warp_lanes; ++l)
      std::memcpy(code_.constants.data() + at + l * (bits / 8), &value,
                  static_cast<std::size_t>(bits / 8));
    return known->second = static_cast<Place>(at) | in_constants;
  }

  std::uint64_t address_of(const Operand& operand) const {
    if (operand.kind == OperandKind::function)
      return function_base + static_cast<std::uint64_t>(operand.index + 1) * 16;
    const auto index = static_cast<std::size_t>(operand.index);
    const std::uint64_t base = operand.of_module
                                   ? image_.variables_[index].address
                                   : static_cast<std::uint64_t>(code_.offsets[index]) +
                                         (function_.variables[index].space == Space::shared
                                              ? static_cast<std::uint64_t>(code_.shared_begin)
                                              : 0);
    return base + static_cast<std::uint64_t>(operand.value);
  }

  /// `bits`: of an immediate or an address.
  Place place_of(const Operand& operand, int bits) {
    switch (operand.kind) {
    case OperandKind::none:
    case OperandKind::vector: return -1;
    case OperandKind::reg: return place_of_register(operand.index);
    case OperandKind::immediate:
      // A predicate's row is one word.
      if (bits == 1) return constant(operand.value != 0 ? all_lanes : 0, 32);
      return constant(static_cast<std::uint64_t>(operand.value), std::max(16, bits));
    case OperandKind::special: return special(static_cast<Special>(operand.index), bits);
    case OperandKind::variable:
    case OperandKind::function: break;
    }
    return constant(address_of(operand), bits == 32 ? 32 : 64);
  }

  Place special(Special special, int bits) {
    if (bits < 32) bits = 32;
    for (const UsedSpecial& used : image_.specials_)
      if (used.special == special && used.bits == bits) return used.offset | in_specials;
    const std::int32_t offset = image_.special_bytes_;
    image_.special_bytes_ += warp_lanes * bits / 8;
    image_.specials_.push_back({special, offset, bits});
    return offset | in_specials;
  }

  const Place* elements(const Operand& vector, int bits) {
    std::vector<Place>& places = code_.elements.emplace_back();
    for (int k = 0; k < vector.count; ++k)
      places.push_back(
          place_of(function_.elements[static_cast<std::size_t>(vector.index + k)], bits));
    return places.data();
  }
  int bits_of_operand(const Operand& operand, int otherwise) const {
    if (operand.kind == OperandKind::reg) return bits_of_register(operand.index);
    if (operand.kind == OperandKind::vector)
      for (int k = 0; k < operand.count; ++k)
        if (const Operand& one = function_.elements[static_cast<std::size_t>(operand.index + k)];
            one.kind == OperandKind::reg)
          return bits_of_register(one.index);
    if (operand.kind == OperandKind::special) return std::max(32, otherwise);
    return otherwise;
  }

  Step step_of(const Operation& op, std::size_t at) {
    Step step;
    step.op = &op;
    step.target = op.target;
    step.meets = code_.flow.meets[static_cast<std::size_t>(code_.flow.block_of[at])];
    if (op.guard >= 0) step.guard = place_of_register(op.guard);
    step.guard_negated = op.guard_negated;
    const int bits = bits_of(op.type), other = bits_of(op.other);
    const int address_bits = bits_of_operand(op.m, 64);
    // These have vectors behind each other.
    const bool has_several =
        op.opcode == Opcode::mma || op.opcode == Opcode::wmma || uses_object(op.opcode);
    if (op.d.kind == OperandKind::vector && !has_several) step.elements = elements(op.d, bits);
    if (op.a.kind == OperandKind::vector && !has_several)
      // Elements of a vector that is stored have rows alike.
      step.elements =
          elements(op.a, op.opcode == Opcode::mov ? bits / op.a.count
                                                  : bits_of_operand(op.a, std::max(16, bits)));
    step.d = place_of(op.d, bits);
    step.q = place_of(op.q, 1);
    step.value = op.m.value;
    if (op.m.kind != OperandKind::reg) step.value = 0; // it is in the constant
    switch (op.opcode) {
    case Opcode::bra: {
      const Operation& to = function_.code[static_cast<std::size_t>(op.target)];
      step.ends = function_.kernel && to.guard < 0 &&
                  (to.opcode == Opcode::ret || to.opcode == Opcode::exit);
      return step;
    }
    case Opcode::ld:
    case Opcode::ldu: return memory_step(step, op, load);
    case Opcode::st: return memory_step(step, op, store);
    case Opcode::ldmatrix:
      step.a = place_of(op.m, 64);
      step.bits_a = address_bits;
      step.run = load_matrix;
      return step;
    case Opcode::atom:
    case Opcode::red:
      step.a = place_of(op.m, 64);
      step.b = place_of(op.a, bits);
      step.c = place_of(op.b, bits);
      step.bits_a = address_bits;
      step.run = atomic;
      return step;
    case Opcode::cp:
      if (op.m.kind == OperandKind::none) return step; // waiting: everything is there
      step.a = place_of(op.m, 64);
      step.b = place_of(op.n, 64);
      step.c = place_of(op.a, 32);
      step.bits_d = address_bits;
      step.bits_a = bits_of_operand(op.n, 64);
      step.offset = op.n.kind == OperandKind::reg ? op.n.value : 0;
      step.target = static_cast<std::int32_t>(step.value);
      step.value = op.e.value;
      step.run = copy_async;
      return step;
    case Opcode::mma:
    case Opcode::wmma: return matrix_step(step, op);
    case Opcode::tex:
    case Opcode::tld4: return object_step(step, op, read_texture);
    case Opcode::suld: return object_step(step, op, read_surface);
    case Opcode::sust: return object_step(step, op, write_surface);
    case Opcode::txq:
    case Opcode::suq: return object_step(step, op, query_object);
    case Opcode::mbarrier:
      step.a = place_of(op.a, op.words.has(Word::parity) ? 32 : bits_of_operand(op.a, 32));
      step.b = place_of(op.m, 64);
      step.bits_a = address_bits;
      if (!op.words.any(Word::test_wait, Word::try_wait)) step.run = use_mbarrier;
      return step;
    case Opcode::cvta:
      note_params(op);
      step.bits_d = bits;
      step.a = place_of(op.a, bits);
      step.run = convert_address;
      return step;
    case Opcode::call:
      step.a = place_of(function_.calls[static_cast<std::size_t>(op.target)].address, 64);
      return step;
    case Opcode::alloca:
    case Opcode::stacksave:
    case Opcode::stackrestore:
      step.a = place_of(op.a, bits);
      step.value = op.n.kind == OperandKind::immediate ? op.n.value : 8;
      step.run = use_stack;
      return step;
    case Opcode::isspacep:
      step.a = place_of(op.a, 64);
      step.run = is_in_space;
      return step;
    default: break;
    }
    const bool converts = op.opcode == Opcode::cvt;
    step.bits_d = bits_of_operand(op.d, bits);
    step.bits_a = bits_of_operand(op.a, converts ? other : bits);
    const bool wide = op.words.has(Word::wide);
    const bool of_other = op.opcode == Opcode::set;
    step.a = place_of(op.a, converts   ? std::max(16, other)
                            : of_other ? other
                                       : operand_bits(op, 'a', bits));
    step.b = place_of(op.b, of_other || converts ? other : operand_bits(op, 'b', bits));
    step.c = place_of(op.c, wide                        ? 2 * bits
                            : op.opcode == Opcode::slct ? other
                                                        : operand_bits(op, 'c', bits));
    const bool predicate = op.opcode == Opcode::selp || op.opcode == Opcode::setp || of_other ||
                           op.opcode == Opcode::lop3 || op.opcode == Opcode::vote ||
                           op.opcode == Opcode::bar || op.opcode == Opcode::barrier;
    step.e = place_of(op.e, predicate ? 1 : operand_bits(op, 'e', bits));
    step.e_negated = op.e.negated;
    if (op.opcode == Opcode::lop3) {
      step.value = op.n.value; // the table
    }
    if (is_clock(op)) return step; // WarpRun knows the time
    if (row_of(op.opcode).effects == Effects::none || row_of(op.opcode).effects == Effects::warp)
      step.run = image_.set_.choose(op, {step.bits_d, step.bits_a});
    if (op.words.has(Word::sync) && row_of(op.opcode).effects == Effects::warp) {
      step.together = step.run;
      step.run = nullptr;
      step.members = op.opcode == Opcode::shfl                                 ? step.e
                     : op.opcode == Opcode::vote || op.opcode == Opcode::elect ? step.a
                                                                               : step.b;
    }
    return step;
  }

  void note_params(const Operation& op) {
    code_.addresses_params =
        code_.addresses_params || (function_.kernel && op.space == Space::param);
  }

  static bool is_clock(const Operation& op) {
    if (op.opcode != Opcode::mov || op.a.kind != OperandKind::special) return false;
    const auto special = static_cast<Special>(op.a.index);
    return special == Special::clock || special == Special::clock_hi ||
           special == Special::clock64 || special == Special::globaltimer ||
           special == Special::globaltimer_lo || special == Special::globaltimer_hi;
  }

  /// Bits of an immediate: of shifts, fields and masks of lanes 32, whatever the type.
  static int operand_bits(const Operation& op, char letter, int bits) {
    switch (op.opcode) {
    case Opcode::shl:
    case Opcode::shr: return letter == 'b' ? 32 : bits;
    case Opcode::bfe: return letter == 'a' ? bits : 32;
    case Opcode::bfi: return letter == 'c' || letter == 'e' ? 32 : bits;
    case Opcode::shfl:
    case Opcode::match:
    case Opcode::redux: return letter == 'a' ? bits : 32;
    case Opcode::vote:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::brx:
    case Opcode::nanosleep: return 32;
    default: return letter == 'e' ? 32 : bits;
    }
  }

  /// Of d, a, b and c behind each other; numbers among them have so many bits.
  const Place* all_elements(const Operation& op, int bits) {
    std::vector<Place>& places = code_.elements.emplace_back();
    for (const Operand* operand : {&op.d, &op.a, &op.b, &op.c})
      for (int k = 0; operand->kind == OperandKind::vector && k < operand->count; ++k)
        places.push_back(
            place_of(function_.elements[static_cast<std::size_t>(operand->index + k)], bits));
    return places.data();
  }

  /// Of textures and surfaces: the object is in b.
  Step object_step(Step step, const Operation& op, Handler run) {
    step.bits_d = bits_of_operand(op.opcode == Opcode::sust ? op.b : op.d, 32);
    step.elements = all_elements(op, 32);
    step.b = place_of(op.m, 64);
    step.c = place_of(op.b, 32); // a level of detail
    step.run = run;
    return step;
  }

  Step matrix_step(Step step, const Operation& op) {
    step.elements = all_elements(op, bits_of(op.type));
    if (op.m.kind == OperandKind::none) {
      step.run = multiply_matrices;
      return step;
    }
    const bool loads = op.words.has(Word::load);
    step.b = place_of(op.m, 64);
    step.bits_a = bits_of_operand(op.m, 64);
    step.c = place_of(loads ? op.a : op.b, 32);
    step.run = loads ? load_fragment : store_fragment;
    return step;
  }

  Step memory_step(Step step, const Operation& op, Handler run) {
    const int bits = bits_of(op.type);
    const bool stores = op.opcode == Opcode::st;
    const Operand& value = stores ? op.a : op.d;
    step.bits_d = bits_of_operand(value, std::max(16, bits));
    if (stores)
      step.a = value.kind == OperandKind::vector ? -1 : place_of(value, std::max(16, bits));
    // Other variables of that space are arguments and results of calls.
    const auto& parameters = function_.parameters;
    const bool parameter =
        function_.kernel && op.space == Space::param && op.m.kind == OperandKind::variable &&
        !op.m.of_module &&
        std::find(parameters.begin(), parameters.end(), op.m.index) != parameters.end();
    if (parameter && !stores) {
      step.kernel_param = true;
      step.value = static_cast<std::int64_t>(address_of(op.m));
    } else {
      note_params(op);
      (stores ? step.b : step.a) = place_of(op.m, 64);
      step.bits_a = bits_of_operand(op.m, 64);
    }
    step.run = run;
    if (!step.kernel_param)
      if (const Handler quick = image_.set_.choose_access(op, step.bits_a, step.bits_d))
        step.run = quick;
    return step;
  }

  Image& image_;
  Code& code_;
  const Function& function_;
  std::map<std::pair<std::uint64_t, int>, Place> constants_;
};

/// The module's variables, those of device functions, those of one kernel, dynamic ones.
void Image::place_shared(const Module& module) {
  std::int64_t most = 0;
  for (const Function& function : module.functions) {
    Code& code = *codes_.emplace_back(std::make_unique<Code>());
    code.function = &function;
    code.number = static_cast<std::int32_t>(codes_.size()) - 1;
    Lowering(*this, code).place_variables();
    if (function.kernel) {
      most = std::max(most, code.shared_bytes);
      continue;
    }
    code.shared_begin = rounded_up(shared_bytes_, 16);
    shared_bytes_ = code.shared_begin + code.shared_bytes;
  }
  shared_bytes_ = rounded_up(shared_bytes_, 128);
  for (const auto& code : codes_) {
    if (!code->function->kernel) continue;
    code->shared_begin = shared_bytes_;
    code->static_shared = static_shared_of(module, static_cast<std::size_t>(code->number));
  }
  size_stacks();
  dynamic_begin_ = rounded_up(shared_bytes_ + most, 128);
  for (std::size_t k = 0; k < variables_.size(); ++k)
    if (module.variables[k].space == Space::shared && module.variables[k].bytes == 0)
      variables_[k].address = static_cast<std::uint64_t>(dynamic_begin_);
}

/// Local memory of each function with those that it may call. Functions that call themselves, or by
/// address, get some more.
void Image::size_stacks() {
  constexpr std::int64_t of_recursion = 16 << 10;
  std::int64_t most = 0;
  for (const auto& code : codes_)
    if (!code->function->kernel) most = std::max(most, code->own_bytes);
  enum class Mark : std::uint8_t { fresh, under_way, done };
  std::vector<Mark> marks(codes_.size(), Mark::fresh);
  struct Visit {
    std::size_t function, call;
  };
  for (std::size_t first = 0; first < codes_.size(); ++first) {
    std::vector<Visit> visits;
    const auto begin = [&](std::size_t function) {
      marks[function] = Mark::under_way;
      codes_[function]->stack_bytes = codes_[function]->own_bytes;
      visits.push_back({function, 0});
    };
    if (marks[first] == Mark::fresh) begin(first);
    while (!visits.empty()) {
      const auto [function, number] = visits.back();
      Code& code = *codes_[function];
      const std::vector<Call>& calls = code.function->calls;
      if (number == calls.size()) {
        marks[function] = Mark::done;
        visits.pop_back();
        continue;
      }
      const std::int32_t callee = calls[number].function;
      if (callee >= 0 && marks[static_cast<std::size_t>(callee)] == Mark::fresh) {
        begin(static_cast<std::size_t>(callee));
        continue; // and the same call again
      }
      ++visits.back().call;
      const bool known = callee >= 0 && marks[static_cast<std::size_t>(callee)] == Mark::done;
      const std::int64_t more = known      ? codes_[static_cast<std::size_t>(callee)]->stack_bytes
                                : most > 0 ? most + of_recursion
                                           : 0;
      code.stack_bytes = std::max(code.stack_bytes, code.own_bytes + more);
    }
  }
}

Status Image::load(const Module& module, DeviceMemory& device) {
  module_ = &module;
  Diagnostics errors = undefined_names(module);
  for (const Variable& variable : module.variables) {
    Placed& placed = variables_.emplace_back();
    placed.bytes = variable.bytes;
    if (variable.space == Space::shared) {
      if (variable.bytes == 0) continue; // behind all others: the launch says its size
      shared_bytes_ = rounded_up(shared_bytes_, variable.align);
      placed.address = static_cast<std::uint64_t>(shared_bytes_);
      shared_bytes_ += variable.bytes;
      continue;
    }
    const auto bytes = static_cast<std::size_t>(rounded_up(variable.bytes, 16));
    // Which words are in one address group must not depend on the host's memory.
    const std::int64_t align = std::max(variable.align, array_align);
    placed.memory.reset(static_cast<std::uint8_t*>(
        std::calloc(bytes + static_cast<std::size_t>(align), sizeof(std::uint8_t))));
    if (!placed.memory) {
      errors.push_back(
          error_at(variable.span, fmt::format("there is no memory for {}, which has {} bytes",
                                              variable.name, variable.bytes)));
      continue;
    }
    placed.address = static_cast<std::uint64_t>(rounded_up(
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(placed.memory.get())), align));
  }
  check_calls(module, errors);
  if (!errors.empty()) return errors;
  place_shared(module);
  for (const auto& code : codes_) {
    Lowering(*this, *code).lower();
    if (code->frame.bytes > most_frame)
      errors.push_back(error_at(code->function->span,
                                fmt::format("{} needs too many registers", code->function->name)));
  }
  if (!errors.empty()) return errors;
  begin(device);
  return Done{};
}

void Image::begin(DeviceMemory& device) {
  const std::vector<Variable>& variables = module_->variables;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    if (!variables_[k].memory) continue;
    auto* const at = reinterpret_cast<std::uint8_t*>(variables_[k].address);
    std::fill_n(at, variables[k].bytes, std::uint8_t{0});
    std::copy(variables[k].initial.begin(), variables[k].initial.end(), at);
    device.add(variables_[k].address, static_cast<std::uint64_t>(variables[k].bytes),
               variables[k].name);
  }
  for (std::size_t k = 0; k < variables.size(); ++k)
    for (const Relocation& relocation : variables[k].relocations) {
      const Operand& to = relocation.address;
      const std::uint64_t address =
          (to.kind == OperandKind::function
               ? function_base + static_cast<std::uint64_t>(to.index + 1) * 16
               : variables_[static_cast<std::size_t>(to.index)].address) +
          static_cast<std::uint64_t>(to.value);
      const std::uint64_t part = address >> relocation.shift;
      std::memcpy(reinterpret_cast<std::uint8_t*>(variables_[k].address) + relocation.at, &part,
                  static_cast<std::size_t>(relocation.bytes));
    }
}

std::int32_t Image::function_at(std::uint64_t address) const {
  const std::uint64_t number = (address - function_base) / 16;
  return address >= function_base && number >= 1 && number <= codes_.size()
             ? static_cast<std::int32_t>(number) - 1
             : -1;
}

const Code* Image::find(std::string_view function) const {
  for (const auto& code : codes_)
    if (code->function->name == function) return code.get();
  return nullptr;
}

std::uint8_t* Image::variable(std::string_view name, std::int64_t* bytes) const {
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    if (module_->variables[k].name != name || !variables_[k].memory) continue;
    if (bytes) *bytes = variables_[k].bytes;
    return reinterpret_cast<std::uint8_t*>(variables_[k].address);
  }
  return nullptr;
}

} // namespace memlane::ptx
