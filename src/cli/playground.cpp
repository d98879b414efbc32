// memlane playground: the page that runs programs in a browser.
#include "child.hpp"
#include "command.hpp"
#include "options.hpp"
#include "playground_page.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace memlane::cli {
namespace {

struct PlaygroundRequest {
  std::string output;
};

void playground_options(Options& options, PlaygroundRequest& request) {
  options.add("out,o", "FILE", &request.output,
              "write the page there (-: standard output); open nothing");
}

Result<Exit> playground(PlaygroundRequest& request, OptionReader& /*options*/, Sources& /*sources*/,
                        Console& console) {
  if (!request.output.empty()) {
    const Result<std::string> text = playground_text();
    if (!text) return text.errors();
    std::optional<PendingFile> file;
    if (request.output != "-") {
      Result<PendingFile> opened = PendingFile::open(request.output);
      if (!opened) return opened.errors();
      file.emplace(std::move(*opened));
    }
    if (const Status written = write_playground(*text, file, console); !written)
      return written.errors();
    return Exit::done;
  }
  const Result<std::string> page = find_playground();
  if (!page) return page.errors();
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
