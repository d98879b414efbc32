#include "columns.hpp"

namespace memlane {

std::string cell_text(const schema::Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump();
}

} // namespace memlane
