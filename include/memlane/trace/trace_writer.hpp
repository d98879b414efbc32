// Writes the request trace of a run.
#pragma once

#include "memlane/engine/observer.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/diagnostic.hpp"
#include "memlane/trace/trace.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

namespace memlane {

/// Whether runs of the program on the machine have steps that only TraceFormat::wide can say.
bool wants_wide_trace(const ir::Program& program, const MachineSpec& machine);

/// Writes JSON Lines, one for each step. The header has the first launch's shape, the default of
/// the others. Lines name their file where it is not `program`; without it none does. Requests of
/// lanes with several words, atomics and registers require a format that has them. Errors are the
/// stream's. `sources` must outlive the writer.
class TraceWriter : public Observer, public TimeObserver {
public:
  TraceWriter(std::ostream& out, const MachineSpec& machine, const Sources& sources,
              std::optional<std::int32_t> program = 0, TraceFormat format = TraceFormat::plain);
  /// The sources that lines are in, where they are known only now; they must outlive the writer.
  void lines_are_of(const Sources& sources) { sources_ = &sources; }

  void concurrent_begins(std::int64_t stage) override;
  void concurrent_ends() override;
  void launch_begins(std::int64_t launch, const LaunchShape& shape,
                     std::string_view kernel) override;
  void launch_ends(std::int64_t launch, const LaunchTally& tally) override;
  TimeObserver* times() override { return this; }
  void dispatched(const Dispatch& dispatch) override;
  void computed(std::int64_t launch, WarpRef warp, std::int64_t count, OperationClass operation,
                Cycles until) override;
  void arrived(std::int64_t launch, WarpRef warp) override;
  bool wants_waits() const override { return format_ == TraceFormat::wide; }
  void awaits(std::int64_t launch, WarpRef warp, const Step& wait) override;
  /// Call it after the run. Writes the header if there was no launch, and, for a complete run, a
  /// last line that counts the requests.
  void finish(bool complete);

private:
  void write_header(const LaunchShape& shape);
  void write_launch(std::int64_t launch);
  void begin_step(std::int64_t launch, WarpRef warp);
  bool tells_lines_of(std::int32_t file) const;
  void write_line(SourceLine line);

  std::ostream& out_;
  const Sources* sources_;
  std::optional<std::int32_t> program_; ///< none: any file
  TraceFormat format_;
  std::int64_t width_;
  std::int64_t threads_;
  bool has_shared_;
  bool has_global_;
  std::string units_; ///< what the header says of the units
  bool has_header_ = false;
  LaunchShape defaults_;
  LaunchShape shape_;                 ///< the current launch's shape
  std::optional<std::int64_t> stage_; ///< the launches of the current `concurrent` share it
  std::int64_t requests_ = 0;         ///< the number of requests written
  bool launch_written_ = false;       ///< the current launch has a line of its own or a request
  std::string line_;                  ///< a member to reuse its storage
};

/// The JSON Schema of a line of a trace.
nlohmann::ordered_json trace_line_schema();

} // namespace memlane
