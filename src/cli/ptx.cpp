// memlane ptx: launches kernels of a PTX file on arrays, and prices them.
#include "clock.hpp"
#include "command.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "ptx_arrays.hpp"
#include "ptx_launch.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/points/point.hpp"
#include "memlane/ptx/device.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/show/text_table.hpp"
#include "memlane/support/files.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/suggest.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

/// Most bytes of a PTX file, and of a source that it names.
constexpr std::size_t most_ptx = std::size_t{1} << 28, most_source = std::size_t{1} << 24;
/// The machine of launches without -m: its blocks may have 1024 threads.
constexpr std::string_view standard_gpu = "hmm-titan";

struct PtxRequest {
  std::string path;
  MachineSelection machine;
  std::vector<LaunchText> launches;
  std::vector<ElementsText> prints;
  std::vector<std::pair<std::string, PendingFile>> outputs; ///< array and file
  ptx::PriceOptions pricing;
  std::uint64_t seed = 1;
  bool details = false, verbose = false;
  std::vector<ResultTarget> targets;
};

std::vector<Option> ptx_options() {
  return join_options(
      {{{"launch", 0, "LAUNCH", true,
         "KERNEL<<<BLOCKS, THREADS[, BYTES]>>>(ARGUMENT, …): several run in\n"
         "order. An argument is a number, or an array: 'x: float[1024]' makes\n"
         "a new one, 'x' is one of an earlier launch. '= random', '= 0..n',\n"
         "'= 1' or '= FILE' fills it; without that it has zeros"},
        {"print", 0, "PART", true, "show elements of an array afterwards: x, x[3], x[0..8]"},
        {"output", 0, "ARRAY=FILE", true,
         "write an array afterwards: .txt, .csv, .npy, .bin (raw)"}},
       machine_options(false),
       {{"races",
         0,
         "WHAT",
         false,
         "races between warps and blocks are counted (count; if not given),\n"
         "errors (error), or not looked for (off), which is faster",
         {"count", "error", "off"}}},
       seed_options(),
       {{"details", 0, "", false, "tables of memory units, kernels, launches, lines, sectors"}},
       result_options(),
       {{"max-steps", 0, "N", false, "stop after N instructions of warps (exit status 3)"},
        {"max-memory", 0, "BYTES", false, "most bytes of arrays, e.g. 500M; 2G if not given"}},
       limit_options(),
       engine_options(),
       verbose_options()});
}

/// Every text of an option, read.
template <class T, class Read>
void read_texts(OptionReader& options, Sources& sources, std::string_view option, Read read,
                std::vector<T>& into) {
  for (const std::string& text : options.values(option)) {
    const std::int32_t file = sources.add(fmt::format("--{}", option), text);
    options.take(read(sources, file), into.emplace_back());
  }
}

PtxRequest read_ptx_request(OptionReader& options, Sources& sources) {
  PtxRequest request;
  request.path = options.words.front();
  request.machine = read_machine(options);
  if (!request.machine.chosen) request.machine.name = standard_gpu;
  read_texts(options, sources, "launch", read_launch, request.launches);
  read_texts(options, sources, "print", read_elements, request.prints);
  if (options.values("launch").empty())
    options.add(error_in("", "nothing is launched",
                         {"add --launch 'KERNEL<<<BLOCKS, THREADS>>>(ARGUMENTS)'"}));
  const std::string races = options.text("races", "count");
  if (races == "off") request.pricing.races = ptx::RaceCheck::off;
  if (races == "error") request.pricing.races = ptx::RaceCheck::error;
  if (races != "off" && races != "error" && races != "count")
    options.add(error_in("--races", fmt::format("unknown value '{}'", races),
                         {"accepted: count, error or off"}));
  request.pricing.reference = read_engine(options) == sweep::Engine::reference;
  request.pricing.limits = read_limits(options);
  request.seed = read_seed(options);
  request.details = options.has("details");
  request.verbose = options.has("verbose");
  if (request.verbose) request.pricing.clock = seconds_now;
  for (const auto& [array, path] : options.pairs("output", "ARRAY=FILE")) {
    Result<PendingFile> file = PendingFile::open(path);
    if (options.check(file)) request.outputs.emplace_back(array, std::move(*file));
  }
  request.targets = read_targets(options);
  return request;
}

// --- Kernels and their arguments.

/// The name of a function as its source has it: `add` of `_Z3addPfi`.
std::string source_name(const std::string& name) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (status != 0 || !demangled) return name;
  std::string text = demangled;
  std::free(demangled); // as __cxa_demangle demands
  text = text.substr(0, text.find('('));
  const std::size_t parameters = text.find('<');
  const std::size_t type = text.rfind(' ', parameters);
  if (type != std::string::npos) text.erase(0, type + 1);
  return text;
}

Result<ptx::KernelId> kernel_of(const ptx::Device& device, const LaunchText& launch) {
  std::vector<std::string> known;
  std::optional<ptx::KernelId> found;
  for (std::int32_t k = 0; k < device.kernels(); ++k) {
    const std::string& name = device.kernel({k}).name;
    const std::string own = source_name(name);
    if (name == launch.kernel) return ptx::KernelId{k};
    known.push_back(own == name ? name : fmt::format("{} ({})", own, name));
    const bool same = own == launch.kernel || own.substr(0, own.find('<')) == launch.kernel;
    if (!same) continue;
    if (found)
      return error_at(launch.kernel_span,
                      fmt::format("several kernels are named {}", launch.kernel),
                      {fmt::format("kernels: {}", fmt::join(known, ", "))});
    found = ptx::KernelId{k};
  }
  if (found) return *found;
  std::vector<std::string> help = did_you_mean(launch.kernel, known);
  help.push_back(known.empty() ? "the file has no kernels"
                               : fmt::format("kernels: {}", fmt::join(known, ", ")));
  return error_at(launch.kernel_span, fmt::format("there is no kernel '{}'", launch.kernel),
                  std::move(help));
}

/// The bytes of a number for a parameter. Errors: one that its type cannot hold.
Status put_number(const ArgumentText& argument, const ptx::KernelParameter& parameter,
                  std::uint8_t* at) {
  const auto bytes = static_cast<std::size_t>(parameter.bytes);
  if (bytes > 8 || (bytes & (bytes - 1)) != 0)
    return error_at(argument.span,
                    fmt::format("the parameter is a structure of {} bytes", parameter.bytes),
                    {"such kernels can be launched by their own program: memlane cuda PROGRAM"});
  if (is_float(parameter.type) && bytes == 4) {
    const auto real = static_cast<float>(argument.real);
    std::memcpy(at, &real, sizeof real);
    return Done{};
  }
  if (is_float(parameter.type) && bytes == 8) {
    std::memcpy(at, &argument.real, sizeof argument.real);
    return Done{};
  }
  if (!argument.whole)
    return error_at(argument.span, fmt::format("the parameter is an integer of {} bytes", bytes));
  const int bits = static_cast<int>(8 * bytes);
  if (bits < 64 && (argument.integer >= std::int64_t{1} << bits ||
                    argument.integer < -(std::int64_t{1} << (bits - 1))))
    return error_at(argument.span, fmt::format("the parameter has {} bits", bits));
  std::memcpy(at, &argument.integer, bytes); // little-endian
  return Done{};
}

Status put_argument(const ArgumentText& argument, const ptx::KernelParameter& parameter,
                    DeviceArrays& arrays, std::uint8_t* at) {
  if (argument.name.empty()) return put_number(argument, parameter, at);
  if (parameter.bytes != 8 || is_float(parameter.type))
    return error_at(argument.span,
                    fmt::format("the parameter has {} bytes: it is no pointer", parameter.bytes),
                    {"give a number"});
  if (argument.array)
    if (Status added = arrays.add(*argument.array); !added) return added.errors();
  const DeviceArray* const array = arrays.find(argument.name);
  if (!array) {
    std::vector<std::string> help = did_you_mean(argument.name, arrays.names());
    help.push_back(fmt::format("make one: {}: float[1024]", argument.name));
    return error_at(argument.span, fmt::format("there is no array '{}'", argument.name),
                    std::move(help));
  }
  std::memcpy(at, &array->address, sizeof array->address);
  return Done{};
}

Result<ptx::Launch> launch_of(const ptx::Device& device, const LaunchText& text,
                              DeviceArrays& arrays) {
  const Result<ptx::KernelId> kernel = kernel_of(device, text);
  if (!kernel) return kernel.errors();
  const ptx::KernelInfo& info = device.kernel(*kernel);
  ptx::Launch launch;
  launch.kernel = *kernel;
  launch.grid = text.grid;
  launch.block = text.block;
  launch.dynamic_shared = text.dynamic_shared;
  launch.shared_permitted = INT32_MAX; // the machine that prices it has a capacity
  launch.parameters.resize(static_cast<std::size_t>(info.parameter_bytes));
  if (text.arguments.size() != info.parameters.size())
    return error_at(
        text.span,
        fmt::format("kernel {} has {}, {} given", source_name(info.name),
                    counted(static_cast<std::int64_t>(info.parameters.size()), "parameter"),
                    text.arguments.size() == 1 ? "1 is"
                                               : fmt::format("{} are", text.arguments.size())));
  ErrorCollector errors;
  for (std::size_t k = 0; k < info.parameters.size(); ++k)
    errors.check(put_argument(text.arguments[k], info.parameters[k], arrays,
                              launch.parameters.data() + info.parameters[k].offset));
  if (!errors.ok()) return errors.errors();
  return launch;
}

// --- The run.

/// The sources that PTX names: as it names them, else in the PTX's folder. Headers of the toolkit
/// are no sources of the user's.
ptx::ReadSource source_reader(const std::string& ptx_path) {
  return [folder = fs::path(ptx_path).parent_path()](
             const std::string& path) -> std::optional<std::string> {
    const fs::path named(path);
    if (path.starts_with("/usr/") || path.find("/targets/") != std::string::npos)
      return std::nullopt;
    for (const fs::path& place : {named, folder / named, folder / named.filename()}) {
      std::error_code error;
      if (!fs::is_regular_file(place, error)) continue;
      const Result<std::string> text = read_file(place.string(), most_source);
      if (text) return *text;
    }
    return std::nullopt;
  };
}

/// Runs the launches in order. Done: the run is over, perhaps with an error of its own.
Status run_launches(const PtxRequest& request, ptx::Device& device, DeviceArrays& arrays,
                    ptx::Pricing& pricing, const Console& console, bool& faulted) {
  for (const LaunchText& text : request.launches) {
    Result<ptx::Launch> launch = launch_of(device, text, arrays);
    if (!launch) return launch.errors();
    launch->pricing = &pricing;
    const ptx::LaunchRefusal refusal = device.refusal_of(*launch);
    if (refusal != ptx::LaunchRefusal::none)
      return error_at(text.span, text_of(refusal, *launch, device));
    const ptx::LaunchResult result = device.run(*launch);
    if (!result.unfit.empty()) {
      Diagnostics errors = result.unfit;
      for (Diagnostic& error : errors) error.span = text.span;
      return errors;
    }
    console.print_error(result.printed);
    for (const ptx::LaunchFault& fault : result.faults)
      console.print_error(render({fault.said}, device.sources()));
    faulted = result.fatal() != nullptr;
    if (faulted || pricing.stop() != Stop::none) return Done{};
  }
  return Done{};
}

/// What requests to global memory moved, line by line.
std::string sectors_text(const ptx::Pricing& pricing, TableStyle style) {
  if (pricing.sectors().empty()) return "";
  TextTable table(
      {Align::right, Align::right, Align::right, Align::right, Align::right, Align::left});
  table.add({"line", "requests", "sectors", "a request", "needed", ""});
  for (const auto& [line, counts] : pricing.sectors()) {
    const std::string_view text = pricing.sources().line(line.first, line.second);
    const std::size_t margin = std::min(text.size(), text.find_first_not_of(" \t"));
    table.add({std::to_string(line.second), std::to_string(counts.requests),
               std::to_string(counts.sectors),
               fmt::format("{:.2f}", static_cast<double>(counts.sectors) /
                                         static_cast<double>(counts.requests)),
               std::to_string(counts.needed), on_one_line(text.substr(margin), 58)});
  }
  return fmt::format("\nsectors of 32 bytes, by source line\n{}", table.text(2, style.columns));
}

nlohmann::ordered_json sectors_json(const ptx::Pricing& pricing) {
  auto lines = nlohmann::ordered_json::array();
  for (const auto& [line, counts] : pricing.sectors())
    lines.push_back({{"file", pricing.sources().path(line.first)},
                     {"line", line.second},
                     {"requests", counts.requests},
                     {"sectors", counts.sectors},
                     {"needed", counts.needed}});
  return lines;
}

RunReport report_of(const PtxRequest& request, const LoadedMachine& machine,
                    const ptx::Pricing& pricing, const std::string& text) {
  RunReport report;
  report.version = version;
  ProgramInfo& program = report.program.emplace();
  program.path = request.path;
  program.sha256 = sha256(text);
  report.machine = machine.spec;
  report.machine_path = machine.path;
  report.standard_machine = !request.machine.chosen;
  report.seed = request.seed;
  report.host = host_info();
  report.run = pricing.result();
  report.details = request.details;
  if (report.run.races.races > 0) program.races_allowed = "--races=error ends the run at the first";
  return report;
}

std::string rendered(const RunReport& report, const ptx::Pricing& pricing,
                     const std::string& prints, Format format, TableStyle style) {
  if (format == Format::json || format == Format::jsonl) {
    nlohmann::ordered_json json = run_json(report, pricing.sources());
    json["sectors"] = sectors_json(pricing);
    return json_text(json, format == Format::json ? 2 : -1);
  }
  std::string text = render_run(report, pricing.sources(), format, style);
  if (format != Format::table) return text;
  if (report.details) text += sectors_text(pricing, style);
  if (!prints.empty()) text += '\n' + prints;
  return text;
}

Status write_ptx_arrays(PtxRequest& request, const DeviceArrays& arrays) {
  ErrorCollector errors;
  for (auto& [name, file] : request.outputs) {
    const DeviceArray* const array = arrays.find(name);
    if (!array) {
      std::vector<std::string> help = did_you_mean(name, arrays.names());
      errors.add(error_in("--output", fmt::format("there is no array '{}'", name), help));
      continue;
    }
    const Result<std::string> content = arrays.file_content(file.path(), *array);
    if (errors.check(content)) errors.check(file.write(*content, request.pricing.limits));
  }
  return errors.status();
}

Result<Exit> finish_run(PtxRequest& request, const LoadedMachine& machine,
                        const ptx::Pricing& pricing, const DeviceArrays& arrays,
                        const std::string& text, Console& console) {
  const RunReport report = report_of(request, machine, pricing, text);
  if (request.verbose)
    console.print_error(sweep::engine_text(report.run.engine, pricing.sources()) +
                        engine_work_text(report.run.engine.work) +
                        phase_seconds_text(report.run.engine.seconds));
  const Exit exit = exit_of(report, pricing.sources(), console);
  if (exit == Exit::error) return exit;
  ErrorCollector errors;
  std::string prints;
  for (const ElementsText& elements : request.prints) {
    const Result<std::string> line = arrays.text_of(elements);
    if (errors.check(line)) prints += *line;
  }
  if (!errors.ok()) return errors.errors();
  errors.check(write_ptx_arrays(request, arrays));
  const bool in_table =
      std::any_of(request.targets.begin(), request.targets.end(),
                  [](const ResultTarget& target) { return target.format == Format::table; });
  if (!in_table) console.print_error(prints);
  errors.check(write_results(
      [&](Format format, TableStyle style) {
        return rendered(report, pricing, prints, format, style);
      },
      request.targets, is_whole(report.run.stop), console));
  if (!errors.ok()) return errors.errors();
  return exit;
}

Result<Exit> run_ptx(OptionReader& options, Sources& sources, Console& console) {
  if (options.words.size() != 1)
    return error_in("", fmt::format("ptx takes one file, not {}", options.words.size()),
                    {"usage: memlane ptx FILE.ptx --launch 'KERNEL<<<BLOCKS, THREADS>>>(…)'"});
  const InterruptGuard guard;
  PtxRequest request = read_ptx_request(options, sources);
  ErrorCollector errors = options;
  const Result<LoadedMachine> machine = load_selected_machine(sources, request.machine);
  if (errors.check(machine)) errors.check(ptx::Pricing::check(machine->spec));
  errors.check(note_read(request.path));
  if (!errors.ok()) return errors.errors();
  const Result<std::string> text =
      read_file(request.path, most_ptx, {"this is no PTX that nvcc made"}, request.pricing.limits);
  if (!text) return text.errors();
  Limits& limits = request.pricing.limits;
  RunProgress progress;
  ProgressLine line(text_of_run(progress));
  if (line.is_shown()) limits.progress = &progress;
  line.show_with(limits);
  ptx::Device device;
  device.set_limits(limits);
  const Result<ptx::ModuleId> module = device.load({{request.path, *text}});
  if (!module) return console.fail(module.errors(), device.sources());
  ptx::Pricing pricing(machine->spec, request.pricing, source_reader(request.path));
  DeviceArrays arrays(device, sources, limits, request.seed);
  bool faulted = false;
  const Status ran = run_launches(request, device, arrays, pricing, console, faulted);
  line.erase();
  if (!ran) return ran.errors();
  if (faulted) return Exit::error;
  return finish_run(request, *machine, pricing, arrays, *text, console);
}

} // namespace

Command ptx_command() {
  return {
      "ptx",
      "FILE.ptx --launch LAUNCH [options]",
      "run kernels of a PTX file without a GPU, and price them on a machine",
      "Execute kernels that nvcc has compiled to PTX (nvcc -ptx -lineinfo), without a GPU, and\n"
      "show what they cost on a machine with warps of 32 threads: time, requests, stages, bank\n"
      "conflicts and races by line of the CUDA source. Accesses to local memory, parameters\n"
      "and constants are not priced.",
      ptx_options(),
      {"memlane ptx programs/cuda/transpose.ptx --launch 'naive<<<(8,8),(32,8)>>>(out: "
       "float[256*256], in: float[256*256] = random, 256)' --details",
       "memlane ptx programs/cuda/transpose.ptx -m hmm-k20c --launch 'padded<<<(4,4),(32,8)>>>"
       "(out: float[2^14], in: float[2^14] = 0.., 128)' --print 'out[0..4]'"},
      run_ptx};
}

} // namespace memlane::cli
