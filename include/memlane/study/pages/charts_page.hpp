// One self-contained HTML page: sections of words, charts, verdicts and tables.
#pragma once

#include "memlane/chart/chart.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace memlane {

struct PageTable {
  std::string title;
  std::vector<std::vector<std::string>> rows; ///< the first is the heading
  std::set<std::size_t> texts = {0};          ///< the columns of texts; the others are of numbers
};

enum class Judgement : std::uint8_t { holds, fails, open };

/// A sentence with the mark of its judgement.
struct PageVerdict {
  Judgement judgement = Judgement::open;
  std::string text;
  std::string detail = {}; ///< a less prominent line below it; may be empty
};

/// Text that stays as it is: a program, a time chart.
struct PageText {
  std::string title;
  std::string text;
};

/// A timeline that a reader plays, or the memory at its costliest request.
struct PageTimeline {
  std::string title; ///< the command that makes it
  std::string text;  ///< shown without scripts
  std::string json;  ///< an object of timeline_json; empty: none
  bool is_memory = false;
};

/// A timeline or a table, with a sentence about it.
struct PagePicture {
  std::string text;
  PageTimeline timeline = {};
  PageTable table = {};
};

/// An answer to a question, which opens to say whether it is right.
struct PageChoice {
  std::string text, why;
  bool right = false;
};

struct PageLink {
  std::string text, address;
  std::string about = {}; ///< a line below it; may be empty
};

/// Shown in the order of its members, texts and choices behind the paragraphs; each may be empty.
/// A sentence with a word before it that says what it is about.
struct PageFact {
  std::string word, text;
};

struct PageSection {
  std::string id; ///< the target of links (`004-fig4`), unique within the page; empty: none
  std::string heading;
  std::vector<std::string> paragraphs;
  std::vector<PageFact> facts = {}; ///< shown below the paragraphs
  std::vector<Chart> charts;
  std::vector<PageVerdict> verdicts;
  std::vector<PageTable> tables;
  std::string command; ///< the command that repeats the section
  std::vector<PageText> texts = {};
  std::vector<PageChoice> choices = {};
  std::vector<PagePicture> pictures = {}; ///< shown below the tables
  std::vector<PageLink> links = {};       ///< shown last
  /// Not empty: the section and all behind it open with this word, or when a choice is opened.
  std::string closed = {};
};

struct ChartsPage {
  std::string title;
  std::vector<std::string> paragraphs;
  std::vector<PageSection> sections; ///< several headings give a table of contents
  std::vector<PageLink> links = {};  ///< links to other pages, above the title
  bool cards = false;                ///< sections are side by side
};

/// Requires nothing from a network. Each chart is in it as SVG, whose points have their texts and
/// commands as titles; a script shows those of the nearest point. All texts are plain texts.
std::string charts_page(const ChartsPage& page);

} // namespace memlane
