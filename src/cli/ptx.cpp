// memlane ptx: launches kernels of a PTX file on arrays, and prices them.
#include "command.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "kernel_chart.hpp"
#include "kernel_options.hpp"
#include "nvcc.hpp"
#include "options.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "ptx_array_files.hpp"
#include "ptx_run.hpp"
#include "ptx_tries.hpp"
#include "results.hpp"
#include "shipped_files.hpp"
#include "trace_file.hpp"
#include "version.hpp"

#include "memlane/kernels/explained.hpp"
#include "memlane/kernels/launch.hpp"
#include "memlane/kernels/priced_run.hpp"
#include "memlane/points/point.hpp"
#include "memlane/ptx/device.hpp"
#include "memlane/ptx/names.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/study/results/point_results.hpp"
#include "memlane/support/files.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/trace/trace_writer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

/// Texts of an option that may be given several times, each with places in the sources.
template <class T, class Read>
void read_texts(OptionReader& given, Sources& sources, std::string_view option, Read read,
                std::vector<T>& into) {
  for (const auto& [name, text] : given.given_options)
    if (name == option)
      given.take(read(sources, sources.add(fmt::format("--{}", option), text)),
                 into.emplace_back());
}

/// Options that need all blocks.
NeedsAllBlocks need_all_blocks(const PtxRequest& request) {
  return {{!request.print_texts.empty(), "--print"},
          {!request.output_paths.empty(), "--output"},
          {request.explain, "--explain"},
          {!request.tries.empty(), "--try"},
          {request.chart.file.has_value(), "--timeline"},
          {request.trace.has_value(), "--trace"},
          {request.engine == sweep::Engine::reference, "--engine reference"}};
}

/// Without a launch, the kernels are listed and nothing runs.
void check_listing(OptionReader& given) {
  for (const auto& [option, text] : given.given_options)
    if (option != "max-memory" && option != "max-seconds")
      return given.fail("--" + option, "without --launch, the kernels of the file are listed only",
                        "add --launch 'KERNEL<<<BLOCKS, THREADS>>>(ARGUMENT, …)'");
}

void ptx_options(Options& options, PtxRequest& request) {
  options.take_word("PTX file", &request.path);
  options.add("launch", "LAUNCH", &request.launch_texts,
              "KERNEL<<<BLOCKS, THREADS[, BYTES]>>>(ARGUMENT, …): several run in\n"
              "order. An argument is a number, or an array: 'x: float[1024]' makes\n"
              "a new one, 'x' is one of an earlier launch. '= random', '= 0..'\n"
              "(0, 1, 2, …), '= 1' or '= FILE' fills it; without that it has zeros");
  options.add("print", "PART", &request.print_texts,
              "show elements of an array afterwards: x, x[3], x[0..8]");
  options.add("output", "ARRAY=FILE", &request.output_paths,
              "write an array afterwards: .txt, .csv, .npy, .bin (raw)");
  add_machine(options, request.machine,
              "a shipped machine or a path with warps of 32 threads; hmm-titan-plain if not\n"
              "given");
  add_kernel_options(options,
                     {request.pricing.races, request.pricing.sample_blocks, request.details,
                      request.explain, request.allowed},
                     "of launches with more, execute about N blocks, in full waves of resident\n"
                     "ones, and estimate the time of all; arrays have what these have written");
  add_seed(options, request.seed);
  options.add("try", "KEY=VALUE", &request.tries,
              "run on the machine with another value, too, and compare line by line:\n"
              "requests_in_flight=4; ';' between several at once");
  options.add("registers", "N", whole(&request.registers, 1, 255),
              "registers of a thread, which PTX does not tell: they limit the\n"
              "resident blocks of a machine with registers");
  add_chart(options, request.chart);
  options.add("trace", "FILE", &request.trace,
              "write every priced request, for replay (.gz: compressed)");
  add_targets(options, request.targets);
  add_limits(options, request.pricing.limits);
  add_engine(options, request.engine);
  add_verbose(options, request.verbose);
  options.then([&request](OptionReader& given, Sources& sources) {
    read_texts(
        given, sources, "launch",
        [](const Sources& texts, std::int32_t text) { return read_launch(texts, text); },
        request.launches);
    read_texts(given, sources, "print", read_elements, request.prints);
    for (const auto& [array, path] : request.output_paths) {
      Result<PendingFile> file = PendingFile::open(path);
      if (given.check(file)) request.outputs.emplace_back(array, std::move(*file));
    }
    if (!request.machine.chosen) request.machine.name = kernel_machine;
    request.command = command_line(ptx_command(), given);
    if (request.chart.file && request.trace)
      given.fail("--timeline", "a trace is written with --trace in the same run",
                 "give one of the two options");
    check_sample(given, request.pricing.sample_blocks, need_all_blocks(request));
    if (request.launch_texts.empty()) check_listing(given);
    request.pricing.explains = request.explain || request.chart.file;
    request.pricing.reference = request.engine == sweep::Engine::reference;
    if (request.verbose) request.pricing.clock = seconds_now;
  });
}

/// The kernels of a file: what `--launch` can name, and with what.
std::string list_of_kernels(const ptx::Device& device) {
  std::string lines;
  for (std::int32_t k = 0; k < device.kernels(); ++k) {
    const ptx::KernelInfo& info = device.kernel({k});
    std::vector<std::string> parameters;
    for (const ptx::KernelParameter& parameter : info.parameters)
      parameters.push_back(
          is_float(parameter.type) ? fmt::format("{}-bit float", 8 * parameter.bytes)
          : parameter.bytes == 8   ? "pointer or 64-bit integer"
          : parameter.bytes < 8    ? fmt::format("{}-bit integer", 8 * parameter.bytes)
                                   : fmt::format("{} bytes", parameter.bytes));
    lines += fmt::format("{}({})\n", ptx::source_name(info.name), fmt::join(parameters, ", "));
  }
  return lines;
}

/// Without launches.
Result<Exit> list_kernels(const PtxRequest& request, const std::string& text, Console& console) {
  ptx::Device device;
  device.set_limits(request.pricing.limits);
  const Result<ptx::ModuleId> module = device.load({{request.path, text}});
  if (!module) return console.fail(module.errors(), device.sources());
  console.out(list_of_kernels(device));
  console.print_error("to launch one: --launch 'KERNEL<<<BLOCKS, THREADS>>>(ARGUMENT, …)'\n");
  return Exit::done;
}

// --- The run.

/// The trace of a run, if it is asked for: opened before it, written on the way.
class PtxTrace {
public:
  Status open(const PtxRequest& request) {
    if (!request.trace) return Done{};
    Result<PendingFile> file = open_trace(*request.trace, request.targets);
    if (!file) return file.errors();
    file_.emplace(std::move(*file));
    return Done{};
  }
  Status begin(const MachineSpec& machine, Limits& limits) {
    if (!file_) return Done{};
    Result<TraceFile> begun = TraceFile::begin(*file_);
    if (!begun) return begun.errors();
    trace_.emplace(std::move(*begun));
    trace_->stop_with(limits);
    writer_.emplace(trace_->out(), machine, no_sources_, std::nullopt, TraceFormat::wide);
    return Done{};
  }
  /// Null: none is written.
  Observer* observer() { return writer_ ? &*writer_ : nullptr; }
  void lines_are_of(const Sources& sources) {
    if (writer_) writer_->lines_are_of(sources);
  }
  Status finish(bool whole, const Console& console) {
    if (!writer_) return Done{};
    writer_->finish(whole);
    return trace_->finish(whole, console);
  }

private:
  Sources no_sources_;
  std::optional<PendingFile> file_;
  std::optional<TraceFile> trace_;
  std::optional<TraceWriter> writer_;
};

Status write_ptx_arrays(PtxRequest& request, const DeviceArrays& arrays) {
  ErrorCollector errors;
  for (auto& [name, file] : request.outputs) {
    const DeviceArray* const array = arrays.find(name);
    if (!array) {
      std::vector<std::string> help = did_you_mean(name, arrays.names());
      if (help.empty())
        help.push_back(arrays.names().empty()
                           ? "no launch has one: an argument such as x: float[1024] makes it"
                           : fmt::format("the launches have {}", fmt::join(arrays.names(), ", ")));
      errors.add(error_in("--output", fmt::format("there is no array '{}'", name), help));
      continue;
    }
    const Result<std::string> content = array_file(file.path(), *array, request.pricing.limits);
    if (errors.check(content)) errors.check(file.write(*content, request.pricing.limits));
  }
  return errors.status();
}

Status write_chart(PtxRequest& request, KernelTimeline& chart, const ptx::Pricing& pricing,
                   const RunReport& report, const DeviceArrays& arrays, const Console& console) {
  const FindMemory find = [&](std::uint64_t address) { return arrays.memory_at(address); };
  const Result<TimelineReport> drawn = chart.take(pricing, report, find);
  if (!drawn) return drawn.errors();
  return write_chart(request.chart, *drawn, pricing.sources(), request.command, console);
}

Result<Exit> finish_run(PtxRequest& request, const LoadedMachine& machine, const PtxRun& run,
                        const std::string& text, TriedMachines tried, KernelTimeline* chart,
                        Console& console) {
  const ptx::Pricing& pricing = run.pricing();
  const DeviceArrays& arrays = run.arrays();
  RunReport report = priced_report(pricing, machine.spec, request.path, sha256(text));
  report.version = version;
  report.machine_path = machine.path;
  report.standard_machine = !request.machine.chosen;
  report.seed = request.seed;
  report.host = host_info();
  report.details = request.details;
  if (chart)
    if (Status drawn = write_chart(request, *chart, pricing, report, arrays, console); !drawn)
      return drawn.errors();
  if (request.explain)
    report.explanation = explained_part(
        explained_kernels(pricing, machine.spec, request.command, request.pricing.limits));
  report.tries = std::move(tried.parts);
  if (request.trace) report.run.engine.reason = "--trace needs it";
  if (request.verbose)
    console.print_error(sweep::engine_text(report.run.engine, pricing.sources()) +
                        engine_work_text(report.run.engine.work) +
                        phase_seconds_text(report.run.engine.seconds));
  Exit exit = exit_of(report, pricing.sources(), console);
  if (exit == Exit::error) return exit;
  if (exit == Exit::done) exit = tried.exit;
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
        const std::string text = render_run(report, pricing.sources(), format, style);
        return format == Format::table && !prints.empty() ? text + '\n' + prints : text;
      },
      request.targets, is_whole(report.run.stop), console));
  if (!errors.ok()) return errors.errors();
  return exit;
}

Result<std::string> ptx_text(const std::string& path, const Limits& limits) {
  return path.ends_with(".cu")
             ? ptx_of_source(path, "ptx", limits)
             : read_file(path, most_ptx_bytes, {"this is no PTX that nvcc made"}, limits);
}

Result<Exit> run_ptx(PtxRequest& request, OptionReader& given, Sources& sources, Console& console) {
  const InterruptGuard guard;
  ErrorCollector errors = given;
  const Result<LoadedMachine> machine = load_selected_machine(sources, request.machine);
  if (errors.check(machine)) errors.check(ptx::Pricing::check(machine->spec));
  std::vector<MachineTry> tries;
  if (errors.ok()) errors.take(read_machine_tries(request, *machine, sources), tries);
  errors.take(ptx_path(request.path), request.path);
  errors.check(note_read(request.path));
  PtxTrace trace;
  errors.check(trace.open(request));
  if (!errors.ok()) return errors.errors();
  const Result<std::string> text = ptx_text(request.path, request.pricing.limits);
  if (!text) return text.errors();
  Limits& limits = request.pricing.limits;
  RunProgress progress;
  ProgressLine line(text_of_run(progress));
  if (line.is_shown()) limits.progress = &progress;
  line.show_with(limits);
  if (request.launches.empty()) return list_kernels(request, *text, console);
  if (Status begun = trace.begin(machine->spec, limits); !begun) return begun.errors();
  std::optional<KernelTimeline> chart;
  if (request.chart.file) chart.emplace(machine->spec, request.chart.window);
  PtxRun run(
      request, machine->spec, sources,
      [&](const std::string& note) { console.print_error(note + '\n'); },
      chart ? &*chart : trace.observer());
  if (const Status loaded = run.load(*text); !loaded)
    return console.fail(loaded.errors(), run.device().sources());
  trace.lines_are_of(run.pricing().sources());
  if (chart) chart->lines_are_of(run.pricing().sources());
  const Status ran = run.launch([&](const std::string& said) { console.print_error(said); });
  const bool whole = ran.ok() && !run.fault() && run.pricing().stop() == Stop::none;
  TriedMachines tried;
  if (whole) tried = try_machines(request, *text, run, machine->spec, tries, sources);
  line.erase();
  const Status traced = trace.finish(whole, console);
  if (!ran) return ran.errors();
  if (!traced) return traced.errors();
  if (run.fault()) return Exit::error;
  return finish_run(request, *machine, run, *text, std::move(tried), chart ? &*chart : nullptr,
                    console);
}

} // namespace

Command ptx_command() {
  return {
      "ptx",
      "FILE.ptx [--launch LAUNCH] [options]",
      "run kernels of a PTX file without a GPU, and price them on a machine",
      "Execute kernels that nvcc has compiled to PTX (nvcc -ptx -lineinfo), without a GPU, and\n"
      "show what they cost on a machine with warps of 32 threads: time, requests, stages, bank\n"
      "conflicts and races by line of the CUDA source. Accesses to local memory, parameters\n"
      "and constants are not priced. Without --launch, list the kernels of the file.",
      call_with(ptx_options, run_ptx),
      {"memlane ptx transpose.ptx --launch 'naive<<<(8,8),(32,8)>>>(out: "
       "float[256*256], in: float[256*256] = random, 256)' --details",
       "memlane ptx transpose.ptx --set multiprocessors=1 --launch "
       "'padded<<<(4,4),(32,8)>>>"
       "(out: float[2^14], in: float[2^14] = 0.., 128)' --print 'out[0..4]'"}};
}

} // namespace memlane::cli
