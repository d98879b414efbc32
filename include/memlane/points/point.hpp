// A point: one run, described by all that its result depends on; and the one way to run many.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/claim/prices.hpp"
#include "memlane/count/simulate.hpp"
#include "memlane/lang/checked_program.hpp"
#include "memlane/lang/lower.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::sweep {

enum class Engine : std::uint8_t { fast, reference };

struct Point;
struct PointResult;
/// Runs the command of a bound point within the point's limits; called by several threads. The
/// result's `started` is false if the run was interrupted; it needs no code.
using RunCommand = std::function<PointResult(const Point&)>;

/// One run. Points share programs, code and inputs.
struct Point {
  const CheckedProgram* program = nullptr;
  /// Words behind `memlane` that are run instead of the program, which then has their numbers as
  /// its parameters; empty: the program is run.
  std::vector<std::string> command = {};
  RunCommand run_command = {}; ///< runs it
  std::string own_words = {};  ///< of the command: all but its file and what the machine adds
  std::vector<std::pair<std::string, std::string>> texts =
      {}; ///< values in these words, no numbers
  MachineSpec machine;
  std::vector<lang::ParamValue> parameters; ///< only values that differ from the defaults
  RunOptions options;                       ///< seed, limits, timing_only, inputs, …
  std::vector<PriceRequest> prices = {}; ///< options have the counts that they need: ask_for_counts
  Engine engine = Engine::fast;
  /// Array and where its content comes from, and array and what decides the content: a hash of a
  /// file, or of the program that makes it (where a point's key is wanted).
  std::vector<std::pair<std::string, std::string>> input_sources = {}, input_hashes = {};
  bool claims = true;                      ///< evaluates the program's claims
  std::shared_ptr<const ir::Program> code; ///< what bind_point returned; null: not bound yet
  Observer* observer = nullptr;            ///< sees this run alone; may be null
  /// Bound points whose runs execute the same: they differ in machines' latencies alone
  /// (shares_run) and have no observer. They run with this one, once for all where that is
  /// possible; their counts then have no bounds of latency.
  std::vector<Point> same = {};
};

/// What a command wrote.
struct CommandOutput {
  std::string csv, json; ///< its result; empty: it gave none
  std::string message;   ///< what is wrong with it; empty: nothing
};

/// What a run gave.
struct PointResult {
  std::shared_ptr<const ir::Program> code; ///< null where the point cannot be bound: run.errors
  bool started = false; ///< false: it cannot be bound, or the work was asked to stop before it
  RunResult run;
  std::vector<ClaimOutcome> claims;         ///< empty unless the run came to its end
  double seconds = 0;                       ///< the run's time, by the clock of PointRuns
  std::optional<CommandOutput> output = {}; ///< of a command, whose counts are only there
  std::vector<PointResult> same = {};       ///< of Point::same; empty if the point was not started
};

/// The program with values for its parameters and the machine's letters, which the machine can run;
/// without its data if options.timing_only says so. The check of the point's limits may stop it,
/// or that of the sources if the point has none. Errors: those of lang::lower, check_machine and
/// ir::without_data.
Result<ir::Program> bind_point(const Point& point, const Sources& sources);
/// The bindings that bind_point lowers with; `option` gives a parameter another value, for advice.
lang::Bindings bindings_of(const MachineSpec& machine, std::vector<lang::ParamValue> parameters,
                           std::string_view option = "-D");
/// The parameters of bound code, with their values.
std::vector<ir::Constant> parameters_of(const ir::Program& code);

/// A run on the engine that is asked for; simulate_timing if timing_only. `observer` may be null.
RunResult simulate_on(Engine engine, const ir::Program& program, const MachineSpec& machine,
                      const RunOptions& options, const Sources& sources,
                      Observer* observer = nullptr);
/// Bytes of the arrays of a run, with copies of its inputs and results; 0 for a point over its own
/// limit, whose run only says so.
std::int64_t bytes_of_point(const Point& point, const ir::Program& code);
/// The claims of a run that came to its end; none of others. If the point's limits stop their
/// evaluation, they have stopped the run.
std::vector<ClaimOutcome> claims_of(const Point& point, const ir::Program& code, RunResult& run,
                                    const Sources& sources);
/// Whether a run of the other point, which is bound as this one is, may be one of Point::same. The
/// options of both must be equal.
bool shares_run(const Point& point, const Point& other);
/// Runs one point, which must be bound.
PointResult run_point(const Point& point, const Sources& sources);

/// How many of how many points have ended; called by one thread at a time.
using PointProgress = std::function<void(std::size_t done, std::size_t total)>;

/// How points are run side by side.
struct PointRuns {
  std::size_t jobs = 1;
  std::int64_t memory = INT64_MAX; ///< bytes of the arrays of all points that run at once
  bool in_order = true;            ///< false: results are delivered as the points end
  PointProgress progress = {};     ///< empty: not wanted
  /// Called when the point is bound, before its memory is counted: the place to read its inputs.
  /// Errors end the point. Empty: not wanted.
  std::function<Status(std::size_t number, Point& point, const ir::Program& code)> bound = {};
  /// Called by the thread that runs the point just before it begins, after it may have waited for
  /// memory: the place to set the point's own deadline. Empty: not wanted.
  std::function<void(std::size_t number, Point& point)> begin = {};
  std::function<double()> clock = {}; ///< seconds; empty: none are measured
  /// Results are delivered as points end, by several threads at once.
  bool take_concurrently = false;
};
/// Points that are made when their turn comes.
struct PointSource {
  std::size_t count = 0;
  std::function<Point(std::size_t number)> point; ///< called once for each, by any thread
};
/// Takes the result of a point, by its number; called for one point at a time, by any thread.
using TakeResult = std::function<void(std::size_t point, PointResult result)>;

/// Runs all points and delivers each result with all its counts. Points start in their order, so
/// that large ones should come first; a point that does not fit into the memory beside the running
/// ones waits. After a limits' check asked to stop, no more points start: they are delivered with
/// `started` false and the reason in run.stop. The results do not depend on `jobs`.
void run_points(const PointSource& points, const Sources& sources, const PointRuns& runs,
                const TakeResult& take);
void run_points(const std::vector<Point>& points, const Sources& sources, const PointRuns& runs,
                const TakeResult& take);

/// `stopped at the limit of --max-steps`, `interrupted`, …; empty for none and for an error.
std::string_view stop_text(Stop stop);
/// Which engine made a result and why, how often it restarted, and which accesses it checked for
/// races word by word: a line each.
std::string engine_text(const EngineUse& use, const Sources& sources);

/// Names and texts.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// The parameters of bound code, or of a plan, with their values as texts.
NamedTexts parameter_texts(const std::vector<ir::Constant>& parameters);

/// The parts of a point's key, which has its hashes of inputs. `parameters`: all of the program.
/// Neither paths nor limits nor the engine are part of it. Of a command: its file and words.
NamedTexts key_parts_of(const Point& point, const NamedTexts& parameters);

/// Texts of --price with blanks between, in an order of their own; empty: there are none.
std::string prices_text(const std::vector<PriceRequest>& prices);

/// Whether every run has the same result on both: they may differ in their names and texts.
bool same_machine(const MachineSpec& a, const MachineSpec& b);

/// 64 hexadecimal digits.
std::string key_of(const NamedTexts& parts);

} // namespace memlane::sweep
