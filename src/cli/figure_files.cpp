#include "figure_files.hpp"

#include "files.hpp"
#include "pending_file.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace memlane::cli {
namespace {

constexpr std::size_t most_figure_bytes = std::size_t{4} << 20;

/// The files that SQLite makes beside a store.
constexpr const char* store_endings[] = {"", "-wal", "-shm", "-journal"};

std::filesystem::path shipped_folder() {
  return std::filesystem::path(data_home()) / "configs" / "figures";
}

/// Whether a name comes before another: numbers in them by their values, 6.9 before 6.10.
bool comes_before(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text) {
    return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  };
  while (!a.empty() && !b.empty()) {
    const std::string_view x = digits(a), y = digits(b);
    if (x.empty() || y.empty()) {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1), b.remove_prefix(1);
    } else {
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      a.remove_prefix(x.size()), b.remove_prefix(y.size());
    }
  }
  return a.size() < b.size();
}

Result<std::string> path_of_figure(const std::string& name,
                                   const std::vector<std::string>& shipped) {
  if (std::filesystem::path(name).extension() == ".json") return name;
  if (std::find(shipped.begin(), shipped.end(), name) != shipped.end())
    return short_path((shipped_folder() / (name + ".json")).string());
  std::vector<std::string> help = did_you_mean(name, shipped);
  help.push_back(fmt::format("shipped figures: {}", fmt::join(shipped, ", ")));
  help.push_back("name a figure file of your own by its path, which ends in .json");
  return error_in("--only", fmt::format("unknown figure '{}'", name), std::move(help));
}

} // namespace

std::vector<std::string> shipped_figures() {
  std::vector<std::string> names = names_in(shipped_folder().string(), ".json");
  std::sort(names.begin(), names.end(), comes_before);
  return names;
}

Result<std::vector<FigureSpec>> load_figures(Sources& sources,
                                             const std::vector<std::string>& names, bool quick) {
  const std::vector<std::string> shipped = shipped_figures();
  if (names.empty() && shipped.empty()) return nothing_shipped("figures");
  ErrorCollector errors;
  std::vector<FigureSpec> figures;
  for (const std::string& name : names.empty() ? shipped : names) {
    const auto same = std::count(names.begin(), names.end(), name);
    if (same > 1) {
      errors.add(error_in("--only", fmt::format("'{}' is given {} times", name, same)));
      break;
    }
    std::string path, text;
    if (!errors.take(path_of_figure(name, shipped), path)) continue;
    if (!errors.take(read_file(path, most_figure_bytes, {}, sources.limits()), text)) continue;
    const std::int32_t file = sources.add(path, std::move(text));
    Result<FigureSpec> figure =
        read_figure(sources, file, std::filesystem::path(path).stem().string(), quick);
    if (!errors.check(figure)) continue;
    figure->shipped = std::filesystem::path(name).extension() != ".json";
    figures.push_back(std::move(*figure));
  }
  if (!errors.ok()) return errors.errors();
  return figures;
}

Result<TemporaryStore> TemporaryStore::make() {
  std::error_code none;
  const auto folder = std::filesystem::temp_directory_path(none);
  std::string path = ((none ? "/tmp" : folder) / "memlane-figures-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0)
    return error_in(path, fmt::format("cannot make a temporary store: {}", std::strerror(errno)),
                    {"name one with --store FILE"});
  close(file);
  for (const char* ending : store_endings) remember_temporary(path + ending);
  return TemporaryStore(std::move(path));
}

TemporaryStore::TemporaryStore(TemporaryStore&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

TemporaryStore::~TemporaryStore() {
  if (path_.empty()) return;
  for (const char* ending : store_endings) {
    std::error_code ignored;
    std::filesystem::remove(path_ + ending, ignored);
    forget_temporary(path_ + ending);
  }
}

} // namespace memlane::cli
