// The keys of machine files: one table for loader, --set, --print-config, JSON and JSON Schema.
#pragma once

#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace memlane {

enum class KeyKind {
  integer,
  boolean,
  choice, ///< one of `choices`
  text,   ///< a string of one line, not empty
  lines,  ///< a string or a list of strings, joined by line ends
};

/// A value of a key; monostate is JSON's null: no bound, or nothing written.
using KeyValue = std::variant<std::monostate, bool, std::int64_t, std::string>;

/// A set of models, a bit each.
using ModelSet = unsigned;
constexpr ModelSet set_of(Model model) { return 1u << static_cast<unsigned>(model); }
constexpr bool contains(ModelSet set, Model model) { return (set & set_of(model)) != 0; }

/// One key. A path has at most one dot: `shared.latency` is the key `latency` of the object
/// `shared`.
struct MachineKey {
  std::string_view path;
  KeyKind kind = KeyKind::integer;
  ModelSet models = 0;                    ///< models that have the key
  ModelSet required = 0;                  ///< those among them that have no default for it
  ModelSet nullable = 0;                  ///< those among them that accept null
  std::int64_t least = 0, greatest = 0;   ///< of an integer
  std::vector<std::string_view> choices;  ///< of a choice
  std::vector<std::string_view> reserved; ///< further choices that this version knows and refuses
  KeyValue standard;                      ///< the default
  std::string_view meaning;               ///< for people: what it is, and the papers' letter
  bool of_file = false;                   ///< belongs to one file: not inherited by `extends`
  /// To and from a specification; null for keys that are not part of it.
  void (*store)(MachineSpec&, const KeyValue&) = nullptr;
  KeyValue (*fetch)(const MachineSpec&) = nullptr;
};

/// All keys, in the order in which they are shown.
const std::vector<MachineKey>& machine_keys();
/// The key of a path, or null.
const MachineKey* find_machine_key(std::string_view path);
/// The objects that group keys: `shared`, `global`.
const std::vector<std::string_view>& machine_key_groups();
/// The models that have some key of a group, and those that require one.
ModelSet models_of_group(std::string_view group);
ModelSet models_requiring_group(std::string_view group);

/// The key that a letter of the papers stands for on machines of the model: p is `threads`. Nothing
/// if it is none there.
std::optional<std::string_view> key_of_letter(std::string_view letter, Model model);

std::optional<Model> model_named(std::string_view name);
/// All models, in the order in which they are shown.
const std::vector<Model>& all_models();
/// Whether this version has machines of the model, or of some model of a set.
bool is_available(Model model);
bool is_available(ModelSet models);

/// What a key accepts: `an integer from 1 to 1024`, `true or false`, `"static" or "dynamic"`.
std::string accepted_values(const MachineKey& key);
/// A value as people read it: `20`, `true`, `static`, `none`.
std::string shown(const KeyValue& value);

/// The keys as a Markdown table, for configs/README.md.
std::string machine_key_table();

} // namespace memlane
