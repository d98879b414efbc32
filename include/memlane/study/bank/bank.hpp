// The access of one warp at an address that an expression gives: its report.
#pragma once

#include "memlane/points/definitions.hpp"
#include "memlane/show/bank_report.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// A further access of the same array, of --with.
struct BankAccessText {
  std::string name, expression;
  std::int64_t weight = 1;
};

struct BankQuery {
  std::string expression, active; ///< address; condition of active lanes, empty: all are
  std::vector<sweep::NameAndText> parameters;
  std::vector<std::string> definitions; ///< the same, as they were written
  std::vector<std::int64_t> shape;      ///< of --shape; empty: not given
  std::int64_t row = 0;                 ///< of --row; 0: not given
  std::int64_t warp = 0, bytes = 4;
  /// Whether the best layout is searched: for the expression and all further accesses.
  bool best = false;
  std::string name = "access 1"; ///< of the expression
  std::int64_t weight = 1;
  std::vector<BankAccessText> further;
};

/// Errors: of the expressions, a value of -D that they do not name; an index outside of the shape,
/// a warp or a memory that a machine does not have.
Result<BankReport> report_of(Sources& sources, const BankQuery& query,
                             const std::vector<std::pair<std::string, MachineSpec>>& machines,
                             std::string_view version);

} // namespace memlane
