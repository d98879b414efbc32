#include "memlane/show/line_columns.hpp"

#include "memlane/count/fields.hpp"
#include "memlane/show/model_columns.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

namespace memlane {

namespace {

const schema::Table<LineCounts>& agpu_line_table() {
  static const schema::Table<LineCounts> table(count_members<LineCounts>(agpu_line_fields()));
  return table;
}

/// Columns of CSV and of tables; the tables of runs whose time after Koike is known show them.
template <class T, class Get>
std::vector<Column<T>> agpu_line_columns(Get get) {
  constexpr const char* headings[] = {"AGPU time", "I/O", "operators"};
  std::vector<Column<T>> columns = {Column<T>::json("agpu", agpu_line_table(), "after Koike", get)};
  for (std::size_t k = 0; k < agpu_line_fields().size(); ++k) {
    const Field<LineCounts>& field = agpu_line_fields()[k];
    columns.push_back(csv_column<T>(
        fmt::format("agpu_{}", field.name),
        [get, &field](const T& row) { return field.count(schema::get_from(row, get)); },
        Shown{.heading = headings[k], .align = Align::right, .hide_empty = true}));
    columns.back().cell = [get, &field](const T& row) {
      const LineCounts& counts = schema::get_from(row, get);
      const auto count = field.count(counts);
      return counts.agpu_time && count ? std::to_string(*count) : std::string();
    };
  }
  return columns;
}

const schema::Table<LineCounts>& mmm_line_table() {
  static const schema::Table<LineCounts> table(count_members<LineCounts>(mmm_line_fields()));
  return table;
}

/// None on other machines than an MMM.
std::optional<LineCounts> on_mmm(const CountedLine& line) {
  return line.counts.mmm ? std::optional(line.counts) : std::nullopt;
}

std::vector<Column<CountedLine>> mmm_line_columns() {
  using C = Column<CountedLine>;
  constexpr const char* headings[] = {"work", "words read", "words written", "local accesses"};
  std::vector<C> columns = {C::json("mmm", mmm_line_table(), mmm_meaning, on_mmm)};
  for (std::size_t k = 0; k < mmm_line_fields().size(); ++k) {
    const Field<LineCounts>& field = mmm_line_fields()[k];
    columns.push_back(csv_column<CountedLine>(
        fmt::format("mmm_{}", field.name),
        [&field](const CountedLine& line) { return field.count(line.counts); },
        Shown{.heading = headings[k], .align = Align::right, .hide_empty = true}));
  }
  return columns;
}

} // namespace

const schema::Table<CountedLine>& counted_line_table() {
  static const schema::Table<CountedLine> table(
      {{"file", "as the program names it", &CountedLine::file},
       {"line", "its number in the file", &CountedLine::number},
       {"source", "the line without its margin", &CountedLine::text}},
      count_members<CountedLine>(line_fields(), &CountedLine::counts),
      {{"agpu", agpu_line_table(), "after Koike", &CountedLine::counts},
       {"mmm", mmm_line_table(), mmm_meaning, on_mmm}});
  return table;
}

const Columns<CountedLine>& line_columns() {
  using C = Column<CountedLine>;
  const auto counts = &CountedLine::counts;
  static const Columns<CountedLine> columns(
      {C("file", "as the program names it; a trace's lines have none", &CountedLine::file,
         schema::Presence::if_any),
       C(Shown{"line", Align::right}, "line", "its number; 0: requests of no line",
         &CountedLine::number),
       table_column<CountedLine>(
           Shown{.heading = "source", .width = widest_source, .is_code = true},
           [](const CountedLine& line) { return line.text; })},
      together(count_columns<CountedLine>(line_fields(), counts),
               together(agpu_line_columns<CountedLine>(counts), mmm_line_columns())),
      {C(
          Shown{.heading = "mean",
                .align = Align::right,
                .number = [](double mean) { return fmt::format("{:.2f}", mean); },
                .where = ShownIn::text,
                .hide_empty = true},
          "mean", schema::real("stages a request"),
          [](const CountedLine& line) {
            return static_cast<double>(line.counts.stages) /
                   static_cast<double>(line.counts.requests);
          },
          [](const CountedLine& line) { return line.counts.requests > 0; })});
  return columns;
}

} // namespace memlane
