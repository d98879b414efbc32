#include "memlane/kernels/priced_run.hpp"

#include "memlane/show/json_parts.hpp"
#include "memlane/show/text_table.hpp"
#include "memlane/support/files.hpp"
#include "memlane/support/text.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace memlane {

namespace {

namespace fs = std::filesystem;

/// Most bytes of a source that PTX names.
constexpr std::size_t most_source = std::size_t{1} << 24;

/// What requests to global memory moved, line by line.
std::string sectors_text(const ptx::Pricing& pricing, TableStyle style) {
  if (pricing.sectors().empty()) return "";
  TextTable table(
      {Align::right, Align::right, Align::right, Align::right, Align::right, Align::left});
  table.add({"line", "requests", "sectors", "a request", "needed", ""});
  for (const auto& [line, counts] : pricing.sectors()) {
    const std::string_view text = pricing.sources().line(line.first, line.second);
    const std::size_t margin = std::min(text.size(), text.find_first_not_of(" \t"));
    table.add({std::to_string(line.second), std::to_string(counts.requests),
               std::to_string(counts.sectors),
               fmt::format("{:.2f}", static_cast<double>(counts.sectors) /
                                         static_cast<double>(counts.requests)),
               std::to_string(counts.needed), on_one_line(text.substr(margin), 58)});
  }
  return fmt::format("\nsectors of 32 bytes, by source line\n{}", table.text(2, style.columns));
}

nlohmann::ordered_json sectors_json(const ptx::Pricing& pricing) {
  auto lines = nlohmann::ordered_json::array();
  for (const auto& [line, counts] : pricing.sectors())
    lines.push_back({{"file", pricing.sources().path(line.first)},
                     {"line", line.second},
                     {"requests", counts.requests},
                     {"sectors", counts.sectors},
                     {"needed", counts.needed}});
  return lines;
}

} // namespace

std::optional<std::string> file_text(const std::string& path, std::size_t most) {
  InputFile file(path);
  if (!file.is_open()) return std::nullopt;
  std::string text;
  std::ptrdiff_t got = 0;
  constexpr std::size_t part = std::size_t{1} << 16;
  do {
    const std::size_t before = text.size();
    text.resize(before + part);
    got = file.read(text.data() + before, part, {});
    text.resize(before + static_cast<std::size_t>(std::max<std::ptrdiff_t>(got, 0)));
  } while (got > 0 && text.size() <= most);
  if (got < 0 || text.size() > most) return std::nullopt;
  return text;
}

ptx::ReadSource source_reader(const std::string& folder) {
  return [home = fs::path(folder)](const std::string& path) -> std::optional<std::string> {
    const fs::path named(path);
    if (path.starts_with("/usr/") || path.find("/targets/") != std::string::npos)
      return std::nullopt;
    for (const fs::path& place : {named, home / named, home / named.filename()}) {
      std::error_code error;
      if (!fs::is_regular_file(place, error)) continue;
      if (auto text = file_text(place.string(), most_source)) return text;
    }
    return std::nullopt;
  };
}

std::string source_name(const std::string& symbol) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  if (status != 0 || !demangled) return symbol;
  std::string text = demangled;
  std::free(demangled); // as __cxa_demangle demands
  text = text.substr(0, text.find('('));
  const std::size_t parameters = text.find('<');
  const std::size_t type = text.rfind(' ', parameters);
  if (type != std::string::npos) text.erase(0, type + 1);
  return text;
}

RunReport priced_report(const ptx::Pricing& pricing, const MachineSpec& machine,
                        const std::string& path, const std::string& sha256) {
  RunReport report;
  ProgramInfo& program = report.program.emplace();
  program.path = path;
  program.sha256 = sha256;
  report.machine = machine;
  report.run = pricing.result();
  if (report.run.races.races > 0) program.races_allowed = "--races=error ends the run at the first";
  return report;
}

std::string render_priced(const RunReport& report, const ptx::Pricing& pricing, Format format,
                          TableStyle style, const std::string& more) {
  if (format == Format::json || format == Format::jsonl) {
    nlohmann::ordered_json json = run_json(report, pricing.sources());
    json["sectors"] = sectors_json(pricing);
    return json_text(json, format == Format::json ? 2 : -1);
  }
  std::string text = render_run(report, pricing.sources(), format, style);
  if (format != Format::table) return text;
  if (report.details) text += sectors_text(pricing, style);
  if (!more.empty()) text += '\n' + more;
  return text;
}

} // namespace memlane
