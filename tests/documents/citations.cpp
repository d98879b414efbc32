#include "citations.hpp"

#include "cli/shell.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

namespace memlane::test {
namespace {

namespace fs = std::filesystem;

bool is_text(const fs::path& path) {
  static const std::vector<std::string> endings = {".cpp",  ".hpp", ".cuh", ".cu", ".lane",
                                                   ".json", ".md",  ".sh",  ".py", ".txt"};
  return std::find(endings.begin(), endings.end(), path.extension().string()) != endings.end();
}

bool is_recorded(const std::string& path) {
  return path.rfind("tests/golden/", 0) == 0 || path.rfind("tests/fuzz/corpus/", 0) == 0;
}

} // namespace

std::vector<ProjectFile> project_files() {
  const fs::path root = MEMLANE_SOURCE_DIR;
  std::vector<ProjectFile> files;
  const auto add = [&](const fs::path& path) {
    const std::string name = fs::relative(path, root).generic_string();
    if (is_text(path) && !is_recorded(name)) files.push_back({name, slurp(path.string())});
  };
  for (const char* const folder : {"src", "include", "tests", "programs", "configs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file()) add(entry.path());
  }
  add(root / "README.md");
  std::sort(files.begin(), files.end(),
            [](const ProjectFile& a, const ProjectFile& b) { return a.path < b.path; });
  return files;
}

std::string on_one_line(const std::string& text) {
  std::string line;
  for (const std::string& each : lines_of(text)) {
    const std::size_t begin = each.find_first_not_of(" /#*<");
    if (begin != std::string::npos) line += each.substr(begin);
    line += ' ';
  }
  return line;
}

std::string comments_of(const std::string& text) {
  std::string comments;
  for (const std::string& line : lines_of(text)) {
    std::size_t at = line.find("//");
    if (at != std::string::npos && at > 0 && line[at - 1] == ':') at = std::string::npos; // a URL
    if (at != std::string::npos) comments += line.substr(at) + "\n";
  }
  return on_one_line(comments);
}

std::vector<std::vector<std::string>> matches_of(const std::string& text,
                                                 const std::string& expression) {
  static std::map<std::string, std::regex> compiled; // compiling takes longer than most searches
  const auto found = compiled.try_emplace(expression, expression).first;
  const std::regex& pattern = found->second;
  std::vector<std::vector<std::string>> matches;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern);
       at != std::sregex_iterator(); ++at) {
    matches.emplace_back();
    for (const auto& group : *at) matches.back().push_back(group.str());
  }
  return matches;
}

std::vector<std::string> around(const std::string& text, const std::string& word,
                                std::size_t before, std::size_t after) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) {
    const std::size_t begin = at - std::min(at, before);
    pieces.push_back(text.substr(begin, at - begin + after));
  }
  return pieces;
}

} // namespace memlane::test
