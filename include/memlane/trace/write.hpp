// Writes the request trace of a run as it goes on.
#pragma once

#include "memlane/engine/observer.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/source.hpp"

#include <nlohmann/json_fwd.hpp>

#include <ostream>
#include <string>

namespace memlane {

/// An observer that writes JSON Lines, one a step. The first launch's shape is the header's
/// default. Whether writing succeeded is the stream's state. `sources` must live as long; lines
/// are those of file `program`, a request of another file gets none.
class TraceWriter : public Observer {
public:
  TraceWriter(std::ostream& out, const MachineSpec& machine, const Sources& sources,
              std::int32_t program = 0);

  void launch_begins(std::int64_t launch, const LaunchShape& shape,
                     std::string_view kernel) override;
  void launch_ends(std::int64_t launch, const LaunchTally& tally) override;
  bool wants_steps() const override { return true; }
  void dispatched(const Dispatch& dispatch) override;
  void computed(std::int64_t launch, WarpRef warp, std::int64_t count) override;
  void arrived(std::int64_t launch, WarpRef warp) override;
  /// Call it when the run is over: a run without a launch has a header too. A trace of a whole run
  /// ends with a line that counts its requests; that of a stopped run has none.
  void finish(bool whole);

private:
  void write_header(const LaunchShape& shape);
  void write_launch(std::int64_t launch);
  void begin_step(std::int64_t launch, WarpRef warp);

  std::ostream& out_;
  const Sources& sources_;
  std::int32_t program_;
  std::int64_t width_;
  std::int64_t threads_;
  bool has_shared_;
  bool has_global_;
  std::string units_; ///< as in the header
  bool has_header_ = false;
  LaunchShape defaults_;
  LaunchShape shape_;           ///< of the launch at hand
  std::int64_t requests_ = 0;   ///< written so far
  bool launch_written_ = false; ///< its own line, or a request, which makes it known as well
  std::string line_;            ///< kept for its storage
};

/// The JSON Schema of a line of a trace.
nlohmann::ordered_json trace_line_schema();

} // namespace memlane
