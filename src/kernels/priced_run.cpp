#include "memlane/kernels/priced_run.hpp"

#include "memlane/show/columns.hpp"
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
#include <vector>

namespace memlane {

namespace {

namespace fs = std::filesystem;

/// Most bytes of a source that PTX names.
constexpr std::size_t most_source = std::size_t{1} << 24;

/// What the requests of one source line to global memory moved.
struct SectorLine {
  std::string file;
  std::int64_t line = 0, requests = 0, sectors = 0, needed = 0;
  std::string text;

  double of_request() const { return static_cast<double>(sectors) / static_cast<double>(requests); }
};

const Columns<SectorLine>& sector_columns() {
  using C = Column<SectorLine>;
  static const Columns<SectorLine> columns(
      {C("file", "of the source", &SectorLine::file),
       C(Shown{"line", Align::right}, "line", "its number, from 1", &SectorLine::line),
       C(Shown{"requests", Align::right}, "requests", "of warps to global memory",
         &SectorLine::requests),
       C(Shown{"sectors", Align::right}, "sectors",
         "pieces of 32 bytes that the requests touch, request by request", &SectorLine::sectors),
       table_column<SectorLine>(
           Shown{"a request", Align::right},
           [](const SectorLine& line) { return fmt::format("{:.2f}", line.of_request()); }),
       C(Shown{"needed", Align::right}, "needed",
         "pieces that as many words side by side would touch", &SectorLine::needed),
       table_column<SectorLine>(Shown{"source", Align::left},
                                [](const SectorLine& line) { return line.text; })});
  return columns;
}

std::vector<SectorLine> sector_lines(const ptx::Pricing& pricing) {
  std::vector<SectorLine> lines;
  for (const auto& [at, counts] : pricing.sectors()) {
    const std::string_view text = pricing.sources().line(at.first, at.second);
    const std::size_t margin = std::min(text.size(), text.find_first_not_of(" \t"));
    lines.push_back({std::string(pricing.sources().path(at.first)), at.second, counts.requests,
                     counts.sectors, counts.needed, on_one_line(text.substr(margin), 58)});
  }
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

nlohmann::ordered_json priced_schema() {
  nlohmann::ordered_json schema = run_schema();
  schema::add_property(
      schema, "sectors",
      schema::list(sector_columns().json().schema("a source line that accesses global memory"),
                   "by file and line"),
      true);
  schema::add_property(
      schema, "equal_launches",
      {{"type", "integer"},
       {"minimum", 0},
       {"description", "launches that were executed, but not timed: an earlier one "
                       "had made the same requests"}},
      true);
  return schema;
}

RunReport priced_report(const ptx::Pricing& pricing, const MachineSpec& machine,
                        const std::string& path, const std::string& sha256) {
  RunReport report;
  ProgramInfo& program = report.program.emplace();
  program.path = path;
  program.sha256 = sha256;
  report.machine = machine;
  report.run = pricing.result();
  report.offers = "--details (units, lines, sectors)";
  if (report.run.races.races > 0) program.races_allowed = "--races=error ends the run at the first";
  return report;
}

std::string render_priced(const RunReport& report, const ptx::Pricing& pricing, Format format,
                          TableStyle style, const std::string& more) {
  if (format == Format::json || format == Format::jsonl) {
    nlohmann::ordered_json json = run_json(report, pricing.sources());
    json["sectors"] = nlohmann::ordered_json::array();
    for (const SectorLine& line : sector_lines(pricing))
      json["sectors"].push_back(sector_columns().json().json(line));
    json["equal_launches"] = pricing.equal_launches();
    return json_text(json, format == Format::json ? 2 : -1);
  }
  std::string text = render_run(report, pricing.sources(), format, style);
  if (format != Format::table) return text;
  const std::vector<SectorLine> lines = sector_lines(pricing);
  if (report.details && !lines.empty())
    text += "\nsectors of 32 bytes, by source line\n" +
            sector_columns().text(lines).text(2, style.columns);
  if (const std::int64_t equal = pricing.equal_launches(); equal > 0)
    text += fmt::format("\n{} of {} made the same requests as earlier ones, which were timed\n",
                        equal, counted(report.run.counts.launches, "launch", "launches"));
  if (!more.empty()) text += '\n' + more;
  return text;
}

} // namespace memlane
