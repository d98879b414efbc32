#include "page.hpp"

#include "memlane/support/utf8.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

// Colours that colour-blind readers tell apart (Okabe and Ito), each also with its own line.
constexpr std::string_view page_style = R"(
:root { color-scheme: light dark; --ground: #fff; --ink: #1b1b1f; --faint: #6a6a72;
  --line: #d9d9de; --measured: #0072b2; --model: #d55e00; --hand: #008060; --cub: #9b5587; }
@media (prefers-color-scheme: dark) { :root { --ground: #16171b; --ink: #ececf0;
  --faint: #a4a4ae; --line: #3a3b42; --measured: #56b4e9; --model: #f0a040; --hand: #40c8a0;
  --cub: #d898c0; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem;
  padding: 0 1rem; background: var(--ground); color: var(--ink); }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
h1, li, p, figcaption { overflow-wrap: anywhere; }
.pictures { display: grid; gap: 1.5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); }
figure { margin: 0; break-inside: avoid; } figcaption { font-weight: 600; margin-bottom: 0.2rem; }
svg { width: 100%; height: auto; } svg text { fill: var(--faint); font-size: 12px; }
.frame { fill: none; stroke: var(--line); } .grid { stroke: var(--line); stroke-width: 0.6; }
polyline { fill: none; stroke: currentColor; stroke-width: 2; }
circle { fill: currentColor; stroke: none; }
.dot { fill: currentColor; fill-opacity: 0.75; } .dot circle { fill-opacity: 0.75; }
polyline.guide { stroke: var(--faint); stroke-width: 1; stroke-dasharray: 5 4; }
polyline.strong { stroke: var(--model); stroke-width: 1.5; stroke-dasharray: none; }
svg text.name { fill: var(--ink); }
.measured { color: var(--measured); } .model { color: var(--model); }
.model polyline { stroke-dasharray: 6 4; } .model circle { fill: var(--ground);
  stroke: currentColor; stroke-width: 1.5; }
.hand-written { color: var(--hand); } .hand-written polyline { stroke-dasharray: 2 3; }
.cub { color: var(--cub); } .cub polyline { stroke-dasharray: 10 3 2 3; }
.legend { margin: 0; font-size: 0.85rem; } .key { margin-right: 1em; display: inline-block; }
.key::before { content: "● "; } .key.model::before { content: "○ "; }
.plots .key.hand-written::before { content: "■ "; } .plots .key.cub::before { content: "▲ "; }
.key.solid::before { content: "— "; color: var(--model); }
.key.dashed::before { content: "- - "; color: var(--faint); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid var(--line); text-align: left; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.scroll:focus-visible { outline: 2px solid var(--measured); }
@media (max-width: 40rem) { body { margin: 1rem auto; } svg text { font-size: 15px; } }
@media print { :root { color-scheme: light; --ground: #fff; --ink: #000; --faint: #444;
  --line: #bbb; --measured: #0072b2; --model: #d55e00; --hand: #008060; --cub: #9b5587; }
  body { max-width: none; margin: 0; font-size: 11px; } .scroll { overflow: visible; }
  thead { display: table-header-group; } tr { break-inside: avoid; }
  .pictures { grid-template-columns: 1fr 1fr; } }
)";

std::string row_text(const std::vector<std::string>& row, const PageTable& table, bool heading) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string_view number = i < table.texts ? "" : " class=\"number\"";
    text += heading ? fmt::format("<th scope=\"col\"{}>{}</th>", number, escaped(row[i]))
                    : fmt::format("<td{}>{}</td>", number, escaped(row[i]));
  }
  return text + "</tr>\n";
}

std::string table_text(const PageTable& table) {
  if (table.rows.size() < 2) return "";
  std::string text = fmt::format(
      "<h2>{}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">\n<table>\n<thead>{}</thead>\n<tbody>\n",
      escaped(table.title), escaped(table.title), row_text(table.rows.front(), table, true));
  for (std::size_t i = 1; i < table.rows.size(); ++i) text += row_text(table.rows[i], table, false);
  return text + "</tbody>\n</table>\n</div>\n";
}

} // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : escape_controls(text)) {
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default: out += c;
    }
  }
  return out;
}

std::string render_page(const Page& page) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
      escaped(page.title), page_style);
  for (const std::string& paragraph : page.words)
    text += fmt::format("<p>{}</p>\n", escaped(paragraph));
  std::string plots;
  for (std::size_t i = 0; i < page.plots.size(); ++i) plots += render_plot(page.plots[i], i + 1);
  if (!plots.empty())
    text += fmt::format(
        "<h2>Predicted and measured</h2>\n<div class=\"pictures plots\">\n{}</div>\n", plots);
  for (const PageTable& table : page.first_tables) text += table_text(table);
  if (!page.pictures.empty()) text += "<h2>Curves</h2>\n";
  text += "<div class=\"pictures\">\n";
  for (std::size_t i = 0; i < page.pictures.size(); ++i)
    text += render_picture(page.pictures[i], i + 1);
  text += "</div>\n";
  if (!page.findings.empty()) {
    text += "<h2>The order of the algorithms</h2>\n<ul>\n";
    for (const std::string& finding : page.findings)
      text += fmt::format("<li>{}</li>\n", escaped(finding));
    text += "</ul>\n";
  }
  for (const PageTable& table : page.tables) text += table_text(table);
  return text + "</main>\n</body>\n</html>\n";
}

} // namespace memlane
