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

/// What all files and overrides say, for the checks that need them all.
struct MergedFiles {
  const Layers& layers;
  const WrittenKeys& written;
  Diagnostics& errors;
};

/// The opening brace of the machine's own file, the place of errors about missing keys.
Span file_start(const Layers& layers) {
  if (layers.files.empty()) return {};
  const Span whole = layers.files.front().root.span;
  return {whole.file, whole.begin, whole.begin + 1};
}

/// None, after an error, if the model is missing or wrong.
std::optional<Model> model_in(const MergedFiles& files) {
  const auto found = files.written.keys.find("model");
  if (found != files.written.keys.end()) {
    if (!found->second.value) return std::nullopt;
    return model_named(std::get<std::string>(*found->second.value));
  }
  if (files.layers.complete) {
    const MachineKey& key = *find_machine_key("model");
    files.errors.push_back(error_at(file_start(files.layers), "model: is missing",
                                    {fmt::format("accepted: {}", accepted_values(key))}));
  }
  return std::nullopt;
}

/// Adds a note with the place of the model if that is in another text.
void report_unsupported(const MergedFiles& files, std::string_view key, Span place, Model model,
                        std::vector<std::string> help) {
  Diagnostic error =
      error_at(place, fmt::format("{}: {} has no such key", key, traits_of(model).with_article),
               std::move(help));
  const Span model_place = files.written.keys.find("model")->second.origin.span;
  if (model_place.file != place.file) {
    error.notes.push_back(note_at(model_place, "the model is set here"));
  }
  files.errors.push_back(std::move(error));
}

void check_group_models(const MergedFiles& files, Model model) {
  for (const auto& [group, place] : files.written.groups) {
    if (contains(models_of_group(group), model)) continue;
    std::vector<std::string> help;
    if (contains(find_machine_key("latency")->models, model)) {
      help.push_back(fmt::format("{} has one memory: write latency, ports and capacity without {}",
                                 traits_of(model).with_article, group));
    }
    report_unsupported(files, group, place, model, std::move(help));
  }
}

void check_key_models(const MergedFiles& files, const MachineKey& key, const WrittenValue& written,
                      Model model) {
  if (contains(key.models, model)) {
    if (written.value && written.value->index() == 0 && !contains(key.nullable, model)) {
      files.errors.push_back(
          error_at(written.origin.span,
                   fmt::format("{}: must be {}, is null", key.path, accepted_values(key))));
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
  report_unsupported(files, key.path, written.origin.span, model, std::move(help));
}

void check_missing(const MergedFiles& files, Model model,
                   const std::vector<std::string_view>& missing) {
  if (!files.layers.complete) return;
  for (std::string_view path : missing) {
    const MachineKey& key = *find_machine_key(path);
    files.errors.push_back(
        error_at(file_start(files.layers),
                 fmt::format("{}: is missing, {} needs it", path, traits_of(model).with_article),
                 {fmt::format("{}; accepted: {}", key.meaning, accepted_values(key))}));
  }
}

std::optional<std::int64_t> integer(const WrittenKeys& written, std::string_view path) {
  const auto found = written.keys.find(path);
  if (found == written.keys.end() || !found->second.value) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&*found->second.value);
  return number ? std::optional(*number) : std::nullopt;
}

void check_threads(const MergedFiles& files) {
  const auto width = integer(files.written, "width");
  const auto threads = integer(files.written, "threads");
  if (!width || !threads || *threads % *width == 0) return;
  const std::int64_t below = *threads / *width * *width;
  const std::int64_t above = below + *width;
  const std::string near_by = below > 0 && above <= find_machine_key("threads")->maximum
                                  ? fmt::format("{} or {}", below, above)
                                  : std::to_string(below > 0 ? below : above);
  Diagnostic error =
      error_at(files.written.keys.find("threads")->second.origin.span,
               fmt::format("threads: must be a multiple of width ({}), is {}", *width, *threads),
               {"nearest: " + near_by});
  error.notes.push_back(
      note_at(files.written.keys.find("width")->second.origin.span, "width is set here"));
  files.errors.push_back(std::move(error));
}

/// A stage of the global unit is a part of an address group of w words (section 10).
void check_group(const MergedFiles& files) {
  const auto width = integer(files.written, "width");
  const auto group = integer(files.written, "global.group");
  if (!width || !group || *width % *group == 0) return;
  std::vector<std::int64_t> divisors;
  for (std::int64_t words = 1; words <= *width; ++words)
    if (*width % words == 0) divisors.push_back(words);
  Diagnostic error =
      error_at(files.written.keys.find("global.group")->second.origin.span,
               fmt::format("global.group: must be a divisor of width ({}), is {}", *width, *group),
               {fmt::format("it can be {}", fmt::join(divisors, ", "))});
  error.notes.push_back(
      note_at(files.written.keys.find("width")->second.origin.span, "width is set here"));
  files.errors.push_back(std::move(error));
}

/// A line is whole stages of the global unit.
void check_line(const MergedFiles& files) {
  const auto width = integer(files.written, "width");
  if (!width) return;
  const std::int64_t group = integer(files.written, "global.group").value_or(*width);
  const auto line = integer(files.written, "global.line");
  if (!line || *line % group == 0) return;
  files.errors.push_back(error_at(
      files.written.keys.find("global.line")->second.origin.span,
      fmt::format("global.line: must be a multiple of global.group ({}), is {}", group, *line),
      {fmt::format("nearest: {}", (*line / group + 1) * group)}));
}

/// The rules that a key with this value excludes, or needs.
void check_together(const MergedFiles& files, const MachineSpec& machine) {
  const auto fail = [&](std::string_view key, std::string_view what, std::string help) {
    const auto found = files.written.keys.find(key);
    const Span place = found == files.written.keys.end() ? Span{} : found->second.origin.span;
    files.errors.push_back(error_at(place, fmt::format("{}: {}", key, what), {std::move(help)}));
  };
  if (machine.global && machine.global->reuse != Reuse::none && !machine.global->own_port)
    fail("global.reuse", "needs global.own_port",
         "set global.own_port to true, or global.reuse to none: a read that needs no address group "
         "leaves by its multiprocessor's own port");
  if (const auto bytes = machine.word_bytes; bytes && (*bytes & (*bytes - 1)) != 0)
    fail("word_bytes", fmt::format("must be 1, 2, 4 or 8, is {}", *bytes), "most words have 4");
  if (machine.shared && (machine.shared->widest & (machine.shared->widest - 1)) != 0)
    fail("shared.widest", fmt::format("must be 4, 8 or 16, is {}", machine.shared->widest),
         "4 merges nothing");
  if (machine.lockstep && machine.requests_in_flight > 1)
    fail("requests_in_flight", "excludes lockstep",
         "leave one of the two keys out: in a round of lockstep, each warp has one request");
  if (!machine.tensor_size && machine.tensor_latency.value > 0)
    fail("tensor.latency", "needs tensor.size",
         "give the rows of its tiles, tensor.size=16, or set tensor.latency=0");
  if (machine.operations.empty()) return;
  const std::string_view units = machine.times_operators() ? "operations" : "tensor.size";
  if (machine.instruction_cost.value > 0)
    fail(units, "excludes instruction_cost",
         "give each class of operations its stages, and leave instruction_cost out");
  if (machine.lockstep) fail(units, "excludes lockstep", "leave one of the two keys out");
  for (const OperationUnit& unit : machine.operations)
    if (machine.tensor_size && unit.name == "tensor" && &unit != &machine.operations.back())
      fail("operations", "tensor is the name of the unit of tensor.size", "choose another name");
}

/// Complete only if there are no errors.
std::vector<Setting> settings_of(const MergedFiles& files, Model model) {
  std::vector<Setting> settings;
  std::vector<std::string_view> missing;
  check_group_models(files, model);
  for (const MachineKey& key : machine_keys()) {
    const auto found = files.written.keys.find(key.path);
    if (found != files.written.keys.end()) {
      check_key_models(files, key, found->second, model);
      if (found->second.value && contains(key.models, model)) {
        settings.push_back({&key, *found->second.value, found->second.origin});
      }
    } else if (contains(key.required(), model)) {
      missing.push_back(key.path);
    } else if (contains(key.models, model)) {
      settings.push_back({&key, key.default_value, {}});
    }
  }
  check_missing(files, model, missing);
  check_threads(files);
  if (model == Model::hmm) {
    check_group(files);
    check_line(files);
  }
  return settings;
}

MachineSpec spec_of(Model model, const std::vector<Setting>& settings) {
  MachineSpec machine = machine_of(model);
  for (const Setting& setting : settings) {
    if (setting.key->store) setting.key->store(machine, setting.value);
  }
  derive_values(machine);
  return machine;
}

} // namespace

Result<LoadedMachine> load_machine(Sources& sources, const std::string& name_or_path,
                                   const std::vector<std::string>& overrides,
                                   const MachineFiles& files) {
  const Result<std::string> path = path_of(name_or_path, files);
  RecordFile file{&sources};
  Diagnostics& errors = file.errors;
  if (!path) errors = path.errors();

  Layers layers;
  layers.complete = false;
  const std::int32_t texts_before = sources.count();
  if (path) layers = read_layers(file, *path, files);
  if (path && sources.count() == texts_before && !errors.empty())
    suggest_shipped(*path, files, errors.back());
  WrittenKeys written;
  merge_layers(file, layers, written);
  apply_overrides(file, overrides, written);

  const MergedFiles merged = {layers, written, errors};
  const std::optional<Model> model = model_in(merged);
  LoadedMachine machine;
  if (model) machine.settings = settings_of(merged, *model);
  if (!errors.empty()) return errors;
  check_together(merged, spec_of(*model, machine.settings));
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
  RecordFile file;
  auto value = check_value(key, {value_of_option(key, text, span), file, std::string(key.path)});
  if (!value) return file.errors;
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
  LoadedMachine changed;
  changed.path = machine.path;
  const MergedFiles merged = {layers, written, errors};
  changed.settings = settings_of(merged, machine.spec.model);
  if (errors.empty()) check_together(merged, spec_of(machine.spec.model, changed.settings));
  if (!errors.empty()) return errors;
  // A machine without a name has its file's.
  for (std::size_t k = 0; k < changed.settings.size(); ++k)
    if (changed.settings[k].key->per_file()) changed.settings[k] = machine.settings[k];
  changed.spec = spec_of(machine.spec.model, changed.settings);
  return changed;
}

} // namespace memlane
