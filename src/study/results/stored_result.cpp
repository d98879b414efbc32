#include "memlane/study/results/stored_result.hpp"

#include "memlane/count/fields.hpp"
#include "memlane/machine/keys.hpp"
#include "memlane/points/point.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace memlane {

using sweep::Cell;
using sweep::StoreColumn;

namespace {

/// The first error without its place, on one line.
std::string first_error_of(const RunReport& report) {
  constexpr std::size_t widest = 200;
  return report.run.errors.empty() ? "" : on_one_line(report.run.errors.front().message, widest);
}

bool is_stored(const AnyColumn& column) {
  return column.in_csv && column.member.name != "parameters" && column.member.name != "version";
}

/// Columns of what was run, not of what came out.
bool is_shared(std::string_view name) {
  static const std::vector<std::string_view> names = {"semantics", "program", "path",
                                                      "sha256",    "layouts", "fns",
                                                      "types",     "inputs",  "input_hashes"};
  return name.rfind("machine_", 0) == 0 ||
         std::find(names.begin(), names.end(), name) != names.end();
}

/// The meaning of a column that CSV's table gives none, since its name says it in a run's result.
std::string meaning_of(std::string_view name) {
  static const std::vector<std::pair<std::string_view, std::string_view>> known = {
      {"semantics", "version of the model that decides the numbers"},
      {"sha256", "of the program's text"},
      {"layouts", "texts of --layout"},
      {"fns", "texts of --fn"},
      {"types", "texts of --type"},
      {"inputs", "texts of --input: arrays and where their contents come from"},
      {"input_hashes", "by array: SHA-256 of the file, or of the program that makes the content"},
      {"machine_name", "name in the machine's file"},
      {"machine_model", "dmm, umm, hmm, agpu or mmm"},
      {"claims_hold", "claims that hold at the point"},
      {"claims_fail", "claims that fail at the point"},
      {"latency_hiding_global_hidden", "1 if the latency of global memory is hidden"},
      {"latency_hiding_shared_hidden", "1 if the latency of shared memory is hidden"},
      {"latency_hiding_largest", "the greatest lower bound of the time"}};
  for (const auto& [column, meaning] : known)
    if (column == name) return std::string(meaning);
  const MachineKey* key = key_of_column(name);
  return key ? std::string(key->meaning) : "";
}

/// What a point has that did not come to its end: its counts are not those of a whole run.
bool is_of_stopped(std::string_view name) {
  static const std::vector<std::string_view> names = {"seed", "stop", "races_allowed"};
  return is_shared(name) || std::find(names.begin(), names.end(), name) != names.end();
}

/// `908/3` as a number, so that queries can compare and order it; the exact one is in the result.
Cell fraction_cell(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto above = number_of<std::int64_t>(text.substr(0, slash));
  const auto below = slash == std::string::npos ? std::int64_t{1}
                                                : number_of<std::int64_t>(text.substr(slash + 1));
  if (!above || !below || *below == 0) return {};
  return static_cast<double>(*above) / static_cast<double>(*below);
}

/// What CSV has of a machine's number or truth; NULL: it has none.
Cell number_cell(const std::string& text) {
  if (text.empty() || text == "none") return {};
  if (text == "true" || text == "false") return std::int64_t{text == "true"};
  if (const auto number = number_of<std::int64_t>(text)) return *number;
  const auto decimal = decimal_of(text);
  return decimal ? cell_of(schema::json_of(*decimal)) : Cell(text);
}

} // namespace

Cell cell_of(const schema::Json& value) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return std::int64_t{value.get<bool>()};
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return value.get<std::int64_t>();
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Cell stored_cell(std::string_view column, const schema::Json& value) {
  const bool is_fraction = column == "agpu_multiplicity" || column.starts_with("price_");
  const MachineKey* key = key_of_column(column);
  const bool is_number = key && key->kind != KeyKind::text;
  if (!is_fraction && !(is_number && value.is_string())) return cell_of(value);
  const std::string text = value.is_string() ? value.get<std::string>()
                           : value.is_null() ? ""
                                             : value.dump();
  return is_fraction ? fraction_cell(text) : number_cell(text);
}

std::string name_of_file(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  for (const std::string_view ending : {".lane", ".json"})
    if (name.size() > ending.size() && name.ends_with(ending))
      name.erase(name.size() - ending.size());
  return name;
}

const MachineKey* key_of_column(std::string_view column) {
  static const std::map<std::string, const MachineKey*, std::less<>> keys = [] {
    std::map<std::string, const MachineKey*, std::less<>> all;
    for (const MachineKey& key : machine_keys()) {
      std::string name = "machine_" + std::string(key.path);
      std::replace(name.begin(), name.end(), '.', '_');
      all.emplace(std::move(name), &key);
    }
    return all;
  }();
  const auto known = keys.find(column);
  return known == keys.end() ? nullptr : known->second;
}

const std::vector<StoreColumn>& stored_columns() {
  static const std::vector<StoreColumn> columns = [] {
    std::vector<StoreColumn> all;
    for (const auto& column : run_columns().list()) {
      if (!is_stored(column)) continue;
      const std::string& name = column.member.name;
      const std::string meaning = column.meaning.empty() ? meaning_of(name) : column.meaning;
      all.push_back({name, meaning, is_shared(name)});
      if (name == "program") {
        all.back().meaning = "its name";
        all.push_back({"path", "of the program's file", true});
        all.push_back({"machine", "its name; of a machine without a file its model", true});
      }
    }
    all.push_back({"prices", "texts of --price", true});
    all.push_back({"reason", "why the point failed", false});
    all.push_back({"command", "that repeats the run", false});
    return all;
  }();
  return columns;
}

std::vector<Cell> stored_cells(const RunReport& report, const Sources& sources,
                               std::string_view command) {
  const Placed<RunReport> run{report, sources};
  std::vector<Cell> cells;
  cells.reserve(stored_columns().size());
  for (const auto& column : run_columns().list()) {
    if (!is_stored(column)) continue;
    if (column.member.name == "program") {
      const std::string& machine = report.machine_path;
      cells.emplace_back(name_of_file(report.program->path));
      cells.emplace_back(report.program->path);
      cells.emplace_back(machine.empty() ? std::string(name_of(report.machine.model))
                                         : name_of_file(machine));
    } else if (report.run.stop != Stop::none && !is_of_stopped(column.member.name)) {
      cells.emplace_back();
    } else if (const MachineKey* key = key_of_column(column.member.name);
               key && key->kind != KeyKind::text) {
      cells.push_back(contains(key->models, report.machine.model)
                          ? cell_of(json_of(key->fetch(report.machine)))
                          : Cell());
    } else {
      const auto& member = column.member;
      const bool is_present = !member.present || member.present(&run);
      cells.push_back(is_present ? stored_cell(member.name, member.value(&run)) : Cell());
    }
  }
  std::vector<PriceRequest> prices;
  for (const Price& price : report.prices) prices.push_back(price.request);
  cells.push_back(prices.empty() ? Cell() : Cell(sweep::prices_text(prices)));
  const std::string reason = first_error_of(report);
  cells.push_back(reason.empty() ? Cell() : Cell(reason));
  cells.push_back(command.empty() ? Cell() : Cell(std::string(command)));
  return cells;
}

std::vector<std::pair<std::string, Cell>> stored_parameters(const ProgramInfo& program) {
  std::vector<std::pair<std::string, Cell>> values;
  for (const ir::Constant& parameter : program.parameters)
    values.emplace_back(parameter.name, cell_of(constant_json(parameter)));
  return values;
}

namespace {

/// Whether the groups of a run's counts have the name.
bool is_run_count(std::string_view name) {
  const auto named = [&](const auto& field) { return field.name == name; };
  return std::any_of(count_fields().begin(), count_fields().end(), named) ||
         std::any_of(part_fields().begin(), part_fields().end(), named) ||
         std::any_of(run_fields().begin(), run_fields().end(), named);
}

} // namespace

CountGroup stored_columns_group() {
  CountGroup group{"columns of result stores, beside a program's parameters", {}};
  for (const auto* columns : {&stored_columns(), &sweep::store_columns()})
    for (const sweep::StoreColumn& column : *columns)
      if (!is_run_count(column.name)) group.counts.push_back({column.name, "", column.meaning});
  return group;
}

} // namespace memlane
