#include "memlane/report/timeline_text.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace memlane {
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
    {'X', "31", "a further stage enters (conflict)"},
    {'-', "36", "in the pipeline"},
    {'B', "35", "waits at a barrier"},
    {'c', "34", "computes"},
    {'.', "2", "done"},
}};

char letter_of(WarpState state) { return state_letters[static_cast<std::size_t>(state)].letter; }

constexpr char gap_letter = '~';
constexpr std::string_view names = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr char nameless = '*';
constexpr std::int64_t most_ports = 4; // that a unit's rows show

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

std::string without_end_blanks(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// `a, b, c` in lines of at most so many columns.
std::string legend(std::size_t columns) {
  std::vector<std::string> entries;
  for (const StateLetter& state : state_letters)
    entries.push_back(fmt::format("{} {}", state.letter, state.meaning));
  entries.emplace_back("~ a stretch like its neighbours");
  std::string text, line;
  for (const std::string& entry : entries) {
    if (!line.empty() && line.size() + 3 + entry.size() > columns) {
      text += line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : "   ") + entry;
  }
  return text + line + '\n';
}

} // namespace

TimelineChart::TimelineChart(const Sources& sources, ChartStyle style, std::string heading,
                             Write write)
    : sources_(sources), style_(style), heading_(std::move(heading)), write_(std::move(write)) {
  if (style_.legend) heading_ += legend(style_.columns);
}

std::size_t TimelineChart::strip_width() const {
  std::size_t label = 5; // "time "
  for (const std::size_t row : shown_)
    label = std::max(label, fmt::format("W{} x ", places_[row].warp).size() + 1);
  for (const Lane& lane : lanes_) label = std::max(label, lane_label(lane).size() + 1);
  constexpr std::size_t least = 8;
  return std::max(least, style_.columns > label ? style_.columns - label : 0);
}

char TimelineChart::name_of(const Place& place) const {
  const auto number = static_cast<std::size_t>(
      std::lower_bound(places_.begin(), places_.end(), place) - places_.begin());
  return number < names.size() ? names[number] : nameless;
}

std::string TimelineChart::lane_label(const Lane& lane) const {
  const Timeline::Unit& unit = units_[static_cast<std::size_t>(lane.unit)];
  std::string label = "port";
  if (units_.size() > 1)
    label = unit.multiprocessor ? fmt::format("shared {}", *unit.multiprocessor) : "global";
  if (unit.ports > 1) label += fmt::format(" {}", lane.port);
  return label;
}

// Launches

void TimelineChart::begin_launch(const Timeline::Launch& launch) {
  launch_ = launch.launch;
  blocks_ = launch.blocks;
  places_.clear();
  shown_.clear();
  lanes_.clear();
  group_of_.clear();
  resident_.clear();
  lines_.clear();
  std::string text = fmt::format("\nlaunch {}: kernel {}", launch.launch, launch.kernel);
  if (launch.span.known()) text += fmt::format(", line {}", sources_.begin(launch.span).line);
  text += fmt::format(", from time {}: {} of {}\n", launch.begin, counted(launch.blocks, "block"),
                      counted(launch.threads, "thread"));
  write_(text);
}

void TimelineChart::end_launch() {
  if (launch_ < 0) return;
  end_stretch();
  flush();
  for (const auto& [place, line] : lines_) {
    const std::string head =
        fmt::format("  line {}: {}, {}", place.second, counted(line.requests, "request"),
                    counted(line.stages, "stage"));
    const std::size_t room =
        style_.columns > head.size() + 12 ? style_.columns - head.size() - 2 : 10;
    write_(fmt::format("{}  {}\n", head, on_one_line(compact_source(line.text), room)));
  }
  launch_ = -1;
}

/// Lists the warps of the piece that are new. A strip has the same rows throughout.
void TimelineChart::add_rows(const Timeline& piece, const Timeline::Launch& launch) {
  std::set<Place> places(places_.begin(), places_.end());
  for (const Timeline::Block& block : piece.blocks) {
    if (block.launch != launch.launch) continue;
    group_of_[block.block] = {block.multiprocessor, block.slot};
    for (std::int64_t warp = 0; warp < launch.warps; ++warp)
      places.insert({block.multiprocessor, block.slot, warp});
  }
  if (places.size() == places_.size()) return;
  end_stretch();
  flush();
  places_.assign(places.begin(), places.end());
  shown_.clear();
  std::set<std::int64_t> multiprocessors;
  for (std::size_t i = 0; i < places_.size() && shown_.size() < style_.most_warps; ++i) {
    if (places_[i].warp < style_.warps.first || places_[i].warp > style_.warps.second) continue;
    shown_.push_back(i);
    multiprocessors.insert(places_[i].multiprocessor);
  }
  lanes_.clear();
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const auto& mp = units_[u].multiprocessor;
    if (mp && multiprocessors.count(*mp) == 0) continue;
    for (std::int64_t port = 0; port < std::min(units_[u].ports, most_ports); ++port)
      lanes_.push_back({static_cast<std::int64_t>(u), port});
  }
  if (shown_.size() < places_.size())
    write_(fmt::format("  rows of {} of {}: --warps, --blocks and --rows choose others\n",
                       shown_.size(), counted(static_cast<std::int64_t>(places_.size()), "warp")));
}

void TimelineChart::note_blocks(const Timeline& piece, const Timeline::Launch& launch) {
  for (const Timeline::Block& block : piece.blocks) {
    if (block.launch != launch.launch) continue;
    auto& blocks = resident_[{block.multiprocessor, block.slot}];
    if (blocks.empty() || blocks.back().block != block.block) {
      blocks.push_back(block);
    } else {
      blocks.back().to = block.to;
    }
  }
}

void TimelineChart::count_lines(const Timeline& piece, std::int64_t from, std::int64_t to) {
  for (const Timeline::Request& request : piece.requests) {
    if (request.dispatched < from || request.dispatched >= to || !request.span.known()) continue;
    const std::int32_t number = sources_.begin(request.span).line;
    LineRequests& line = lines_[{request.span.file, number}];
    line.requests += 1;
    line.stages += request.stages;
    line.text = sources_.line(request.span.file, number);
  }
}

/// By row, then by lane.
TimelineChart::Rows TimelineChart::letters_of(const Timeline& piece,
                                              const Timeline::Launch& launch) {
  std::map<Place, std::size_t> row_of;
  for (std::size_t row = 0; row < shown_.size(); ++row) row_of[places_[shown_[row]]] = row;
  std::map<Lane, std::size_t> lane_of;
  for (std::size_t i = 0; i < lanes_.size(); ++i) lane_of[lanes_[i]] = shown_.size() + i;
  Rows rows(shown_.size() + lanes_.size());
  const auto place_of = [&](std::int64_t block, std::int64_t warp) {
    const Group& group = group_of_.at(block);
    return Place{group.first, group.second, warp};
  };
  for (const WarpSpan& span : warp_spans(piece)) {
    if (span.launch != launch.launch) continue;
    if (span.block < style_.blocks.first || span.block > style_.blocks.second) continue;
    const auto row = row_of.find(place_of(span.block, span.warp));
    if (row != row_of.end())
      rows[row->second].push_back({span.from, span.to, letter_of(span.state)});
  }
  for (const Timeline::Request& request : piece.requests) {
    if (request.launch != launch.launch) continue;
    const char name = name_of(place_of(request.block, request.warp));
    for (const PortUse& use :
         port_uses(request, units_[static_cast<std::size_t>(request.unit)].ports)) {
      const auto lane = lane_of.find({request.unit, use.port});
      if (lane != lane_of.end()) rows[lane->second].push_back({use.from, use.to, name});
    }
  }
  for (auto& row : rows)
    std::stable_sort(row.begin(), row.end(),
                     [](const Letter& a, const Letter& b) { return a.from < b.from; });
  return rows;
}

void TimelineChart::add(const Timeline& piece) {
  units_ = piece.units;
  if (!heading_.empty()) write_(std::exchange(heading_, std::string()));
  for (const Timeline::Launch& launch : piece.launches) {
    // Before its first block, a launch only costs time.
    std::int64_t first = piece.to;
    for (const Timeline::Block& block : piece.blocks)
      if (block.launch == launch.launch) first = std::min(first, block.from);
    const std::int64_t from = std::max(piece.from, first);
    const std::int64_t to = std::min(piece.to, launch.end.value_or(piece.to));
    if (from >= to) continue;
    if (launch.launch != launch_) {
      end_launch();
      begin_launch(launch);
    } else if (from != until_) {
      end_stretch(); // a part was left out
      flush();
    }
    add_rows(piece, launch);
    note_blocks(piece, launch);
    count_lines(piece, from, to);
    draw(letters_of(piece, launch), from, to);
    until_ = to;
  }
}

void TimelineChart::finish() { end_launch(); }

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

/// The times of the columns, as many as have room.
std::string TimelineChart::scale() const {
  constexpr std::int64_t step = 10;
  std::string text;
  for (std::size_t i = 0; i < strip_.size(); ++i) {
    const bool begins = i == 0 || strip_[i - 1].gap;
    if (strip_[i].gap || (!begins && strip_[i].time % step != 0)) continue;
    if (text.size() > i || (i > 0 && text.size() == i && text.back() != ' ')) continue;
    text.resize(i, ' ');
    text += std::to_string(strip_[i].time);
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
  return *separator == '\0' ? text + "no block" : text;
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
    const std::string drawn = line(padded(lane_label(lanes_[i])), shown_.size() + i);
    const bool used =
        drawn.find_first_not_of(" ~\n", lane_label(lanes_[i]).size()) != std::string::npos;
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

std::string timeline_text(const Timeline& timeline, const Sources& sources,
                          const ChartStyle& style) {
  std::string text;
  TimelineChart chart(sources, style, {}, [&](std::string_view part) { text += part; });
  chart.add(timeline);
  chart.finish();
  return text;
}

} // namespace memlane
