#include "memlane/kernels/priced_run.hpp"

#include "memlane/ptx/names.hpp"
#include "memlane/support/files.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <vector>

namespace memlane {

namespace {

namespace fs = std::filesystem;

/// Most bytes of a source that PTX names.
constexpr std::size_t most_source = std::size_t{1} << 24;

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

ptx::ReadSource source_reader(const std::string& program,
                              std::function<void(const std::string&)> tell) {
  std::error_code gone;
  const fs::file_time_type made = fs::last_write_time(program, gone);
  const bool dated = !gone; // before the program changes its folder
  return [=, told = std::make_shared<std::set<fs::path>>(),
          home = fs::absolute(program, gone).parent_path()](
             const std::string& path) -> std::optional<std::string> {
    const fs::path named(path);
    if (path.starts_with("/usr/") || path.find("/targets/") != std::string::npos)
      return std::nullopt;
    for (const fs::path& place : {named, home / named, home / named.filename()}) {
      std::error_code error;
      if (!fs::is_regular_file(place, error)) continue;
      auto text = file_text(place.string(), most_source);
      if (!text) continue;
      if (tell && dated && fs::last_write_time(place, error) > made && !error &&
          told->insert(place).second)
        tell(fmt::format("note: {} was changed after {} was made: its lines may be others",
                         place.string(), program));
      return text;
    }
    return std::nullopt;
  };
}

MachineCode machine_code_of(const ptx::KernelInfo& kernel) {
  MachineCode code;
  code.kernel = kernel.name;
  code.name = ptx::source_name(kernel.name);
  code.registers = kernel.registers;
  code.static_shared = kernel.static_shared;
  if (!kernel.audit) return code;
  const ptx::KernelAudit& audit = *kernel.audit;
  code.architecture = audit.architecture;
  code.instructions = audit.instructions;
  code.counted = audit.counted;
  code.differences = audit.differences;
  code.note = audit.note;
  for (const ptx::ComparedAccess& row : audit.accesses)
    code.accesses.push_back({std::string(name_of(row.access)), row.bits, row.ptx, row.machine});
  return code;
}

RunReport priced_report(const ptx::Pricing& pricing, const MachineSpec& machine,
                        const std::string& path, const std::string& sha256) {
  RunReport report;
  ProgramInfo& program = report.program.emplace();
  program.path = path;
  program.sha256 = sha256;
  report.machine = machine;
  report.run = pricing.result();
  report.cuda = {sector_lines(pricing), pricing.equal_launches()};
  if (const ptx::SampledLaunches& sampled = pricing.sampled(); sampled.launches > 0)
    report.cuda->estimated = {(pricing.time() + sampled.further).value,
                              sampled.launches,
                              sampled.blocks,
                              sampled.priced,
                              pricing.executes_all(),
                              sampled.waves == 1};
  report.cuda->race_search = pricing.race_search();
  report.offers = "--details (units, lines, sectors), --explain (what would help)";
  if (report.run.races.races > 0 && !pricing.stops_at_races())
    program.races_allowed = "--races=error ends the run at the first";
  return report;
}

} // namespace memlane
