#include "worst_request.hpp"

#include "input_files.hpp"
#include "results.hpp"
#include "shipped_programs.hpp"

#include "memlane/arrays/array_files.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace memlane::cli {
namespace {

constexpr std::int64_t standard_trials = 2000, most_trials = 100'000'000;

/// Whether a source is a file of values, which are meant as they are; programs make patterns.
bool is_file_of_values(const std::string& source) {
  std::error_code error;
  return !source.ends_with(".lane") && std::filesystem::is_regular_file(source, error);
}

/// A file of values that the search would not try.
Diagnostic other_values(const std::string& source, const sweep::SearchedArray& array) {
  const std::string may_have =
      array.range ? fmt::format("{} to {}", array.range->first, array.range->second)
                  : fmt::format("those of {}, in any order", array.name);
  return error_in("--candidate",
                  fmt::format("{} has other values for {} than the search gives it: {}", source,
                              array.name, may_have),
                  {fmt::format("give values that it may have: --vary {}=LOW..HIGH", array.name),
                   "or leave the candidate out"});
}

/// A pattern in every array, one start; nothing if a program cannot make it for these arrays.
std::optional<sweep::SearchStart> start_like(const std::string& source,
                                             const sweep::SearchedPoint& point,
                                             const std::vector<sweep::SearchedArray>& arrays,
                                             InputFiles& inputs, StartSources& sources,
                                             Diagnostics& errors) {
  sweep::SearchStart start{source, {}};
  for (const sweep::SearchedArray& array : arrays) {
    sweep::Point made = point.planned.point;
    made.input_sources = {{array.name, source}};
    if (Status added = inputs.add(*made.code, made); !added) {
      errors = added.errors();
      return std::nullopt;
    }
    const std::vector<ir::Value>& pattern = *made.options.inputs.at(array.name);
    start.input.push_back(sweep::content_like(array, pattern));
    if (start.input.back() != pattern && is_file_of_values(source)) {
      errors = {other_values(source, array)};
      return std::nullopt;
    }
    if (start.input.back() == pattern) sources.emplace_back(array.name, source);
  }
  if (sources.size() != arrays.size()) sources.clear();
  return start;
}

bool is_known(const sweep::SearchPlace& place, const sweep::SearchStart& start) {
  return std::any_of(place.starts.begin(), place.starts.end(),
                     [&](const sweep::SearchStart& known) { return known.input == start.input; });
}

/// The program's own content, then what --candidate and the shipped programs make.
Status add_starts(const WorstRequest& request, const sweep::SearchedPoint& point,
                  InputFiles& inputs, sweep::SearchPlace& place,
                  std::vector<StartSources>& sources) {
  sweep::SearchStart own{"own content", {}};
  for (const sweep::SearchedArray& array : place.arrays) own.input.push_back(array.content);
  place.starts.push_back(std::move(own));
  sources.emplace_back();
  std::vector<std::string> names = request.candidates;
  for (const std::string& shipped : input_program_names()) names.push_back(shipped);
  for (std::size_t k = 0; k < names.size(); ++k) {
    StartSources from;
    Diagnostics errors;
    auto start = start_like(names[k], point, place.arrays, inputs, from, errors);
    const bool is_asked = k < request.candidates.size();
    if (!start && (is_asked || stop_of(errors) != Stop::none)) return errors;
    if (!start || is_known(place, *start)) continue;
    place.starts.push_back(std::move(*start));
    sources.push_back(std::move(from));
  }
  return Done{};
}

/// The point of a number, bound, with the inputs that are given.
Result<sweep::SearchedPoint> bound_point_of(const WorstRequest& request, const sweep::Plan& plan,
                                            std::int64_t number, InputFiles& inputs,
                                            Sources& sources) {
  sweep::SearchedPoint point{plan.point(number), {}};
  sweep::Point& run = point.planned.point;
  run.options.limits = request.how.limits.run;
  run.engine = request.how.engine;
  Result<ir::Program> code = sweep::bind_point(run, sources);
  if (!code) return code.errors();
  run.code = std::make_shared<const ir::Program>(std::move(*code));
  if (Status read = inputs.add(*run.code, run); !read) return read.errors();
  Result<CountFormula> count =
      read_count_formula(sources, run.program->checked, "--of", request.count);
  if (!count) return count.errors();
  point.count = std::move(*count);
  run.options.pram = run.options.pram || point.count.needs_pram;
  return point;
}

/// `FILE` of the only array, or `ARRAY=FILE`.
Status open_files(const WorstRequest& request, WorstSearch& search) {
  const std::vector<sweep::SearchedArray>& arrays = search.places.front().arrays;
  const ir::Program& code = *search.points.front().planned.point.code;
  std::vector<std::string> names;
  for (const sweep::SearchedArray& array : arrays) names.push_back(array.name);
  for (const std::string& text : request.files) {
    std::string name = names.front(), path = text;
    const std::size_t equals = text.find('=');
    if (std::find(names.begin(), names.end(), text.substr(0, equals)) != names.end() &&
        equals != std::string::npos) {
      name = text.substr(0, equals);
      path = text.substr(equals + 1);
    } else if (names.size() > 1) {
      return error_in(
          "-o", fmt::format("{} arrays are searched: {}", names.size(), fmt::join(names, ", ")),
          {fmt::format("name the array of each file: -o {}={}", name, text)});
    }
    for (const auto& [known, file] : search.files)
      if (known == name)
        return error_in("-o", fmt::format("two files for the content of {}", name),
                        {"leave one out"});
    const auto array = std::find_if(code.arrays.begin(), code.arrays.end(),
                                    [&](const ir::Array& one) { return one.name == name; });
    if (Status fits = arrays::fits_file(path, *array); !fits) return fits.errors();
    Result<PendingFile> file = PendingFile::open(path);
    if (!file) return file.errors();
    search.files.emplace_back(name, std::move(*file));
  }
  return Done{};
}

/// Before the starts are made: they and the trials of a round are in memory together.
Status check_memory(const WorstRequest& request, const std::vector<sweep::SearchedArray>& arrays,
                    std::size_t points) {
  constexpr std::size_t trials_of_round = 80;
  const std::size_t starts = 1 + request.candidates.size() + input_program_names().size();
  std::size_t elements = 0;
  for (const sweep::SearchedArray& array : arrays) elements += array.content.size();
  const std::size_t copies = 2 * starts * points + trials_of_round;
  const auto most = static_cast<std::size_t>(request.how.limits.run.memory);
  if (elements <= most / sizeof(ir::Value) / copies) return Done{};
  return error_in(
      "--max-memory",
      fmt::format("{} elements are searched, and of about {} inputs at once", elements, copies),
      {"search fewer: a smaller -D n, or one array with --vary",
       fmt::format("or allow {} bytes", elements * copies * sizeof(ir::Value))});
}

Status check_size(const WorstRequest& request, const WorstSearch& search) {
  std::int64_t starts = 0;
  for (const sweep::SearchPlace& place : search.places) {
    starts += static_cast<std::int64_t>(place.starts.size());
    const bool is_empty =
        std::all_of(place.arrays.begin(), place.arrays.end(),
                    [](const sweep::SearchedArray& array) { return array.content.empty(); });
    if (is_empty) return error_in("--vary", "the arrays have no elements", {"choose others"});
  }
  if (request.each) starts /= static_cast<std::int64_t>(search.places.size());
  if (starts <= request.search.trials) return Done{};
  return error_in("--runs",
                  fmt::format("the search begins with {} at {}; allowed: {}",
                              counted(starts, "input"),
                              counted(request.each ? 1 : std::ssize(search.places), "point"),
                              counted(request.search.trials, "run")),
                  {fmt::format("allow more: --runs {}", starts), "or give fewer values"});
}

void check_request(OptionReader& given, const WorstRequest& request) {
  if (request.each && !request.files.empty())
    given.fail("-o", "with --each there is an input for each point",
               "leave --each out, and give the one point whose input is wanted");
  if (request.count.empty())
    given.fail("--of", "it says what shall be greatest, and is missing",
               "name a count: --of shared_stages, or a formula: --of 'shared_stages - "
               "shared_requests'; 'memlane explain counts' lists them");
  for (const std::string& program : request.values.options.programs)
    if (program.ends_with(".json"))
      given.fail("", fmt::format("worst takes a program, and '{}' is a sweep file", program),
                 "give the program and its values: memlane worst PROGRAM -D n=64");
}

} // namespace

void worst_options(Options& options, WorstRequest& request) {
  sweep::SweepOptions& texts = request.values.options;
  options.take_words("program", 1, &texts.programs);
  options.words.most = 1;
  options.add("of", "COUNT", &request.count,
              "what shall be greatest: a count as claims name it, of the run or of a\n"
              "kernel (time, shared_stages, sort.shared_stages), or a formula of counts");
  options.flag("least", &request.search.least, "search the least value instead");
  options.flag("each", &request.each,
               "search each point by itself, with as many runs: a row for each n of -D n=...");
  options.add("vary", "ARRAY[=VALUES]", &request.vary,
              "an array whose content is searched; if none is given, those with random\n"
              "initial values. Its elements have the values of the program's\n"
              "random(lo, hi), else are rearranged; a=0..99 gives other values, both\n"
              "included, a=permutation the numbers from 0, each once");
  options.add("candidate", "FILE", &request.candidates,
              "an input that is tried first, as --input takes it, in every array that\n"
              "is searched; beside 'descending' and all that 'run --input' knows");
  options.add("runs", "N", whole(&request.search.trials, 1, most_trials),
              "make at most N runs; 2000 if not given. An input may come again, but if\n"
              "there are at most N, each has one run");
  request.search.trials = standard_trials;
  add_axes(options, texts);
  add_content(options, texts);
  add_seed(options, request.search.seed);
  options.add("store", "FILE", &request.store,
              "keep what was tried: the same command goes on where it stopped");
  options.add("out,o", "FILE", &request.files,
              "write the input for 'run --input', as --output of run does; of several\n"
              "arrays ARRAY=FILE for each");
  options.add("format", "FORMAT", one_of(&request.format, "format", named_formats()),
              "table (the default), json, csv, jsonl, markdown or latex");
  add_limits(options, request.how.limits.run);
  add_engine(options, request.how.engine);
  add_jobs(options, request.how.jobs);
  options.then([&request](OptionReader& given, Sources&) { check_request(given, request); });
}

Status prepare_worst(const WorstRequest& request, Sources& sources, WorstSearch& search) {
  constexpr std::int64_t most_points = 1000;
  sources.set_limits(request.how.limits.run);
  Result<sweep::SweepSpec> spec = load_sweep(sources, request.values);
  if (!spec) return spec.errors();
  spec->seeds = {request.search.seed};
  if (const std::int64_t points = sweep::combinations(*spec); points > most_points)
    return error_in("", fmt::format("{} points, at most {} are searched", points, most_points),
                    {"give fewer values"});
  Result<sweep::Plan> plan =
      sweep::Plan::make(*spec, sweep_files(sources), sources, sweep::WrongPoints::leave_out);
  if (!plan) return plan.errors();
  search.plan.emplace(std::move(*plan));
  InputFiles inputs;
  for (std::int64_t number = 0; number < search.plan->size(); ++number) {
    auto point = bound_point_of(request, *search.plan, number, inputs, sources);
    if (!point) return point.errors();
    auto arrays = sweep::searched_arrays(*point, request.vary, sources);
    if (!arrays) return arrays.errors();
    const auto points = static_cast<std::size_t>(search.plan->size());
    if (Status fits = check_memory(request, *arrays, points); !fits) return fits.errors();
    sweep::SearchPlace place{std::move(*arrays), {}};
    if (Status made = add_starts(request, *point, inputs, place, search.sources.emplace_back());
        !made)
      return made.errors();
    search.points.push_back(std::move(*point));
    search.places.push_back(std::move(place));
  }
  if (Status fits = check_size(request, search); !fits) return fits.errors();
  return open_files(request, search);
}

} // namespace memlane::cli
