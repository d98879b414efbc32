#include "kernel_run.hpp"

#include "memlane/kernels/launch.hpp"
#include "memlane/kernels/priced_run.hpp"
#include "memlane/points/point.hpp"
#include "memlane/ptx/device.hpp"
#include "memlane/ptx/names.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace memlane::grade {
namespace {

/// Files of other sources among these, and what refers to them.
class Moved {
public:
  Moved(Sources& into, const Sources& from) : into_(into), from_(from) {}

  std::int32_t file(std::int32_t file) {
    const auto [known, is_new] = files_.try_emplace(file, 0);
    if (is_new) known->second = into_.add(from_.path(file), from_.text(file));
    return known->second;
  }
  Diagnostics messages(Diagnostics all) {
    for (Diagnostic& one : all) move(one);
    return all;
  }
  RunResult result(RunResult result) {
    result.errors = messages(std::move(result.errors));
    for (RacePair& pair : result.races.pairs) move(pair.first);
    std::map<SourceLine, LineCounts> lines;
    for (auto& [at, counts] : result.counts.lines)
      lines.emplace(SourceLine{file(at.first), at.second}, std::move(counts));
    result.counts.lines = std::move(lines);
    return result;
  }

private:
  void move(Diagnostic& one) {
    if (one.span.known()) one.span.file = file(one.span.file);
    for (Diagnostic& note : one.notes) move(note);
  }

  Sources& into_;
  const Sources& from_;
  std::map<std::int32_t, std::int32_t> files_;
};

// --- Arrays on the device.

void put(ir::Scalar type, ir::Value value, unsigned char* at) {
  const auto store = [at](auto word) { std::memcpy(at, &word, sizeof word); };
  switch (type) {
  case ir::Scalar::boolean: return store(value.truth());
  case ir::Scalar::int32: return store(static_cast<std::int32_t>(value.integer()));
  case ir::Scalar::int64: return store(value.integer());
  case ir::Scalar::float32: return store(static_cast<float>(value.real()));
  case ir::Scalar::float64: return store(value.real());
  }
}

template <class T>
T loaded(const unsigned char* at) {
  T word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

ir::Value get(ir::Scalar type, const unsigned char* at) {
  switch (type) {
  case ir::Scalar::boolean: return ir::Value::of(*at != 0);
  case ir::Scalar::int32: return ir::Value::of(std::int64_t{loaded<std::int32_t>(at)});
  case ir::Scalar::int64: return ir::Value::of(loaded<std::int64_t>(at));
  case ir::Scalar::float32: return ir::Value::of(double{loaded<float>(at)});
  case ir::Scalar::float64: return ir::Value::of(loaded<double>(at));
  }
  return {};
}

class ArraysOnDevice {
public:
  /// Allocates and fills the arrays of the check program.
  Status fill(ptx::Device& device, const ir::Program& check, const Contents& initial) {
    for (const ir::Array& array : check.arrays) {
      if (array.space != ir::Space::memory) continue;
      const std::vector<ir::Value>& values = initial.at(array.name);
      const std::int64_t size = ir::size_of(array.type);
      const std::uint64_t address = device.allocate(
          std::max<std::int64_t>(1, size * static_cast<std::int64_t>(values.size())));
      if (address == 0) return error_in("", "the device has too little memory for the arrays");
      auto* at = reinterpret_cast<unsigned char*>(address);
      for (const ir::Value value : values) put(array.type, value, std::exchange(at, at + size));
      arrays_[array.name] = {address, array.type, values.size()};
    }
    return Done{};
  }

  ArrayAddress address() const {
    return [this](const ArgumentText& argument) -> Result<std::uint64_t> {
      if (argument.array)
        return error_at(argument.span, "arrays are those of the check program",
                        {fmt::format("write {}", argument.name)});
      const auto found = arrays_.find(argument.name);
      if (found != arrays_.end()) return found->second.address;
      std::vector<std::string> names;
      for (const auto& [name, array] : arrays_) names.push_back(name);
      std::vector<std::string> help = did_you_mean(argument.name, names);
      help.push_back(fmt::format("its arrays are {}", fmt::join(names, ", ")));
      return error_at(argument.span,
                      fmt::format("the check program has no memory array {}", argument.name),
                      std::move(help));
    };
  }

  Contents contents() const {
    Contents all;
    for (const auto& [name, array] : arrays_) {
      const auto* at = reinterpret_cast<const unsigned char*>(array.address);
      std::vector<ir::Value>& values = all[name];
      values.reserve(array.elements);
      for (std::size_t k = 0; k < array.elements; ++k)
        values.push_back(get(array.type, std::exchange(at, at + ir::size_of(array.type))));
    }
    return all;
  }

private:
  struct Placed {
    std::uint64_t address = 0;
    ir::Scalar type = ir::Scalar::int32;
    std::size_t elements = 0;
  };
  std::map<std::string, Placed> arrays_;
};

// --- Launches.

/// What a launch may name: the exercise's integer parameters, and w.
KnownNumbers numbers_of(const ir::Program& check, const MachineSpec& machine) {
  KnownNumbers known{{"w", machine.width}};
  for (const ir::Constant& constant : sweep::parameters_of(check))
    if (ir::is_integer(constant.type)) known[constant.name] = constant.value.integer();
  return known;
}

Result<std::vector<LaunchText>> launches_of(const ExerciseSpec& exercise, const KnownNumbers& known,
                                            const ArraysOnDevice& arrays, Sources& sources) {
  std::vector<LaunchText> launches;
  ErrorCollector errors;
  for (const std::string& text : exercise.launches) {
    const std::int32_t file = sources.add("cuda of " + exercise.path, text);
    Result<LaunchText> launch = read_launch(sources, file, known);
    if (!errors.check(launch)) continue;
    for (const ArgumentText& argument : launch->arguments)
      if (!argument.name.empty()) errors.check(arrays.address()(argument));
    launches.push_back(std::move(*launch));
  }
  if (!errors.ok()) return errors.errors();
  return launches;
}

/// `: float[1024] = random(0, 1)` of a memory array.
std::string array_text(const ir::Array& array, const Sources& sources) {
  std::string text = fmt::format(": {}[{}]", ir::name_of(array.type), array.elements());
  const std::string& source = sources.text(array.span.file);
  const std::string line =
      source.substr(array.span.begin, source.find('\n', array.span.begin) - array.span.begin);
  const std::size_t begin = line.find("= random(");
  if (begin != line.npos) text += ' ' + line.substr(begin, line.find(')', begin) + 1 - begin);
  return text;
}

std::string launch_text(const LaunchText& launch, const ir::Program& check,
                        const Sources& sources) {
  std::vector<std::string> arguments;
  for (const ArgumentText& argument : launch.arguments) {
    const auto array =
        std::find_if(check.arrays.begin(), check.arrays.end(),
                     [&](const ir::Array& own) { return own.name == argument.name; });
    if (array != check.arrays.end())
      arguments.push_back(argument.name + array_text(*array, sources));
    else
      arguments.push_back(argument.whole ? fmt::format("{}", argument.integer)
                                         : fmt::format("{}", argument.real));
  }
  const auto shape = [](const std::array<std::int64_t, 3>& of) {
    return of[2] > 1   ? fmt::format("({}, {}, {})", of[0], of[1], of[2])
           : of[1] > 1 ? fmt::format("({}, {})", of[0], of[1])
                       : fmt::format("{}", of[0]);
  };
  const std::string shared =
      launch.dynamic_shared > 0 ? fmt::format(", {}", launch.dynamic_shared) : std::string();
  return fmt::format("{}<<<{}, {}{}>>>({})", launch.kernel, shape(launch.grid), shape(launch.block),
                     shared, fmt::join(arguments, ", "));
}

/// Options are nothing that a student can give.
Diagnostic without_options(Diagnostic fault) {
  std::erase_if(fault.help, [](const std::string& way) { return way.starts_with("--"); });
  return fault;
}

/// The message of what ended a launch, or why it cannot begin; none: it ended well.
std::optional<Diagnostic> launch_one(ptx::Device& device, ptx::Launch launch, ptx::Pricing& pricing,
                                     Moved& of_device) {
  launch.pricing = &pricing;
  const ptx::LaunchRefusal refusal = device.refusal_of(launch);
  if (refusal != ptx::LaunchRefusal::none)
    return error_in(ptx::source_name(device.kernel(launch.kernel).name),
                    text_of(refusal, launch, device));
  const ptx::LaunchResult result = device.run(launch);
  if (!result.unfit.empty()) return result.unfit.front();
  if (const ptx::LaunchFault* const fault = result.fatal())
    return without_options(of_device.messages({fault->said}).front());
  return std::nullopt;
}

/// How messages name the PTX of a file.
std::string ptx_path(const std::string& path) {
  return path.ends_with(".cu") ? path.substr(0, path.size() - 3) + ".ptx" : path;
}

} // namespace

Status run_kernels(const Grading& grading, const Submission& file, const ir::Program& check,
                   const Contents& initial, const MachineSpec& machine, const Limits& limits,
                   Sources& sources, GradedRun& run, Diagnostics& wrong) {
  if (const Status possible = ptx::Pricing::check(machine); !possible) return possible.errors();
  ptx::Device device;
  device.set_limits(limits);
  Moved of_device(sources, device.sources());
  if (const Result<ptx::ModuleId> loaded = device.load({{ptx_path(file.path), file.text}});
      !loaded) {
    wrong = of_device.messages(loaded.errors());
    return Done{};
  }
  ArraysOnDevice arrays;
  if (const Status filled = arrays.fill(device, check, initial); !filled) return filled.errors();
  const Result<std::vector<LaunchText>> launches =
      launches_of(*grading.exercise, numbers_of(check, machine), arrays, sources);
  if (!launches) return launches.errors();

  ptx::PriceOptions options;
  options.limits = limits;
  ptx::Pricing pricing(machine, options, source_reader(file.path));
  std::optional<Diagnostic> failed;
  for (const LaunchText& text : *launches) {
    const Result<ptx::Launch> launch = launch_of(device, text, arrays.address());
    if (!launch) {
      wrong = launch.errors();
      return Done{};
    }
    failed = launch_one(device, *launch, pricing, of_device);
    if (failed || pricing.stop() != Stop::none) break;
  }
  run.result = Moved(sources, pricing.sources()).result(pricing.result());
  if (failed) {
    run.result.stop = Stop::error;
    run.result.errors = {*failed};
  }
  run.result.outputs = arrays.contents();
  return Done{};
}

Result<std::vector<std::string>> launch_texts(const ExerciseSpec& exercise,
                                              const ir::Program& check, const MachineSpec& machine,
                                              Sources& sources) {
  std::vector<std::string> texts;
  for (const std::string& text : exercise.launches) {
    const Result<LaunchText> launch =
        read_launch(sources, sources.add(exercise.path, text), numbers_of(check, machine));
    if (!launch) return launch.errors();
    texts.push_back(launch_text(*launch, check, sources));
  }
  return texts;
}

} // namespace memlane::grade
