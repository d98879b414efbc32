// Columns of a time chart as text, and the strips in which they are written.
#include "letters.hpp"

#include "memlane/support/text.hpp"
#include "memlane/timeline/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace memlane {

namespace {

std::string without_end_blanks(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

} // namespace

// Columns

/// Goes from change to change.
void TimelineChart::draw(const Rows& rows, std::int64_t from, std::int64_t to) {
  std::vector<std::size_t> next(rows.size());
  for (std::int64_t time = from; time < to;) {
    std::string letters(rows.size(), ' ');
    std::int64_t until = to;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::size_t& i = next[r];
      while (i < rows[r].size() && rows[r][i].to <= time) ++i;
      if (i == rows[r].size()) continue;
      if (rows[r][i].from > time) {
        until = std::min(until, rows[r][i].from);
      } else {
        letters[r] = rows[r][i].letter;
        until = std::min(until, rows[r][i].to);
      }
    }
    stretch(time, until - time, std::move(letters));
    time = until;
  }
}

void TimelineChart::stretch(std::int64_t time, std::int64_t count, std::string letters) {
  if (pending_count_ > 0 && pending_.letters == letters && pending_.time + pending_count_ == time) {
    pending_count_ += count;
    return;
  }
  end_stretch();
  pending_ = {time, false, std::move(letters)};
  pending_count_ = count;
}

void TimelineChart::end_stretch() {
  constexpr std::int64_t longest = 12, begin = 3, end = 2; // whole; else what is left of it
  const bool whole = style_.every_unit || pending_count_ <= longest;
  const std::int64_t first = whole ? pending_count_ : begin;
  for (std::int64_t i = 0; i < first; ++i) column({pending_.time + i, false, pending_.letters});
  if (!whole) {
    column({pending_.time + first, true, std::string(pending_.letters.size(), gap_letter)});
    for (std::int64_t i = pending_count_ - end; i < pending_count_; ++i)
      column({pending_.time + i, false, pending_.letters});
  }
  pending_count_ = 0;
}

void TimelineChart::column(Column column) {
  strip_.push_back(std::move(column));
  if (strip_.size() == strip_width()) flush();
}

// Strips

std::size_t TimelineChart::strip_width() const {
  std::size_t label = 5; // "time "
  for (const std::size_t row : shown_)
    label = std::max(label, fmt::format("W{} x ", places_[row].warp).size() + 1);
  for (const Lane& lane : lanes_)
    label = std::max(label, port_label(units_, lane.unit, lane.port).size() + 1);
  constexpr std::size_t least = 8;
  return std::max(least, style_.columns > label ? style_.columns - label : 0);
}

/// The times of the columns, as many as have room.
std::string TimelineChart::scale() const {
  constexpr std::int64_t step = 10;
  std::string text;
  for (std::size_t i = 0; i < strip_.size(); ++i) {
    const bool begins = i == 0 || strip_[i - 1].gap;
    if (strip_[i].gap || (!begins && strip_[i].time % step != 0)) continue;
    if (text.size() > i || (i > 0 && text.size() == i && text.back() != ' ')) continue;
    const std::string label = std::to_string(strip_[i].time);
    if (i > 0 && i + label.size() > strip_width()) break;
    text.resize(i, ' ');
    text += label;
  }
  return text;
}

std::string TimelineChart::group_line(Group group) const {
  std::string text;
  if (places_.back().multiprocessor > 0) text = fmt::format("multiprocessor {}, ", group.first);
  const char* separator = "";
  const std::int64_t begin = strip_.front().time, last = strip_.back().time;
  for (const Timeline::Block& block : resident_.at(group)) {
    if (block.from > last || (block.to && *block.to <= begin)) continue;
    text += fmt::format("{}block {}", separator, block.block);
    if (block.from > begin) text += fmt::format(" from {}", block.from);
    separator = ", ";
  }
  if (*separator != '\0') return text;
  return text + (style_.chooses_all() ? "no block" : "no chosen block");
}

std::string TimelineChart::line(const std::string& label, std::size_t row) const {
  std::string letters;
  for (const Column& column : strip_) letters += column.letters[row];
  letters = without_end_blanks(std::move(letters));
  const bool is_lane = row >= shown_.size();
  return label + (style_.color && !is_lane ? colored(letters) : letters) + '\n';
}

void TimelineChart::flush() {
  if (strip_.empty()) return;
  const bool grouped = blocks_ > 1;
  const bool named = grouped || shown_.size() > 10;
  const std::size_t width = style_.columns > strip_width() ? style_.columns - strip_width() : 5;
  const auto padded = [&](std::string label) {
    label.resize(std::max(width, label.size() + 1), ' ');
    return label;
  };
  std::string text = '\n' + padded("time") + scale() + '\n';
  std::optional<Group> group;
  for (std::size_t row = 0; row < shown_.size(); ++row) {
    const Place& place = places_[shown_[row]];
    if (const Group own{place.multiprocessor, place.slot}; grouped && group != own) {
      group = own;
      text += group_line(own) + '\n';
    }
    std::string label = fmt::format("W{}", place.warp);
    if (named) label += fmt::format(" {}", name_of(place));
    text += line(padded(label), row);
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const std::string label = port_label(units_, lanes_[i].unit, lanes_[i].port);
    const std::string drawn = line(padded(label), shown_.size() + i);
    const bool used = drawn.find_first_not_of(" ~\n", label.size()) != std::string::npos;
    if (used || units_.size() == 1) text += drawn;
  }
  write_(text);
  const std::int64_t last = strip_.back().time;
  for (auto& entry : resident_) {
    auto& blocks = entry.second;
    std::erase_if(blocks, [&](const Timeline::Block& block) {
      return block.to && *block.to <= last && &block != &blocks.back();
    });
  }
  strip_.clear();
}

namespace {

struct StateLetter {
  char letter;
  std::string_view color; ///< SGR parameters (ECMA-48)
  std::string_view meaning;
};

/// By WarpState.
constexpr std::array<StateLetter, 7> state_letters = {{
    {'w', "33", "waits for the port"},
    {'S', "32", "its first stage enters"},
    {'X', "31", "a further stage of its request"},
    {'-', "36", "in the pipeline"},
    {'B', "35", "waits at a barrier (a forall ends with one)"},
    {'c', "34", "computes"},
    {'.', "2", "done"},
}};

} // namespace

char letter_of(WarpState state) { return state_letters[static_cast<std::size_t>(state)].letter; }

std::string_view meaning_of(WarpState state) {
  return state_letters[static_cast<std::size_t>(state)].meaning;
}

std::string port_label(const std::vector<Timeline::Unit>& units, std::int64_t unit,
                       std::int64_t port) {
  const Timeline::Unit& own = units[static_cast<std::size_t>(unit)];
  std::string label = "port";
  if (units.size() > 1) label = own.name();
  if (own.ports > 1) label += fmt::format(" {}", port);
  return label;
}

std::string colored(std::string_view letters) {
  std::string text;
  for (std::size_t begin = 0; begin < letters.size();) {
    const char letter = letters[begin];
    const std::size_t end = std::min(letters.find_first_not_of(letter, begin), letters.size());
    const auto state = std::find_if(state_letters.begin(), state_letters.end(),
                                    [&](const StateLetter& s) { return s.letter == letter; });
    const std::string_view run = letters.substr(begin, end - begin);
    text += state == state_letters.end() ? std::string(run)
                                         : fmt::format("\x1b[{}m{}\x1b[0m", state->color, run);
    begin = end;
  }
  return text;
}

std::string in_columns(const std::vector<std::string>& entries, std::string_view gap,
                       std::size_t columns) {
  std::string text;
  std::size_t used = 0; // of the last line
  for (const std::string& entry : entries) {
    const std::size_t width = display_width(entry);
    const bool fits = used > 0 && used + gap.size() + width <= columns;
    if (used > 0) text += fits ? gap : "\n";
    used = fits ? used + gap.size() + width : width;
    text += entry;
  }
  return text + '\n';
}

std::string letters_legend(std::size_t columns) {
  std::vector<std::string> entries;
  for (const StateLetter& state : state_letters)
    entries.push_back(fmt::format("{} {}", state.letter, state.meaning));
  entries.emplace_back("~ a stretch like its neighbours");
  return in_columns(entries, "   ", columns);
}

} // namespace memlane
