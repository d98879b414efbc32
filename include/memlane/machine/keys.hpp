// The keys of machine files: one table from which loader, --set, --print-config, JSON and JSON
// Schema are made.
#pragma once

#include "memlane/machine/spec.hpp"
#include "memlane/support/json_table.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace memlane {

enum class KeyKind {
  integer,
  decimal, ///< a number with up to six decimals
  boolean,
  choice, ///< one of `choices`
  text,   ///< a string of one line, not empty
  lines,  ///< a string, or a list of strings joined by line ends
  units,  ///< a list of OperationUnits
};

/// A value of a key; monostate is JSON's null: unbounded, or no value.
using KeyValue = std::variant<std::monostate, bool, std::int64_t, std::string, Decimal,
                              std::vector<OperationUnit>>;

/// A set of models, one bit each.
using ModelSet = unsigned;
constexpr ModelSet set_of(Model model) { return 1u << static_cast<unsigned>(model); }
constexpr bool contains(ModelSet set, Model model) { return (set & set_of(model)) != 0; }

/// What the values of a key are.
struct KeyValues {
  KeyKind kind = KeyKind::integer;
  std::int64_t minimum = 0, maximum = 0;      ///< of an integer or a decimal
  std::vector<std::string_view> choices = {}; ///< of a choice
  KeyValue default_value = {};
  ModelSet nullable = 0;               ///< models that accept null
  std::string_view least_because = {}; ///< why an integer has this minimum; empty: plain
};

/// A path has at most one dot: `shared.latency` is the key `latency` of the object `shared`.
struct MachineKey : KeyValues {
  std::string_view path = {};
  std::string_view meaning = {}; ///< description, with the papers' letter
  ModelSet models = 0;           ///< models that have the key
  /// What the papers' letters for the key stand for.
  std::optional<MachineQuantity> quantity = {};
  /// Write and read the field of a specification; empty for keys that are not part of one.
  std::function<void(MachineSpec&, const KeyValue&)> store = {};
  std::function<KeyValue(const MachineSpec&)> fetch = {};

  /// Texts are about the file: they are not inherited through `extends`.
  bool per_file() const { return kind == KeyKind::text || kind == KeyKind::lines; }
  /// The models without a default for it, not even null.
  ModelSet required() const {
    return per_file() || default_value.index() != 0 ? 0 : models & ~nullable;
  }

  /// `shared`; empty at the top level.
  std::string_view group() const {
    const std::size_t dot = path.find('.');
    return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
  }
  /// `latency`.
  std::string_view name() const { return path.substr(path.find('.') + 1); }
};

/// In display order.
const std::vector<MachineKey>& machine_keys();
/// The key of a path, or null.
const MachineKey* find_machine_key(std::string_view path);
/// The objects that contain keys: `shared`, `global`.
const std::vector<std::string_view>& machine_key_groups();
/// The models that have a key of the group.
ModelSet models_of_group(std::string_view group);

/// The key for a letter of the papers on machines of the model: `threads` for p. None if the model
/// has no such key.
std::optional<std::string_view> key_of_letter(std::string_view letter, Model model);

std::optional<Model> model_named(std::string_view name);
/// In display order.
const std::vector<Model>& all_models();

/// `an integer from 1 to 1024`, `true or false`, `"static" or "dynamic"`.
std::string accepted_values(const MachineKey& key);
/// `20`, `2.5`, `true`, `static`, `none`; of a list its JSON.
std::string text_of(const KeyValue& value);
/// As in machine files; null: no value.
schema::Json json_of(const KeyValue& value);

} // namespace memlane
