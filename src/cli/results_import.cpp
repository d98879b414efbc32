// memlane results import: measurements of a GPU as rows beside those of the model.
#include "gpu.hpp"
#include "stored_results.hpp"

#include "memlane/machine/spec.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

using sweep::Cell;

/// The columns of a measured row. A store of results has them, too: model and GPU are side by side.
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

/// Another measurement of the same kernel on the same device has the same key, and replaces it.
std::string key_of(const measure::MeasuredPoint& point) {
  const measure::KernelShape& machine = point.machine;
  std::string text =
      fmt::format("measured\n{}\n{}\n{}\n{} {} {} {}\n{}\n{}\n", point.program, point.sha256,
                  name_of(point.variant), name_of(machine.model), machine.width,
                  machine.multiprocessors, machine.threads, point.seed, point.device.name);
  for (const auto* list : {&point.parameters, &point.replaced})
    for (const auto& [name, value] : *list) text += fmt::format("{}={}\n", name, value);
  return sha256(text);
}

sweep::StoredPoint stored_point(const measure::MeasuredPoint& point, const Sources& sources) {
  const measure::KernelShape& machine = point.machine;
  sweep::StoredPoint stored;
  stored.key = key_of(point);
  stored.measured =
      sweep::MeasuredTime{point.device.name, std::string(name_of(point.variant)), point.priced_ns};
  for (const auto& [name, value] : point.parameters)
    stored.parameters.emplace_back(name, parameter_cell(value));
  stored.cells = {point.program,
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
  stored.json = sources.line(point.place.file, sources.begin(point.place).line);
  return stored;
}

Result<Exit> import_measured(OptionReader& options, Sources& sources, Console& console) {
  static const Command self = results_import_command();
  if (const Status words = check_words(options, 2, SIZE_MAX, self); !words) return words.errors();
  const std::string& into = options.words.front();
  ErrorCollector errors;
  std::vector<sweep::StoredPoint> points;
  std::vector<bool> failed;
  for (std::size_t i = 1; i < options.words.size(); ++i) {
    const auto measured = read_measured_file(options.words[i], sources);
    if (!errors.check(measured)) continue;
    console.print_error(render(measured->warnings, sources));
    for (const measure::MeasuredPoint& point : measured->points) {
      points.push_back(stored_point(point, sources));
      failed.push_back(point.verified == measure::Verified::failed);
    }
  }
  if (!errors.ok()) return errors.errors();
  Result<sweep::Store> store = sweep::Store::open(into, measured_columns());
  if (!store) return store.errors();
  const Status added = store->in_one_commit([&]() -> Status {
    for (std::size_t i = 0; i < points.size(); ++i) {
      Status one = store->add(points[i], sweep::PointStatus::done, failed[i], "");
      if (!one) return one;
    }
    return Done{};
  });
  if (!added) return added.errors();
  console.out(fmt::format("{}: {} imported\n", into,
                          counted(static_cast<std::int64_t>(points.size()), "measured point")));
  return Exit::done;
}

} // namespace

Command results_import_command() {
  Command command;
  command.name = "results import";
  command.usage = "STORE MEASURED.jsonl...";
  command.summary = "add measurements of a GPU to a store";
  command.description =
      "Add measured points (of 'memlane gpu measure') as rows whose basis is 'measured': the\n"
      "same program and parameters beside the model's, with nanoseconds instead of time, and\n"
      "the device and the variant of the code. The store is made if there is none. A second\n"
      "measurement of the same kernel on the same device replaces the first.";
  command.examples = {"memlane results import measured.db tests/measure/synthetic.jsonl"};
  command.run = import_measured;
  return command;
}

} // namespace memlane::cli
