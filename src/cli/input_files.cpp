#include "input_files.hpp"

#include "memlane/sweep/comparison.hpp"

#include <fmt/format.h>

namespace memlane::cli {

Status InputFiles::add(const sweep::PlannedPoint& planned, const ir::Program& code,
                       sweep::Point& point) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, path] : planned.inputs) {
    const ir::Array* const array = sweep::memory_array_of(code, name);
    if (!array) return error_in("--input", fmt::format("there is no memory array '{}'", name));
    auto& values = known_[{path, array->type, array->extents}];
    if (!values) {
      auto read = files_.input(path, *array);
      if (!read) return read.errors();
      values = std::move(*read);
    }
    point.inputs[name] = values;
  }
  return Done{};
}

} // namespace memlane::cli
