#include "options.hpp"

#include "files.hpp"
#include "interrupt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

namespace memlane::cli {
namespace {

/// One of the options whose texts replace something; a program has them in the order of this table.
OptionValue replacement(ProgramSelection& program) {
  return {[&program](const Option& option, const std::string& text, ErrorCollector&) {
            static constexpr std::string_view order = "ftl"; // fn, type, layout
            const auto rank = [](std::string_view name) { return order.find(name.front()); };
            const auto place = std::find_if(
                program.replaced.begin(), program.replaced.end(),
                [&](const auto& other) { return rank(other.first) > rank(option.name); });
            program.replaced.emplace(place, option.name, text);
          },
          true};
}

} // namespace

void add_replacements(Options& options, ProgramSelection& program) {
  options.add("fn", "TEXT", replacement(program),
              "replace a fn, e.g. \"combine(x, y) = max(x, y)\"");
  options.add("type", "NAME=TYPE", replacement(program), "replace a type, e.g. value=float");
  options.add("layout", "ARRAY=LAYOUT", replacement(program),
              "replace a layout, e.g. \"t=padded(1)\"");
}

void add_program(Options& options, ProgramSelection& program) {
  options.add("define,D", "NAME=VALUE", &program.definitions,
              "a parameter of the program, e.g. n=2^12");
  add_replacements(options, program);
}

void add_atomics(Options& options, ExecutionOrder& order) {
  using enum ExecutionOrder;
  options.add(
      "atomics", "ORDER",
      one_of(&order, "order", {{"rising", rising}, {"reversed", reversed}, {"random", random}}),
      "order in which the accesses of a launch with atomics are computed:\n"
      "by block, warp and lane (rising; if not given), from the last to\n"
      "the first (reversed), or random, by the seed");
}

void add_where(Options& options, std::string& where, std::string_view help) {
  options.add("where", "CONDITION", &where, help);
  options.then([&where](OptionReader& given, Sources&) {
    if (given.has("where") && where.empty())
      given.fail("--where", "the condition is empty", "leave the option out");
  });
}

void add_races(Options& options, bool& allow_races) {
  options.flag("allow-races", &allow_races, "count races and continue");
}

void add_machine(Options& options, MachineSelection& machine, std::string_view help) {
  options.add("machine,m", "MACHINE",
              {[&machine](const Option&, const std::string& name, ErrorCollector&) {
                machine.name = name;
                machine.chosen = true;
              }},
              help);
  options.add("set", "KEY=VALUE", &machine.overrides,
              "set a value of the machine, e.g. latency=30");
}

void add_machines(Options& options, std::vector<MachineSelection>& machines,
                  std::string_view help) {
  const auto overrides = std::make_shared<std::vector<std::string>>();
  const auto names = std::make_shared<std::vector<std::string>>();
  options.add("machine,m", "MACHINE", names.get(), help);
  options.add("set", "KEY=VALUE", overrides.get(), "set a value of every machine, e.g. latency=30");
  options.then([&machines, names, overrides](OptionReader&, Sources&) {
    if (!names->empty()) machines.clear();
    for (const std::string& name : *names) machines.push_back({name, {}, true});
    for (MachineSelection& machine : machines) machine.overrides = *overrides;
  });
}

void add_seconds(Options& options, Limits& limits, double* of_each) {
  limits.memory = sweep::standard_memory;
  limits.check = stop_check(0);
  const auto stop_after = [&limits, of_each](std::int64_t number) {
    const auto seconds = static_cast<double>(number);
    if (of_each)
      *of_each = seconds;
    else
      limits.check = stop_check(seconds);
  };
  options.add("max-seconds", "S", whole_number(stop_after, 1, 1'000'000'000),
              "stop after S seconds of work (exit status 3)");
}

void add_time_limits(Options& options, Limits& limits, double* of_each) {
  options.add("max-time", "UNITS", whole(&limits.time, 1),
              "stop after UNITS time units (exit status 3)");
  add_seconds(options, limits, of_each);
}

void add_limits(Options& options, Limits& limits, double* of_each) {
  options.add("max-steps", "N", whole(&limits.steps, 1),
              "stop a run after N instructions (exit status 3)");
  options.add("max-memory", "BYTES", bytes(&limits.memory),
              "most bytes of arrays, of each run and of those that run at once:\n"
              "500M, say; 2G if not given");
  add_time_limits(options, limits, of_each);
}

void add_engine(Options& options, sweep::Engine& engine) {
  options.add("engine", "NAME",
              one_of(&engine, "engine",
                     {{"fast", sweep::Engine::fast},
                      {"reference", sweep::Engine::reference},
                      {"auto", sweep::Engine::fast}}),
              "fast (the default), reference or auto; all give the same numbers.\n"
              "The reference engine serves --trace and --allow-races, and repeats\n"
              "runs that end in an error");
}

void add_jobs(Options& options, std::size_t& jobs, std::string_view help) {
  constexpr std::size_t most = 1024;
  jobs = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most); // 0: unknown
  options.add("jobs,j", "N", whole(&jobs, 1, most), help);
}

void add_point_store(Options& options, std::optional<std::string>& store) {
  options.add("store", "FILE", &store, "write every run into a store of results, as sweep does");
}

void add_verbose(Options& options, bool& verbose) {
  options.flag("verbose", &verbose,
               "show which engine ran the program and why, how often the run\n"
               "began again, and which accesses it checked for races word by\n"
               "word; of runs also what the engine skipped, and with `run`\n"
               "where the seconds went");
}

std::string lines_of_run(const std::string& run, const std::string& lines) {
  std::string text;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin) + 1;
    text += run + ": " + lines.substr(begin, end - begin);
    begin = end;
  }
  return text;
}

void add_pram(Options& options, bool& pram) {
  options.flag("pram", &pram,
               "count what a PRAM does, too: steps, work, and the weakest of EREW,\n"
               "CREW and CRCW that the run needs. Takes longer: nothing is skipped");
}

namespace {

constexpr std::size_t largest_price_file = std::size_t{1} << 16;

Result<std::vector<PriceRequest>> load_prices(const std::string& path, Sources& sources) {
  Result<std::string> text =
      read_file(path, largest_price_file, {"a file of prices is not that large"}, sources.limits());
  if (!text) return text.errors();
  return read_price_file(sources, sources.add(path, std::move(*text)));
}

} // namespace

void add_prices(Options& options, std::vector<PriceRequest>& prices) {
  const auto texts = std::make_shared<std::vector<std::string>>();
  options.add("price", "MODEL:NAME=VALUE,...", texts.get(),
              "price the run on another model: pem:lambda=400,sigma=10,\n"
              "bsp:g=10,l=400,p=14, io, or graham_brent:p=128. 'memlane explain\n"
              "model' says what each counts");
  const auto file = std::make_shared<std::optional<std::string>>();
  options.add("prices", "FILE", file.get(),
              "prices from a JSON file, such as\n"
              R"({"pem": {"lambda": 400, "sigma": 10}, "io": {}})");
  options.then([&prices, texts, file](OptionReader& given, Sources& sources) {
    given.take(read_prices(*texts), prices);
    std::vector<PriceRequest> of_file;
    if (!*file) return;
    given.take(load_prices(**file, sources), of_file);
    given.take(join_prices(prices, of_file), prices);
  });
}

void add_seed(Options& options, std::uint64_t& seed) {
  options.add("seed", "N", whole(&seed, 0), "of random numbers; 1 if not given");
}

void add_timing_only(Options& options, bool& timing_only, std::vector<std::string_view> need_data) {
  options.flag("timing-only", &timing_only,
               "count the exact time without computing data: arrays have no\n"
               "contents, and repetitions of a regular loop without barriers take\n"
               "no work. An error, with the line, if the time may depend on data");
  options.then([&timing_only, need_data = std::move(need_data)](OptionReader& given, Sources&) {
    if (!timing_only) return;
    for (const std::string_view option : need_data) {
      if (!given.has(option)) continue;
      return given.fail("--timing-only",
                        fmt::format("no data are computed, so --{} cannot be given", option),
                        fmt::format("leave out one of --timing-only and --{}", option));
    }
    if (given.value("engine") == "reference")
      given.fail("--timing-only", "only the fast engine can do this",
                 "leave out --engine reference");
  });
}

} // namespace memlane::cli
