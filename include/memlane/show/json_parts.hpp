// Members that the JSON of several commands has.
#pragma once

#include "memlane/count/fields.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/support/json_table.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// The tool and the rules by which it counted.
schema::Json tool_json(std::string_view version);
schema::Json tool_schema();

/// A member for each integer of a table of counts; `get` gives the counts of what is described.
template <class T, class Counted, class Get = std::identity>
std::vector<schema::Member<T>> count_members(const std::vector<Field<Counted>>& fields,
                                             Get get = {}) {
  std::vector<schema::Member<T>> members;
  for (const Field<Counted>& field : fields) {
    const schema::Json schema = schema::count(fmt::format("{} ({})", field.meaning, field.unit));
    members.push_back({std::string(field.name), field.known ? schema::or_null(schema) : schema,
                       [get, &field](const T& described) {
                         return field.count(schema::get_from(described, get));
                       }});
  }
  return members;
}

/// A text, or null where it is empty.
std::optional<std::string> if_text(const std::string& text);

/// A program's parameters and their values, what was replaced in it, and its inputs.
schema::Json parameters_json(const ProgramInfo& program);
schema::Json parameters_schema();
schema::Json replaced_json(const ProgramInfo& program);
schema::Json replaced_schema();
schema::Json inputs_json(const ProgramInfo& program);
schema::Json inputs_schema();
schema::Json sha256_schema();
schema::Json races_allowed_schema();
schema::Json verify_schema();
schema::Json limitation_schema();

/// A result as it is written; bytes that are not UTF-8 appear as U+FFFD. `indent` -1: on one line.
std::string json_text(const schema::Json& result, int indent);

/// A schema of JSON Lines: what each line of `--format jsonl` is.
schema::Json line_document(std::string_view command, schema::Json line);

} // namespace memlane
