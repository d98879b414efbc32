#include "memlane/machine/keys.hpp"

#include "memlane/support/json_text.hpp"
#include "memlane/support/machine_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

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

// Conversions between a field's type and a key's value.
void assign(std::int64_t& field, const KeyValue& value) { field = std::get<std::int64_t>(value); }
void assign(Cycles& field, const KeyValue& value) { field = {std::get<std::int64_t>(value)}; }
void assign(bool& field, const KeyValue& value) { field = std::get<bool>(value); }
void assign(std::string& field, const KeyValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  field = text ? *text : std::string();
}
void assign(std::optional<std::int64_t>& field, const KeyValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  field = number ? std::optional(*number) : std::nullopt;
}
void assign(Model& field, const KeyValue& value) {
  field = *model_named(std::get<std::string>(value));
}
void assign(BlockSchedule& field, const KeyValue& value) {
  const bool dynamic = std::get<std::string>(value) == name_of(BlockSchedule::dynamic);
  field = dynamic ? BlockSchedule::dynamic : BlockSchedule::static_;
}

KeyValue value_of(std::int64_t field) { return field; }
KeyValue value_of(Cycles field) { return field.value; }
KeyValue value_of(bool field) { return field; }
KeyValue value_of(const std::string& field) { return field; }
KeyValue value_of(const std::optional<std::int64_t>& field) {
  return field ? KeyValue(*field) : KeyValue();
}
KeyValue value_of(Model field) { return std::string(name_of(field)); }
KeyValue value_of(BlockSchedule field) { return std::string(name_of(field)); }

// Access to a field of the machine, of one of its units, or of the only unit of a DMM or UMM.
template <auto Field>
struct MachineField {
  static void store(MachineSpec& machine, const KeyValue& value) { assign(machine.*Field, value); }
  static KeyValue fetch(const MachineSpec& machine) { return value_of(machine.*Field); }
};
template <auto Unit, auto Field>
struct UnitField {
  static void store(MachineSpec& machine, const KeyValue& value) {
    assign((*(machine.*Unit)).*Field, value);
  }
  static KeyValue fetch(const MachineSpec& machine) { return value_of((*(machine.*Unit)).*Field); }
};
/// One key for two quantities: d of machines with warps on multiprocessors, P of an MMM. The model
/// is stored before it.
struct MultiprocessorsField {
  static void store(MachineSpec& machine, const KeyValue& value) {
    if (machine.model == Model::mmm)
      assign(machine.processors, value);
    else
      assign(machine.multiprocessors, value);
  }
  static KeyValue fetch(const MachineSpec& machine) {
    return machine.model == Model::mmm ? value_of(machine.processors)
                                       : value_of(machine.multiprocessors);
  }
};
/// A function, because g++ 12 miscompiles `(a ? b : c).*Field = …` in a template: it assigns to a
/// copy.
UnitSpec& only_unit(MachineSpec& machine) {
  return machine.shared ? *machine.shared : *machine.global;
}
template <auto Field>
struct OnlyUnitField {
  static void store(MachineSpec& machine, const KeyValue& value) {
    assign(only_unit(machine).*Field, value);
  }
  static KeyValue fetch(const MachineSpec& machine) {
    return value_of(machine.memory_unit().*Field);
  }
};

template <class Accessor>
MachineKey stored_in(MachineKey key) {
  key.store = &Accessor::store;
  key.fetch = &Accessor::fetch;
  return key;
}

MachineKey integer(std::string_view path, ModelSet models, std::int64_t minimum,
                   std::int64_t maximum, std::string_view meaning) {
  MachineKey key;
  key.path = path;
  key.models = models;
  key.minimum = minimum;
  key.maximum = maximum;
  key.meaning = meaning;
  return key;
}
MachineKey required(MachineKey key) {
  key.required = key.models;
  return key;
}
MachineKey least_because(std::string_view reason, MachineKey key) {
  key.least_because = reason;
  return key;
}
MachineKey required_for(ModelSet models, MachineKey key) {
  key.required = models;
  return key;
}
MachineKey nullable_for(ModelSet models, MachineKey key) {
  key.nullable = models;
  return key;
}
MachineKey defaults_to(KeyValue value, MachineKey key) {
  key.default_value = std::move(value);
  return key;
}
MachineKey cost(std::string_view path, std::string_view meaning) {
  return defaults_to(std::int64_t{0}, integer(path, timed, 0, max_cycles, meaning));
}
MachineKey ports(std::string_view path, ModelSet models) {
  return defaults_to(std::int64_t{1},
                     integer(path, models, 1, max_ports, "stages accepted in one time unit"));
}
MachineKey key_of_kind(KeyKind kind, std::string_view path, ModelSet models,
                       std::string_view meaning) {
  MachineKey key = integer(path, models, 0, 0, meaning);
  key.kind = kind;
  return key;
}
MachineKey per_file(MachineKey key) {
  key.per_file = true;
  return key;
}
MachineKey choice(std::string_view path, ModelSet models, std::vector<std::string_view> choices,
                  std::string_view meaning) {
  MachineKey key = key_of_kind(KeyKind::choice, path, models, meaning);
  key.choices = std::move(choices);
  return key;
}

MachineKey model_key() {
  MachineKey key = required(choice("model", every, {}, "the kind of machine"));
  for (Model model : all_models()) key.choices.push_back(name_of(model));
  return key;
}

using M = MachineSpec;
using U = UnitSpec;

std::vector<MachineKey> make_keys() {
  const auto text = KeyKind::text;
  return {
      per_file(key_of_kind(text, "$schema", every, "the JSON Schema, for editors")),
      per_file(
          key_of_kind(text, "extends", every,
                      "path of a machine file, relative to this one, that gives the values missing "
                      "here")),
      stored_in<MachineField<&M::name>>(
          per_file(key_of_kind(text, "name", every, "of the machine; default: the file's name"))),
      stored_in<MachineField<&M::notes>>(per_file(
          key_of_kind(KeyKind::lines, "notes", every, "remarks: where the numbers come from"))),
      stored_in<MachineField<&M::model>>(model_key()),
      stored_in<MachineField<&M::width>>(
          required(integer("width", timed | agpu, 1, max_width,
                           "w (b): banks of a memory unit, threads of a warp"))),
      stored_in<MultiprocessorsField>(nullable_for(
          mmm, required_for(hmm | agpu,
                            integer("multiprocessors", hmm | agpu | mmm, 1, max_multiprocessors,
                                    "d (k, P): multiprocessors; of an mmm also null: unbounded")))),
      stored_in<MachineField<&M::threads>>(
          required(integer("threads", timed, 1, max_threads,
                           "p: threads of one multiprocessor, a multiple of width"))),
      stored_in<OnlyUnitField<&U::latency>>(
          required(integer("latency", dmm | umm, 1, max_cycles, "l: latency of the memory"))),
      stored_in<OnlyUnitField<&U::ports>>(ports("ports", dmm | umm)),
      stored_in<OnlyUnitField<&U::capacity>>(
          nullable_for(dmm | umm, integer("capacity", dmm | umm, 1, max_words,
                                          "M: words of the memory; null: unbounded"))),
      stored_in<UnitField<&M::shared, &U::latency>>(
          required(integer("shared.latency", hmm, 1, max_cycles, "l: latency of shared memory"))),
      stored_in<UnitField<&M::shared, &U::ports>>(ports("shared.ports", hmm)),
      stored_in<UnitField<&M::shared, &U::capacity>>(nullable_for(
          hmm,
          required_for(agpu,
                       integer("shared.capacity", hmm | agpu, 1, max_words,
                               "M: words of each shared memory; of an hmm also null: unbounded")))),
      stored_in<UnitField<&M::global, &U::latency>>(
          required(integer("global.latency", hmm, 1, max_cycles, "L: latency of global memory"))),
      stored_in<UnitField<&M::global, &U::ports>>(ports("global.ports", hmm)),
      stored_in<UnitField<&M::global, &U::capacity>>(
          nullable_for(hmm, integer("global.capacity", hmm, 1, max_words,
                                    "words of global memory; null: unbounded"))),
      stored_in<MachineField<&M::lockstep>>(defaults_to(
          false, key_of_kind(KeyKind::boolean, "lockstep", timed,
                             "charge round by round instead of letting warps run freely"))),
      stored_in<MachineField<&M::instruction_cost>>(
          cost("instruction_cost", "time units a counted operator delays its warp")),
      stored_in<MachineField<&M::barrier_cost>>(
          cost("barrier_cost", "time units added to the release of a barrier")),
      stored_in<MachineField<&M::launch_cost>>(
          cost("launch_cost", "time units before every launch")),
      stored_in<MachineField<&M::resident_blocks>>(
          defaults_to(std::int64_t{1}, integer("resident_blocks", timed, 1, max_blocks,
                                               "blocks a multiprocessor holds at once"))),
      stored_in<MachineField<&M::block_schedule>>(
          defaults_to(std::string("static"),
                      choice("block_schedule", timed, {"static", "dynamic"},
                             "which multiprocessor runs a block: block g on number g mod d, or the "
                             "multiprocessor with the fewest resident blocks"))),
      stored_in<MachineField<&M::is_volatile>>(
          defaults_to(true, key_of_kind(KeyKind::boolean, "volatile", agpu,
                                        "whether each block starts with erased shared memory; "
                                        "false: arrays at a program's top level are kept"))),
      stored_in<MachineField<&M::local_words>>(
          required(integer("local_words", mmm, 1, max_words,
                           "Z: words of each local memory, and most threads of a block"))),
      stored_in<MachineField<&M::transfer>>(
          least_because("a word takes longer to move than a local operation: U > 1 ([HMX] section "
                        "2.1)",
                        required(integer("transfer", mmm, 2, max_cycles,
                                         "U: time to move a word, in local operations")))),
  };
}

std::string range_of(const MachineKey& key) {
  return fmt::format("from {} to {}", key.minimum, key.maximum);
}

/// A quantity may have several keys, for different models.
struct QuantityKey {
  MachineQuantity quantity;
  std::string_view key;
  ModelSet models = every;
};
constexpr std::array quantity_keys = {
    QuantityKey{MachineQuantity::width, "width"},
    QuantityKey{MachineQuantity::multiprocessors, "multiprocessors", hmm | agpu},
    QuantityKey{MachineQuantity::processors, "multiprocessors", mmm},
    QuantityKey{MachineQuantity::local_words, "local_words"},
    QuantityKey{MachineQuantity::transfer_time, "transfer"},
    QuantityKey{MachineQuantity::threads, "threads"},
    QuantityKey{MachineQuantity::latency, "latency"},
    QuantityKey{MachineQuantity::latency, "shared.latency"},
    QuantityKey{MachineQuantity::global_latency, "global.latency"},
    QuantityKey{MachineQuantity::capacity, "capacity"},
    QuantityKey{MachineQuantity::capacity, "shared.capacity"},
};

} // namespace

std::optional<std::string_view> key_of_letter(std::string_view letter, Model model) {
  const MachineName* name = find_machine_name(letter);
  if (!name || find_machine_key(letter)) return std::nullopt; // a key has its own name
  for (const QuantityKey& known : quantity_keys) {
    const bool named = known.quantity == name->quantity && contains(known.models, model);
    if (named && contains(find_machine_key(known.key)->models, model)) return known.key;
  }
  return std::nullopt;
}

const std::vector<MachineKey>& machine_keys() {
  static const std::vector<MachineKey> keys = make_keys();
  return keys;
}

const MachineKey* find_machine_key(std::string_view path) {
  for (const MachineKey& key : machine_keys()) {
    if (key.path == path) return &key;
  }
  return nullptr;
}

const std::vector<std::string_view>& machine_key_groups() {
  static const std::vector<std::string_view> groups = [] {
    std::vector<std::string_view> found;
    for (const MachineKey& key : machine_keys()) {
      const std::size_t dot = key.path.find('.');
      if (dot == std::string_view::npos) continue;
      const std::string_view group = key.path.substr(0, dot);
      if (std::find(found.begin(), found.end(), group) == found.end()) found.push_back(group);
    }
    return found;
  }();
  return groups;
}

ModelSet models_of_group(std::string_view group) {
  ModelSet models = 0;
  for (const MachineKey& key : machine_keys()) {
    if (key.path.substr(0, group.size() + 1) == std::string(group) + ".") models |= key.models;
  }
  return models;
}

ModelSet models_requiring_group(std::string_view group) {
  ModelSet models = 0;
  for (const MachineKey& key : machine_keys()) {
    if (key.path.substr(0, group.size() + 1) == std::string(group) + ".") models |= key.required;
  }
  return models;
}

std::optional<Model> model_named(std::string_view name) {
  for (Model model : all_models()) {
    if (name_of(model) == name) return model;
  }
  return std::nullopt;
}

const std::vector<Model>& all_models() {
  static const std::vector<Model> models = {Model::dmm, Model::umm, Model::hmm, Model::agpu,
                                            Model::mmm};
  return models;
}

std::string accepted_values(const MachineKey& key) {
  switch (key.kind) {
  case KeyKind::integer: return "an integer " + range_of(key);
  case KeyKind::boolean: return "true or false";
  case KeyKind::text: return "a string";
  case KeyKind::lines: return "a string or a list of strings";
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
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "none";
}

} // namespace memlane
