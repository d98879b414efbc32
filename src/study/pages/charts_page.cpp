#include "memlane/study/pages/charts_page.hpp"

#include "memlane/chart/layout.hpp"
#include "memlane/chart/markup.hpp"
#include "memlane/chart/series_style.hpp"
#include "memlane/chart/svg.hpp"
#include "memlane/timeline/page.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace memlane {
namespace {

/// Variables of the style: its colours on a light ground, in the dark, and on paper.
std::string colours_text() {
  std::string light = "--ground:#fff;--ink:#1b1b1f;--faint:#55555c;--line:#d9d9de;--edge:#8a8a92;"
                      "--link:#0060a8;--holds:#007a50;--fails:#b03000;";
  std::string dark = "--ground:#16171b;--ink:#ececf0;--faint:#a9a9b4;--line:#34353c;--edge:#70717c;"
                     "--link:#7cc0ff;--holds:#3ccba2;--fails:#ff9a6a;";
  std::string groups;
  for (std::size_t i = 0; i < series_colours.size(); ++i) {
    light += fmt::format("--s{}:{};", i, series_colours[i].light);
    dark += fmt::format("--s{}:{};", i, series_colours[i].dark);
    groups += fmt::format(".s{0}{{fill:var(--s{0});stroke:var(--s{0})}}\n", i);
  }
  return fmt::format(":root{{color-scheme:light dark;{}}}\n@media screen and "
                     "(prefers-color-scheme:dark){{:root{{{}}}}}\n{}",
                     light, dark, groups);
}

std::string paragraphs_text(const std::vector<std::string>& paragraphs) {
  std::string text;
  for (const std::string& paragraph : paragraphs)
    text += fmt::format("<p>{}</p>\n", escaped(paragraph));
  return text;
}

std::string facts_text(const std::vector<PageFact>& facts) {
  if (facts.empty()) return "";
  std::string text = "<dl class=\"facts\">\n";
  for (const PageFact& fact : facts)
    text += fmt::format("<dt>{}</dt>\n<dd>{}</dd>\n", escaped(fact.word), escaped(fact.text));
  return text + "</dl>\n";
}

/// Text whose line ends stay.
std::string text_of_block(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += escaped(std::string_view(text).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

std::string row_text(const std::vector<std::string>& row, const PageTable& table, bool heading) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string_view number = table.texts.contains(i) ? "" : " class=\"number\"";
    const bool wrong = row[i].starts_with("✗");
    text += heading ? fmt::format("<th scope=\"col\"{}>{}</th>", number, escaped(row[i]))
            : wrong ? fmt::format("<td class=\"wrong{}\">{}</td>",
                                  table.texts.contains(i) ? "" : " number", escaped(row[i]))
                    : fmt::format("<td{}>{}</td>", number, escaped(row[i]));
  }
  return text + "</tr>\n";
}

std::string table_text(const PageTable& table) {
  if (table.rows.size() < 2) return "";
  std::string text =
      fmt::format("<h3>{0}</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"{0}\">\n<table>\n<thead>{1}</thead>\n<tbody>\n",
                  escaped(table.title), row_text(table.rows.front(), table, true));
  for (std::size_t i = 1; i < table.rows.size(); ++i) text += row_text(table.rows[i], table, false);
  return text + "</tbody>\n</table>\n</div>\n";
}

/// `title`: of the page or section; a chart of that title shows it only once.
std::string figure_text(const Chart& chart, const std::string& id, std::string_view title) {
  std::vector<std::string> notes = {sentence_about_undrawn(chart), chart.caption};
  std::erase(notes, "");
  return fmt::format(
      "<figure id=\"{0}\"{1}>\n{2}<div class=\"picture\">\n{3}</div>\n{4}</figure>\n", id,
      chart.panels.size() > 1 ? " class=\"wide\"" : "",
      chart.title == title || chart.title.empty()
          ? ""
          : fmt::format("<figcaption>{}</figcaption>\n", escaped(chart.title)),
      chart_elements(chart, id), paragraphs_text(notes));
}

std::string verdicts_text(const std::vector<PageVerdict>& verdicts) {
  if (verdicts.empty()) return "";
  std::string text = "<ul class=\"verdicts\">\n";
  for (const PageVerdict& verdict : verdicts) {
    const bool holds = verdict.judgement == Judgement::holds;
    const bool fails = verdict.judgement == Judgement::fails;
    text += fmt::format(
        "<li class=\"{0}\"><b title=\"{0}\">{1}</b>{2}{3}</li>\n",
        holds   ? "holds"
        : fails ? "fails"
                : "open",
        holds   ? "✓"
        : fails ? "✗"
                : "?",
        escaped(verdict.text),
        verdict.detail.empty() ? "" : fmt::format("<span>{}</span>", escaped(verdict.detail)));
  }
  return text + "</ul>\n";
}

std::string texts_text(const std::vector<PageText>& texts) {
  std::string out;
  for (const PageText& text : texts)
    out += fmt::format("<h3>{0}</h3>\n<pre tabindex=\"0\" role=\"region\" aria-label=\"{0}\">"
                       "<code>{1}</code></pre>\n",
                       escaped(text.title), text_of_block(text.text));
  return out;
}

/// A list of choices; each says whether it is right when it is opened, without a script.
std::string choices_text(const std::vector<PageChoice>& choices) {
  if (choices.empty()) return "";
  std::string text = "<ol class=\"choices\">\n";
  for (const PageChoice& choice : choices)
    text += fmt::format("<li class=\"{}\"><details><summary>{}</summary><p><b>{}</b> {}</p>"
                        "</details></li>\n",
                        choice.right ? "holds" : "fails", escaped(choice.text),
                        choice.right ? "Right." : "No.", escaped(choice.why));
  return text + "</ol>\n";
}

/// Links side by side; one that has something said about it has a paragraph of its own.
std::string links_text(const std::vector<PageLink>& links) {
  std::string text, row;
  for (const PageLink& link : links) {
    const std::string anchor =
        fmt::format("<a href=\"{}\">{}</a>", escaped(link.address), escaped(link.text));
    if (link.about.empty())
      row += (row.empty() ? "" : " · ") + anchor;
    else
      text += fmt::format("<p>{}<br>{}</p>\n", anchor, escaped(link.about));
  }
  return text + (row.empty() ? "" : "<p>" + row + "</p>\n");
}

std::string contents_text(const ChartsPage& page) {
  std::string entries;
  std::size_t count = 0;
  for (const PageSection& section : page.sections) {
    if (section.heading.empty() || section.id.empty()) continue;
    entries += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escaped(section.id),
                           escaped(section.heading));
    ++count;
  }
  return count < 2 ? "" : "<nav aria-label=\"contents\">\n<ul>\n" + entries + "</ul>\n</nav>\n";
}

/// The page while it is written: charts and timelines are numbered.
class PageWriter {
public:
  std::string section(const PageSection& section, const std::string& title) {
    std::string text = section.id.empty()
                           ? "<section>\n"
                           : fmt::format("<section id=\"{}\">\n", escaped(section.id));
    if (!section.heading.empty()) text += fmt::format("<h2>{}</h2>\n", escaped(section.heading));
    text += paragraphs_text(section.paragraphs) + facts_text(section.facts) +
            texts_text(section.texts) + choices_text(section.choices);
    if (!section.charts.empty()) text += "<div class=\"charts\">\n";
    for (const Chart& chart : section.charts) {
      const std::string id = fmt::format("chart-{}", ++charts_);
      text += figure_text(chart, id, section.heading.empty() ? title : section.heading);
    }
    if (!section.charts.empty()) text += "</div>\n";
    text += verdicts_text(section.verdicts);
    for (const PageTable& table : section.tables) text += table_text(table);
    if (!section.pictures.empty()) text += "<div class=\"pictures\">\n";
    for (const PagePicture& picture : section.pictures) text += shown(picture);
    if (!section.pictures.empty()) text += "</div>\n";
    if (!section.command.empty())
      text += fmt::format("<pre><code>{}</code></pre>\n", escaped(section.command));
    return text + links_text(section.links) + "</section>\n";
  }

private:
  std::string shown(const PagePicture& picture) {
    const PageTimeline& timeline = picture.timeline;
    if (timeline.json.empty())
      return fmt::format("<div>\n{}<p>{}</p>\n</div>\n",
                         timeline.text.empty()
                             ? table_text(picture.table)
                             : fmt::format("<pre>{}</pre>\n", text_of_block(timeline.text)),
                         escaped(picture.text));
    const std::string id = fmt::format("timeline-{}", ++timelines_);
    const auto json = nlohmann::ordered_json::parse(timeline.json);
    return fmt::format("<div{}>\n<p>{}</p>\n{}<p class=\"hint\"><code>{}</code></p>\n</div>\n",
                       timeline.is_memory ? "" : " class=\"wide\"", escaped(picture.text),
                       timeline.is_memory ? memory_element(id, json, timeline.text)
                                          : timeline_element(id, json, timeline.text),
                       escaped(timeline.title));
  }

  std::size_t charts_ = 0, timelines_ = 0;
};

/// Whether the page requires the timelines' style and script.
bool has_timelines(const ChartsPage& page) {
  return std::any_of(page.sections.begin(), page.sections.end(), [](const PageSection& section) {
    return std::any_of(section.pictures.begin(), section.pictures.end(),
                       [](const PagePicture& picture) { return !picture.timeline.json.empty(); });
  });
}

/// Whether the page requires its own script: for charts, for choices, or to mark what was done.
bool has_script(const ChartsPage& page) {
  return page.cards ||
         std::any_of(page.sections.begin(), page.sections.end(), [](const PageSection& section) {
           return !section.charts.empty() || !section.choices.empty();
         });
}

/// Sections one below the other; from the first closed one on in an element that opens.
std::string sections_text(const ChartsPage& page) {
  PageWriter writer;
  std::string text;
  bool closed = false;
  for (const PageSection& section : page.sections) {
    if (!closed && !section.closed.empty())
      text += fmt::format("<details class=\"after\">\n<summary>{}</summary>\n",
                          escaped(section.closed));
    closed = closed || !section.closed.empty();
    text += writer.section(section, page.title);
  }
  return closed ? text + "</details>\n" : text;
}

} // namespace

std::string charts_page(const ChartsPage& page) {
  // The policy is the browser's promise that nothing is loaded from anywhere.
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>\n{1}{2}</style>\n{4}</head>\n<body>\n<main{5}>\n{3}<h1>{0}</h1>\n",
      escaped(page.title), colours_text(), page_style(), links_text(page.links),
      has_timelines(page) ? timeline_style_element() : "", page.cards ? " class=\"cards\"" : "");
  text += paragraphs_text(page.paragraphs) + contents_text(page);
  text += sections_text(page) + "</main>\n";
  if (has_script(page)) text += fmt::format("<script>\n{}</script>\n", page_script());
  if (has_timelines(page)) text += timeline_script_element();
  return text + "</body>\n</html>\n";
}

} // namespace memlane
