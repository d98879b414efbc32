#include "memlane/points/definitions.hpp"

#include "memlane/lang/parse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {

Result<NameAndText> name_and_value(std::string_view option, std::string_view form,
                                   const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return error_in(std::string(option), fmt::format("{} is needed, not '{}'", form, text));
  }
  return NameAndText(text.substr(0, equals), text.substr(equals + 1));
}

Result<std::vector<lang::ParamValue>> param_values(Sources& sources,
                                                   const std::vector<std::string>& definitions) {
  std::vector<lang::ParamValue> values;
  ErrorCollector errors;
  for (const std::string& text : definitions) {
    NameAndText pair;
    if (!errors.take(name_and_value("-D", "NAME=VALUE", text), pair)) continue;
    const std::string& name = pair.first;
    if (std::any_of(values.begin(), values.end(),
                    [&](const lang::ParamValue& earlier) { return earlier.name == name; }))
      errors.add(error_in("-D", fmt::format("parameter {} is given twice", name)));
    const std::int32_t file = sources.add("-D", text);
    const auto size = static_cast<std::uint32_t>(name.size());
    Result<lang::Expr> expression = lang::parse_expression(sources, file, size + 1);
    if (errors.check(expression))
      values.push_back({name, std::move(*expression), Span{file, 0, size}});
  }
  if (!errors.ok()) return errors.errors();
  return values;
}

Status bind_values(Point& point, const std::vector<std::string>& definitions, Sources& sources) {
  Result<std::vector<lang::ParamValue>> parameters = param_values(sources, definitions);
  if (!parameters) return parameters.errors();
  point.parameters = std::move(*parameters);
  Result<ir::Program> code = bind_point(point, sources);
  if (!code) return code.errors();
  point.code = std::make_shared<const ir::Program>(std::move(*code));
  return Done{};
}

Result<Point> bound_point(Sources& sources, const CheckedProgram& program,
                          const MachineSpec& machine, const std::vector<std::string>& definitions) {
  Point point;
  point.program = &program;
  point.machine = machine;
  if (Status bound = bind_values(point, definitions, sources); !bound) return bound.errors();
  return point;
}

} // namespace memlane::sweep
