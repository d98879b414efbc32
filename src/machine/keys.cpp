#include "memlane/machine/keys.hpp"

#include "memlane/support/json_table.hpp"
#include "memlane/support/json_text.hpp"
#include "memlane/support/machine_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <type_traits>
#include <utility>

namespace memlane {
namespace {

constexpr ModelSet dmm = set_of(Model::dmm);
constexpr ModelSet umm = set_of(Model::umm);
constexpr ModelSet hmm = set_of(Model::hmm);
constexpr ModelSet agpu = set_of(Model::agpu);
constexpr ModelSet mmm = set_of(Model::mmm);
constexpr ModelSet timed = dmm | umm | hmm;
constexpr ModelSet every = timed | agpu | mmm;

// With these bounds a run's sums fit 64 bits up to 9e9 sequential requests of maximum latency, and
// thread numbers fit a program's 32-bit int.
constexpr std::int64_t max_width = 1024;
constexpr std::int64_t max_threads = 1 << 30;
constexpr std::int64_t max_cycles = 1000000000;
constexpr std::int64_t max_words = std::int64_t{1} << 40;
constexpr std::int64_t max_ports = 1024;
constexpr std::int64_t max_multiprocessors = 65536;
constexpr std::int64_t max_blocks = 65536;
constexpr std::int64_t max_atomic_stages = 1000;  // of a lane
constexpr std::int64_t max_clock = 1000000000000; // Hz
constexpr std::int64_t max_in_flight = 1024;      // requests of a warp
constexpr std::int64_t max_tile = 255;            // rows: its products are at most 65535 stages

constexpr std::string_view accepted_stages = "stages accepted in one time unit";

// The names of an enumeration's values, in their order.
std::vector<std::string_view> names_of(Model) {
  std::vector<std::string_view> names;
  for (const ModelTraits& traits : model_traits) names.push_back(traits.name);
  return names;
}
std::vector<std::string_view> names_of(BlockSchedule) {
  return schema::names_up_to(BlockSchedule::dynamic);
}
std::vector<std::string_view> names_of(Reuse) { return schema::names_up_to(Reuse::block); }
std::vector<std::string_view> names_of(Schedule) { return schema::names_up_to(Schedule::hoisted); }

// Conversions between a field's type and a key's value.
KeyValue value_of(const std::optional<std::int64_t>& field) {
  return field ? KeyValue(*field) : KeyValue();
}
KeyValue value_of(Cycles field) { return field.value; }
template <class Field>
KeyValue value_of(const Field& field) {
  if constexpr (std::is_enum_v<Field>)
    return std::string(name_of(field));
  else
    return field;
}
void assign(std::optional<std::int64_t>& field, const KeyValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  field = number ? std::optional(*number) : std::nullopt;
}
void assign(std::string& field, const KeyValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  field = text ? *text : std::string();
}
void assign(Cycles& field, const KeyValue& value) { field = {std::get<std::int64_t>(value)}; }
template <class Field>
void assign(Field& field, const KeyValue& value) {
  if constexpr (std::is_enum_v<Field>) {
    const auto names = names_of(Field{});
    const auto found = std::find(names.begin(), names.end(), std::get<std::string>(value));
    assert(found != names.end()); // its kind has checked it
    field = static_cast<Field>(found - names.begin());
  } else {
    field = std::get<Field>(value);
  }
}

using M = MachineSpec;
using U = UnitSpec;
using Q = MachineQuantity;

/// A key whose value is a part of the machine: a member, or what a function returns for it.
template <class Part>
MachineKey key(std::string_view path, std::string_view meaning, ModelSet models, KeyValues values,
               Part part, std::optional<Q> quantity = {}) {
  return {std::move(values),
          path,
          meaning,
          models,
          quantity,
          [part](M& machine, const KeyValue& value) { assign(std::invoke(part, machine), value); },
          [part](const M& machine) { return value_of(std::invoke(part, machine)); }};
}

/// A field of one of its units.
template <class Field>
auto of_unit(std::optional<U> M::*unit, Field U::*field) {
  return [=](auto& machine) -> auto& { return (*(machine.*unit)).*field; };
}
/// A field of the only unit of a DMM or UMM.
template <class Field>
auto of_only_unit(Field U::*field) {
  return [=](auto& machine) -> auto& {
    if (machine.shared) return (*machine.shared).*field;
    return (*machine.global).*field;
  };
}

const KeyValues latencies = {.minimum = 1, .maximum = max_cycles};
const KeyValues numbers_of_ports = {
    .minimum = 1, .maximum = max_ports, .default_value = std::int64_t{1}};
/// Unbounded on timed machines without a value.
const KeyValues capacities = {.minimum = 1, .maximum = max_words, .nullable = timed};
const KeyValues costs = {.maximum = max_cycles, .default_value = std::int64_t{0}};

/// d of machines with warps on multiprocessors, P of an MMM. The model is stored before it.
MachineKey key_of_multiprocessors() {
  const auto d =
      key("multiprocessors", "d (k, P): multiprocessors; of an mmm also null: unbounded",
          hmm | agpu | mmm, {.minimum = 1, .maximum = max_multiprocessors, .nullable = mmm},
          &M::multiprocessors, Q::multiprocessors);
  MachineKey both = d;
  both.store = [d](M& machine, const KeyValue& value) {
    if (machine.model != Model::mmm) return d.store(machine, value);
    assign(machine.processors, value);
  };
  both.fetch = [d](const M& machine) {
    return machine.model == Model::mmm ? value_of(machine.processors) : d.fetch(machine);
  };
  return both;
}

/// The tensor unit, which is one of them, has keys of its own.
MachineKey key_of_operations() {
  MachineKey units =
      key("operations", "units of each multiprocessor for operations", timed,
          {.kind = KeyKind::units, .default_value = std::vector<OperationUnit>()}, &M::operations);
  units.fetch = [](const M& machine) -> KeyValue {
    std::vector<OperationUnit> own = machine.operations;
    if (machine.tensor_size) own.pop_back();
    return own;
  };
  return units;
}

/// About the file, the kind of machine, and its parts.
std::vector<MachineKey> keys_of_parts() {
  const KeyValues text = {.kind = KeyKind::text}, lines = {.kind = KeyKind::lines};
  const KeyValues models = {.kind = KeyKind::choice, .choices = names_of(Model{})};
  return {
      {text, "$schema", "the JSON Schema, for editors", every},
      {text, "extends",
       "path of a machine file, relative to this one, that gives the values missing here", every},
      key("name", "of the machine; default: the file's name", every, text, &M::name),
      key("notes", "remarks: where the numbers come from", every, lines, &M::notes),
      key("model", "the kind of machine", every, models, &M::model),
      key("width", "w (b): banks of a memory unit, threads of a warp", timed | agpu,
          {.minimum = 1, .maximum = max_width}, &M::width, Q::width),
      key_of_multiprocessors(),
      key("threads", "p: threads of one multiprocessor, a multiple of width", timed,
          {.minimum = 1, .maximum = max_threads}, &M::threads, Q::threads),
      key("latency", "l: latency of the memory", dmm | umm, latencies, of_only_unit(&U::latency),
          Q::latency),
      key("ports", accepted_stages, dmm | umm, numbers_of_ports, of_only_unit(&U::ports)),
      key("capacity", "M: words of the memory; null: unbounded", dmm | umm, capacities,
          of_only_unit(&U::capacity), Q::capacity),
      key("shared.latency", "l: latency of shared memory", hmm, latencies,
          of_unit(&M::shared, &U::latency), Q::latency),
      key("shared.ports", accepted_stages, hmm, numbers_of_ports, of_unit(&M::shared, &U::ports)),
      key("shared.capacity", "M: words of each shared memory; of an hmm also null: unbounded",
          hmm | agpu, capacities, of_unit(&M::shared, &U::capacity), Q::capacity),
      key("shared.reserved", "words of shared memory that each resident block takes beside its own",
          hmm, {.maximum = max_words, .default_value = std::int64_t{0}},
          of_unit(&M::shared, &U::reserved)),
      key("shared.least_stages", "stages that a request takes at least", hmm,
          {.minimum = 1, .maximum = max_ports, .default_value = std::int64_t{1}},
          of_unit(&M::shared, &U::least_stages)),
      key("shared.widest",
          "bytes of a lane, 4, 8 or 16, up to which shared reads of PTX are merged to one request",
          hmm, {.minimum = 4, .maximum = 16, .default_value = std::int64_t{4}},
          of_unit(&M::shared, &U::widest)),
      key("shared.atomic_cost", "stages of an atomic for each stage of its unmerged lanes", hmm,
          {.kind = KeyKind::decimal,
           .minimum = 1,
           .maximum = max_atomic_stages,
           .default_value = Decimal::of(1)},
          of_unit(&M::shared, &U::atomic_stages)),
      key("global.latency", "L: latency of global memory", hmm, latencies,
          of_unit(&M::global, &U::latency), Q::global_latency),
      key("global.ports", accepted_stages, hmm, numbers_of_ports, of_unit(&M::global, &U::ports)),
      key("global.capacity", "words of global memory; null: unbounded", hmm, capacities,
          of_unit(&M::global, &U::capacity)),
      key("global.group", "g: words of a stage, a divisor of width; null: width", hmm,
          {.minimum = 1, .maximum = max_width, .nullable = hmm}, of_unit(&M::global, &U::group)),
      key("global.atomic_cost", "least time units for which an address group serves an atomic", hmm,
          {.minimum = 1, .maximum = max_cycles, .default_value = std::int64_t{1}},
          of_unit(&M::global, &U::atomic_service)),
      key("global.own_port", "whether each multiprocessor has a port of its own to global memory",
          hmm, {.kind = KeyKind::boolean, .default_value = false},
          of_unit(&M::global, &U::own_port)),
      key("global.line",
          "h: words of a stage of that port, a multiple of global.group; null: width", hmm,
          {.minimum = 1, .maximum = max_width, .nullable = hmm}, of_unit(&M::global, &U::line)),
      key("global.least_stages", "stages of that port that a request takes at least", hmm,
          {.minimum = 1, .maximum = max_ports, .default_value = std::int64_t{1}},
          of_unit(&M::global, &U::least_stages)),
      key("global.reuse",
          "whether a block's reads need no address groups that it has read before; needs own ports",
          hmm,
          {.kind = KeyKind::choice,
           .choices = names_of(Reuse{}),
           .default_value = std::string("none")},
          of_unit(&M::global, &U::reuse)),
      key("global.reuse_latency", "time units of such a read once it has left the port", hmm,
          {.minimum = 1, .maximum = max_cycles, .default_value = std::int64_t{1}},
          of_unit(&M::global, &U::reuse_latency)),
  };
}

std::vector<MachineKey> keys_of_rules() {
  const auto flag = [](bool otherwise) {
    return KeyValues{.kind = KeyKind::boolean, .default_value = otherwise};
  };
  return {
      key("lockstep", "charge round by round instead of letting warps run freely", timed,
          flag(false), &M::lockstep),
      key("instruction_cost", "time units a counted operator delays its warp", timed, costs,
          &M::instruction_cost),
      key("barrier_cost", "time units added to the release of a barrier", timed, costs,
          &M::barrier_cost),
      key("launch_cost", "time units before every launch", timed, costs, &M::launch_cost),
      key("resident_blocks", "blocks a multiprocessor holds at once", timed,
          {.minimum = 1, .maximum = max_blocks, .default_value = std::int64_t{1}},
          &M::resident_blocks),
      key("registers",
          "of a multiprocessor, which bound the blocks that it holds; null: enough of them", timed,
          {.minimum = 1, .maximum = max_words, .nullable = timed}, &M::registers),
      key("max_threads",
          "threads that a multiprocessor holds at once, in whole warps; null: unbounded", timed,
          {.minimum = 1, .maximum = max_threads, .nullable = timed}, &M::max_threads),
      key("block_schedule",
          "which multiprocessor runs a block: block g on number g mod d, or the multiprocessor "
          "with the fewest resident blocks",
          timed,
          {.kind = KeyKind::choice,
           .choices = names_of(BlockSchedule{}),
           .default_value = std::string("static")},
          &M::block_schedule),
      key_of_operations(),
      key("tensor.size",
          "s: rows and columns of the tiles that each multiprocessor's tensor unit multiplies; "
          "null: it has none",
          timed, {.minimum = 1, .maximum = max_tile, .nullable = timed}, &M::tensor_size,
          Q::tensor_size),
      key("tensor.latency", "time units of a product beside its s^2", timed, costs,
          &M::tensor_latency, Q::tensor_latency),
      key("requests_in_flight", "k: requests of a warp that may be on their way at once", timed,
          {.minimum = 1, .maximum = max_in_flight, .default_value = std::int64_t{1}},
          &M::requests_in_flight),
      key("schedule",
          "the order in which a warp issues its steps: as in the program, or reads as early as "
          "they may be",
          timed,
          {.kind = KeyKind::choice,
           .choices = names_of(Schedule{}),
           .default_value = std::string("program")},
          &M::schedule),
      key("word_bytes",
          "bytes of a word, a power of two: longer elements have several; null: each is one word",
          hmm, {.minimum = 1, .maximum = 8, .nullable = hmm}, &M::word_bytes),
      key("clock", "time units in a second, in Hz; null: unknown", timed,
          {.minimum = 1, .maximum = max_clock, .nullable = timed}, &M::clock),
      key("volatile",
          "whether each block starts with erased shared memory; false: arrays at a program's top "
          "level are kept",
          agpu, flag(true), &M::is_volatile),
      key("local_words", "Z: words of each local memory, and most threads of a block", mmm,
          {.minimum = 1, .maximum = max_words}, &M::local_words, Q::local_words),
      key("transfer", "U: time to move a word, in local operations", mmm,
          {.minimum = 2,
           .maximum = max_cycles,
           .least_because =
               "a word takes longer to move than a local operation: U > 1 ([HMX] section 2.1)"},
          &M::transfer, Q::transfer_time),
  };
}

} // namespace

std::optional<std::string_view> key_of_letter(std::string_view letter, Model model) {
  const MachineName* name = find_machine_name(letter);
  if (!name || find_machine_key(letter)) return std::nullopt; // a key has its own name
  // d and P share a key: an MMM has P and no d.
  const Q of_multiprocessors = model == Model::mmm ? Q::processors : Q::multiprocessors;
  for (const MachineKey& key : machine_keys()) {
    if (!key.quantity || !contains(key.models, model)) continue;
    const Q own = *key.quantity == Q::multiprocessors ? of_multiprocessors : *key.quantity;
    if (own == name->quantity) return key.path;
  }
  return std::nullopt;
}

const std::vector<MachineKey>& machine_keys() {
  static const std::vector<MachineKey> keys = together(keys_of_parts(), keys_of_rules());
  return keys;
}

const MachineKey* find_machine_key(std::string_view path) {
  for (const MachineKey& key : machine_keys()) {
    if (key.path == path) return &key;
  }
  return nullptr;
}

const std::vector<std::string_view>& machine_key_groups() {
  static const std::vector<std::string_view> groups = {"shared", "global", "tensor"};
  return groups;
}

ModelSet models_of_group(std::string_view group) {
  ModelSet models = 0;
  for (const MachineKey& key : machine_keys())
    if (key.group() == group) models |= key.models;
  return models;
}

std::optional<Model> model_named(std::string_view name) {
  for (const ModelTraits& traits : model_traits)
    if (traits.name == name) return traits.model;
  return std::nullopt;
}

const std::vector<Model>& all_models() {
  static const std::vector<Model> models = [] {
    std::vector<Model> all;
    for (const ModelTraits& traits : model_traits) all.push_back(traits.model);
    return all;
  }();
  return models;
}

std::string accepted_values(const MachineKey& key) {
  switch (key.kind) {
  case KeyKind::integer: return fmt::format("an integer from {} to {}", key.minimum, key.maximum);
  case KeyKind::decimal:
    return fmt::format("a number from {} to {} with at most {} decimals", key.minimum, key.maximum,
                       Decimal::decimals);
  case KeyKind::boolean: return "true or false";
  case KeyKind::text: return "a string";
  case KeyKind::lines: return "a string or a list of strings";
  case KeyKind::units: return R"(a list such as [{"name": "fp64", "slots": {"double": 16}}])";
  case KeyKind::choice: break;
  }
  std::string choices;
  for (std::size_t i = 0; i < key.choices.size(); ++i) {
    if (i > 0) choices += i + 1 == key.choices.size() ? " or " : ", ";
    choices += in_quotes(key.choices[i]);
  }
  return choices;
}

std::string text_of(const KeyValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<Decimal>(&value)) return text_of(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (std::holds_alternative<std::vector<OperationUnit>>(value)) return json_of(value).dump();
  return "none";
}

namespace {

schema::Json json_of(const OperationUnit& unit) {
  schema::Json slots = schema::Json::object();
  for (std::size_t k = 0; k < operation_classes; ++k)
    if (unit.stages[k] > 0)
      slots[std::string(name_of(static_cast<OperationClass>(k)))] = unit.stages[k];
  return {{"name", unit.name},
          {"ports", unit.ports},
          {"latency", unit.latency.value},
          {"slots", std::move(slots)}};
}

} // namespace

schema::Json json_of(const KeyValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<Decimal>(&value)) return schema::json_of(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const auto* units = std::get_if<std::vector<OperationUnit>>(&value);
  if (!units) return nullptr;
  auto list = schema::Json::array();
  for (const OperationUnit& unit : *units) list.push_back(json_of(unit));
  return list;
}

} // namespace memlane
