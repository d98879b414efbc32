// One warp's access on several machines, as people and programs read it.
#pragma once

#include "memlane/machine/bank_search.hpp"
#include "memlane/show/run_report.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// A memory unit that the request is made to.
struct BankUnit {
  std::string machine; ///< as the command line names it
  std::string name;    ///< `memory`, `shared` or `global`
  UnitKind kind = UnitKind::discrete;
};

/// The request on all machines of one shape where its addresses are the same.
struct BankRequest {
  std::vector<BankUnit> units;
  bool has_words = false; ///< the machines say how many bytes a word has
  BankAccess access;
  std::int64_t row_length = 1;
  std::vector<LayoutStages> layouts;
  std::vector<RequestStages> split; ///< of elements of 8 or 16 bytes on a GPU; empty: not split
};

/// A request that a layout is searched for.
struct NamedAccess {
  std::string name, expression;
  std::int64_t weight = 1;
  std::int64_t words = 0; ///< distinct ones
};

/// The layouts that were searched, for all accesses together.
struct BankSearchReport {
  std::vector<NamedAccess> accesses;
  UnitKind unit = UnitKind::discrete; ///< whose stages are counted
  std::int64_t width = 1, elements = 1, row_length = 1;
  std::int64_t words = 1;        ///< of an element
  std::int64_t least_stages = 1; ///< that an access takes at least
  SearchResult result;
};

struct BankReport {
  std::string version;
  std::string expression;
  std::vector<std::pair<std::string, std::string>> parameters; ///< of -D
  std::string active;                                          ///< of --active; empty: all lanes
  std::int64_t warp = 0;
  std::int64_t bytes = 4; ///< of an element
  std::string row_reason; ///< where the length of a row comes from
  std::vector<BankRequest> requests;
  std::optional<BankSearchReport> search; ///< of --best
};

/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json bank_schema();
nlohmann::ordered_json bank_line_schema();
/// Any of the formats, ending with a line end. csv and jsonl: a lane a row. The text table fits 80
/// columns for up to 48 banks.
std::string render_bank(const BankReport& report, Format format);

} // namespace memlane
