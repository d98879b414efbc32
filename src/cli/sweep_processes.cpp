#include "sweep_processes.hpp"

#include "files.hpp"
#include "mpi/processes.h"

#include "memlane/support/text.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <thread>

namespace memlane::cli {
// --- The processes.

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

// --- The sweep.

namespace {

using nlohmann::json;
using sweep::Cell;
using sweep::EndedPoint;
using sweep::PendingPoint;

// A message to process 0 is empty (ready) or an ended point; one from it is a point's number, or
// empty: no more points.

json json_of(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          return nullptr;
        } else {
          return value;
        }
      },
      cell);
}

Cell cell_from(const json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  return {};
}

std::string bytes_of(const EndedPoint& ended) {
  json parameters = json::array(), cells = json::array();
  for (const auto& [name, cell] : ended.stored.parameters)
    parameters.push_back({name, json_of(cell)});
  for (const Cell& cell : ended.stored.cells) cells.push_back(json_of(cell));
  const json message = {ended.number,
                        ended.stored.key,
                        ended.stored.sweep,
                        ended.stored.key_parts,
                        parameters,
                        cells,
                        ended.stored.json,
                        ended.stored.seconds,
                        static_cast<int>(ended.status),
                        ended.check_failed,
                        ended.limit,
                        ended.message,
                        static_cast<int>(ended.stop)};
  std::string bytes;
  json::to_cbor(message, bytes);
  return bytes;
}

/// Requires what bytes_of gives: both ends are one program.
EndedPoint point_from(const std::string& bytes) {
  const json message = json::from_cbor(bytes);
  EndedPoint ended;
  std::size_t at = 0;
  const auto next = [&]() -> const json& { return message.at(at++); };
  ended.number = next();
  ended.stored.key = next();
  ended.stored.sweep = next();
  ended.stored.key_parts = next().get<decltype(ended.stored.key_parts)>();
  for (const json& pair : next())
    ended.stored.parameters.emplace_back(pair.at(0), cell_from(pair.at(1)));
  for (const json& cell : next()) ended.stored.cells.push_back(cell_from(cell));
  ended.stored.json = next();
  ended.stored.seconds = next();
  ended.status = static_cast<sweep::PointStatus>(next().get<int>());
  ended.check_failed = next();
  ended.limit = next();
  ended.message = next();
  ended.stop = static_cast<Stop>(next().get<int>());
  return ended;
}

/// Process 0's side of a sweep.
class Leader {
public:
  Leader(Processes& processes, const sweep::Plan& plan, const sweep::Pending& pending,
         sweep::PointOrder& order, sweep::Store& store, const sweep::SweepRequest& request)
      : processes_(processes), plan_(plan), pending_(pending), order_(order), store_(store),
        request_(request) {}

  Result<sweep::SweepSummary> run();

private:
  bool stopped() {
    const auto& check = request_.runs.limits.run.check;
    return !errors_.empty() || summary_.interrupted || (check && check() != Stop::none);
  }
  Status answer(int worker);
  void store(int worker, const std::string& message);

  Processes& processes_;
  const sweep::Plan& plan_;
  const sweep::Pending& pending_;
  sweep::PointOrder& order_;
  sweep::Store& store_;
  const sweep::SweepRequest& request_;
  std::size_t given_ = 0;               ///< points
  std::map<int, PendingPoint> at_work_; ///< by process
  int ended_ = 0;                       ///< processes without more points
  Diagnostics errors_;                  ///< of the store
  sweep::SweepSummary summary_;
};

/// The next point, or that there is none.
Status Leader::answer(int worker) {
  const bool more = given_ < pending_.points.size();
  if (!more || stopped()) {
    summary_.interrupted = summary_.interrupted || more;
    ++ended_;
    return processes_.send(worker, "");
  }
  const PendingPoint& point = pending_.points[order_.next()];
  ++given_;
  at_work_[worker] = point;
  if (request_.begin) request_.begin(point, plan_.point(point.number).label);
  return processes_.send(worker, fmt::format("{}", point.number));
}

void Leader::store(int worker, const std::string& message) {
  const EndedPoint ended = point_from(message);
  const PendingPoint pending = at_work_[worker];
  at_work_.erase(worker);
  if (ended.stop == Stop::interrupted) {
    // Who interrupts one process means all of them. The next sweep runs this point again.
    summary_.interrupted = true;
    return;
  }
  order_.ended(pending, ended.stored.seconds);
  if (!errors_.empty()) return;
  const Status added = store_.add(ended.stored, ended.status, ended.check_failed, ended.limit);
  if (!added) {
    errors_ = added.errors();
    return;
  }
  add_to(summary_, ended.status, ended.check_failed);
  if (request_.end) request_.end(pending, ended);
}

Result<sweep::SweepSummary> Leader::run() {
  while (ended_ < processes_.size() - 1) {
    const auto idle = [&] { return stopped(), true; }; // the check shows the progress, too
    const auto received = processes_.receive(idle);
    if (!received) return received.errors();
    const auto& [worker, message] = **received;
    if (!message.empty()) store(worker, message);
    if (Status sent = answer(worker); !sent) return sent.errors();
  }
  if (!errors_.empty()) return errors_;
  return summary_;
}

} // namespace

Result<sweep::SweepSummary> lead_sweep(Processes& processes, const sweep::Plan& plan,
                                       const sweep::Pending& pending, sweep::PointOrder& order,
                                       sweep::Store& store, const sweep::SweepRequest& request) {
  return Leader(processes, plan, pending, order, store, request).run();
}

Status work_for_sweep(Processes& processes, const sweep::Plan& plan, const sweep::SweepRuns& runs,
                      const Sources& sources) {
  std::string message;
  for (;;) {
    if (Status sent = processes.send(0, message); !sent) return sent;
    const auto received = processes.receive([] { return true; });
    if (!received) return received.errors();
    const std::string& answer = (*received)->second;
    if (answer.empty()) return Done{};
    const std::int64_t number = number_of<std::int64_t>(answer).value_or(0);
    message = bytes_of(run_planned(plan, number, runs, sources));
  }
}

Status dismiss(Processes& processes) {
  for (int left = processes.size() - 1; left > 0; --left) {
    const auto received = processes.receive([] { return true; });
    if (!received) return received.errors();
    if (Status sent = processes.send((*received)->first, ""); !sent) return sent;
  }
  return Done{};
}

} // namespace memlane::cli
