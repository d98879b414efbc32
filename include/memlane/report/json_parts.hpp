// Members that the JSON of several commands has.
#pragma once

#include "memlane/count/fields.hpp"
#include "memlane/report/run_report.hpp"
#include "memlane/support/json_table.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// The tool and the rules by which it counted.
schema::Json tool_json(std::string_view version);
schema::Json tool_schema();

/// A member for each integer of a table of counts.
template <class T>
std::vector<schema::Member<T>> count_members(const std::vector<Field<T>>& fields) {
  std::vector<schema::Member<T>> members;
  for (const Field<T>& field : fields) {
    const std::string meaning = std::string(field.meaning) + " (" + std::string(field.unit) + ")";
    members.push_back({std::string(field.name), schema::count(meaning),
                       [get = field.get](const T& counts) { return get(counts); }});
  }
  return members;
}

/// Numbers that may be infinite or no number: null stands for both.
schema::Json real_schema(std::string_view meaning);

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
