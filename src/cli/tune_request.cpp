#include "tune_request.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace memlane::cli {
namespace {

/// More combinations of values are refused: their table would say nothing.
constexpr std::int64_t most_combinations = 10'000;

using sweep::SweepAxis;

bool has_ending(const std::string& path, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

/// Takes the files of charts from the options, so that the others are those of tables.
std::vector<ChartFile> take_charts(OptionReader& options) {
  std::vector<ChartFile> charts;
  auto& given = options.given_options;
  for (auto option = given.begin(); option != given.end();) {
    const std::string path = option->second;
    if (option->first != "out" || !has_ending(path, {".svg", ".html", ".htm"})) {
      ++option;
      continue;
    }
    option = given.erase(option);
    Result<PendingFile> file = PendingFile::open(path);
    if (options.check(file)) charts.push_back({std::move(*file), !path.ends_with(".svg")});
  }
  return charts;
}

double read_within(OptionReader& options) {
  constexpr double standard = 5, most = 1000;
  const auto text = options.value("within");
  if (!text) return standard / 100;
  const std::string number = text->substr(0, text->find_last_not_of(" %") + 1);
  const auto percent = number_of<double>(number);
  if (percent && *percent >= 0 && *percent <= most) return *percent / 100;
  options.add(error_in("--within",
                       fmt::format("a percentage from 0 to 1000 is needed, not '{}'", *text),
                       {"--within 5: values at most 5 % worse than the best are worth using"}));
  return standard / 100;
}

/// What varies: one axis or two.
std::vector<std::size_t> find_tuned(OptionReader& options, const sweep::SweepSpec& spec) {
  std::vector<std::size_t> tuned;
  std::vector<std::string> titles, fixed;
  for (std::size_t group = 0; group < spec.axes.size(); ++group) {
    const SweepAxis& axis = spec.axes[group].front();
    (axis.size > 1 ? titles : fixed).push_back(axis.title());
    if (axis.size > 1) tuned.push_back(group);
  }
  const std::string& program = spec.programs.front().name;
  if (tuned.empty() && fixed.empty())
    options.add(
        error_in("", "no parameter has values to compare",
                 {"give one several values, such as -D alpha=1,2,4 or -D n=2^4..2^8:pow2",
                  fmt::format("'memlane explain program {}' lists the parameters", program)}));
  else if (tuned.empty())
    options.add(error_in("",
                         fmt::format("{} {} one value: nothing to compare", fmt::join(fixed, ", "),
                                     fixed.size() == 1 ? "has" : "have"),
                         {"give one of them several values, such as -D alpha=1,2,4"}));
  if (tuned.size() > 2)
    options.add(
        error_in("", fmt::format("{} parameters vary: {}", tuned.size(), fmt::join(titles, ", ")),
                 {"tune compares one or two: give the others one value each",
                  "'memlane sweep' runs any number, 'memlane results best' shows the best"}));
  if (sweep::combinations(spec) / static_cast<std::int64_t>(spec.seeds.size()) > most_combinations)
    options.add(error_in("",
                         fmt::format("{} combinations of values, at most {} are compared",
                                     sweep::combinations(spec), most_combinations),
                         {"take larger steps, such as :pow2",
                          "'memlane sweep' runs more, 'memlane results best' shows the best"}));
  return tuned;
}

/// `--naive s=1`: which value of which axis.
void read_naive(OptionReader& options, TuneRequest& request) {
  request.naive.assign(request.tuned.size(), 0);
  std::vector<std::string> titles;
  for (const std::size_t group : request.tuned)
    titles.push_back(request.spec.axes[group].front().title());
  for (const auto& [name, value] : options.pairs("naive", "NAME=VALUE")) {
    const auto found =
        std::find_if(request.tuned.begin(), request.tuned.end(), [&, name = name](auto group) {
          const SweepAxis& axis = request.spec.axes[group].front();
          return axis.name == name || axis.title() == name;
        });
    if (found == request.tuned.end()) {
      std::vector<std::string> help = did_you_mean(name, titles);
      help.push_back(fmt::format("values vary of {}", fmt::join(titles, ", ")));
      options.add(error_in("--naive", fmt::format("'{}' does not vary", name), std::move(help)));
      continue;
    }
    const SweepAxis& axis = request.spec.axes[*found].front();
    std::int64_t number = 0;
    while (number < axis.size && axis.value(number) != value) ++number;
    if (number < axis.size) {
      request.naive[static_cast<std::size_t>(found - request.tuned.begin())] =
          static_cast<std::size_t>(number);
      continue;
    }
    std::vector<std::string> values;
    for (std::int64_t k = 0; k < std::min<std::int64_t>(axis.size, 20); ++k)
      values.push_back(axis.value(k));
    options.add(error_in(
        "--naive", fmt::format("{} is none of the values of {}", value, name),
        {fmt::format("the values are {}{}", fmt::join(values, ", "), axis.size > 20 ? ", …" : ""),
         "write it as the values are written, or add it to them"}));
  }
}

/// The machine that is tuned for, and those that confirm.
void read_machines(OptionReader& options, TuneRequest& request) {
  request.confirm = options.values("confirm");
  const auto& machines = request.spec.machines;
  if (machines.size() > 1)
    options.add(error_in(
        "-m", "tune chooses for one machine",
        {fmt::format("--confirm {} shows what it says of the best value", machines[1].name)}));
  std::vector<std::string> all = {machines.front().name};
  for (const std::string& machine : request.confirm) {
    if (std::find(all.begin(), all.end(), machine) != all.end())
      options.add(error_in("--confirm", fmt::format("{} is given twice", machine),
                           {"name another machine"}));
    all.push_back(machine);
  }
}

} // namespace

std::vector<Option> tune_options() {
  return join_options(
      {{{"machine", 'm', "MACHINE", true,
         "a shipped machine or a path; if not given umm-w32, or one that fits\n"
         "the program"}},
       axis_options(),
       {{"objective", 0, "NAME", false,
         "what shall be least: time, io, requests, stages, on an mmm bound,\n"
         "overhead, work, span, time; or a count of 'memlane explain counts'.\n"
         "If not given, bound on an mmm, time on others"},
        {"naive", 0, "NAME=VALUE", true,
         "the value that ratios refer to, for each parameter; its first if not given"},
        {"naive-program", 0, "PROGRAM", false,
         "ratios refer to another program, which has no such parameter; it gets the\n"
         "values that do not vary, those of parameters that it has"},
        {"within", 0, "PERCENT", false,
         "values so much worse than the best are worth using; 5 if not given"},
        {"confirm", 0, "MACHINE", true,
         "run the same values there, too, and say whether its best agrees. Values\n"
         "of --set that do not vary are those of -m alone"},
        {"store", 0, "FILE", false,
         "keep the results in a store, as sweep does; what it has is not run again"},
        {"format", 0, "FORMAT", true, "table (the default), json, csv, jsonl, markdown or latex",
         format_names()},
        {"out", 'o', "FILE", true,
         "write the result to a file, in the format given before it or that of its\n"
         "ending: .json, .csv, .jsonl, .md, .tex; .svg: the curve, .html: a page with\n"
         "curve, findings and tables; others get a table"}},
       plan_options()});
}

TuneRequest read_tune_request(OptionReader& options, Sources& sources) {
  TuneRequest request;
  request.how = read_plan_options(options);
  request.objective = options.value("objective");
  request.within = read_within(options);
  request.naive_program = options.text("naive-program");
  if (options.has("naive") && options.has("naive-program"))
    options.add(error_in("--naive-program", "--naive is given beside it", {"leave one out"}));
  request.store = options.text("store");
  request.charts = take_charts(options);
  request.targets = read_targets(options);
  const SweepSelection selection = read_sweep_selection(options, sources);
  if (selection.file || options.words.size() != 1)
    options.add(error_in("", "tune takes one program",
                         {"usage: memlane tune PROGRAM -D NAME=VALUES -m MACHINE [options]"}));
  if (!options.ok() || !options.take(load_sweep(sources, selection), request.spec)) return request;
  read_machines(options, request);
  request.tuned = find_tuned(options, request.spec);
  if (options.ok()) read_naive(options, request);
  return request;
}

} // namespace memlane::cli
