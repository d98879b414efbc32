// The line of progress, on a terminal of the test's own.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include "memlane/support/text.hpp"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace memlane::test {
namespace {

/// All that the command writes to a terminal of so many columns.
std::string on_terminal(const Playground& playground, unsigned short columns,
                        const std::string& command) {
  winsize size{24, columns, 0, 0};
  int terminal = 0;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string& folder = playground.folder();
    setenv("MEMLANE_HOME", folder.c_str(), 1);
    if (chdir(folder.c_str()) != 0) _exit(1);
    execl("/bin/sh", "sh", "-c", ("exec build/release/" + command).c_str(), nullptr);
    _exit(1);
  }
  std::string written;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(terminal, part.data(), part.size())) > 0;)
    written.append(part.data(), static_cast<std::size_t>(got));
  close(terminal);
  waitpid(child, nullptr, 0);
  return written;
}

constexpr std::string_view erase_to_end = "\x1b[K";

/// The texts that were shown over each other.
std::vector<std::string> shown_lines(const std::string& written) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; (at = written.find('\r', at)) != std::string::npos; ++at) {
    const std::size_t end = written.find(erase_to_end, at);
    const std::size_t next = written.find('\r', at + 1);
    if (end < next && end > at + 1) lines.push_back(written.substr(at + 1, end - at - 1));
  }
  return lines;
}

} // namespace

TEST_CASE("a long run shows its progress on one line of the terminal, and erases it", "[release]") {
  const Playground playground;
  const std::string command = "memlane run sum -D n=2^24 --engine reference --max-seconds 2";
  const std::string written = on_terminal(playground, 40, command);
  const std::vector<std::string> lines = shown_lines(written);
  REQUIRE_FALSE(lines.empty());
  for (const std::string& line : lines) CHECK(display_width(line) < 40);
  CHECK(written.find("\r\x1b[Kstopped at the limit of --max-seconds") != std::string::npos);
  CHECK(playground.run(command).err.find('\r') == std::string::npos);
}

TEST_CASE("lists and explanations go on in further lines of a narrow terminal") {
  const Playground playground;
  for (const char* command :
       {"list programs", "list exercises", "demo", "help", "explain counts", "explain word",
        "explain machine hmm-h200", "explain schema", "explain ptx", "explain model"}) {
    INFO(command);
    const std::string written = on_terminal(playground, 100, std::string("memlane ") + command);
    std::size_t lines = 0;
    for (std::size_t at = 0; at < written.size(); ++lines) {
      const std::size_t end = std::min(written.find("\r\n", at), written.size());
      INFO(written.substr(at, end - at));
      CHECK(display_width(written.substr(at, end - at)) <= 100);
      at = end + 2;
    }
    CHECK(lines > 5);
    const std::string piped = playground.run(std::string("memlane ") + command).out;
    CHECK(static_cast<std::size_t>(std::count(piped.begin(), piped.end(), '\n')) <= lines);
  }
}

TEST_CASE("a terminal without colours gets none") {
  const Playground playground;
  const std::string run = "memlane run sum --claims";
  unsetenv("NO_COLOR");
  setenv("TERM", "xterm", 1);
  CHECK(on_terminal(playground, 100, run).find("\x1b[3") != std::string::npos);
  setenv("TERM", "dumb", 1);
  CHECK(on_terminal(playground, 100, run).find('\x1b') == std::string::npos);
  unsetenv("TERM");
}

TEST_CASE("verify counts all runs of a program that are done", "[release]") {
  const Playground playground;
  const std::string written = on_terminal(
      playground, 120, "memlane verify congestion --engine reference -j 1 --max-seconds 3");
  std::int64_t before = 0;
  for (const std::string& line : shown_lines(written)) {
    INFO(line);
    REQUIRE(line.rfind("congestion: ", 0) == 0);
    const std::int64_t done = std::strtoll(line.c_str() + 12, nullptr, 10);
    CHECK(done >= before);
    before = done;
  }
  CHECK(before > 0);
}

TEST_CASE("a sweep shows points done, their rate, the time that is left and the longest run",
          "[release]") {
  const Playground playground;
  const std::string written = on_terminal(
      playground, 120,
      "memlane sweep sum -D n=2^24 --set latency=1..3 --engine reference --max-seconds 2 -j 2 "
      "--store s.db");
  const std::vector<std::string> lines = shown_lines(written);
  REQUIRE_FALSE(lines.empty());
  const auto some_line_has = [&](const char* text) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  };
  CHECK(some_line_has("0 of 3 points; longest: sum on umm-w32, n=16777216, latency="));
  CHECK(some_line_has(" of 3 points, "));
  CHECK(some_line_has(" left; longest: "));
  CHECK(written.find("3 points stopped at a limit") != std::string::npos);
}

} // namespace memlane::test
