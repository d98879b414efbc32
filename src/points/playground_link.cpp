#include "memlane/points/playground_link.hpp"

#include "memlane/points/packed_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memlane::sweep {
namespace {

/// `n=256` is the member n of the object.
void add_value(nlohmann::ordered_json& object, const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign != std::string::npos) object[text.substr(0, sign)] = text.substr(sign + 1);
}

Diagnostic refuse(const std::string& what) {
  return error_in("", fmt::format("the playground cannot have {}", what),
                  {"leave it out, or share the command instead"});
}

Status check_playground_has(const Recipe& recipe) {
  ErrorCollector errors;
  const auto lacks = [&](bool used, const std::string& what) {
    if (used) errors.add(refuse(what));
  };
  lacks(!recipe.program.command.empty(), "CUDA programs");
  const std::string& machine = recipe.machine.name;
  lacks(machine.find('/') != std::string::npos || machine.ends_with(".json"),
        fmt::format("the machine '{}', which is a file: only shipped machines", machine));
  for (const auto& [option, text] : recipe.program.replaced)
    lacks(option != "layout", fmt::format("--{} '{}'", option, text));
  for (const auto& [array, source] : recipe.inputs) lacks(true, fmt::format("--input {}", array));
  lacks(recipe.atomics != ExecutionOrder::rising, "--atomics");
  return errors.status();
}

} // namespace

Result<std::string> playground_fragment(const Recipe& recipe, std::string_view path,
                                        std::string_view text) {
  if (const Status able = check_playground_has(recipe); !able) return able.errors();
  using Json = nlohmann::ordered_json;
  Json setting = {{"path", path},
                  {"machine", recipe.machine.name},
                  {"define", Json::object()},
                  {"layout", Json::object()},
                  {"set", Json::object()},
                  {"seed", recipe.seed}};
  for (const std::string& value : recipe.program.definitions) add_value(setting["define"], value);
  for (const auto& [option, value] : recipe.program.replaced) add_value(setting["layout"], value);
  for (const std::string& value : recipe.machine.overrides) add_value(setting["set"], value);
  if (!text.empty()) setting["text"] = text;
  const std::string json = setting.dump(-1, ' ', false, Json::error_handler_t::replace);
  return "#1." + packed(json);
}

} // namespace memlane::sweep
