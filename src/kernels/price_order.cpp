#include "memlane/kernels/price_order.hpp"

#include "memlane/machine/machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace memlane {

namespace {

using OrderJson = nlohmann::ordered_json;

/// The machine of a file that to_json wrote.
Result<MachineSpec> machine_of_text(const std::string& text) {
  Sources sources;
  MachineFiles files;
  files.read = [&text](const std::string&) -> Result<std::string> { return text; };
  const Result<LoadedMachine> machine = load_machine(sources, "./order.json", {}, files);
  if (!machine) return machine.errors();
  return machine->spec;
}

} // namespace

std::string PriceOrder::result_path(Format format) const {
  return fmt::format("{}/result.{}", folder, name_of(format));
}

std::string text_of(const PriceOrder& order) {
  OrderJson json;
  json["prices"] = order.prices;
  json["machine"] = to_json(order.machine).dump();
  json["machine_path"] = order.machine_path;
  json["standard_machine"] = order.standard_machine;
  json["races"] = static_cast<int>(order.races);
  json["sample_blocks"] = order.sample_blocks;
  json["details"] = order.details;
  json["kernels"] = order.choice.kernels;
  json["launches"] = OrderJson::array();
  for (const LaunchRange& range : order.choice.ranges)
    json["launches"].push_back({range.first, range.last});
  json["explains"] = order.explains;
  json["command"] = order.command;
  json["most_steps"] = order.most_steps;
  json["most_time"] = order.most_time;
  json["most_memory"] = order.most_memory;
  json["device_memory"] = order.device_memory;
  json["most_seconds"] = order.most_seconds;
  json["program"] = order.program;
  json["sha256"] = order.sha256;
  json["version"] = order.version;
  json["host"] = {order.host.system, order.host.architecture, order.host.compiler};
  json["color"] = order.style.color;
  json["columns"] = order.style.columns;
  json["folder"] = order.folder;
  if (order.chart) {
    json["chart"] = static_cast<int>(*order.chart);
    const TimelineWindow& window = order.window;
    json["window"] = {window.from, window.to, window.launch.value_or(-1), window.most_requests};
  }
  for (const Format format : order.formats) json["formats"].push_back(name_of(format));
  return json.dump(-1, ' ', false, OrderJson::error_handler_t::replace);
}

Result<PriceOrder> read_price_order(const std::string& text) {
  PriceOrder order;
  try {
    const OrderJson json = OrderJson::parse(text);
    const Result<MachineSpec> machine = machine_of_text(json.at("machine"));
    if (!machine) return machine.errors();
    order.machine = *machine;
    order.prices = json.at("prices");
    order.machine_path = json.at("machine_path");
    order.standard_machine = json.at("standard_machine");
    order.races = static_cast<ptx::RaceCheck>(std::clamp(json.at("races").get<int>(), 0, 2));
    order.sample_blocks = json.at("sample_blocks");
    order.details = json.at("details");
    order.choice.kernels = json.at("kernels");
    for (const OrderJson& range : json.at("launches"))
      order.choice.ranges.push_back({range.at(0), range.at(1)});
    order.explains = json.at("explains");
    order.command = json.at("command");
    order.most_steps = json.at("most_steps");
    order.most_time = json.at("most_time");
    order.most_memory = json.at("most_memory");
    order.device_memory = json.at("device_memory");
    order.most_seconds = json.at("most_seconds");
    order.program = json.at("program");
    order.sha256 = json.at("sha256");
    order.version = json.at("version");
    order.host = {json.at("host").at(0), json.at("host").at(1), json.at("host").at(2)};
    order.style = {json.at("color"), json.at("columns")};
    order.folder = json.at("folder");
    if (const auto chart = json.find("chart"); chart != json.end()) {
      order.chart = static_cast<ChartFormat>(
          std::clamp(chart->get<int>(), 0, static_cast<int>(ChartFormat::svg)));
      const OrderJson& window = json.at("window");
      order.window.from = window.at(0);
      order.window.to = window.at(1);
      if (window.at(2) >= 0) order.window.launch = window.at(2).get<std::int64_t>();
      order.window.most_requests = window.at(3);
    }
    for (const std::string name : json.value("formats", OrderJson::array()))
      order.formats.push_back(format_named(name).value_or(Format::table));
  } catch (const OrderJson::exception& error) {
    return error_in("", fmt::format("memlane's order cannot be read: {}", error.what()));
  }
  return order;
}

} // namespace memlane
