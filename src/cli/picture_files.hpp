// Charts as files, by the ending of their name.
#pragma once

#include "console.hpp"

#include "memlane/chart/chart.hpp"
#include "memlane/support/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::cli {

enum class PictureFormat : std::uint8_t { svg, html, pdf, latex };

/// What the ending says: .svg, .html and .htm, .pdf, .tex; none: another one.
std::optional<PictureFormat> picture_format_of(std::string_view path);
/// An error about the option: PDF, and rsvg-convert is not there to make it.
Status can_write(PictureFormat format, const std::string& option);
/// The content of such a file, which is no page.
Result<std::string> picture_file(const std::vector<Chart>& charts, PictureFormat format);
/// Says on standard error that a picture is higher than asked, since its texts need the room.
void warn_of_size(const Chart& chart, const Console& console);

} // namespace memlane::cli
