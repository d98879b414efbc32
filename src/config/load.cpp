#include "check.hpp"
#include "layers.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace memlane {
namespace {

bool is_path(const std::string& text) {
  static constexpr std::string_view ending = ".json";
  return text.find_first_of("/\\") != std::string::npos ||
         (text.size() >= ending.size() &&
          text.compare(text.size() - ending.size(), ending.size(), ending) == 0);
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
        fmt::format("a machine of your own is given by its path: ./{}.json", name_or_path));
  }
  return error_in("", fmt::format("unknown machine '{}'", name_or_path), std::move(help));
}

/// A path that leads nowhere may be a shipped machine's name with an ending or a folder.
void suggest_shipped(const std::string& path, const MachineFiles& files, Diagnostic& error) {
  const std::string stem = std::filesystem::path(path).stem().generic_string();
  if (const auto near = nearest(stem, files.shipped)) {
    error.help.push_back(fmt::format("a shipped machine is given by its name alone: {}", *near));
  }
}

/// Everything that needs all files and overrides together.
class Finisher {
public:
  Finisher(const Layers& layers, const GivenKeys& given, Diagnostics& errors)
      : layers_(layers), given_(given), errors_(errors) {}

  /// The model that holds; nothing if it is missing or wrong, which has then been said.
  std::optional<Model> model();
  /// Settings of that model; complete only if there are no errors.
  std::vector<Setting> settings(Model model);

private:
  void add_foreign(std::string_view key, Span place, Model model, std::vector<std::string> help);
  void check_foreign_groups(Model model);
  void check_foreign_key(const MachineKey& key, const Given& given, Model model);
  void check_missing(Model model, const std::vector<std::string_view>& missing);
  void check_threads();
  std::optional<std::int64_t> integer(std::string_view path) const;
  Span file_start() const;

  const Layers& layers_;
  const GivenKeys& given_;
  Diagnostics& errors_;
};

/// The opening brace of the machine's own file: where missing keys are missing.
Span Finisher::file_start() const {
  if (layers_.files.empty()) return {};
  const Span whole = layers_.files.front().root.span;
  return {whole.file, whole.begin, whole.begin + 1};
}

std::optional<Model> Finisher::model() {
  const auto found = given_.keys.find("model");
  if (found != given_.keys.end()) {
    if (!found->second.value) return std::nullopt;
    const auto model = model_named(std::get<std::string>(*found->second.value));
    if (model && !is_available(*model)) {
      errors_.push_back(
          error_at(found->second.origin.span,
                   fmt::format("model: this version has no {} machines", name_of(*model)),
                   {"accepted: " + accepted_values(*find_machine_key("model"))}));
    }
    return model;
  }
  if (layers_.complete) {
    const MachineKey& key = *find_machine_key("model");
    errors_.push_back(error_at(file_start(), "model: is missing",
                               {fmt::format("accepted: {}", accepted_values(key))}));
  }
  return std::nullopt;
}

std::vector<Setting> Finisher::settings(Model model) {
  std::vector<Setting> settings;
  std::vector<std::string_view> missing;
  check_foreign_groups(model);
  for (const MachineKey& key : machine_keys()) {
    const auto found = given_.keys.find(key.path);
    if (found != given_.keys.end()) {
      check_foreign_key(key, found->second, model);
      if (found->second.value && contains(key.models, model)) {
        settings.push_back({&key, *found->second.value, found->second.origin});
      }
    } else if (contains(key.required, model)) {
      missing.push_back(key.path);
    } else if (contains(key.models, model)) {
      settings.push_back({&key, key.standard, {}});
    }
  }
  check_missing(model, missing);
  check_threads();
  return settings;
}

/// A key that the model does not have, with the place of the model if that is in another text.
void Finisher::add_foreign(std::string_view key, Span place, Model model,
                           std::vector<std::string> help) {
  Diagnostic error = error_at(
      place, fmt::format("{}: {} has no such key", key, with_article(model)), std::move(help));
  const Span model_place = given_.keys.find("model")->second.origin.span;
  if (model_place.file != place.file) {
    Diagnostic note = error_at(model_place, "the model is set here");
    note.severity = Severity::note;
    error.notes.push_back(std::move(note));
  }
  errors_.push_back(std::move(error));
}

void Finisher::check_foreign_groups(Model model) {
  for (const auto& [group, place] : given_.groups) {
    if (contains(models_of_group(group), model)) continue;
    std::vector<std::string> help;
    if (contains(find_machine_key("latency")->models, model)) {
      help.push_back(fmt::format("{} has one memory: write latency, ports and capacity without {}",
                                 with_article(model), group));
    }
    add_foreign(group, place, model, std::move(help));
  }
}

void Finisher::check_foreign_key(const MachineKey& key, const Given& given, Model model) {
  if (contains(key.models, model)) {
    if (given.value && given.value->index() == 0 && !contains(key.nullable, model)) {
      errors_.push_back(error_at(given.origin.span,
                                 fmt::format("{}: must be an integer, is null", key.path),
                                 {"accepted: " + accepted_values(key)}));
    }
    return;
  }
  // The group has been said to be foreign as a whole where a file has it.
  const std::string_view group = key.path.substr(0, key.path.find('.'));
  const bool in_group = group.size() < key.path.size();
  if (in_group && given.origin.kind == OriginKind::file &&
      !contains(models_of_group(group), model)) {
    return;
  }
  if (!given.origin.span.known()) return; // the group was no object: said already
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
    help.push_back(
        fmt::format("{} has shared.{} and global.{}", with_article(model), key.path, key.path));
  }
  add_foreign(key.path, given.origin.span, model, std::move(help));
}

void Finisher::check_missing(Model model, const std::vector<std::string_view>& missing) {
  if (!layers_.complete) return;
  for (std::string_view path : missing) {
    const MachineKey& key = *find_machine_key(path);
    errors_.push_back(error_at(
        file_start(), fmt::format("{}: is missing, {} needs it", path, with_article(model)),
        {fmt::format("{}; accepted: {}", key.meaning, accepted_values(key))}));
  }
}

std::optional<std::int64_t> Finisher::integer(std::string_view path) const {
  const auto found = given_.keys.find(path);
  if (found == given_.keys.end() || !found->second.value) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&*found->second.value);
  return number ? std::optional(*number) : std::nullopt;
}

void Finisher::check_threads() {
  const auto width = integer("width");
  const auto threads = integer("threads");
  if (!width || !threads || *threads % *width == 0) return;
  const std::int64_t below = *threads / *width * *width;
  const std::int64_t above = below + *width;
  const std::string near_by = below > 0 && above <= find_machine_key("threads")->greatest
                                  ? fmt::format("{} or {}", below, above)
                                  : std::to_string(below > 0 ? below : above);
  Diagnostic error =
      error_at(given_.keys.find("threads")->second.origin.span,
               fmt::format("threads: must be a multiple of width ({}), is {}", *width, *threads),
               {"the nearest: " + near_by});
  Diagnostic note = error_at(given_.keys.find("width")->second.origin.span, "width is set here");
  note.severity = Severity::note;
  error.notes.push_back(std::move(note));
  errors_.push_back(std::move(error));
}

/// Requires settings without errors.
MachineSpec spec_of(Model model, const std::vector<Setting>& settings) {
  MachineSpec machine;
  if (model != Model::umm) machine.shared = UnitSpec{UnitKind::discrete, {1}, 1, {}};
  if (model != Model::dmm) machine.global = UnitSpec{UnitKind::unified, {1}, 1, {}};
  for (const Setting& setting : settings) {
    if (setting.key->store) setting.key->store(machine, setting.value);
  }
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
  GivenKeys given;
  merge_layers(layers, given, errors);
  apply_overrides(sources, overrides, given, errors);

  Finisher finisher(layers, given, errors);
  const std::optional<Model> model = finisher.model();
  LoadedMachine machine;
  if (model) machine.settings = finisher.settings(*model);
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

} // namespace memlane
