#include "processes.hpp"

#include "files.hpp"
#include "mpi/processes.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <thread>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

/// How many processes the launcher says there are; 1 where no launcher did.
long processes_of_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"})
    if (const char* text = std::getenv(name)) return std::strtol(text, nullptr, 10);
  return 1;
}

/// Beside the program of a build folder, or where an installed one has it.
fs::path module_path() {
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code);
  const fs::path beside = self.parent_path() / "memlane_mpi.so";
  if (!code && fs::exists(beside, code)) return beside;
  return (self.parent_path() / MEMLANE_MODULES_FROM_PROGRAM / "memlane_mpi.so").lexically_normal();
}

Diagnostic no_mpi(const std::string& why) {
  return error_in(
      "mpirun", why,
      {"build memlane again where MPI is installed (Debian: libopenmpi-dev openmpi-bin)",
       "or run shards without MPI: --shard 1/4 … --shard 4/4, then memlane results merge"});
}

} // namespace

bool under_mpirun() { return processes_of_launcher() > 1; }

struct Processes::Module {
  decltype(&memlane_mpi_start) start = nullptr;
  decltype(&memlane_mpi_send) send = nullptr;
  decltype(&memlane_mpi_next) next = nullptr;
  decltype(&memlane_mpi_receive) receive = nullptr;
  decltype(&memlane_mpi_finish) finish = nullptr;
  decltype(&memlane_mpi_abort) abort = nullptr;
  int rank = 0, size = 1;
};

Processes::Processes(std::unique_ptr<Module> module) : module_(std::move(module)) {}
Processes::Processes(Processes&&) noexcept = default;
Processes& Processes::operator=(Processes&&) noexcept = default;
// The others would wait for a process that was ended by an exception.
Processes::~Processes() {
  if (!module_) return;
  std::uncaught_exceptions() > 0 ? module_->abort() : module_->finish();
}

int Processes::rank() const { return module_->rank; }
int Processes::size() const { return module_->size; }

Result<Processes> Processes::join() {
  const fs::path path = module_path();
  std::error_code code;
  if (!fs::exists(path, code)) return no_mpi("this memlane was built without MPI");
  // MPI's own modules need the symbols of its library.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) return no_mpi(fmt::format("MPI cannot be loaded: {}", dlerror()));
  auto module = std::make_unique<Module>();
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  const bool whole =
      find(module->start, "memlane_mpi_start") && find(module->send, "memlane_mpi_send") &&
      find(module->next, "memlane_mpi_next") && find(module->receive, "memlane_mpi_receive") &&
      find(module->finish, "memlane_mpi_finish") && find(module->abort, "memlane_mpi_abort");
  if (!whole) return no_mpi(fmt::format("'{}' is of another version of memlane", path.string()));
  if (module->start(&module->rank, &module->size) != 0) return no_mpi("MPI does not start");
  return Processes(std::move(module));
}

Status Processes::send(int to, const std::string& message) {
  if (module_->send(to, message.data(), static_cast<long>(message.size())) != 0)
    return error_in("mpirun", fmt::format("a message to process {} cannot be sent", to));
  return Done{};
}

Result<std::optional<std::pair<int, std::string>>>
Processes::receive(const std::function<bool()>& idle) {
  using namespace std::chrono_literals;
  // Short runs follow each other at once; while long ones last, the waiting costs nothing.
  std::chrono::microseconds pause = 20us;
  for (;;) {
    int from = 0;
    long count = 0;
    const int found = module_->next(&from, &count);
    if (found < 0) return error_in("mpirun", "messages of other processes cannot be received");
    if (found == 1) {
      std::string message(static_cast<std::size_t>(count), '\0');
      if (module_->receive(from, message.data(), count) != 0)
        return error_in("mpirun", fmt::format("a message of process {} is lost", from));
      return std::optional(std::pair(from, std::move(message)));
    }
    if (!idle()) return std::optional<std::pair<int, std::string>>();
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(pause * 2, 2ms);
  }
}

} // namespace memlane::cli
