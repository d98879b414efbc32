#include "reader.hpp"

#include "memlane/machine/keys.hpp"
#include "memlane/support/machine_names.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <set>

namespace memlane::sweep {
namespace {

/// `machine_shared_latency` for `shared.latency`.
std::string column_of_key(std::string_view path) {
  std::string column = "machine_" + std::string(path);
  std::replace(column.begin(), column.end(), '.', '_');
  return column;
}

/// What an axis of a sweep may be named beside parameters, and the machine's columns behind it.
std::vector<std::pair<std::string, std::vector<std::string>>> names_of_machines() {
  std::vector<std::pair<std::string, std::vector<std::string>>> names;
  for (const MachineName& letter : machine_names) {
    if (letter.place != NamePlace::programs) continue;
    std::vector<std::string> columns;
    for (const Model model : all_models()) {
      const auto key = key_of_letter(letter.name, model);
      const std::string column = key ? column_of_key(*key) : "";
      if (key && std::find(columns.begin(), columns.end(), column) == columns.end())
        columns.push_back(column);
    }
    if (!columns.empty()) names.emplace_back(letter.name, std::move(columns));
  }
  for (const MachineKey& key : machine_keys())
    names.emplace_back(key.path, std::vector<std::string>{column_of_key(key.path)});
  return names;
}

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Where the token at `begin` ends, if it is quoted by `quote`, which is doubled inside.
std::size_t end_of_quoted(std::string_view text, std::size_t begin, char quote) {
  std::size_t at = begin + 1;
  while (at < text.size()) {
    if (text[at++] != quote) continue;
    if (at == text.size() || text[at] != quote) break;
    ++at;
  }
  return at;
}

/// Where the token at `begin` ends that holds no name: a text, a comment, a number, a sign. Names
/// in square brackets and backquotes are SQLite's own.
std::size_t end_of_other(std::string_view text, std::size_t begin) {
  const char first = text[begin];
  if (first == '\'' || first == '`') return end_of_quoted(text, begin, first);
  const auto behind = [&](std::string_view end) {
    const std::size_t at = text.find(end, begin + 1);
    return at == std::string_view::npos ? text.size() : at + end.size();
  };
  if (first == '[') return behind("]");
  if (text.substr(begin, 2) == "--") return behind("\n");
  if (text.substr(begin, 2) == "/*") return behind("*/");
  std::size_t at = begin + 1;
  if (is_digit(first)) // 1e5, 0x10
    while (at < text.size() && (begins_name(text[at]) || is_digit(text[at]))) ++at;
  return at;
}

std::size_t end_of_name(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && (begins_name(text[at]) || is_digit(text[at]) || text[at] == '$')) ++at;
  return at;
}

/// `"a ""b"""` without its quotes.
std::string unquoted(std::string_view quoted) {
  std::string name;
  if (quoted.size() < 2 || quoted.back() != '"') return name; // it does not end
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    name += quoted[i];
    if (quoted[i] == '"') ++i;
  }
  return name;
}

/// `t` and `u` of the texts `t=padded(1);u=rows`.
std::set<std::string> replaced_names(const std::vector<std::string>& texts) {
  std::set<std::string> names;
  for (const std::string& text : texts)
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(';', at), text.size());
      const std::string part = text.substr(at, end - at);
      const std::string name = part.substr(0, part.find('='));
      if (!name.empty() && name.size() < part.size() && begins_name(name.front()) &&
          end_of_name(name, 0) == name.size())
        names.insert(name);
      at = end + 1;
    }
  return names;
}

/// SQL of what stands behind `name=` in such a text; NULL where the name does not.
std::string replacement_sql(const std::string& column, const std::string& name) {
  const std::string list = fmt::format("(';' || {})", column);
  const std::string begin = fmt::format("instr({}, ';{}=')", list, name);
  const std::string rest = fmt::format("substr({}, {} + {})", list, begin, name.size() + 2);
  return fmt::format("CASE WHEN {} > 0 THEN substr({}, 1, instr({} || ';', ';') - 1) END", begin,
                     rest, rest);
}

} // namespace

bool lists_replacements(const FileColumn& column) {
  constexpr std::string_view names[] = {"layouts", "fns", "types", "inputs"};
  return column.kind == ColumnKind::shared &&
         std::find(std::begin(names), std::end(names), column.name) != std::end(names);
}

StoreNames::StoreNames(
    const std::vector<FileColumn>& columns,
    const std::vector<std::pair<std::string, std::vector<std::string>>>& replaced) {
  std::vector<std::string> parameters;
  for (const FileColumn& column : columns) {
    sql_.emplace_back(column.shown, quoted_name(column.in_view));
    if (column.kind == ColumnKind::parameter) parameters.push_back(column.shown);
  }
  for (const char* name : {"program", "machine"})
    if (!sql_of(name).empty()) shown_.emplace_back(name);
  shown_.insert(shown_.end(), parameters.begin(), parameters.end());
  for (const char* name : {"seed", "time", "status"})
    if (!sql_of(name).empty()) shown_.emplace_back(name);
  add_machine_names();
  for (const auto& [column, texts] : replaced) add_replaced(column, texts);
}

void StoreNames::add_name(StoreColumn column, std::string sql) {
  if (!sql_of(column.name).empty()) return;
  sql_.emplace_back(column.name, std::move(sql));
  others_.push_back(std::move(column));
}

void StoreNames::add_machine_names() {
  for (const auto& [name, behind] : names_of_machines()) {
    std::vector<std::string> known, sql;
    for (const std::string& column : behind)
      if (const std::string own = sql_of(column); !own.empty()) {
        known.push_back(column);
        sql.push_back(own);
      }
    if (known.empty()) continue;
    // A machine has one of them: the latency of its only memory, or of an HMM's shared one.
    add_name({name, fmt::format("the machine's {}", fmt::join(known, " or ")), true, false,
              known.size() == 1 ? known.front() : ""},
             sql.size() == 1 ? sql.front() : fmt::format("COALESCE({})", fmt::join(sql, ", ")));
  }
}

void StoreNames::add_replaced(const std::string& column, const std::vector<std::string>& texts) {
  const std::string sql = sql_of(column), one = column.substr(0, column.size() - 1);
  add_name({one, "the column " + column, true, false, column}, sql);
  if (column == "fns") return; // their texts are definitions, not a value of a name
  for (const std::string& name : replaced_names(texts))
    add_name({name, fmt::format("the {} of {}", one, name), true, false, column},
             replacement_sql(sql, name));
}

std::string StoreNames::sql_of(std::string_view name) const {
  for (const auto& [known, sql] : sql_)
    if (known == name) return sql;
  return "";
}

std::vector<std::string> StoreNames::suggestions(const std::string& name) const {
  std::vector<std::string> known;
  std::vector<std::string> of_units; // global_stages and shared_stages for stages
  for (const auto& [column, sql] : sql_) {
    known.push_back(column);
    if (column == "global_" + name || column == "shared_" + name)
      of_units.push_back(fmt::format("'{}'", column));
  }
  if (!of_units.empty()) return {fmt::format("did you mean {}?", fmt::join(of_units, " or "))};
  std::vector<std::string> help = did_you_mean(name, known);
  if (help.empty())
    help.push_back(fmt::format("columns: {} and more; 'memlane explain counts' lists them all",
                               fmt::join(shown_, ", ")));
  return help;
}

std::string StoreNames::condition_in_view(std::string_view condition) const {
  std::string text;
  std::size_t at = 0;
  while (at < condition.size()) {
    const bool is_quoted = condition[at] == '"';
    const bool is_name = is_quoted || begins_name(condition[at]);
    std::size_t end = is_quoted ? end_of_quoted(condition, at, '"')
                      : is_name ? end_of_name(condition, at)
                                : end_of_other(condition, at);
    const std::string_view token = condition.substr(at, end - at);
    at = end;
    std::string sql;
    if (is_quoted) {
      sql = sql_of(unquoted(token));
    } else if (is_name &&
               sqlite3_keyword_check(token.data(), static_cast<int>(token.size())) == 0) {
      const std::size_t next = condition.find_first_not_of(" \t\r\n", end);
      const char sign = next == std::string_view::npos ? '\0' : condition[next];
      if (sign == '.' && next == end && end + 1 < condition.size() &&
          begins_name(condition[end + 1])) { // shared.latency
        end = end_of_name(condition, end + 1);
        sql = sql_of(std::string(token) + std::string(condition.substr(next, end - next)));
        if (!sql.empty()) at = end;
      } else if (sign != '(' && sign != '\'') { // no function, no x'ff'
        sql = sql_of(token);
      }
    }
    text += sql.empty() ? std::string(token) : sql;
  }
  return text;
}

} // namespace memlane::sweep
