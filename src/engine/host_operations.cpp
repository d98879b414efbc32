// The operations of translated host code.
#include "host_code.hpp"

#include "memlane/ir/operations.hpp"

#include <cstring>

namespace memlane::host_operations {

namespace {

using ir::Opcode;
using ir::Scalar;
using ir::Value;
using Op = HostOp;

// An optimising compiler turns the call at the end of each function into a jump, so that each
// operation has its own indirect jump, which processors predict well. Without this, operations
// return to the loop in HostCode::run. The depth of calls is bounded by the steps taken in advance,
// which is more than the stack of a WebAssembly module, whose calls stay calls.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__wasm__)
#define MEMLANE_JUMPS 1
#else
#define MEMLANE_JUMPS 0
#endif

[[gnu::always_inline]] inline const Op* next(const Op* at, Value* r, HostState& state) {
#if MEMLANE_JUMPS
  return at->run(at, r, state);
#else
  (void)r, (void)state;
  return at;
#endif
}

[[gnu::always_inline]] inline const Op* leave(const Op* at, HostState& state, std::int32_t behind) {
  state.at = at;
  state.behind = behind;
  state.unpaid = false;
  return nullptr;
}

/// Takes the steps of the segment that begins at `to`.
[[gnu::always_inline]] inline const Op* enter(const Op* to, Value* r, HostState& state) {
  if (state.paid < to->number) {
    state.at = to;
    state.behind = 0;
    state.unpaid = true;
    return nullptr;
  }
  state.paid -= to->number;
  return next(to + 1, r, state);
}

[[gnu::always_inline]] inline const Op* go(const Op* at, Value* r, HostState& state) {
  state.paid += at->number;
  return enter(at + at->c, r, state);
}

const Op* do_pay(const Op* at, Value* r, HostState& state) { return enter(at, r, state); }
const Op* do_jump(const Op* at, Value* r, HostState& state) { return go(at, r, state); }
const Op* do_halt(const Op* at, Value*, HostState& state) { return leave(at, state, 0); }

const Op* do_branch(const Op* at, Value* r, HostState& state) {
  return r[at->a].truth() ? next(at + 1, r, state) : go(at, r, state);
}

const Op* do_constant(const Op* at, Value* r, HostState& state) {
  r[at->d] = Value::of(at->number);
  return next(at + 1, r, state);
}

const Op* do_assertion(const Op* at, Value* r, HostState& state) {
  state.asserted = true;
  return r[at->a].truth() ? next(at + 1, r, state) : leave(at, state, 0);
}

bool within(Value index, std::int64_t elements) {
  return index.integer() >= 0 && index.integer() < elements;
}

const Op* do_bound(const Op* at, Value* r, HostState& state) {
  return within(r[at->a], r[at->b].integer()) ? next(at + 1, r, state) : leave(at, state, 0);
}

// Elements and how they are stored in their arrays.

struct OwnWord { ///< an element of a local array of the host
  static Value get(const void* data, std::int64_t i) { return static_cast<const Value*>(data)[i]; }
  static void set(void* data, std::int64_t i, Value value) { static_cast<Value*>(data)[i] = value; }
  static void count(HostState&) {}
};

template <Scalar type>
struct MemoryWord {
  static Value get(const void* data, std::int64_t i) { return get_word(type, data, i); }
  static void set(void* data, std::int64_t i, Value value) { set_word(type, data, i, value); }
  static void count(HostState& state) { ++state.words; }
};

template <class Word>
const Op* do_load(const Op* at, Value* r, HostState& state) {
  const Value index = r[at->a];
  if (!within(index, at->array->elements)) return leave(at, state, 0);
  r[at->d] = Word::get(at->array->data, index.integer());
  Word::count(state);
  return next(at + 1, r, state);
}

template <class Word>
const Op* do_bound_load(const Op* at, Value* r, HostState& state) {
  const Value index = r[at->a];
  if (!within(index, r[at->b].integer())) return leave(at, state, 0);
  if (!within(index, at->array->elements)) return leave(at, state, 1);
  r[at->d] = Word::get(at->array->data, index.integer());
  Word::count(state);
  return next(at + 1, r, state);
}

template <class Word>
const Op* do_store(const Op* at, Value* r, HostState& state) {
  const Value index = r[at->a];
  if (!within(index, at->array->elements)) return leave(at, state, 0);
  Word::set(at->array->data, index.integer(), r[at->b]);
  Word::count(state);
  return next(at + 1, r, state);
}

template <class Word>
const Op* do_bound_store(const Op* at, Value* r, HostState& state) {
  const Value index = r[at->a];
  if (!within(index, r[at->c].integer())) return leave(at, state, 0);
  if (!within(index, at->array->elements)) return leave(at, state, 1);
  Word::set(at->array->data, index.integer(), r[at->b]);
  Word::count(state);
  return next(at + 1, r, state);
}

const Op* do_lookup(const Op* at, Value* r, HostState& state) {
  const std::vector<Value>& values = at->table->values;
  const Value index = r[at->a];
  if (!within(index, static_cast<std::int64_t>(values.size()))) return leave(at, state, 0);
  r[at->d] = values[static_cast<std::size_t>(index.integer())];
  return next(at + 1, r, state);
}

// Arithmetic.

template <Opcode op, Scalar type>
const Op* do_compute(const Op* at, Value* r, HostState& state) {
  const ir::Outcome outcome = ir::operations::one(op, type, r[at->a], r[at->b], r[at->c], type);
  if (outcome.trap) return leave(at, state, 0);
  r[at->d] = outcome.value;
  return next(at + 1, r, state);
}

template <Scalar to>
const Op* do_convert(const Op* at, Value* r, HostState& state) {
  const ir::Outcome outcome =
      ir::operations::one(Opcode::convert, to, r[at->a], {}, {}, static_cast<Scalar>(at->number));
  if (outcome.trap) return leave(at, state, 0);
  r[at->d] = outcome.value;
  return next(at + 1, r, state);
}

/// Rare operations: `number` holds opcode and type.
const Op* do_rare(const Op* at, Value* r, HostState& state) {
  const ir::Outcome outcome =
      ir::apply(static_cast<Opcode>(at->number >> 8), static_cast<Scalar>(at->number & 0xff),
                r[at->a], r[at->b], r[at->c], Scalar::boolean);
  if (outcome.trap) return leave(at, state, 0);
  r[at->d] = outcome.value;
  return next(at + 1, r, state);
}

/// A comparison, then a branch.
template <Opcode op, Scalar type>
const Op* do_compare_branch(const Op* at, Value* r, HostState& state) {
  const Value holds = ir::operations::one(op, type, r[at->a], r[at->b], {}, type).value;
  r[at->d] = holds;
  return holds.truth() ? next(at + 1, r, state) : go(at, r, state);
}

/// A comparison, then an assertion.
template <Opcode op, Scalar type>
const Op* do_compare_assertion(const Op* at, Value* r, HostState& state) {
  const Value holds = ir::operations::one(op, type, r[at->a], r[at->b], {}, type).value;
  r[at->d] = holds;
  state.asserted = true;
  return holds.truth() ? next(at + 1, r, state) : leave(at, state, 1);
}

// The functions by operation and type, a table for each common type.

#define MEMLANE_COMPARISONS(X) X(eq) X(ne) X(lt) X(le)
#define MEMLANE_ARITHMETIC(X) X(add) X(sub) X(mul) X(div) X(neg) X(min) X(max) X(abs)
#define MEMLANE_DIVISIONS(X) X(rem) X(mod) X(ceil_div)
#define MEMLANE_BITS(X) X(bit_not) X(bit_and) X(bit_or) X(bit_xor)
#define MEMLANE_SHIFTS(X) X(shl) X(shr)
#define MEMLANE_CASE(name)                                                                         \
  if (op == Opcode::name) return do_compute<Opcode::name, type>;

template <Scalar type>
HostRun integers(Opcode op) {
  MEMLANE_COMPARISONS(MEMLANE_CASE)
  MEMLANE_ARITHMETIC(MEMLANE_CASE)
  MEMLANE_DIVISIONS(MEMLANE_CASE)
  MEMLANE_BITS(MEMLANE_CASE)
  MEMLANE_SHIFTS(MEMLANE_CASE)
  return do_rare;
}

template <Scalar type>
HostRun reals(Opcode op) {
  MEMLANE_COMPARISONS(MEMLANE_CASE)
  MEMLANE_ARITHMETIC(MEMLANE_CASE)
  MEMLANE_CASE(sqrt)
  return do_rare;
}

template <Scalar type>
HostRun booleans(Opcode op) {
  MEMLANE_BITS(MEMLANE_CASE)
  MEMLANE_CASE(eq)
  MEMLANE_CASE(ne)
  return do_rare;
}

HostRun compute(Opcode op, Scalar type) {
  switch (type) {
  case Scalar::boolean: return booleans<Scalar::boolean>(op);
  case Scalar::int32: return integers<Scalar::int32>(op);
  case Scalar::int64: return integers<Scalar::int64>(op);
  case Scalar::float32: return reals<Scalar::float32>(op);
  case Scalar::float64: return reals<Scalar::float64>(op);
  }
  return do_rare;
}

HostRun convert(Scalar to) {
  switch (to) {
  case Scalar::boolean: return do_convert<Scalar::boolean>;
  case Scalar::int32: return do_convert<Scalar::int32>;
  case Scalar::int64: return do_convert<Scalar::int64>;
  case Scalar::float32: return do_convert<Scalar::float32>;
  case Scalar::float64: return do_convert<Scalar::float64>;
  }
  return do_halt;
}

#undef MEMLANE_CASE
#define MEMLANE_CASE(name)                                                                         \
  if (op == Opcode::name)                                                                          \
    return asserts ? do_compare_assertion<Opcode::name, type>                                      \
                   : do_compare_branch<Opcode::name, type>;

template <Scalar type>
HostRun comparison(Opcode op, bool asserts) {
  MEMLANE_COMPARISONS(MEMLANE_CASE)
  return nullptr;
}
#undef MEMLANE_CASE

HostRun comparison(Opcode op, Scalar type, bool asserts) {
  switch (type) {
  case Scalar::boolean: return nullptr;
  case Scalar::int32: return comparison<Scalar::int32>(op, asserts);
  case Scalar::int64: return comparison<Scalar::int64>(op, asserts);
  case Scalar::float32: return comparison<Scalar::float32>(op, asserts);
  case Scalar::float64: return comparison<Scalar::float64>(op, asserts);
  }
  return nullptr;
}

template <class Word>
HostRun access(Opcode op, bool bounded) {
  if (op == Opcode::store || op == Opcode::local_store)
    return bounded ? do_bound_store<Word> : do_store<Word>;
  return bounded ? do_bound_load<Word> : do_load<Word>;
}

HostRun access(const ir::Instruction& in, bool bounded) {
  if (in.op == Opcode::local_load || in.op == Opcode::local_store)
    return access<OwnWord>(in.op, bounded);
  switch (in.type) {
  case Scalar::boolean: return access<MemoryWord<Scalar::boolean>>(in.op, bounded);
  case Scalar::int32: return access<MemoryWord<Scalar::int32>>(in.op, bounded);
  case Scalar::int64: return access<MemoryWord<Scalar::int64>>(in.op, bounded);
  case Scalar::float32: return access<MemoryWord<Scalar::float32>>(in.op, bounded);
  case Scalar::float64: return access<MemoryWord<Scalar::float64>>(in.op, bounded);
  }
  return do_halt;
}

/// Whether it moves a word between an array and a register.
bool moves_word(Opcode op) {
  return op == Opcode::load || op == Opcode::store || op == Opcode::initial ||
         op == Opcode::local_load || op == Opcode::local_store;
}

HostRun value(const ir::Instruction& in) {
  switch (static_cast<ir::ValueOpcode>(in.op)) {
  case ir::ValueOpcode::constant: return do_constant;
  case ir::ValueOpcode::move: return do_compute<Opcode::move, Scalar::int64>; // words of any type
  case ir::ValueOpcode::select: return do_compute<Opcode::select, Scalar::int64>;
  case ir::ValueOpcode::convert: return convert(in.type);
  case ir::ValueOpcode::special: break;
  }
  return do_halt;
}

} // namespace

HostRun pay() { return do_pay; }
HostRun jump() { return do_jump; }
HostRun branch() { return do_branch; }
HostRun halt() { return do_halt; }

HostRun operation(const ir::Instruction& in) {
  using ir::OpcodeGroup;
  switch (ir::group_of(in.op)) {
  case OpcodeGroup::value: return value(in);
  case OpcodeGroup::comparison:
    if (in.op == Opcode::logical_not) return do_compute<Opcode::logical_not, Scalar::boolean>;
    [[fallthrough]];
  case OpcodeGroup::arithmetic: return compute(in.op, in.type);
  case OpcodeGroup::own:
    if (in.op == Opcode::lookup) return do_lookup;
    [[fallthrough]];
  case OpcodeGroup::access:
  case OpcodeGroup::snapshot: return moves_word(in.op) ? access(in, false) : do_halt;
  case OpcodeGroup::check:
    if (in.op == Opcode::bound) return do_bound;
    return in.op == Opcode::assert_ ? do_assertion : do_halt;
  case OpcodeGroup::warp:
  case OpcodeGroup::draw:
  case OpcodeGroup::drain:
  case OpcodeGroup::control:
  case OpcodeGroup::parallel:
  case OpcodeGroup::call:
  case OpcodeGroup::print:
  case OpcodeGroup::launch:
  case OpcodeGroup::end: break;
  }
  return do_halt;
}

HostRun neighbours(const ir::Instruction& first, const ir::Instruction& second) {
  if (moves_word(second.op))
    return first.op == Opcode::bound && first.a == second.a ? access(second, true) : nullptr;
  const bool asserts = second.op == Opcode::assert_;
  if (!asserts && second.op != Opcode::if_ && second.op != Opcode::while_) return nullptr;
  if (!ir::is_relation(first.op) || first.d != second.a) return nullptr;
  return comparison(first.op, first.type, asserts);
}

} // namespace memlane::host_operations
