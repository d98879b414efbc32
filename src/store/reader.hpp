// A reader of a store: the names that queries use, and what it holds.
#pragma once

#include "database.hpp"
#include "tables.hpp"
#include "texts.hpp"

#include "memlane/store/query.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// Columns by the names that users write, and SQL for each over the view `results`: those of the
/// file, and those of StoreReader::other_names. Names differ by case, which SQLite's do not.
class StoreNames {
public:
  /// `replaced`: texts of the columns that list replacements (`t=padded(1);u=rows`), by column.
  StoreNames(const std::vector<FileColumn>& columns,
             const std::vector<std::pair<std::string, std::vector<std::string>>>& replaced);

  /// The SQL of a column; empty: there is none of this name.
  std::string sql_of(std::string_view name) const;
  /// Names beside the file's, each with its meaning.
  const std::vector<StoreColumn>& other_names() const { return others_; }
  /// Suggestions for a name that is none: the nearest ones, else the columns that most stores need.
  std::vector<std::string> suggestions(const std::string& name) const;
  /// An SQL condition of a user, with the names of the view in place of the user's.
  std::string condition_in_view(std::string_view condition) const;

private:
  /// A parameter, or a name that is added before, wins.
  void add_name(StoreColumn column, std::string sql);
  void add_machine_names();
  void add_replaced(const std::string& column, const std::vector<std::string>& texts);

  std::vector<std::pair<std::string, std::string>> sql_; ///< keyed by name
  std::vector<StoreColumn> others_;
  std::vector<std::string> shown_; ///< the names that are suggested
};

/// Whether the column lists what a point replaces: layouts, fns, types, inputs.
bool lists_replacements(const FileColumn& column);

/// The place of errors of whole queries, which are not conditions of options.
inline constexpr const char* query_place = "query";

/// A query may read and compute, nothing else: no PRAGMA, no ATTACH, no extension.
int allow_reading(void*, int action, const char*, const char* name, const char*, const char*);

/// Removes the files FILE-wal and FILE-shm that SQLite makes for a reader of a store without them,
/// and which a connection for reading only cannot remove. The last connection that may write does
/// it, under SQLite's locks: while another process has the store open, they stay.
class LogRemover {
public:
  explicit LogRemover(const std::string& path);
  LogRemover(const LogRemover&) = delete;
  LogRemover& operator=(const LogRemover&) = delete;
  ~LogRemover();

private:
  std::string path_;
  bool is_wanted_ = false;
};

struct StoreReader::File {
  File(std::unique_ptr<LogRemover> its_log, StoreUse its_use, SQLite::Database its_database)
      : log(std::move(its_log)), use(std::move(its_use)), database(std::move(its_database)),
        texts(database), outputs(database, texts) {}

  void prepare();
  /// An error if the text is no statement, or more than one.
  Status check_alone(const std::string& sql, const std::string& place) const;
  Result<Rows> read(const std::string& sql, const std::string& place) const;
  /// SQL of a column that users write; or an error with the nearest one.
  Result<std::string> column_in_view(const std::string& shown, const std::string& place) const;
  Result<std::string> condition_in_view(const std::string& condition,
                                        const std::string& place) const;
  Diagnostic condition_error(const SQLite::Exception& error, const std::string& place,
                             const std::string& sql = "") const;
  Result<std::string> json_of(std::string_view key) const;
  Result<WholePoint> point_of(SQLite::Statement& query) const;
  std::string point_columns() const;
  void copy_points(const PointTable& table);
  Status add_row(const std::string& table, const AddedRow& row);
  Result<std::string> in_view(const std::vector<std::string>& names,
                              const std::string& place) const;
  bool leaves_trials_out(const RowQuery& query) const;
  Result<std::string> where_clause(const RowQuery& query) const;
  Result<std::string> clauses(const RowQuery& query) const;
  std::string default_order() const;

  std::unique_ptr<LogRemover> log; ///< outlives the connection
  StoreUse use;
  mutable SQLite::Database database;
  mutable StoreTexts texts;
  mutable StoreOutputs outputs;
  std::vector<FileColumn> columns; ///< store_columns() among them
  std::vector<StoreColumn> shown;
  std::optional<StoreNames> names;
  /// The store has inputs that `memlane worst` tried beside other rows: queries that do not name
  /// their columns leave them out.
  bool hides_trials = false;
};

Cell cell_in(const SQLite::Column& column);

/// The names of: what was run, where it differs between the rows of `from` and the columns before
/// do not tell it (a name of a program tells its hash); the time; and how points ended, where one
/// is not done. Reads all rows.
std::vector<std::string> default_columns(SQLite::Database& database,
                                         const std::vector<FileColumn>& columns,
                                         const std::string& from);

} // namespace memlane::sweep
