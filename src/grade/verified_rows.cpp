#include "memlane/grade/verified_rows.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::grade {
namespace {

std::string claimed_words(const ClaimedGrade& claimed) {
  return grade_in_words(claimed.status, claimed.points, claimed.most_points);
}
std::string found_words(const GradeRow& found) {
  return grade_in_words(found.status, found.points, found.most_points);
}

/// A member of what is claimed, or found; null where there is none.
template <class Part, class Member>
auto part_of(std::optional<Part> VerifiedRow::*part, Member member) {
  return [part, member](const VerifiedRow& row) {
    using Value = std::decay_t<decltype((*(row.*part)).*member)>;
    return row.*part ? std::optional<Value>((*(row.*part)).*member) : std::nullopt;
  };
}

schema::Json status_schema(const char* meaning) {
  return schema::or_null(schema::word(schema::names_up_to(GradeStatus::stopped), meaning));
}

} // namespace

std::string_view name_of(ResultVerdict verdict) {
  switch (verdict) {
  case ResultVerdict::holds: return "true";
  case ResultVerdict::differs: return "false";
  case ResultVerdict::refused: return "refused";
  }
  return "";
}

VerifiedRow verified_row(ClaimedGrade claimed, GradeRow found) {
  VerifiedRow row;
  if (claimed_words(claimed) != found_words(found))
    row.says = fmt::format("it says {}; its program's grade is {}", claimed_words(claimed),
                           found_words(found));
  row.verdict = row.says.empty() ? ResultVerdict::holds : ResultVerdict::differs;
  row.from = found.file;
  row.claimed = std::move(claimed);
  row.found = std::move(found);
  return row;
}

VerifiedRow refused_row(const Diagnostics& errors, const Sources& sources) {
  VerifiedRow row;
  row.says = row_of("", errors, sources).says;
  return row;
}

const Columns<VerifiedRow>& verified_columns() {
  using C = Column<VerifiedRow>;
  using V = VerifiedRow;
  static const Columns<V> columns(
      {C(Shown{.heading = "from", .width = 24}, "from", "what is before the string on its line",
         &V::from),
       C(Shown{"verdict"}, "verdict",
         schema::word(
             schema::names_up_to(ResultVerdict::refused),
             "true: its program has the grade that it says; refused: it cannot be checked"),
         &V::verdict),
       C(Shown{.heading = "exercise", .width = 20}, "exercise", "that the string names",
         part_of(&V::claimed, &ClaimedGrade::exercise)),
       C(Shown{"status"}, "status", status_schema("that its program has"),
         part_of(&V::found, &GradeRow::status)),
       C(Shown{"points", Align::right}, "points", "that its program has",
         part_of(&V::found, &GradeRow::points)),
       C(Shown{"of", Align::right}, "most_points", "of the exercise",
         part_of(&V::found, &GradeRow::most_points)),
       C("claimed_status", status_schema("that the string says"),
         part_of(&V::claimed, &ClaimedGrade::status)),
       C("claimed_points", "that the string says", part_of(&V::claimed, &ClaimedGrade::points)),
       C("seed", "that the string says: it was added to those of the exercise",
         part_of(&V::claimed, &ClaimedGrade::more_seed)),
       C(Shown{.heading = "says", .width = 60}, "says", "why the verdict is not `true`", &V::says),
       C("sha256", schema::or_null(sha256_schema()), part_of(&V::found, &GradeRow::sha256)),
       C::json("program", "its text, or the PTX of its kernels",
               part_of(&V::claimed, &ClaimedGrade::program))});
  return columns;
}

nlohmann::ordered_json verified_schema() {
  return line_document("grade --verify", verified_columns().json().schema("a result string"));
}

std::string verified_text(const VerifiedRow& row) {
  const std::string claim =
      row.claimed ? fmt::format("{}: {}", row.claimed->exercise, claimed_words(*row.claimed)) : "";
  const std::string text = row.says.empty() ? claim : row.says;
  return fmt::format("{}: {}\n", name_of(row.verdict), text);
}

} // namespace memlane::grade
