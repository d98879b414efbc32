#include "pram_columns.hpp"

#include "memlane/count/fields.hpp"
#include "memlane/report/json_parts.hpp"

namespace memlane {

const schema::Table<PramCounts>& pram_table() {
  static const schema::Table<PramCounts> table(
      count_members<PramCounts>(pram_fields()),
      {{"class", schema::word(schema::names_up_to(PramClass::crcw), pram_class_meaning),
        &PramCounts::needs},
       {"line", schema::or_null(schema::count(pram_line_meaning, 1)),
        [](const PramCounts& pram) {
          const std::int32_t line = pram.place.line.second;
          return line > 0 ? std::optional(line) : std::nullopt;
        }},
       {"file", "of the line, as the program names it; null: no line",
        [](const PramCounts& pram) { return if_text(pram.file); }}});
  return table;
}

} // namespace memlane
