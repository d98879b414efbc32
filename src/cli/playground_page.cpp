#include "playground_page.hpp"

#include "files.hpp"

#include "memlane/points/kernel_command.hpp"
#include "memlane/points/playground_link.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

namespace memlane::cli {
namespace {

constexpr std::size_t most_page_bytes = std::size_t{16} << 20;
/// Where the page reads what it opens at (src/pages/playground/main.js).
constexpr std::string_view setting_element = "id=\"memlane-setting\">";

} // namespace

Result<std::string> find_playground() {
  namespace fs = std::filesystem;
  // An installed page is beside programs and configs, one of a source folder where bootstrap.sh
  // makes it.
  const fs::path home = data_home();
  std::error_code none;
  for (const fs::path& path :
       {home / "playground.html", home / "build" / "playground" / "playground.html"})
    if (fs::is_regular_file(path, none)) return path.string();
  return error_in("", "the playground is not built",
                  {"in memlane's source folder, './bootstrap.sh playground' builds it; after that, "
                   "'cmake --install build/release' installs it, too"});
}

Result<std::string> playground_text() {
  const Result<std::string> path = find_playground();
  if (!path) return path.errors();
  return read_file(*path, most_page_bytes);
}

Result<std::string> playground_at(const std::string& fragment) {
  Result<std::string> page = playground_text();
  if (!page) return page;
  const std::size_t at = page->find(setting_element);
  if (at == std::string::npos)
    return error_in("", "the playground is of an older version, which opens at no run",
                    {"'./bootstrap.sh playground' in memlane's source folder builds it again"});
  return page->insert(at + setting_element.size(), fragment);
}

Result<std::string> playground_address(const RunRequest& request, const PreparedRun& run) {
  namespace fs = std::filesystem;
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

Status write_playground(const std::string& page, std::optional<PendingFile>& file,
                        Console& console) {
  if (!file) {
    console.out(page);
    return Done{};
  }
  if (Status written = file->write(page); !written) return written;
  console.out(fmt::format("{}\n", file->path()));
  console.print_error("written: open it in any browser\n");
  return Done{};
}

} // namespace memlane::cli
