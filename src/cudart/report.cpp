#include "runtime.hpp"

#include "memlane/kernels/priced_run.hpp"
#include "memlane/show/machine_code.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace memlane::cudart {

namespace {

/// A text as JSON; control characters as escapes.
std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (quoted += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      quoted += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      quoted += c;
  }
  return quoted + '"';
}
std::string json_dim(const ptx::Dim3& d) { return fmt::format("[{},{},{}]", d[0], d[1], d[2]); }

std::string json_fault(const ptx::LaunchFault& fault) {
  return fmt::format(
      R"({{"fault":{},"allowed":{},"times":{},"message":{},"line":{},"block":{},"thread":{}}})",
      json_text(std::string(name_of(fault.kind))), fault.allowed, fault.times,
      json_text(fault.said.message), json_text(fault.line), json_dim(fault.block),
      json_dim(fault.thread));
}

} // namespace

/// False: there is no report, or its file has gone. A program may have put something else there, at
/// which opening would wait.
bool Report::open_file() {
  static const std::string path = [] {
    const char* const set = std::getenv(report_variable);
    return std::string(set ? set : "");
  }();
  if (path.empty()) return false;
  file_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (file_ < 0 || fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  device_ = status.st_dev;
  number_ = status.st_ino;
  return true;
}

/// A program may have closed the descriptor and opened a file of its own under its number.
bool Report::is_ours() const {
  struct stat status {};
  return file_ >= 0 && fstat(file_, &status) == 0 && status.st_dev == device_ &&
         status.st_ino == number_;
}

/// One write a line, at the file's end: lines of several processes do not mix.
void Report::write(const std::string& line) {
  if (over_ || (!is_ours() && !open_file())) {
    over_ = true;
    return;
  }
  const std::string whole = line + '\n';
  const ssize_t written = ::write(file_, whole.data(), whole.size());
  over_ = written != static_cast<ssize_t>(whole.size());
  if (over_)
    say(fmt::format("warning: later launches are not reported: {}",
                    written < 0 ? std::strerror(errno) : "there is no more space"));
}

std::string Report::machine_code(const ptx::KernelInfo& kernel) {
  if (!known_.insert(kernel.name).second) return "";
  return R"(,"machine_code":)" + machine_code_table().json(machine_code_of(kernel)).dump();
}

void Report::add(const ReportedLaunch& told) {
  std::string faults;
  for (const ptx::LaunchFault& fault : told.result->faults)
    faults += (faults.empty() ? "" : ",") + json_fault(fault);
  const ptx::KernelInfo& kernel = *told.kernel;
  write(fmt::format(
      R"({{"launch":{},"process":{},"kernel":{},"symbol":{},"grid":{},"block":{},"static_shared":{},)"
      R"("dynamic_shared":{},"cooperative":{},"registers":{},"warp_instructions":{},"stop":"{}",)"
      R"("faults":[{}]{}}})",
      told.number, getpid(), json_text(kernel.readable), json_text(kernel.name),
      json_dim(told.launch->grid), json_dim(told.launch->block), kernel.static_shared,
      told.launch->dynamic_shared, told.launch->cooperative, kernel.registers,
      told.result->warp_instructions, name_of(told.result->stop), faults,
      machine_code(kernel) + told.more));
}

void Report::add_error(const std::string& text) {
  write(fmt::format(R"({{"error":{},"process":{}}})", json_text(text), getpid()));
}

} // namespace memlane::cudart
