#include "memlane/machine/keys.hpp"

#include "memlane/support/json_text.hpp"
#include "memlane/support/machine_names.hpp"

#include <fmt/format.h>

#include <algorithm>

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

/// A key whose value is a field of the machine.
template <auto Field>
MachineKey in(MachineKey key) {
  key.store = [](MachineSpec& machine, const KeyValue& value) { assign(machine.*Field, value); };
  key.fetch = [](const MachineSpec& machine) { return value_of(machine.*Field); };
  return key;
}
/// A field of one of its units.
template <auto Unit, auto Field>
MachineKey in_unit(MachineKey key) {
  key.store = [](MachineSpec& machine, const KeyValue& value) {
    assign((*(machine.*Unit)).*Field, value);
  };
  key.fetch = [](const MachineSpec& machine) { return value_of((*(machine.*Unit)).*Field); };
  return key;
}
/// A function, because g++ 12 miscompiles `(a ? b : c).*Field = …` in a template: it assigns to a
/// copy.
UnitSpec& only_unit(MachineSpec& machine) {
  return machine.shared ? *machine.shared : *machine.global;
}
/// A field of the only unit of a DMM or UMM.
template <auto Field>
MachineKey in_only_unit(MachineKey key) {
  key.store = [](MachineSpec& machine, const KeyValue& value) {
    assign(only_unit(machine).*Field, value);
  };
  key.fetch = [](const MachineSpec& machine) { return value_of(machine.memory_unit().*Field); };
  return key;
}
/// d of machines with warps on multiprocessors, P of an MMM. The model is stored before it.
MachineKey in_multiprocessors(MachineKey key) {
  key.store = [](MachineSpec& machine, const KeyValue& value) {
    if (machine.model == Model::mmm)
      assign(machine.processors, value);
    else
      assign(machine.multiprocessors, value);
  };
  key.fetch = [](const MachineSpec& machine) {
    return machine.model == Model::mmm ? value_of(machine.processors)
                                       : value_of(machine.multiprocessors);
  };
  return key;
}

using M = MachineSpec;
using U = UnitSpec;
using Q = MachineQuantity;

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const ModelTraits& traits : model_traits) names.push_back(traits.name);
  return names;
}

/// About the file and the kind of machine.
std::vector<MachineKey> keys_of_file() {
  return {
      {.path = "$schema",
       .meaning = "the JSON Schema, for editors",
       .kind = KeyKind::text,
       .models = every,
       .per_file = true},
      {.path = "extends",
       .meaning = "path of a machine file, relative to this one, that gives the values missing "
                  "here",
       .kind = KeyKind::text,
       .models = every,
       .per_file = true},
      in<&M::name>({.path = "name",
                    .meaning = "of the machine; default: the file's name",
                    .kind = KeyKind::text,
                    .models = every,
                    .per_file = true}),
      in<&M::notes>({.path = "notes",
                     .meaning = "remarks: where the numbers come from",
                     .kind = KeyKind::lines,
                     .models = every,
                     .per_file = true}),
      in<&M::model>({.path = "model",
                     .meaning = "the kind of machine",
                     .kind = KeyKind::choice,
                     .models = every,
                     .choices = model_names()}),
  };
}

std::vector<MachineKey> keys_of_parts() {
  return {
      in<&M::width>({.path = "width",
                     .meaning = "w (b): banks of a memory unit, threads of a warp",
                     .models = timed | agpu,
                     .minimum = 1,
                     .maximum = max_width,
                     .quantity = Q::width}),
      in_multiprocessors({.path = "multiprocessors",
                          .meaning = "d (k, P): multiprocessors; of an mmm also null: unbounded",
                          .models = hmm | agpu | mmm,
                          .nullable = mmm,
                          .minimum = 1,
                          .maximum = max_multiprocessors,
                          .quantity = Q::multiprocessors}),
      in<&M::threads>({.path = "threads",
                       .meaning = "p: threads of one multiprocessor, a multiple of width",
                       .models = timed,
                       .minimum = 1,
                       .maximum = max_threads,
                       .quantity = Q::threads}),
  };
}

MachineKey latency(std::string_view path, std::string_view meaning, ModelSet models, Q quantity) {
  return {.path = path,
          .meaning = meaning,
          .models = models,
          .minimum = 1,
          .maximum = max_cycles,
          .quantity = quantity};
}
MachineKey ports(std::string_view path, ModelSet models) {
  return {.path = path,
          .meaning = "stages accepted in one time unit",
          .models = models,
          .minimum = 1,
          .maximum = max_ports,
          .default_value = std::int64_t{1}};
}
/// Unbounded on timed machines without a value.
MachineKey capacity(std::string_view path, std::string_view meaning, ModelSet models,
                    std::optional<Q> quantity = {}) {
  return {.path = path,
          .meaning = meaning,
          .models = models,
          .nullable = models & timed,
          .minimum = 1,
          .maximum = max_words,
          .quantity = quantity};
}

std::vector<MachineKey> keys_of_units() {
  return {
      in_only_unit<&U::latency>(
          latency("latency", "l: latency of the memory", dmm | umm, Q::latency)),
      in_only_unit<&U::ports>(ports("ports", dmm | umm)),
      in_only_unit<&U::capacity>(
          capacity("capacity", "M: words of the memory; null: unbounded", dmm | umm, Q::capacity)),
      in_unit<&M::shared, &U::latency>(
          latency("shared.latency", "l: latency of shared memory", hmm, Q::latency)),
      in_unit<&M::shared, &U::ports>(ports("shared.ports", hmm)),
      in_unit<&M::shared, &U::capacity>(capacity(
          "shared.capacity", "M: words of each shared memory; of an hmm also null: unbounded",
          hmm | agpu, Q::capacity)),
      in_unit<&M::global, &U::latency>(
          latency("global.latency", "L: latency of global memory", hmm, Q::global_latency)),
      in_unit<&M::global, &U::ports>(ports("global.ports", hmm)),
      in_unit<&M::global, &U::capacity>(
          capacity("global.capacity", "words of global memory; null: unbounded", hmm)),
  };
}

MachineKey cost(std::string_view path, std::string_view meaning) {
  return {.path = path,
          .meaning = meaning,
          .models = timed,
          .maximum = max_cycles,
          .default_value = std::int64_t{0}};
}

std::vector<MachineKey> keys_of_rules() {
  return {
      in<&M::lockstep>({.path = "lockstep",
                        .meaning = "charge round by round instead of letting warps run freely",
                        .kind = KeyKind::boolean,
                        .models = timed,
                        .default_value = false}),
      in<&M::instruction_cost>(
          cost("instruction_cost", "time units a counted operator delays its warp")),
      in<&M::barrier_cost>(cost("barrier_cost", "time units added to the release of a barrier")),
      in<&M::launch_cost>(cost("launch_cost", "time units before every launch")),
      in<&M::resident_blocks>({.path = "resident_blocks",
                               .meaning = "blocks a multiprocessor holds at once",
                               .models = timed,
                               .minimum = 1,
                               .maximum = max_blocks,
                               .default_value = std::int64_t{1}}),
      in<&M::block_schedule>(
          {.path = "block_schedule",
           .meaning = "which multiprocessor runs a block: block g on number g mod d, or the "
                      "multiprocessor with the fewest resident blocks",
           .kind = KeyKind::choice,
           .models = timed,
           .choices = {"static", "dynamic"},
           .default_value = std::string("static")}),
      in<&M::is_volatile>({.path = "volatile",
                           .meaning = "whether each block starts with erased shared memory; "
                                      "false: arrays at a program's top level are kept",
                           .kind = KeyKind::boolean,
                           .models = agpu,
                           .default_value = true}),
      in<&M::local_words>({.path = "local_words",
                           .meaning = "Z: words of each local memory, and most threads of a block",
                           .models = mmm,
                           .minimum = 1,
                           .maximum = max_words,
                           .quantity = Q::local_words}),
      in<&M::transfer>({.path = "transfer",
                        .meaning = "U: time to move a word, in local operations",
                        .models = mmm,
                        .minimum = 2,
                        .maximum = max_cycles,
                        .least_because =
                            "a word takes longer to move than a local operation: U > 1 ([HMX] "
                            "section 2.1)",
                        .quantity = Q::transfer_time}),
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
  static const std::vector<MachineKey> keys = [] {
    std::vector<MachineKey> all;
    for (const auto& part : {keys_of_file(), keys_of_parts(), keys_of_units(), keys_of_rules()})
      all.insert(all.end(), part.begin(), part.end());
    for (MachineKey& key : all)
      if (!key.per_file && key.default_value.index() == 0)
        key.required = key.models & ~key.nullable;
    return all;
  }();
  return keys;
}

const MachineKey* find_machine_key(std::string_view path) {
  for (const MachineKey& key : machine_keys()) {
    if (key.path == path) return &key;
  }
  return nullptr;
}

const std::vector<std::string_view>& machine_key_groups() {
  static const std::vector<std::string_view> groups = {"shared", "global"};
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
