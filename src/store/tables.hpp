// The tables of a store: what is in the file, and the view `results` over it.
//
//   columns       what the columns of `subjects` and `points` hold: column 7 is `c7`, since SQLite
//                 does not tell names apart by case and a parameter may be named like a count
//   subjects      what many points share: program, machine, sweep; each combination once
//   points        a point's key, how it ended, its counts and its parameters
//   texts         long texts that many points share: parts of keys, dictionaries
//   dictionaries  the text of `texts` that is zlib's dictionary for a kind of results
//                 (store_output.hpp)
//   outputs       a point's whole result, packed
//   seconds       that a point's run took; apart, since they are no content
#pragma once

#include "memlane/store/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::sweep {

/// In the header of the file, for file(1) and for versions to come: `mLan`.
constexpr std::int32_t store_application = 0x6d4c616e;
constexpr std::int32_t store_format = 2;

enum class ColumnKind : std::uint8_t {
  shared,    ///< a column of `subjects`
  own,       ///< a column of `points`
  parameter, ///< a column of `points` that is a parameter of the program
};

/// A table of the file, without the columns that `columns` lists.
struct StoreTable {
  std::string_view name;
  std::string_view id; ///< its INTEGER PRIMARY KEY
  std::string_view columns;
};
/// All of them; `columns` is the first.
const std::vector<StoreTable>& store_tables();

/// A column of the file.
struct FileColumn {
  std::int64_t number = 0;
  ColumnKind kind = ColumnKind::own;
  std::string name, meaning;
  std::string shown;   ///< users write it: the name, or param_NAME if that is a column's
  std::string in_view; ///< SQLite's name for it, unique without case

  std::string sql_name() const { return "c" + std::to_string(number); }
};

/// `"a ""quoted"" name"`.
std::string quoted_name(const std::string& name);

/// Requires a transaction, and an empty file.
void create_tables(SQLite::Database& database);
/// All columns in the order in which tables show them: shared, parameters by name, own.
std::vector<FileColumn> read_columns(SQLite::Database& database);
/// Adds a column; the view is out of date then. Requires a transaction.
void add_column(SQLite::Database& database, ColumnKind kind, const std::string& name,
                const std::string& meaning);
/// The SELECT behind the view; its table of points is `p`.
std::string view_text(const std::vector<FileColumn>& columns);
/// Requires a transaction.
void create_view(SQLite::Database& database);

} // namespace memlane::sweep
