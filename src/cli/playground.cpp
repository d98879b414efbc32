// memlane playground: the page that runs programs in a browser.
#include "playground.hpp"

#include "child.hpp"
#include "command.hpp"
#include "files.hpp"
#include "options.hpp"
#include "pending_file.hpp"

#include "memlane/points/kernel_command.hpp"
#include "memlane/points/playground_link.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

struct PlaygroundRequest {
  std::string output;
};

void playground_options(Options& options, PlaygroundRequest& request) {
  options.add("out,o", "FILE", &request.output,
              "write the page there (-: standard output); open nothing");
}

Result<Exit> playground(PlaygroundRequest& request, OptionReader& /*options*/, Sources& /*sources*/,
                        Console& console) {
  const Result<std::string> page = playground_page();
  if (!page) return page.errors();
  if (!request.output.empty()) {
    const Result<std::string> text = read_file(*page, most_playground_bytes);
    if (!text) return text.errors();
    if (request.output == "-") {
      console.out(*text);
      return Exit::done;
    }
    Result<PendingFile> file = PendingFile::open(request.output);
    if (!file) return file.errors();
    if (const Status written = file->write(*text); !written) return written.errors();
    console.out(fmt::format("{}\n", request.output));
    console.print_error("written: open it in any browser\n");
    return Exit::done;
  }
  if (isatty(STDOUT_FILENO) == 0) { // a script wants to know where the page is
    console.out(fmt::format("{}\n", *page));
    return Exit::done;
  }
  const std::string opener = found_in_path("xdg-open");
  if (!opener.empty()) {
    const ChildEnd end = run_child({opener, *page}, {});
    if (end.start_error == 0 && end.signal == 0 && end.status == 0) return Exit::done;
  }
  console.out(fmt::format("{}\n", *page));
  console.print_error("no browser could be started here: open this file in one\n");
  return Exit::done;
}

} // namespace

/// An installed page is beside programs and configs, one of a source folder where bootstrap.sh
/// makes it.
Result<std::string> playground_page() {
  const fs::path home = data_home();
  std::error_code none;
  for (const fs::path& path :
       {home / "playground.html", home / "build" / "playground" / "playground.html"})
    if (fs::is_regular_file(path, none)) return path.string();
  return error_in("", "the playground is not built",
                  {"in memlane's source folder, './bootstrap.sh playground' builds it; after that, "
                   "'cmake --install build/release' installs it, too"});
}

Result<std::string> playground_address(const RunRequest& request, const PreparedRun& run) {
  const fs::path file = run.program.info.path;
  std::error_code none;
  const std::string shipped = fs::relative(file, data_home(), none).generic_string();
  const bool is_shipped = !none && shipped.starts_with("programs/");
  std::string_view text;
  for (std::int32_t k = 0; k < run.sources.count(); ++k)
    if (run.sources.path(k) == run.program.info.path) text = run.sources.text(k);
  const Result<std::string> fragment = sweep::playground_fragment(
      request.recipe, is_shipped ? shipped : file.filename().string(), text);
  if (!fragment) return fragment.errors();
  return "playground.html" + *fragment;
}

Result<std::string> playground_address(const std::string& words) {
  RunRequest request;
  Options options;
  add_run(options, request);
  const Result<std::vector<std::string>> line = sweep::shell_words(words);
  if (!line) return line.errors();
  const Result<Arguments> arguments = options.parse(*line);
  if (!arguments) return arguments.errors();
  Sources sources;
  OptionReader given(*arguments);
  options.receive(given, sources);
  PreparedRun prepared{sources};
  if (const Status ready = prepare(request, given, prepared); !ready) return ready.errors();
  return playground_address(request, prepared);
}

Command playground_command() {
  return {
      "playground",
      "[-o FILE]",
      "open the page that runs programs in a browser",
      "Open the playground in a browser: write a program, change a number, and see banks,\n"
      "stages and time change at once. It needs no network: the page has all of memlane's\n"
      "language and machines. If the output is no terminal, only print where the page is. With\n"
      "-o, write the page to a file, to share it or put it on a web server.\n"
      "'./bootstrap.sh playground' builds it.",
      call_with(playground_options, playground),
      {"memlane playground", "memlane playground -o playground.html"}};
}

} // namespace memlane::cli
