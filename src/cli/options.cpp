#include "options.hpp"

#include "files.hpp"
#include "interrupt.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace memlane::cli {

std::vector<Option> replacement_options() {
  return {{"fn", 0, "TEXT", true, "replace a fn, e.g. \"combine(x, y) = max(x, y)\""},
          {"type", 0, "NAME=TYPE", true, "replace a type, e.g. value=float"},
          {"layout", 0, "ARRAY=LAYOUT", true, "replace a layout, e.g. \"t=padded(1)\""}};
}

std::vector<Option> program_options() {
  return join_options(
      {{{"define", 'D', "NAME=VALUE", true, "a parameter of the program, e.g. n=2^12"}},
       replacement_options()});
}

std::vector<Option> races_options() {
  return {{"allow-races", 0, "", false, "count races and continue"}};
}

ProgramSelection read_program(const OptionReader& options, std::string name) {
  ProgramSelection program{
      std::move(name), {}, options.values("define"), options.has("allow-races")};
  for (const char* option : {"fn", "type", "layout"})
    for (const std::string& text : options.values(option))
      program.replaced.emplace_back(option, text);
  return program;
}

std::vector<Option> machine_options(bool of_program) {
  return {{"machine", 'm', "MACHINE", false,
           of_program ? "a shipped machine or a path; if not given umm-w32, or one that\n"
                        "fits the program ('memlane list machines' lists the shipped ones)"
                      : "a shipped machine or a path; umm-w32 if not given\n"
                        "('memlane list machines' lists the shipped ones)"},
          {"set", 0, "KEY=VALUE", true, "set a value of the machine, e.g. latency=30"}};
}

MachineSelection read_machine(const OptionReader& options) {
  return {options.text("machine", standard_machine), options.values("set"), options.has("machine")};
}

std::vector<Option> limit_options() {
  return {{"max-time", 0, "UNITS", false, "stop after UNITS time units (exit status 3)"},
          {"max-seconds", 0, "S", false, "stop after S seconds of work (exit status 3)"}};
}

Limits read_limits(OptionReader& options) {
  Limits limits;
  limits.steps = options.integer("max-steps", 1, INT64_MAX, INT64_MAX);
  limits.memory = options.bytes("max-memory", sweep::standard_memory);
  limits.time = options.integer("max-time", 1, INT64_MAX, INT64_MAX);
  limits.check = stop_check(static_cast<double>(read_seconds(options)));
  return limits;
}

std::int64_t read_seconds(OptionReader& options) {
  return options.integer("max-seconds", 1, 1'000'000'000, 0);
}

std::vector<Option> engine_options() {
  return {{"engine",
           0,
           "NAME",
           false,
           "fast (the default), reference or auto; all give the same numbers.\n"
           "The reference engine serves --trace and --allow-races, and repeats\n"
           "runs that end in an error",
           {"fast", "reference", "auto"}}};
}

sweep::Engine read_engine(OptionReader& options) {
  const std::string name = options.text("engine", "auto");
  if (name == "reference") return sweep::Engine::reference;
  if (name == "auto" || name == "fast") return sweep::Engine::fast;
  std::vector<std::string> help = did_you_mean(name, {"auto", "fast", "reference"});
  help.emplace_back("the engines are fast, reference and auto");
  options.add(error_in("--engine", fmt::format("unknown engine '{}'", name), std::move(help)));
  return sweep::Engine::fast;
}

std::vector<Option> jobs_options(std::string_view help) {
  return {{"jobs", 'j', "N", false, help}};
}

std::size_t read_jobs(OptionReader& options) {
  constexpr std::int64_t most = 1024;
  const std::int64_t cores = std::thread::hardware_concurrency(); // 0: unknown
  return static_cast<std::size_t>(
      options.integer("jobs", 1, most, std::clamp<std::int64_t>(cores, 1, most)));
}

std::vector<Option> verbose_options() {
  return {{"verbose", 0, "", false,
           "show which engine ran the program and why, how often the run\n"
           "began again, and which accesses it checked for races word by\n"
           "word; of runs also what the engine skipped, and with `run`\n"
           "where the seconds went"}};
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

std::vector<Option> pram_options() {
  return {{"pram", 0, "", false,
           "count what a PRAM does, too: steps, work, and the weakest of EREW,\n"
           "CREW and CRCW that the run needs. Takes longer: nothing is skipped"}};
}

std::vector<Option> price_options() {
  return {{"price", 0, "MODEL:NAME=VALUE,...", true,
           "price the run on another model: pem:lambda=400,sigma=10,\n"
           "bsp:g=10,l=400,p=14, io, or graham_brent:p=128. 'memlane explain\n"
           "model' says what each counts"},
          {"prices", 0, "FILE", false,
           "prices from a JSON file, such as\n"
           R"({"pem": {"lambda": 400, "sigma": 10}, "io": {}})"}};
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

std::vector<PriceRequest> read_price_options(OptionReader& options, Sources& sources) {
  std::vector<PriceRequest> prices, of_file;
  options.take(read_prices(options.values("price")), prices);
  if (const auto path = options.value("prices")) {
    options.take(load_prices(*path, sources), of_file);
    options.take(join_prices(prices, of_file), prices);
  }
  return prices;
}

std::vector<Option> seed_options() {
  return {{"seed", 0, "N", false, "of random numbers; 1 if not given"}};
}

std::uint64_t read_seed(OptionReader& options) {
  return static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX, 1));
}

std::vector<Option> timing_only_options() {
  return {{"timing-only", 0, "", false,
           "count the exact time without computing data: arrays have no\n"
           "contents, and repetitions of a regular loop without barriers take\n"
           "no work. An error, with the line, if the time may depend on data"}};
}

bool read_timing_only(OptionReader& options, std::initializer_list<std::string_view> need_data) {
  if (!options.has("timing-only")) return false;
  for (const std::string_view option : need_data) {
    if (!options.has(option)) continue;
    options.add(error_in("--timing-only",
                         fmt::format("no data are computed, so --{} cannot be given", option),
                         {fmt::format("leave out one of --timing-only and --{}", option)}));
    return true;
  }
  if (options.value("engine") == "reference")
    options.add(error_in("--timing-only", "only the fast engine can do this",
                         {"leave out --engine reference"}));
  return true;
}

std::optional<PendingFile> open_file(OptionReader& options, std::string_view name) {
  const auto path = options.value(name);
  if (!path) return std::nullopt;
  Result<PendingFile> file = PendingFile::open(*path);
  return options.check(file) ? std::optional(std::move(*file)) : std::nullopt;
}

} // namespace memlane::cli
