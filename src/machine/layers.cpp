#include "layers.hpp"

#include "check.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace memlane {
namespace {

constexpr std::size_t max_chain = 16; ///< files; ends a cycle through ever longer paths

/// Lexical: reads no file system.
std::string resolve(const std::string& from_file, const std::string& target) {
  const std::filesystem::path base = std::filesystem::path(from_file).parent_path();
  return (base / target).lexically_normal().generic_string();
}

bool is_group(std::string_view name) {
  const auto& groups = machine_key_groups();
  return std::find(groups.begin(), groups.end(), name) != groups.end();
}

/// The keys of a group; for "" those of the top level, where groups are keys.
std::vector<std::string> keys_of(std::string_view group) {
  std::vector<std::string> names;
  for (const MachineKey& key : machine_keys()) {
    if (!group.empty() && key.group() != group) continue;
    const std::string name(group.empty() && !key.group().empty() ? key.group() : key.name());
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> unknown_key_help(std::string_view group, const std::string& name) {
  if (group.empty() && find_machine_key(name)) { // `"shared.latency": 2` in a file
    const std::size_t dot = name.find('.');
    return {
        fmt::format("write \"{}\": {{ \"{}\": … }}", name.substr(0, dot), name.substr(dot + 1))};
  }
  const auto names = keys_of(group);
  std::vector<std::string> help = did_you_mean(name, names);
  if (help.empty()) {
    help.push_back(
        (group.empty() ? "the keys of a machine are " : fmt::format("the keys of {} are ", group)) +
        listed(names));
  }
  return help;
}

/// The model that the file or what it extends names.
std::optional<std::string> named_model(const JsonValue& file, const WrittenKeys& written) {
  for (const JsonMember& member : file.members)
    if (member.key == "model" && member.value.kind == JsonKind::string) return member.value.text;
  const auto model = written.keys.find("model");
  if (model == written.keys.end() || !model->second.value) return std::nullopt;
  const auto* name = std::get_if<std::string>(&*model->second.value);
  return name ? std::optional(*name) : std::nullopt;
}

/// Help for a letter of programs and papers in place of a key. `how` shows the way to write it.
std::vector<std::string> letter_help(const std::string& letter,
                                     const std::optional<std::string>& model,
                                     fmt::format_string<const std::string_view&> how) {
  if (!model) return {};
  if (const auto key = key_of_letter(letter, model_named(*model).value_or(Model::umm)))
    return {fmt::format("{}; write ", find_machine_key(*key)->meaning) + fmt::format(how, *key)};
  for (const Model other : {Model::hmm, Model::mmm})
    if (const auto key = key_of_letter(letter, other))
      return {fmt::format("{}, only for {}: this machine is of model {}",
                          find_machine_key(*key)->meaning, name_of(other), *model)};
  return {};
}

/// `object` is a file (no group), or the object of a group in it.
void merge_object(const JsonPlace& object, const std::string& group, bool own_file,
                  WrittenKeys& written) {
  for (const JsonMember& member : object.value.members) {
    const JsonPlace own = object.member(member);
    if (group.empty() && is_group(member.key)) {
      written.groups.emplace(member.key, member.key_span);
      if (own.is_a(JsonKind::object, "an object",
                   {fmt::format("its keys are {}", listed(keys_of(member.key)))})) {
        merge_object(own, member.key, own_file, written);
        continue;
      }
      // Marks its keys, so that they are not reported as missing as well.
      for (const std::string& name : keys_of(member.key))
        written.keys.emplace(member.key + "." + name, WrittenValue{});
      continue;
    }
    const bool dotted = member.key.find('.') != std::string::npos;
    if (const MachineKey* key = dotted ? nullptr : find_machine_key(own.path)) {
      std::optional<KeyValue> value = check_value(*key, own);
      if (!key->per_file() || own_file)
        written.keys.emplace(key->path,
                             WrittenValue{std::move(value), {OriginKind::file, member.value.span}});
      continue;
    }
    std::vector<std::string> help;
    if (group.empty())
      help = letter_help(member.key, named_model(object.value, written), "\"{}\": …");
    if (help.empty()) help = unknown_key_help(group, member.key);
    own.fail_at(member.key_span, "unknown key", std::move(help));
  }
}

Diagnostic unreadable_base(const JsonValue& extends, const Diagnostic& why) {
  if (why.stop != Stop::none) return why;
  std::vector<std::string> help = why.help;
  if (help.empty()) help.push_back("the path is relative to the folder of this file");
  if (std::filesystem::path(extends.text).extension() != ".json") {
    help.push_back("extends takes the path of a file: " + in_quotes(extends.text + ".json"));
  }
  return error_at(extends.span, "extends: " + why.message, std::move(help));
}

Diagnostic cycle_error(const std::vector<Layer>& files, const JsonValue& extends,
                       const std::string& target) {
  std::string chain;
  for (const Layer& layer : files) chain += layer.path + " → ";
  return error_at(extends.span, fmt::format("extends: the chain returns to {}", target),
                  {"the chain is " + chain + target});
}

/// `--set` cannot change keys about the file itself.
bool can_be_set(const MachineKey& key) { return key.path != "extends" && key.path != "$schema"; }

void apply_override(RecordFile& into, const std::string& text, WrittenKeys& written,
                    std::set<std::string>& seen) {
  const std::int32_t file = into.sources->add("--set", text);
  const std::size_t equals = text.find('=');
  const std::string path = text.substr(0, equals);
  const auto size = static_cast<std::uint32_t>(text.size());
  const Span path_span{file, 0, static_cast<std::uint32_t>(path.size())};
  const auto fail = [&](std::string message, std::vector<std::string> help) {
    into.errors.push_back(error_at(path_span, std::move(message), std::move(help)));
  };
  if (equals == std::string::npos || path.empty()) {
    return fail("--set takes key=value", {"for example --set latency=30"});
  }
  if (is_group(path)) {
    return fail(fmt::format("{}: is a group of keys, not a key", path),
                {fmt::format("for example --set {}.{}=…", path, keys_of(path).front())});
  }
  const MachineKey* key = find_machine_key(path);
  if (!key) {
    std::vector<std::string> paths;
    for (const MachineKey& known : machine_keys()) {
      if (can_be_set(known)) paths.emplace_back(known.path);
    }
    auto help = letter_help(path, named_model({}, written), "--set {}=…");
    if (help.empty()) help = did_you_mean(path, paths);
    const std::size_t dot = path.find('.');
    if (help.empty() && dot != std::string::npos && is_group(path.substr(0, dot)))
      help = unknown_key_help(path.substr(0, dot), path.substr(dot + 1));
    if (help.empty()) {
      auto names = keys_of("");
      std::erase_if(names, [](const std::string& name) {
        const MachineKey* const known = find_machine_key(name);
        return known && !can_be_set(*known);
      });
      help.push_back("the keys are " + listed(names));
    }
    return fail(fmt::format("{}: unknown key", shown_key(path)), std::move(help));
  }
  if (!can_be_set(*key)) {
    return fail(fmt::format("{}: can only be written in a machine file", path), {});
  }
  if (equals + 1 == text.size()) {
    return fail(fmt::format("{}: has no value after '='", path),
                {"accepted: " + accepted_values(*key)});
  }
  if (!seen.insert(path).second) {
    return fail(fmt::format("{}: is set twice", path), {"give each key one --set"});
  }
  const Span span{file, static_cast<std::uint32_t>(equals + 1), size};
  const JsonValue value = value_of_option(*key, text.substr(equals + 1), span);
  written.keys[path] = {check_value(*key, {value, into, path}), {OriginKind::option, span}};
}

} // namespace

Layers read_layers(RecordFile& into, const std::string& path, const MachineFiles& files) {
  Sources& sources = *into.sources;
  Diagnostics& errors = into.errors;
  Layers layers;
  std::string next = std::filesystem::path(path).lexically_normal().generic_string();
  const JsonValue* extends = nullptr;
  while (true) {
    const Result<std::string> text = files.read(next);
    if (!text) {
      for (Diagnostic error : text.errors()) {
        if (extends) error = unreadable_base(*extends, error);
        errors.push_back(std::move(error));
      }
      break;
    }
    const std::int32_t file = sources.add(next, *text);
    std::optional<JsonValue> root = read_json(sources, file, "a machine", errors);
    if (!root) break;
    if (root->kind != JsonKind::object) {
      errors.push_back(error_at(
          root->span, fmt::format("a machine file must be a JSON object, is {}", describe(*root)),
          {"for example { \"model\": \"umm\", \"width\": 32, \"threads\": 1024, "
           "\"latency\": 20 }"}));
      break;
    }
    layers.files.push_back({next, std::move(*root)});
    // Stays valid when `files` grows, since the members' vector moves with its elements in place.
    extends = find_member(layers.files.back().root, "extends");
    if (!extends) return layers;
    if (extends->kind != JsonKind::string || extends->text.empty()) break;

    next = resolve(next, extends->text);
    const bool cycle = std::any_of(layers.files.begin(), layers.files.end(),
                                   [&](const Layer& layer) { return layer.path == next; });
    if (cycle) {
      errors.push_back(cycle_error(layers.files, *extends, next));
      break;
    }
    if (layers.files.size() == max_chain) {
      errors.push_back(error_at(
          extends->span, fmt::format("extends: the chain is longer than {} files", max_chain)));
      break;
    }
  }
  layers.complete = false;
  return layers;
}

void merge_layers(RecordFile& file, const Layers& layers, WrittenKeys& written) {
  for (std::size_t i = 0; i < layers.files.size(); ++i)
    merge_object({layers.files[i].root, file}, "", i == 0, written);
}

void apply_overrides(RecordFile& file, const std::vector<std::string>& overrides,
                     WrittenKeys& written) {
  std::set<std::string> seen;
  for (const std::string& text : overrides) apply_override(file, text, written, seen);
}

} // namespace memlane
