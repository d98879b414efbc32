#include "memlane/show/json_parts.hpp"

#include "memlane/count/hiding.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

using Replacement = std::pair<std::string, std::string>;

const schema::Table<std::string>& tool_table() {
  static const schema::Table<std::string> table({
      {"name", schema::constant("memlane", "the tool"),
       [](const std::string&) { return "memlane"; }},
      {"version", "of the tool", std::identity()},
      {"semantics",
       schema::count("changes when the same program on the same machine gives another number", 1),
       [](const std::string&) { return semantics; }},
  });
  return table;
}

const schema::Table<Replacement>& replacement_table() {
  static const schema::Table<Replacement> table({
      {"option", schema::word({"--fn", "--type", "--layout"}, "what it replaces"),
       &Replacement::first},
      {"text", "what the option was given", &Replacement::second},
  });
  return table;
}

} // namespace

schema::Json tool_json(std::string_view version) { return tool_table().json(std::string(version)); }

schema::Json tool_schema() { return tool_table().schema("the tool that made the result"); }

std::optional<std::string> if_text(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

schema::Json parameters_json(const ProgramInfo& program) {
  auto out = schema::Json::object();
  for (const ir::Constant& parameter : program.parameters)
    out[parameter.name] = constant_json(parameter);
  return out;
}

schema::Json parameters_schema() {
  return schema::map({{"type", {"integer", "number", "boolean", "null"}}},
                     "the program's parameters by name; null: no finite number");
}

schema::Json replaced_json(const ProgramInfo& program) {
  return replacement_table().json_of_all(program.replaced);
}

schema::Json replaced_schema() {
  return schema::list(replacement_table().schema("a replacement"),
                      "parts of the program that the command replaced");
}

schema::Json inputs_json(const ProgramInfo& program) {
  auto out = schema::Json::object();
  for (const auto& [array, path] : program.inputs) out[array] = path;
  return out;
}

schema::Json inputs_schema() {
  return schema::map(schema::text("a file, or a program that makes the content"),
                     "where memory arrays had their content from, by name");
}

schema::Json sha256_schema() {
  schema::Json out = schema::text("SHA-256 of the program's text");
  out["pattern"] = "^([0-9a-f]{64})?$";
  return out;
}

schema::Json races_allowed_schema() {
  return schema::text(
      "what the program allows to race and why, or the option: these races are counted and no "
      "errors");
}

schema::Json verify_schema() {
  return schema::word({name_of(Verdict::passed), name_of(Verdict::failed), name_of(Verdict::none)},
                      "of the check of the result; none: nothing was checked");
}

schema::Json limitation_schema() {
  return schema::word(schema::names_up_to(last_limitation),
                      "the greatest lower bound of the time; null: all are 0, or it did not end");
}

std::string json_text(const schema::Json& result, int indent) {
  return result.dump(indent, ' ', false, schema::Json::error_handler_t::replace) + '\n';
}

schema::Json line_document(std::string_view command, schema::Json line) {
  return schema::document(fmt::format("A line of memlane {} --format jsonl", command),
                          std::move(line));
}

} // namespace memlane
