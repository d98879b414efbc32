#include "memlane/study/gpu/executables.hpp"

#include "memlane/ptx/names.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace memlane::measure {

namespace {

using Json = nlohmann::ordered_json;

/// `8`, `(8,4)`.
std::string extent_text(const std::array<std::int64_t, 3>& extent) {
  if (extent[1] == 1 && extent[2] == 1) return fmt::format("{}", extent[0]);
  if (extent[2] == 1) return fmt::format("({},{})", extent[0], extent[1]);
  return fmt::format("({},{},{})", extent[0], extent[1], extent[2]);
}

/// What differs in the launches of two runs; empty: nothing. `in_first`: `on the GPU`.
std::string difference_of(const std::vector<ProgramLaunch>& first,
                          const std::vector<ProgramLaunch>& second, std::string_view in_first,
                          std::string_view in_second) {
  for (std::size_t k = 0; k < std::min(first.size(), second.size()); ++k) {
    if (first[k] == second[k]) continue;
    std::string a = launch_text(first[k]), b = launch_text(second[k]);
    if (a == b) { // the kernels have one name, and other parameters
      a = ptx::readable_name(first[k].symbol);
      b = ptx::readable_name(second[k].symbol);
    }
    return fmt::format("launch {} is {} {}, but {} {}", k, a, in_first, b, in_second);
  }
  if (first.size() == second.size()) return "";
  const auto launches = [](const std::vector<ProgramLaunch>& all) {
    return counted(static_cast<std::int64_t>(all.size()), "launch", "launches");
  };
  return fmt::format("it makes {} {}, but {} {}", launches(first), in_first, launches(second),
                     in_second);
}

/// What all lines of a program begin with.
Json line_of_program(const std::string& program, const std::vector<std::string>& arguments,
                     const std::string& sha256) {
  Json line;
  line["memlane_measurement"] = 1;
  line["program"] = program;
  line["arguments"] = arguments;
  line["sha256"] = sha256;
  line["variant"] = name_of(Variant::executable);
  line["parameters"] = Json::object();
  return line;
}

Json launch_line(Json line, const ProgramLaunch& launch, std::size_t number, std::size_t of,
                 const std::vector<double>& samples) {
  line["parameters"]["launch"] = number;
  line["program_launches"] = of;
  line["kernel"] = launch.symbol;
  line["grid"] = launch.grid;
  line["block"] = launch.block;
  line["dynamic_shared"] = launch.dynamic_shared;
  line["launches"] = 1;
  line["samples_ns"] = samples;
  line["median_ns"] = median(samples);
  line["verify"] = name_of(Verified::none);
  return line;
}

} // namespace

std::string launch_text(const ProgramLaunch& launch) {
  const std::string shared =
      launch.dynamic_shared > 0 ? fmt::format(",{}", launch.dynamic_shared) : "";
  return fmt::format("{}<<<{},{}{}>>>", ptx::source_name(launch.symbol), extent_text(launch.grid),
                     extent_text(launch.block), shared);
}

std::string captured_text(std::int64_t launches) {
  return fmt::format("{} captured into a graph", counted(launches, "launch", "launches"));
}

Result<std::string> executable_lines(const std::string& program,
                                     const std::vector<std::string>& arguments,
                                     const std::string& sha256,
                                     const std::vector<ExecutableRun>& runs) {
  const ExecutableRun& first = runs.front();
  for (std::size_t run = 1; run < runs.size(); ++run) {
    const std::string in_second = fmt::format("in run {}", run + 1);
    std::string differs = difference_of(first.launches, runs[run].launches, "in run 1", in_second);
    if (differs.empty() && runs[run].device.name != first.device.name)
      differs = fmt::format("run 1 is on '{}', but run {} on '{}'", first.device.name, run + 1,
                            runs[run].device.name);
    if (!differs.empty())
      return error_in(program, differs,
                      {"--runs 1 measures a program whose runs differ",
                       "the first run alone has what standard input holds"});
  }
  Json line = line_of_program(program, arguments, sha256);
  std::string lines;
  if (first.captured > 0) {
    Json skipped = line;
    skipped["skipped"] = captured_text(first.captured);
    lines += skipped.dump() + '\n';
  }
  line["device"] = {{"name", first.device.name}};
  for (std::size_t k = 0; k < first.launches.size(); ++k) {
    std::vector<double> samples;
    for (const ExecutableRun& run : runs) samples.push_back(run.ns[k]);
    lines += launch_line(line, first.launches[k], k, first.launches.size(), samples).dump() + '\n';
  }
  return lines;
}

namespace {

/// The measured launches of one program with its arguments, in the order of their numbers.
using MeasuredProgram = std::vector<const MeasuredPoint*>;

/// Whether all of its launches are there.
Status check_whole(const MeasuredProgram& measured, const std::string& path) {
  const MeasuredPoint& any = *measured.front();
  for (std::size_t k = 0; k < measured.size(); ++k) {
    const std::int64_t number = measured[k]->launch->number;
    const auto wanted = static_cast<std::int64_t>(k);
    if (number != wanted)
      return error_at(
          measured[k]->place,
          fmt::format("of {} launch {} is missing before launch {}", any.program, wanted, number),
          {"measure it again; runs on several devices belong in files of their own"});
  }
  if (const auto last = static_cast<std::int64_t>(measured.size()); last < any.launch->of)
    return error_in(path,
                    fmt::format("of {} launches {} to {} are missing: the file was cut off",
                                any.program, last, any.launch->of - 1),
                    {"measure it again"});
  return Done{};
}

Status predict_program(const MeasuredProgram& measured, const RunExecutable& run,
                       std::map<std::string, Prediction>& predictions) {
  const MeasuredPoint& first = *measured.front();
  const Result<ExecutableRun> priced = run(first.program, first.launch->arguments);
  if (!priced) return priced.errors();
  std::vector<ProgramLaunch> launches;
  for (const MeasuredPoint* point : measured) launches.push_back(*point->launch);
  const std::string differs =
      difference_of(launches, priced->launches, "on the GPU", "on the machine");
  if (!differs.empty())
    return error_at(first.place, fmt::format("{}: {}", first.program, differs),
                    {"launches are compared one by one: a program whose launches depend on the "
                     "device, on time or on its input has others here"});
  for (std::size_t k = 0; k < measured.size(); ++k) {
    Prediction& prediction = predictions[simulation_key(*measured[k])];
    prediction.time = priced->times[k];
    prediction.launches = 1;
  }
  return Done{};
}

} // namespace

Result<std::map<std::string, Prediction>> predict_executables(const Measurements& measurements,
                                                              const RunExecutable& run) {
  std::map<std::vector<std::string>, MeasuredProgram> programs;
  for (const MeasuredPoint& point : measurements.points) {
    if (!point.launch) continue;
    std::vector<std::string> words = {point.program};
    words.insert(words.end(), point.launch->arguments.begin(), point.launch->arguments.end());
    programs[words].push_back(&point);
  }
  std::map<std::string, Prediction> predictions;
  ErrorCollector errors;
  for (auto& [words, measured] : programs) {
    std::stable_sort(measured.begin(), measured.end(), [](const auto* a, const auto* b) {
      return a->launch->number < b->launch->number;
    });
    if (errors.check(check_whole(measured, measurements.path)))
      errors.check(predict_program(measured, run, predictions));
  }
  if (!errors.ok()) return errors.errors();
  return predictions;
}

} // namespace memlane::measure
