// memlane cuda: a CUDA program on memlane instead of a GPU.
#include "command.hpp"
#include "cuda_program.hpp"
#include "cuda_report.hpp"
#include "cuda_run.hpp"
#include "files.hpp"
#include "kernel_chart.hpp"
#include "kernel_options.hpp"
#include "nvcc.hpp"
#include "pending_file.hpp"
#include "program.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/kernels/price_order.hpp"
#include "memlane/ptx/fault.hpp"
#include "memlane/study/results/point_results.hpp"
#include "memlane/support/sha256.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

bool is_source(const std::string& program) { return fs::path(program).extension() == ".cu"; }

/// The program that nvcc makes of a .cu file.
Result<std::string> compiled(const std::string& source, const std::vector<std::string>& options,
                             const std::string& folder) {
  const std::string program = (fs::path(folder) / fs::path(source).stem()).string();
  std::vector<std::string> words = {"-cudart", "shared", "-lineinfo"};
  words.insert(words.end(), options.begin(), options.end());
  const Status made = run_nvcc(source, words, program,
                               "nvcc -cudart shared -lineinfo my.cu -o my; the program then runs "
                               "here without CUDA");
  if (made) return program;
  Diagnostics errors = made.errors();
  const Result<std::string> text = read_file(source, std::size_t{1} << 28);
  if (text && text->find("main") == std::string::npos)
    errors.back().help.push_back(
        fmt::format("it has no main: memlane ptx {} --launch 'KERNEL<<<BLOCKS, THREADS>>>(…)' "
                    "launches its kernels without one",
                    source));
  return errors;
}

struct CudaRequest {
  std::vector<std::string> words; ///< the program and its arguments
  std::string name;               ///< of the program, or of the source that it was made of
  std::vector<std::string> nvcc;
  std::optional<PendingFile> report;
  ptx::FaultKinds allowed;
  bool quiet = false, functions = false;
  MachineSelection machine;
  PriceOrder order;
  Limits limits;
  std::vector<ResultTarget> targets;
  ChartRequest chart;
};

void cuda_options(Options& options, CudaRequest& request) {
  options.take_words("executable", 1, &request.words);
  options.words.except = "functions";
  options.words.passes_on = true;
  add_machine(options, request.machine,
              "a shipped machine or a path with warps of 32 threads; hmm-titan-plain if not\n"
              "given");
  options.flag("no-price", &request.order.prices, "execute the kernels only, which is faster");
  add_kernel_options(
      options,
      {request.order.races, request.order.sample_blocks, request.order.details,
       request.order.explains, request.allowed},
      "of launches with more, price about N blocks, in full waves of resident ones,\n"
      "and estimate the time of all; the others are executed, and not priced");
  add_chart(options, request.chart);
  add_targets(options, request.targets);
  add_limits(options, request.limits, &request.order.most_seconds);
  options.add("kernel", "NAME", &request.order.choice.kernels,
              "price and report launches of this kernel only; may be given several\n"
              "times. All are executed");
  options.add("launches", "LIST", parsed(&request.order.choice.ranges, read_launch_ranges),
              "price and report these launches only, e.g. 1,5-7 or 10-; the first is 0");
  options.add("report", "FILE", opened(&request.report), "write a line of JSON for each launch");
  options.flag("quiet,q", &request.quiet, "nothing on standard error after the program has ended");
  options.add("nvcc", "WORD", &request.nvcc,
              "a word more for nvcc, e.g. --nvcc=-O1 (of a .cu file)");
  options.flag("functions", &request.functions,
               "list the functions of CUDA's runtime that programs may call");
  options.then([&request](OptionReader& given, Sources&) {
    for (const char* const option :
         {"races", "sample-blocks", "details", "explain", "timeline", "format", "out"})
      if (!request.order.prices && given.has(option))
        given.fail(fmt::format("--{}", option), "it is of launches that are priced",
                   "leave out --no-price");
    check_sample(
        given, request.order.sample_blocks,
        {{request.order.explains, "--explain"}, {request.chart.file.has_value(), "--timeline"}});
    if (!request.nvcc.empty() && !request.words.empty() && !is_source(request.words.front()))
      given.fail(
          "--nvcc",
          fmt::format("{} is an executable: nvcc does not compile it", request.words.front()),
          "give the .cu file, or leave out --nvcc");
    if (given.has("max-memory")) request.order.device_memory = request.limits.memory;
    request.order.command = command_line(cuda_command(), given);
  });
}

Result<Exit> list_functions(Console& console, const Limits& limits) {
  const auto names = cudart_functions(13, limits);
  if (!names) return names.errors();
  for (const std::string& name : *names) console.out(name + '\n');
  return Exit::done;
}

/// A note about words behind the program that are long options of memlane's own.
std::string note_on_arguments(const std::vector<std::string>& words, const std::string& program) {
  const Options own = cuda_command().options();
  for (std::size_t k = 1; k < words.size(); ++k)
    if (words[k].starts_with("--") && own.find(words[k].substr(2, words[k].find('=') - 2)))
      return fmt::format("note: {} is passed to the program; options of memlane stand before it: "
                         "memlane cuda {} {}\n",
                         words[k], words[k], program);
  return "";
}

/// Completes what is asked of the library.
Status complete_order(CudaRequest& request, const LoadedMachine& machine, const std::string& folder,
                      TableStyle style) {
  PriceOrder& order = request.order;
  const Result<std::string> program = read_file(request.words.front(), most_executable_bytes);
  if (!program) return program.errors();
  order.program = request.name;
  order.sha256 = sha256(*program);
  order.machine = machine.spec;
  order.machine_path = machine.path;
  order.standard_machine = !request.machine.chosen;
  order.most_steps = request.limits.steps;
  order.most_time = request.limits.time;
  order.most_memory = request.limits.memory;
  order.version = version;
  order.host = host_info();
  order.style = style;
  for (const ResultTarget& target : request.targets) order.formats.push_back(target.format);
  order.folder = folder;
  if (request.chart.file) order.chart = request.chart.format;
  order.window = request.chart.window;
  return Done{};
}

/// That a race, if there is one, is not found; empty: races are looked for.
std::string note_on_races(const CudaRequest& request) {
  if (!request.order.prices)
    return "  races were not looked for; without --no-price they are counted\n";
  return request.order.races == ptx::RaceCheck::off
             ? "  races were not looked for; --races count finds them\n"
             : "";
}

/// The result that the library has written, to all targets. The program has standard output: what
/// has no file goes to standard error.
Status write_priced(CudaRequest& request, bool whole, bool launched, Console& console) {
  ErrorCollector errors;
  if (!request.order.prices) return Done{};
  for (ResultTarget& target : request.targets) {
    const std::string path = request.order.result_path(target.format);
    std::error_code code;
    if (!fs::is_regular_file(fs::symlink_status(path, code))) {
      // The summary says that no kernel was launched.
      if (launched)
        errors.add(error_in(path,
                            "the program has left no result: it ended before one was written, "
                            "the disk is full, or the program has removed it",
                            {"TMPDIR names another place for temporary files"}));
      continue;
    }
    const Result<std::string> text = read_file(path, most_report_bytes);
    if (!errors.check(text)) continue;
    if (target.file)
      errors.check(write_file(*target.file, *text, whole, console));
    else if (!request.quiet)
      console.print_error('\n' + *text);
  }
  return errors.status();
}

/// The time chart that the library has made. False: it could not, and has said why.
Result<bool> write_priced_chart(CudaRequest& request, Console& console) {
  if (!request.chart.file) return true;
  const PriceOrder& order = request.order;
  const auto show = [&](const std::string& path) {
    const Result<std::string> said = read_file(path, most_report_bytes);
    if (said) console.print_error(*said);
    return said.ok();
  };
  if (show(order.chart_errors_path())) return false;
  const Result<std::string> text = read_file(order.chart_path(), most_report_bytes);
  if (!text) {
    console.print_error(fmt::format("'{}' is not written: the program did not come to its end\n",
                                    request.chart.file->path()));
    return false;
  }
  show(order.chart_notes_path());
  if (const Status written = request.chart.file->write(*text); !written) return written.errors();
  return true;
}

Result<Exit> cuda(CudaRequest& request, Sources& sources, Console& console) {
  if (request.functions) return list_functions(console, sources.limits());
  if (!request.machine.chosen) request.machine.name = kernel_machine;
  const Result<LoadedMachine> machine = load_selected_machine(sources, request.machine);
  if (!machine) return machine.errors();
  if (const Status fits = ptx::Pricing::check(machine->spec); !fits) return fits.errors();
  TemporaryFolder folder("cuda");
  if (folder.path().empty())
    return error_in("", "no folder for temporary files can be made",
                    {"TMPDIR names another place"});
  const std::string& word = request.words.front();
  const Result<std::string> program =
      is_source(word) ? compiled(word, request.nvcc, folder.path()) : program_path(word);
  if (!program) return program.errors();
  if (const Status usable = check_cuda_program(*program, sources); !usable) return usable.errors();
  request.name = is_source(word) ? word : *program;
  request.words.front() = *program;
  if (const Status whole = complete_order(request, *machine, folder.path(),
                                          {false, console.style(STDERR_FILENO).columns});
      !whole)
    return whole.errors();
  const Result<ReportedRun> run =
      run_with_runtime(request.words, request.order, names_of(request.allowed), RunOutput::own);
  if (!run) return run.errors();
  const ChildEnd& end = run->end;
  const CudaSummary summary = summary_of(run->lines, request.order.choice);
  // What a program shall read stands alone.
  const bool is_read =
      std::any_of(request.targets.begin(), request.targets.end(), [](const ResultTarget& target) {
        return !target.file && target.format != Format::table;
      });
  if (!request.quiet) console.print_error(note_on_arguments(request.words, request.name));
  if (!request.quiet && !is_read)
    console.print_error(
        summary_text(summary, !request.order.prices, console.style(STDERR_FILENO).columns) +
        (summary.launches > 0 ? note_on_races(request) : ""));
  if (request.report)
    if (const Status written = request.report->write(summary.lines); !written)
      return written.errors();
  const Status priced = write_priced(request, end.signal == 0, summary.all_launches > 0, console);
  const Result<bool> drawn = write_priced_chart(request, console);
  if (!drawn) return drawn.errors();
  folder.remove();
  if (!priced) console.fail(priced.errors(), sources);
  if (end.signal != 0) end_as_child_did(end.signal);
  if (const Status there = check_chosen(summary, request.order.choice); !there && end.status == 0)
    return there.errors();
  if ((!priced || !*drawn) && end.status == 0) return Exit::error;
  if (end.status != 0) return static_cast<Exit>(end.status);
  if (summary.stop == Stop::none && !summary.fatal.empty())
    return error_in(request.name,
                    fmt::format("its status is 0, but a fault ended a launch ({}), and all "
                                "later calls of CUDA failed",
                                summary.fatal),
                    {"a program knows of it by the error of cudaDeviceSynchronize() or of a copy"});
  return exit_after(summary.stop);
}

} // namespace

Command cuda_command() {
  return {
      "cuda",
      "EXECUTABLE [arguments]",
      "run a CUDA program without a GPU",
      "EXECUTABLE was linked by nvcc with the shared runtime (nvcc -cudart shared -lineinfo\n"
      "my.cu -o my), or it is a .cu file, which nvcc compiles first where it is installed.\n"
      "Its kernels are executed from their PTX; the program's own input, output and exit status\n"
      "are as ever; but 0 becomes 3 if a limit ends a launch, and 2 after a fault, or a race that\n"
      "is an error. What its launches cost on a machine follows on standard error: time, "
      "requests,\n"
      "stages, conflicts and races by line of the source. Neither a GPU nor a driver nor CUDA\n"
      "is needed. Options stand before EXECUTABLE; what follows it is the program's. The device\n"
      "has 16 GiB of memory, or BYTES with --max-memory BYTES.",
      call_with(cuda_options, cuda),
      {"memlane cuda --functions"}};
}

} // namespace memlane::cli
