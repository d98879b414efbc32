// Result strings that were checked, as rows: of a class, or of one.
#pragma once

#include "memlane/grade/class_rows.hpp"
#include "memlane/grade/result_string.hpp"

#include <optional>
#include <string>

namespace memlane::grade {

/// What became of a result string.
enum class ResultVerdict : std::uint8_t { holds, differs, refused };
/// `true`, `false`, `refused`.
std::string_view name_of(ResultVerdict verdict);

struct VerifiedRow {
  std::string from; ///< what is before the string on its line
  ResultVerdict verdict = ResultVerdict::refused;
  std::optional<ClaimedGrade> claimed; ///< none: it cannot be read
  std::optional<GradeRow> found;       ///< none: its program was not graded
  std::string says;                    ///< why the verdict is not `true`
};

/// Of a grade that was found for what is claimed.
VerifiedRow verified_row(ClaimedGrade claimed, GradeRow found);
/// Of a string that cannot be checked.
VerifiedRow refused_row(const Diagnostics& errors, const Sources& sources);

/// For tables, CSV and JSON.
const Columns<VerifiedRow>& verified_columns();
nlohmann::ordered_json verified_schema();
/// A sentence for a terminal; ends with a line end.
std::string verified_text(const VerifiedRow& row);

} // namespace memlane::grade
