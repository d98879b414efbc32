#include "memlane/study/results/measured_rows.hpp"

#include "memlane/machine/spec.hpp"
#include "memlane/points/definitions.hpp"
#include "memlane/study/gpu/executables.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

using sweep::Cell;

/// A value as -D takes it.
Cell parameter_cell(const std::string& text) {
  if (const auto number = number_of<std::int64_t>(text)) return *number;
  if (const auto real = number_of<double>(text)) return *real;
  if (text == "true" || text == "false") return std::int64_t{text == "true"};
  return text;
}

/// The texts of an option without dashes; empty: none.
Cell replaced_cell(const measure::MeasuredPoint& point, std::string_view option) {
  std::string texts;
  for (const auto& [name, text] : point.replaced)
    if (name == option) texts += (texts.empty() ? "" : ";") + text;
  return texts;
}

std::string key_of(const measure::MeasuredPoint& point) {
  const measure::KernelShape& machine = point.machine;
  std::string text =
      fmt::format("measured\n{}\n{}\n{}\n{} {} {} {}\n{}\n{}\n", command_of(point), point.sha256,
                  name_of(point.variant), name_of(machine.model), machine.width,
                  machine.multiprocessors, machine.threads, point.seed, point.device.name);
  for (const auto* list : {&point.parameters, &point.replaced})
    for (const auto& [name, value] : *list) text += fmt::format("{}={}\n", name, value);
  return sha256(text);
}

} // namespace

const std::vector<sweep::StoreColumn>& measured_columns() {
  static const std::vector<sweep::StoreColumn> columns = {
      {"program", "its name", true},
      {"sha256", "of the program's text", true},
      {"layouts", "texts of --layout", true},
      {"fns", "texts of --fn", true},
      {"types", "texts of --type", true},
      {"machine_model", "the machine that the kernel was built for", true},
      {"machine_width", "its width", true},
      {"machine_multiprocessors", "its multiprocessors", true},
      {"machine_threads", "its threads", true},
      {"seed", "of random numbers", false},
      {"launches", "kernels that were launched", false},
      {"verify", "of the result: passed, failed or none", false},
  };
  return columns;
}

sweep::StoredPoint measured_row(const measure::MeasuredPoint& point, const Sources& sources) {
  const measure::KernelShape& machine = point.machine;
  sweep::StoredPoint stored;
  stored.key = key_of(point);
  stored.measured =
      sweep::MeasuredTime{point.device.name, std::string(name_of(point.variant)), point.priced_ns};
  for (const auto& [name, value] : point.parameters)
    stored.parameters.emplace_back(name, parameter_cell(value));
  stored.cells = {command_of(point),
                  point.sha256,
                  replaced_cell(point, "layout"),
                  replaced_cell(point, "fn"),
                  replaced_cell(point, "type"),
                  std::string(name_of(machine.model)),
                  machine.width,
                  machine.multiprocessors,
                  machine.threads,
                  static_cast<std::int64_t>(point.seed),
                  point.launches,
                  std::string(name_of(point.verified))};
  if (point.launch) {
    stored.parameters.emplace_back("kernel", launch_text(*point.launch));
    // It was built for no machine of memlane's.
    for (std::size_t column = 0; column < stored.cells.size(); ++column)
      if (measured_columns()[column].name.starts_with("machine_")) stored.cells[column] = {};
  }
  stored.json = sources.line(point.place.file, sources.begin(point.place).line);
  return stored;
}

} // namespace memlane
