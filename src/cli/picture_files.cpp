#include "picture_files.hpp"

#include "child.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "pending_file.hpp"

#include "memlane/chart/layout.hpp"
#include "memlane/study/figures/paper_chart.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace memlane::cli {
namespace {

constexpr const char* converter = "rsvg-convert";

/// Without the time of day, so that the same chart gives the same file.
Result<std::string> pdf_of(const std::string& svg) {
  constexpr std::size_t largest = std::size_t{1} << 28;
  const TemporaryFolder folder("chart");
  const std::string from = folder.path() + "/chart.svg", to = folder.path() + "/chart.pdf";
  const std::string log = folder.path() + "/log";
  Result<PendingFile> file = PendingFile::open(from);
  if (!file) return file.errors();
  if (Status written = file->write(svg); !written) return written.errors();
  const auto check = stop_check(0);
  const ChildEnd end =
      run_quiet_child({found_in_path(converter), "--format=pdf", "--output=" + to, from}, log,
                      [&] { return check() != Stop::none; }, {{"SOURCE_DATE_EPOCH", "0"}});
  if (end.start_error == 0 && end.status == 0 && end.signal == 0) return read_file(to, largest);
  const Result<std::string> said = read_file(log, largest);
  return error_in("-o", fmt::format("{} could not write the PDF", converter),
                  {said && !said->empty() ? on_one_line(*said, 200)
                                          : "write .svg, and convert it another way"});
}

} // namespace

void warn_of_size(const Chart& chart, const Console& console) {
  const double height = layout_of(chart, ChartPlace::document).height;
  if (!(chart.look.height > 0) || height <= chart.look.height) return;
  const std::string legend =
      chart.look.legend == LegendPlace::none ? "" : "; --legend none leaves the legend out";
  // Rounded up, the height is one that --size takes without a warning.
  console.print_error(
      fmt::format("warning: the picture is {:.2f} inches high, not {:.2f}: its texts and legend "
                  "need the room{}\n",
                  std::ceil(100 * height / chart_units_of_inch) / 100,
                  chart.look.height / chart_units_of_inch, legend));
}

std::optional<PictureFormat> picture_format_of(std::string_view path) {
  constexpr std::pair<std::string_view, PictureFormat> endings[] = {{".svg", PictureFormat::svg},
                                                                    {".html", PictureFormat::html},
                                                                    {".htm", PictureFormat::html},
                                                                    {".pdf", PictureFormat::pdf},
                                                                    {".tex", PictureFormat::latex}};
  for (const auto& [ending, format] : endings)
    if (path.ends_with(ending)) return format;
  return std::nullopt;
}

Status can_write(PictureFormat format, const std::string& option) {
  if (format != PictureFormat::pdf || !found_in_path(converter).empty()) return Done{};
  return error_in(
      option, fmt::format("a PDF needs {}, which is not in PATH", converter),
      {"install it (Debian, Ubuntu: apt-get install librsvg2-bin)", "or write .svg or .tex"});
}

Result<std::string> picture_file(const std::vector<Chart>& charts, PictureFormat format) {
  if (format == PictureFormat::latex) return charts_tikz(charts);
  return format == PictureFormat::pdf ? pdf_of(charts_svg(charts)) : charts_svg(charts);
}

} // namespace memlane::cli
