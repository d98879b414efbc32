#include "memlane/report/timeline_page.hpp"

#include "markup.hpp"
#include "page_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include <cassert>

namespace memlane {
namespace {

/// A timeline up to this size stays readable in the page's source.
constexpr std::size_t largest_plain = 1 << 18;

/// In the format of zlib, which browsers unpack.
std::string compressed(const std::string& text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string out(size, '\0');
  [[maybe_unused]] const int status =
      compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(text.size()), 9);
  assert(status == Z_OK); // the buffer is large enough
  out.resize(size);
  return out;
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= count ? letters[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

/// A script element that holds the timeline: as JSON that can end no element, or compressed.
std::string data_element(std::string_view id, const nlohmann::ordered_json& timeline) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  const std::string json = timeline.dump(-1, ' ', false, Handler::replace);
  if (json.size() > largest_plain)
    return fmt::format("<script type=\"application/zlib;base64\" id=\"{}\">{}</script>\n", id,
                       base64(compressed(json)));
  std::string text;
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, text);
}

} // namespace

std::string timeline_style_element() {
  return fmt::format("<style>\n{}</style>\n", timeline_style());
}

std::string timeline_element(std::string_view id, const nlohmann::ordered_json& timeline,
                             std::string_view text) {
  return fmt::format("<div class=\"memlane-timeline\" id=\"{0}\" data-timeline=\"{0}-data\">\n"
                     "<pre>{1}</pre>\n</div>\n{2}",
                     id, escaped(text), data_element(fmt::format("{}-data", id), timeline));
}

std::string timeline_script_element() {
  std::string text = "<script>\n";
  for (const std::string_view part : timeline_script()) text += part;
  return text + "</script>\n";
}

std::string timeline_page(const TimelinePage& page, const nlohmann::ordered_json& timeline) {
  // The policy is the browser's promise that nothing is loaded from anywhere.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "{1}</head>\n<body class=\"mt-page\">\n<main>\n<header>\n<h1>{0}</h1>\n"
      "<p class=\"mt-command\">{2}</p>\n</header>\n{3}</main>\n{4}</body>\n</html>\n",
      escaped(page.title), timeline_style_element(), escaped(page.command),
      timeline_element("timeline", timeline, page.text), timeline_script_element());
}

} // namespace memlane
