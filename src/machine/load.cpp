#include "check.hpp"
#include "layers.hpp"

#include "memlane/machine/machine.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace memlane {
namespace {

bool is_path(const std::string& text) {
  return text.find_first_of("/\\") != std::string::npos || text.ends_with(".json");
}

Result<std::string> path_of(const std::string& name_or_path, const MachineFiles& files) {
  if (is_path(name_or_path)) return name_or_path;
  const auto& shipped = files.shipped;
  if (std::find(shipped.begin(), shipped.end(), name_or_path) != shipped.end()) {
    return (std::filesystem::path(files.directory) / (name_or_path + ".json")).generic_string();
  }
  std::vector<std::string> help = did_you_mean(name_or_path, shipped);
  if (shipped.empty()) {
    help.push_back(fmt::format("no machines are shipped in '{}'", files.directory));
  } else {
    help.push_back(fmt::format("shipped machines: {}", fmt::join(shipped, ", ")));
  }
  if (!name_or_path.empty()) {
    help.push_back(
        fmt::format("name a machine file of your own by its path: ./{}.json", name_or_path));
  }
  return error_in("", fmt::format("unknown machine '{}'", name_or_path), std::move(help));
}

/// A missing file may be meant as a shipped machine's name.
void suggest_shipped(const std::string& path, const MachineFiles& files, Diagnostic& error) {
  const std::string stem = std::filesystem::path(path).stem().generic_string();
  if (const auto near = nearest(stem, files.shipped)) {
    error.help.push_back(fmt::format("name a shipped machine without path or ending: {}", *near));
  }
}

/// Determines the effective settings from all files and overrides, with the checks that need them
/// all.
class SettingsResolver {
public:
  SettingsResolver(const Layers& layers, const WrittenKeys& written, Diagnostics& errors)
      : layers_(layers), written_(written), errors_(errors) {}

  /// None, after an error, if the model is missing or wrong.
  std::optional<Model> model();
  /// Complete only if there are no errors.
  std::vector<Setting> settings(Model model);

private:
  void report_unsupported(std::string_view key, Span place, Model model,
                          std::vector<std::string> help);
  void check_group_models(Model model);
  void check_key_models(const MachineKey& key, const WrittenValue& written, Model model);
  void check_missing(Model model, const std::vector<std::string_view>& missing);
  void check_threads();
  std::optional<std::int64_t> integer(std::string_view path) const;
  Span file_start() const;

  const Layers& layers_;
  const WrittenKeys& written_;
  Diagnostics& errors_;
};

/// The opening brace of the machine's own file, the place of errors about missing keys.
Span SettingsResolver::file_start() const {
  if (layers_.files.empty()) return {};
  const Span whole = layers_.files.front().root.span;
  return {whole.file, whole.begin, whole.begin + 1};
}

std::optional<Model> SettingsResolver::model() {
  const auto found = written_.keys.find("model");
  if (found != written_.keys.end()) {
    if (!found->second.value) return std::nullopt;
    return model_named(std::get<std::string>(*found->second.value));
  }
  if (layers_.complete) {
    const MachineKey& key = *find_machine_key("model");
    errors_.push_back(error_at(file_start(), "model: is missing",
                               {fmt::format("accepted: {}", accepted_values(key))}));
  }
  return std::nullopt;
}

std::vector<Setting> SettingsResolver::settings(Model model) {
  std::vector<Setting> settings;
  std::vector<std::string_view> missing;
  check_group_models(model);
  for (const MachineKey& key : machine_keys()) {
    const auto found = written_.keys.find(key.path);
    if (found != written_.keys.end()) {
      check_key_models(key, found->second, model);
      if (found->second.value && contains(key.models, model)) {
        settings.push_back({&key, *found->second.value, found->second.origin});
      }
    } else if (contains(key.required, model)) {
      missing.push_back(key.path);
    } else if (contains(key.models, model)) {
      settings.push_back({&key, key.default_value, {}});
    }
  }
  check_missing(model, missing);
  check_threads();
  return settings;
}

/// Adds a note with the place of the model if that is in another text.
void SettingsResolver::report_unsupported(std::string_view key, Span place, Model model,
                                          std::vector<std::string> help) {
  Diagnostic error =
      error_at(place, fmt::format("{}: {} has no such key", key, traits_of(model).with_article),
               std::move(help));
  const Span model_place = written_.keys.find("model")->second.origin.span;
  if (model_place.file != place.file) {
    error.notes.push_back(note_at(model_place, "the model is set here"));
  }
  errors_.push_back(std::move(error));
}

void SettingsResolver::check_group_models(Model model) {
  for (const auto& [group, place] : written_.groups) {
    if (contains(models_of_group(group), model)) continue;
    std::vector<std::string> help;
    if (contains(find_machine_key("latency")->models, model)) {
      help.push_back(fmt::format("{} has one memory: write latency, ports and capacity without {}",
                                 traits_of(model).with_article, group));
    }
    report_unsupported(group, place, model, std::move(help));
  }
}

void SettingsResolver::check_key_models(const MachineKey& key, const WrittenValue& written,
                                        Model model) {
  if (contains(key.models, model)) {
    if (written.value && written.value->index() == 0 && !contains(key.nullable, model)) {
      errors_.push_back(error_at(written.origin.span,
                                 fmt::format("{}: must be an integer, is null", key.path),
                                 {"accepted: " + accepted_values(key)}));
    }
    return;
  }
  // check_group_models has reported the whole group.
  if (!key.group().empty() && written.origin.kind == OriginKind::file &&
      !contains(models_of_group(key.group()), model))
    return;
  if (!written.origin.span.known()) return; // the group is not an object: reported
  std::vector<std::string> help;
  std::string owners;
  for (Model owner : all_models()) {
    if (contains(key.models, owner))
      owners += (owners.empty() ? "" : ", ") + std::string(name_of(owner));
  }
  help.push_back(fmt::format("it is a key of {}: {}", owners, key.meaning));
  const std::string grouped = "shared." + std::string(key.path);
  if (const MachineKey* inner = find_machine_key(grouped);
      inner && contains(inner->models, model)) {
    help.push_back(fmt::format("{} has shared.{} and global.{}", traits_of(model).with_article,
                               key.path, key.path));
  }
  report_unsupported(key.path, written.origin.span, model, std::move(help));
}

void SettingsResolver::check_missing(Model model, const std::vector<std::string_view>& missing) {
  if (!layers_.complete) return;
  for (std::string_view path : missing) {
    const MachineKey& key = *find_machine_key(path);
    errors_.push_back(
        error_at(file_start(),
                 fmt::format("{}: is missing, {} needs it", path, traits_of(model).with_article),
                 {fmt::format("{}; accepted: {}", key.meaning, accepted_values(key))}));
  }
}

std::optional<std::int64_t> SettingsResolver::integer(std::string_view path) const {
  const auto found = written_.keys.find(path);
  if (found == written_.keys.end() || !found->second.value) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&*found->second.value);
  return number ? std::optional(*number) : std::nullopt;
}

void SettingsResolver::check_threads() {
  const auto width = integer("width");
  const auto threads = integer("threads");
  if (!width || !threads || *threads % *width == 0) return;
  const std::int64_t below = *threads / *width * *width;
  const std::int64_t above = below + *width;
  const std::string near_by = below > 0 && above <= find_machine_key("threads")->maximum
                                  ? fmt::format("{} or {}", below, above)
                                  : std::to_string(below > 0 ? below : above);
  Diagnostic error =
      error_at(written_.keys.find("threads")->second.origin.span,
               fmt::format("threads: must be a multiple of width ({}), is {}", *width, *threads),
               {"nearest: " + near_by});
  error.notes.push_back(
      note_at(written_.keys.find("width")->second.origin.span, "width is set here"));
  errors_.push_back(std::move(error));
}

MachineSpec spec_of(Model model, const std::vector<Setting>& settings) {
  MachineSpec machine;
  if (traits_of(model).has_shared) machine.shared = UnitSpec{UnitKind::discrete, {1}, 1, {}};
  if (traits_of(model).has_global) machine.global = UnitSpec{UnitKind::unified, {1}, 1, {}};
  for (const Setting& setting : settings) {
    if (setting.key->store) setting.key->store(machine, setting.value);
  }
  if (model == Model::agpu)
    machine.threads = machine.width; // a block is one warp ([K] section 3.2)
  if (model == Model::mmm) complete_mmm(machine);
  return machine;
}

} // namespace

Result<LoadedMachine> load_machine(Sources& sources, const std::string& name_or_path,
                                   const std::vector<std::string>& overrides,
                                   const MachineFiles& files) {
  const Result<std::string> path = path_of(name_or_path, files);
  Diagnostics errors;
  if (!path) errors = path.errors();

  Layers layers;
  layers.complete = false;
  const std::int32_t texts_before = sources.count();
  if (path) layers = read_layers(sources, *path, files, errors);
  if (path && sources.count() == texts_before && !errors.empty())
    suggest_shipped(*path, files, errors.back());
  WrittenKeys written;
  merge_layers(layers, written, errors);
  apply_overrides(sources, overrides, written, errors);

  SettingsResolver resolver(layers, written, errors);
  const std::optional<Model> model = resolver.model();
  LoadedMachine machine;
  if (model) machine.settings = resolver.settings(*model);
  if (!errors.empty()) return errors;

  machine.path = layers.files.front().path;
  for (Setting& setting : machine.settings) {
    if (setting.key->path == "name" && setting.value.index() == 0) {
      setting.value = std::filesystem::path(machine.path).stem().generic_string();
    }
  }
  machine.spec = spec_of(*model, machine.settings);
  return machine;
}

Result<OtherValue> key_value(const MachineKey& key, const std::string& text, Span span) {
  Diagnostics errors;
  auto value = check_value(key, value_of_option(key, text, span), errors);
  if (!value) return errors;
  return OtherValue{&key, std::move(*value), span};
}

Result<LoadedMachine> with_values(const LoadedMachine& machine,
                                  const std::vector<OtherValue>& values) {
  WrittenKeys written;
  for (const Setting& setting : machine.settings)
    if (setting.origin.kind != OriginKind::default_value)
      written.keys[std::string(setting.key->path)] = {setting.value, setting.origin};
  for (const OtherValue& other : values)
    written.keys[std::string(other.key->path)] = {other.value, {OriginKind::option, other.span}};
  Layers layers;
  layers.complete = false; // nothing can be missing
  Diagnostics errors;
  SettingsResolver resolver(layers, written, errors);
  LoadedMachine changed;
  changed.path = machine.path;
  changed.settings = resolver.settings(machine.spec.model);
  if (!errors.empty()) return errors;
  // A machine without a name has its file's.
  for (std::size_t k = 0; k < changed.settings.size(); ++k)
    if (changed.settings[k].key->per_file) changed.settings[k] = machine.settings[k];
  changed.spec = spec_of(machine.spec.model, changed.settings);
  return changed;
}

} // namespace memlane
