// The result store: one SQLite file, one row for each point, written as points end.
#pragma once

#include "memlane/support/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace memlane::sweep {

/// A value of a column: nothing, a number, or a text.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
/// The number of a cell, if it holds one.
std::optional<double> number_in(const Cell& cell);

/// A column of a result beside the parameters: its name, as in CSV, and its meaning.
struct StoreColumn {
  std::string name;
  std::string meaning;
  /// Says what was run (program, machine), not what came out: many points share its value.
  bool shared = false;
  bool parameter = false; ///< a parameter of the program; only a StoreReader says so
  std::string of = {};    ///< of another name: the column that it is, or is a part of, if it is one
};

/// Columns that every store has, behind those of its results: how points ended, their keys.
const std::vector<StoreColumn>& store_columns();

/// What a GPU took for a point: a row beside those of the model, not a result of memlane.
struct MeasuredTime {
  std::string device, variant;
  double nanoseconds = 0;
};

/// A result that ended, ready to be stored.
struct StoredPoint {
  std::string key;   ///< SHA-256 of all that the result depends on, 64 hexadecimal digits
  std::string sweep; ///< the name of the sweep that asked for it first
  /// The texts from which the key was made, by part (`program`, `machine`, `parameters`, …), for
  /// --why.
  std::vector<std::pair<std::string, std::string>> key_parts;
  std::vector<std::pair<std::string, Cell>> parameters; ///< all of the program's, keyed by name
  std::vector<Cell> cells;                              ///< one for each column of the store
  std::string json;                                     ///< the whole result, on one line
  double seconds = 0; ///< the run's time, which is no part of the result's content
  std::optional<MeasuredTime> measured = {}; ///< a time that was measured instead of simulated
};

/// How a point of the store ended.
enum class PointStatus : std::uint8_t {
  done,    ///< it has all its counts; its verify or a claim may have failed
  stopped, ///< a limit stopped it: it runs again if the limit is another
  failed,  ///< an error of the program, or a machine that cannot run it
};
/// `done`, `stopped`, `failed`.
std::string_view name_of(PointStatus status);

/// A point and how it ended.
struct WholePoint {
  StoredPoint point;
  PointStatus status = PointStatus::done;
  bool check_failed = false;
  std::string limit;
};

/// What is known of a point without its result.
struct KnownPoint {
  PointStatus status = PointStatus::done;
  bool check_failed = false; ///< its verify or an exact claim failed
  std::string limit;         ///< what stopped it: `--max-seconds 10`; empty: nothing did
  double seconds = 0;
};

/// A store that is open for writing. One thread at a time may use it. Several processes may write
/// one file: SQLite's locks order them, and each waits for another up to a minute.
class Store {
public:
  /// Opens the file, or creates it with these columns; a store of an older version gets the columns
  /// that it lacks. Errors: an empty name, a file that is no store or damaged, of a newer version,
  /// read-only, or in a folder that cannot be written; each says what to do. `check` may stop the
  /// opening, which waits while another process has locked the store; nothing stops adding.
  static Result<Store> open(const std::string& path, const std::vector<StoreColumn>& columns,
                            const std::function<Stop()>& check = {});
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// Whether the store has the point, and how it ended; cost: one look into an index.
  std::optional<KnownPoint> find(std::string_view key) const;
  /// For --why: the last 1000 points are compared with these parts, line by line. The parts of the
  /// one with the fewest differences; empty if there are no points.
  std::vector<std::pair<std::string, std::string>>
  nearest_parts(const std::vector<std::pair<std::string, std::string>>& parts) const;

  /// Adds a point, or replaces the one with its key; it is in the file, safe from the end of the
  /// process, when this returns. Errors: a full disk, a file that has become read-only, a lock that
  /// is held for too long; the store is as before then.
  Status add(const StoredPoint& point, PointStatus status, bool check_failed,
             const std::string& limit);

  /// Calls `work`, and makes one commit of all that it adds, if it has no error: faster than a
  /// commit a point, and nothing is added if it ends in the middle.
  Status in_one_commit(const std::function<Status()>& work);

private:
  struct File;
  explicit Store(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

} // namespace memlane::sweep
