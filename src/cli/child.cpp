#include "child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

extern char** environ;

namespace memlane::cli {

namespace {

// A signal handler can reach nothing else.
std::atomic<pid_t> passing_to = 0;

extern "C" void pass_signal_on(int signal, siginfo_t* info, void*) {
  // Of the terminal (the kernel), the child has got it, too.
  const pid_t child = passing_to;
  if (child > 0 && info->si_code <= 0) kill(child, signal);
}

constexpr std::array passed_signals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

class PassSignals {
public:
  PassSignals() {
    struct sigaction action {};
    action.sa_sigaction = pass_signal_on;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    for (std::size_t k = 0; k < passed_signals.size(); ++k)
      sigaction(passed_signals[k], &action, &before_[k]);
  }
  ~PassSignals() {
    passing_to = 0;
    for (std::size_t k = 0; k < passed_signals.size(); ++k)
      sigaction(passed_signals[k], &before_[k], nullptr);
  }
  PassSignals(const PassSignals&) = delete;
  PassSignals& operator=(const PassSignals&) = delete;

private:
  std::array<struct sigaction, passed_signals.size()> before_{};
};

/// The environment with some variables set anew.
std::vector<std::string>
environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (const auto& [name, value] : variables) all.push_back(name + '=' + value);
  for (char** at = environ; *at; ++at) {
    const std::string entry = *at;
    bool set = false;
    for (const auto& [name, value] : variables)
      set = set || entry.compare(0, name.size() + 1, name + '=') == 0;
    if (!set) all.push_back(entry);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

} // namespace

TemporaryFolder::TemporaryFolder(const std::string& use) {
  std::error_code code;
  path_ = (std::filesystem::temp_directory_path(code) / ("memlane-" + use + "-XXXXXX")).string();
  if (code || !mkdtemp(path_.data())) path_.clear();
}

void TemporaryFolder::remove() {
  std::error_code code;
  if (!path_.empty()) std::filesystem::remove_all(path_, code);
  path_.clear();
}

std::string found_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path ? path : "";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, end)) / name;
    std::error_code code;
    if (std::filesystem::is_regular_file(candidate, code) && access(candidate.c_str(), X_OK) == 0)
      return candidate.string();
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return {};
}

namespace {

/// Starts a program; errno, or 0. With files of its own it has a process group of its own, too.
int start_child(const std::vector<std::string>& words,
                const std::vector<std::pair<std::string, std::string>>& variables,
                const posix_spawn_file_actions_t* files, pid_t& child) {
  const bool own_group = files != nullptr;
  std::vector<std::string> arguments = words, environment = environment_with(variables);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // What memlane ignores for itself would stay ignored.
  sigset_t standard;
  sigemptyset(&standard);
  sigaddset(&standard, SIGPIPE);
  sigaddset(&standard, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &standard);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
      &attributes,
      static_cast<short>(POSIX_SPAWN_SETSIGDEF | (own_group ? POSIX_SPAWN_SETPGROUP : 0)));
  const int error = posix_spawnp(&child, arguments.front().c_str(), files, &attributes,
                                 pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  return error;
}

ChildEnd end_of_child(pid_t child) {
  ChildEnd end;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) {
      end.start_error = errno;
      return end;
    }
  if (WIFSIGNALED(status))
    end.signal = WTERMSIG(status);
  else
    end.status = WEXITSTATUS(status);
  return end;
}

} // namespace

ChildEnd run_child(const std::vector<std::string>& words,
                   const std::vector<std::pair<std::string, std::string>>& variables) {
  const PassSignals passing;
  pid_t child = 0;
  ChildEnd end;
  end.start_error = start_child(words, variables, nullptr, child);
  if (end.start_error != 0) return end;
  passing_to = child;
  return end_of_child(child);
}

namespace {

/// Waits until a process has ended, which stays for waitpid. Ends its group once `ends` says so:
/// it may catch the first signal, and clean up.
void watch_child(pid_t child, const std::function<bool()>& ends) {
  using namespace std::chrono_literals;
  constexpr int patience = 200; // pauses until the second signal
  std::chrono::milliseconds pause = 1ms;
  for (int signalled = 0;; std::this_thread::sleep_for(pause)) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return;
    if (info.si_pid != 0) return;
    pause = std::min<std::chrono::milliseconds>(pause * 2, 10ms);
    if (signalled == 0 && !ends()) continue;
    if (signalled == 0) kill(-child, SIGTERM);
    if (++signalled == patience) kill(-child, SIGKILL);
  }
}

} // namespace

ChildEnd run_quiet_child(const std::vector<std::string>& words, const std::string& output,
                         const std::function<bool()>& ends,
                         const std::vector<std::pair<std::string, std::string>>& variables) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  ChildEnd end;
  end.start_error = start_child(words, variables, &files, child);
  posix_spawn_file_actions_destroy(&files);
  if (end.start_error != 0) return end;
  watch_child(child, ends);
  return end_of_child(child);
}

void end_as_child_did(int signal) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(signal, SIG_DFL);
  raise(signal);
  _exit(128 + signal); // it does not end programs by itself
}

} // namespace memlane::cli
