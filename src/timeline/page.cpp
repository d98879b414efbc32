#include "memlane/timeline/page.hpp"

#include "memlane/chart/markup.hpp"
#include "memlane/support/base64.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include <algorithm>
#include <cassert>

namespace memlane {
namespace {

/// A timeline up to this size stays readable in the page's source.
constexpr std::size_t largest_plain = 1 << 18;

/// In the format of zlib, which browsers unpack.
std::string compressed(const std::string& text, Watch* watch) {
  constexpr std::size_t part = 1 << 12; // bytes between two steps of the watch
  z_stream stream{};
  [[maybe_unused]] int status = deflateInit(&stream, Z_DEFAULT_COMPRESSION);
  assert(status == Z_OK);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  for (std::size_t at = 0; at < text.size() && goes_on(watch); at += part) {
    const std::size_t size = std::min(part, text.size() - at);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + at));
    stream.avail_in = static_cast<uInt>(size);
    status = deflate(&stream, at + size < text.size() ? Z_NO_FLUSH : Z_FINISH);
    assert(status == Z_OK || status == Z_STREAM_END); // the buffer is large enough
  }
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// As Json::dump; large lists are members of members, or parts of theirs.
std::string dumped(const nlohmann::ordered_json& json, Watch* watch, int depth = 3) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  constexpr std::size_t part = 256; // elements of a list
  const bool is_object = json.is_object() && depth > 0;
  if (!is_object && !(json.is_array() && depth > 0 && json.size() > part))
    return json.dump(-1, ' ', false, Handler::replace);
  std::string text(1, is_object ? '{' : '[');
  for (const auto& item : json.items()) {
    if (!goes_on(watch)) break;
    if (text.size() > 1) text += ',';
    if (is_object)
      text += nlohmann::ordered_json(item.key()).dump(-1, ' ', false, Handler::replace) + ':';
    text += dumped(item.value(), watch, depth - 1);
  }
  return text + (is_object ? '}' : ']');
}

/// A script element that holds the timeline: as JSON that can end no element, or compressed.
std::string data_element(std::string_view id, const nlohmann::ordered_json& timeline,
                         Watch* watch) {
  const std::string json = dumped(timeline, watch);
  if (json.size() > largest_plain)
    return fmt::format("<script type=\"application/zlib;base64\" id=\"{}\">{}</script>\n", id,
                       base64(compressed(json, watch)));
  std::string text;
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, text);
}

/// What a page's script shows a timeline in, with its data; `attributes`: more of its own.
std::string shown_element(std::string_view style, std::string_view id, std::string_view attributes,
                          const nlohmann::ordered_json& timeline, std::string_view text,
                          Watch* watch) {
  return fmt::format("<div class=\"{3}\" id=\"{0}\" data-timeline=\"{0}-data\"{4}>\n"
                     "<pre>{1}</pre>\n</div>\n{2}",
                     id, escaped(text), data_element(fmt::format("{}-data", id), timeline, watch),
                     style, attributes);
}

} // namespace

std::string timeline_style_element() {
  return fmt::format("<style>\n{}</style>\n", timeline_style());
}

std::string timeline_element(std::string_view id, const nlohmann::ordered_json& timeline,
                             std::string_view text, Watch* watch) {
  return shown_element("memlane-timeline", id, "", timeline, text, watch);
}

std::string memory_element(std::string_view id, const nlohmann::ordered_json& timeline,
                           std::string_view text, Watch* watch, std::optional<std::int32_t> line) {
  return shown_element("memlane-memory", id,
                       line ? fmt::format(" data-line=\"{}\"", *line) : std::string(), timeline,
                       text, watch);
}

std::string timeline_script_element() {
  std::string text = "<script>\n";
  for (const std::string_view part : timeline_script()) text += part;
  return text + "</script>\n";
}

std::string timeline_page(const TimelinePage& page, const nlohmann::ordered_json& timeline,
                          Watch* watch) {
  // The policy is the browser's promise that nothing is loaded from anywhere.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "{1}</head>\n<body class=\"mt-page\">\n<main>\n<header>\n<h1>{0}</h1>\n"
      "<p class=\"mt-command\">{2}</p>\n</header>\n{3}</main>\n{4}</body>\n</html>\n",
      escaped(page.title), timeline_style_element(), escaped(page.command),
      timeline_element("timeline", timeline, page.text, watch), timeline_script_element());
}

} // namespace memlane
