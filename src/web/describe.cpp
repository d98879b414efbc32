// What a page offers to change: parameters, layouts, and the machine's keys.
#include "question.hpp"

#include "memlane/count/simulate.hpp"
#include "memlane/machine/bank_access.hpp"
#include "memlane/points/definitions.hpp"
#include "memlane/support/machine_names.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace memlane::web {
namespace {

using Numbers = std::set<std::int64_t>;

/// Whole numbers from 0 to 40, and powers of two and three times these with their neighbours: what
/// strides, paddings and sizes are tried with.
Numbers candidates() {
  constexpr std::int64_t small = 40, largest = std::int64_t{1} << 20;
  Numbers all;
  for (std::int64_t n = 0; n <= small; ++n) all.insert(n);
  for (std::int64_t power = 32; power <= largest; power *= 2)
    for (const std::int64_t n : {power - 1, power, power + 1, power + power / 2}) all.insert(n);
  return all;
}

/// The definitions with another value of a parameter.
std::vector<std::string> with_value(std::vector<std::string> definitions, const std::string& name,
                                    std::int64_t value) {
  std::erase_if(definitions, [&](const std::string& own) { return own.starts_with(name + "="); });
  definitions.push_back(name + "=" + std::to_string(value));
  return definitions;
}

/// The bound code; none where the machine cannot run it, or its arrays are too large for a page.
std::shared_ptr<const ir::Program> bound_code(const Question& question, Sources& sources,
                                              const std::vector<std::string>& definitions) {
  sweep::Point point = sweep::point_of(question.recipe, question.program, question.machine.spec);
  if (!sweep::bind_values(point, definitions, sources)) return nullptr;
  if (sweep::bytes_of_point(point, *point.code) == 0) return nullptr;
  return point.code;
}

/// The candidates that a run accepts for a parameter beside the present values of the others.
Json values_json(const Question& question, Sources& sources, const ir::Constant& parameter) {
  Json values = Json::array();
  if (!ir::is_integer(parameter.type)) return values;
  Numbers all = candidates();
  all.insert(parameter.value.integer());
  for (const std::int64_t value : all) {
    const auto definitions = with_value(question.recipe.program.definitions, parameter.name, value);
    if (bound_code(question, sources, definitions)) values.push_back(value);
  }
  return values;
}

Json parameters_json(const Question& question, Sources& sources, const ir::Program& code) {
  Json all = Json::array();
  for (const ir::Constant& parameter : sweep::parameters_of(code)) {
    const auto& params = question.program.checked.params;
    const auto symbol = std::find_if(params.begin(), params.end(),
                                     [&](const auto& own) { return own.name == parameter.name; });
    const Span where = symbol != params.end() && symbol->where ? symbol->where->span : Span();
    all.push_back({{"name", parameter.name},
                   {"type", ir::name_of(parameter.type)},
                   {"meaning", symbol != params.end() ? symbol->doc : std::string()},
                   {"where", std::string(sources.text(where))},
                   {"value", ir::to_string(parameter.type, parameter.value)},
                   {"values", values_json(question, sources, parameter)}});
  }
  return all;
}

/// One of each name: `--layout` changes the arrays of all kernels that have it.
Json arrays_json(const ir::Program& code, std::int64_t width) {
  Json all = Json::array();
  std::set<std::string> names;
  for (const ir::Array& array : code.arrays) {
    if (!names.insert(array.name).second) continue;
    Json layouts = Json::array();
    if (!array.extents.empty())
      for (const LayoutChoice& choice :
           layout_choices(width, std::max<std::int64_t>(array.extents.back(), 1)))
        layouts.push_back(choice.text());
    all.push_back({{"name", array.name},
                   {"shared", array.space == ir::Space::shared},
                   {"extents", array.extents},
                   {"layout", array.layout_name},
                   {"layouts", std::move(layouts)}});
  }
  return all;
}

/// The papers' letter of a key, such as w; empty where it has none.
std::string letter_of(const MachineKey& key, Model model) {
  for (const MachineName& name : machine_names)
    if (name.place == NamePlace::programs && name.name.size() == 1 && name.name != "b" &&
        name.name != "k" && key_of_letter(name.name, model) == key.path)
      return std::string(name.name);
  return "";
}

Json keys_json(const LoadedMachine& machine) {
  Json all = Json::array();
  for (const Setting& setting : machine.settings) {
    const MachineKey& key = *setting.key;
    if (key.per_file() || key.kind == KeyKind::units || key.path == "model") continue;
    Json one = {{"path", key.path},
                {"letter", letter_of(key, machine.spec.model)},
                {"meaning", key.meaning},
                {"value", json_of(setting.value)},
                {"nullable", contains(key.nullable, machine.spec.model)}};
    if (key.kind == KeyKind::choice) one["choices"] = key.choices;
    if (key.kind == KeyKind::boolean) one["choices"] = {"false", "true"};
    if (key.kind == KeyKind::integer || key.kind == KeyKind::decimal) {
      one["minimum"] = key.minimum;
      one["maximum"] = key.maximum;
    }
    all.push_back(std::move(one));
  }
  return all;
}

} // namespace

void add_machine_json(Json& answer, const Question& question) {
  answer["machine"] = question.recipe.machine.name;
  answer["model"] = name_of(question.machine.spec.model);
  answer["keys"] = keys_json(question.machine);
}

Json describe(const Question& question) {
  Sources sources = question.sources; // values that are tried are no part of the question
  Json answer;
  add_machine_json(answer, question);
  const auto code = bound_code(question, sources, question.recipe.program.definitions);
  if (!code) {
    sweep::Point point = sweep::point_of(question.recipe, question.program, question.machine.spec);
    const Status bound = sweep::bind_values(point, question.recipe.program.definitions, sources);
    const Diagnostics errors =
        bound ? Diagnostics{stop_error(Stop::memory, "", {})} : bound.errors();
    answer["errors"] = errors_json(errors, sources);
    return answer;
  }
  answer["parameters"] = parameters_json(question, sources, *code);
  answer["arrays"] = arrays_json(*code, question.machine.spec.width);
  return answer;
}

} // namespace memlane::web
