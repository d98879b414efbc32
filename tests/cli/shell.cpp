#include "shell.hpp"

#include "support/catch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace memlane::test {
namespace {

namespace fs = std::filesystem;

std::string in_quotes(const std::string& word) {
  std::string quoted = "'";
  for (char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace

Playground::Playground() {
  std::string pattern = (fs::temp_directory_path() / "memlane-test-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  folder_ = fs::canonical(pattern).string();
  const fs::path source = MEMLANE_SOURCE_DIR;
  for (const char* shared : {"programs", "configs", "include", "tests", "bootstrap.sh"}) {
    fs::create_symlink(source / shared, fs::path(folder_) / shared);
  }
  fs::create_directories(fs::path(folder_) / "build" / "release");
  fs::create_symlink(MEMLANE_BINARY, fs::path(folder_) / "build" / "release" / "memlane");
  fs::create_directory(fs::path(folder_) / ".streams");
}

Playground::~Playground() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Outcome Playground::run(const std::string& command_line) const {
  const std::string out = folder_ + "/.streams/out", err = folder_ + "/.streams/err";
  const std::string script = "cd " + in_quotes(folder_) + " && T=" + in_quotes(folder_) +
                             " && MEMLANE_HOME=$T && PATH=$T/build/release:$PATH && " +
                             "export T MEMLANE_HOME PATH && unset NO_COLOR; { " + command_line +
                             "\n} > .streams/out 2> .streams/err";
  const int status = std::system(("exec sh -c " + in_quotes(script)).c_str());
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = slurp(out);
  outcome.err = slurp(err);
  return outcome;
}

Outcome Playground::interrupt(const std::string& command) const {
  return run("timeout --preserve-status -s INT 1 " + command);
}

std::string Playground::without_folder(std::string text) const {
  for (std::size_t at = 0; (at = text.find(folder_, at)) != std::string::npos;) {
    text.replace(at, folder_.size(), "$T");
  }
  return text;
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  INFO(path);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void spit(const std::string& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  INFO(path);
  REQUIRE(file.good());
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void write_schemas(const Playground& playground) {
  const Outcome written =
      playground.run("mkdir schemas && memlane explain schema | while read -r name meaning; do "
                     "memlane explain schema \"$name\" > \"schemas/$name.schema.json\"; done");
  INFO(written.err);
  REQUIRE(written.status == 0);
}

} // namespace memlane::test
