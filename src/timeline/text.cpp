// The rows of a time chart as text; timeline_strips.cpp writes them.
#include "memlane/timeline/text.hpp"

#include "letters.hpp"

#include "memlane/show/text_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace memlane {
namespace {

constexpr std::string_view names = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr char nameless = '*';
constexpr char without_row = '+';

} // namespace

TimelineChart::TimelineChart(const Sources& sources, ChartStyle style, std::string heading,
                             Write write)
    : sources_(sources), style_(style), heading_(std::move(heading)), write_(std::move(write)) {
  if (style_.legend) heading_ += letters_legend(style_.columns);
}

bool ChartStyle::chooses_from(const Timeline& piece, const Timeline::Launch& launch) const {
  if (warps.first >= launch.warps) return false;
  return std::any_of(piece.blocks.begin(), piece.blocks.end(), [&](const Timeline::Block& block) {
    return block.launch == launch.launch && chooses_block(block.block);
  });
}

void ChartedParts::note(const Timeline& piece, const Timeline::Launch& launch) {
  blocks = std::max(blocks, launch.blocks);
  warps = std::max(warps, launch.warps);
  for (const Timeline::Block& block : piece.blocks) {
    if (block.launch != launch.launch) continue;
    first_block = std::min(first_block, block.block);
    last_block = std::max(last_block, block.block);
  }
}

char TimelineChart::name_of(const Place& place) const {
  const auto number = static_cast<std::size_t>(
      std::lower_bound(places_.begin(), places_.end(), place) - places_.begin());
  return number < names.size() ? names[number] : nameless;
}

// Launches

void TimelineChart::begin_launch(const Timeline::Launch& launch) {
  if (!heading_.empty()) write_(std::exchange(heading_, std::string()));
  has_drawn_ = true;
  launch_ = launch.launch;
  blocks_ = launch.blocks;
  places_.clear();
  shown_.clear();
  lanes_.clear();
  group_of_.clear();
  chosen_.clear();
  resident_.clear();
  lines_.clear();
  std::string text = fmt::format("launch {}: kernel {}", launch.launch, launch.kernel);
  if (launch.span.known()) text += fmt::format(", line {}", sources_.begin(launch.span).line);
  text += fmt::format(", from time {}: {} of {}", launch.begin, counted(launch.blocks, "block"),
                      counted(launch.threads, "thread"));
  write_("\n" + paragraph_lines(text, 0, style_.columns));
}

void TimelineChart::end_launch() {
  if (launch_ < 0) return;
  end_stretch();
  flush();
  if (!lines_.empty() && !style_.chooses_all()) write_("  requests of the chosen warps:\n");
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
  std::set<Group> chosen = chosen_;
  for (const Timeline::Block& block : piece.blocks) {
    if (block.launch != launch.launch) continue;
    const Group group = {block.multiprocessor, block.slot};
    group_of_[block.block] = group;
    if (style_.chooses_block(block.block)) chosen.insert(group);
    for (std::int64_t warp = 0; warp < launch.warps; ++warp)
      places.insert({block.multiprocessor, block.slot, warp});
  }
  if (places.size() == places_.size() && chosen.size() == chosen_.size()) return;
  end_stretch();
  flush();
  places_.assign(places.begin(), places.end());
  chosen_ = std::move(chosen);
  choose_rows();
  if (shown_.size() < places_.size())
    write_(fmt::format("  rows of {} of {}: --warps, --blocks and --rows choose others\n",
                       shown_.size(), counted(static_cast<std::int64_t>(places_.size()), "warp")));
  if (shown_.size() < places_.size() || !style_.chooses_all())
    write_(fmt::format("  {} at a port: a warp without a row\n", without_row));
}

/// The rows, and the ports that they need.
void TimelineChart::choose_rows() {
  shown_.clear();
  std::set<std::int64_t> multiprocessors;
  for (std::size_t i = 0; i < places_.size() && shown_.size() < style_.most_warps; ++i) {
    const Place& place = places_[i];
    if (!style_.chooses_warp(place.warp)) continue;
    if (chosen_.count({place.multiprocessor, place.slot}) == 0) continue;
    shown_.push_back(i);
    multiprocessors.insert(place.multiprocessor);
  }
  lanes_.clear();
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const auto& mp = units_[u].multiprocessor;
    if (mp && multiprocessors.count(*mp) == 0) continue;
    for (std::int64_t port = 0; port < std::min(units_[u].ports, most_charted_ports); ++port)
      lanes_.push_back({static_cast<std::int64_t>(u), port});
  }
}

void TimelineChart::note_blocks(const Timeline& piece, const Timeline::Launch& launch) {
  for (const Timeline::Block& block : piece.blocks) {
    if (block.launch != launch.launch || !style_.chooses_block(block.block)) continue;
    auto& blocks = resident_[{block.multiprocessor, block.slot}];
    if (blocks.empty() || blocks.back().block != block.block) {
      blocks.push_back(block);
    } else {
      blocks.back().to = block.to;
    }
  }
}

void TimelineChart::count_lines(const Timeline& piece, const Timeline::Launch& launch,
                                std::int64_t from, std::int64_t to) {
  for (const Timeline::Request& request : piece.requests) {
    if (request.dispatched < from || request.dispatched >= to || !request.span.known()) continue;
    if (request.launch != launch.launch) continue;
    if (!style_.chooses_block(request.block) || !style_.chooses_warp(request.warp)) continue;
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
  const auto name_at = [&](std::int64_t block, std::int64_t warp) {
    if (!style_.chooses_block(block)) return without_row; // of a piece that was left out, perhaps
    const Place place = place_of(block, warp);
    return row_of.count(place) > 0 ? name_of(place) : without_row;
  };
  for (const WarpSpan& span : warp_spans(piece)) {
    if (span.launch != launch.launch) continue;
    if (!style_.chooses_block(span.block)) continue;
    const auto row = row_of.find(place_of(span.block, span.warp));
    if (row != row_of.end())
      rows[row->second].push_back({span.from, span.to, letter_of(span.state)});
  }
  for (const Timeline::Request& request : piece.requests) {
    if (request.launch != launch.launch) continue;
    const char name = name_at(request.block, request.warp);
    for (const PortUse& use :
         port_uses(request, units_[static_cast<std::size_t>(request.unit)].ports)) {
      const auto lane = lane_of.find({request.unit, use.port});
      if (lane != lane_of.end()) rows[lane->second].push_back({use.from, use.to, name});
    }
  }
  const auto first_other = static_cast<std::int64_t>(piece.units.size());
  for (const Timeline::Entry& entry : piece.entries) {
    const auto lane = lane_of.find({first_other + entry.unit, entry.port});
    if (entry.launch != launch.launch || lane == lane_of.end()) continue;
    rows[lane->second].push_back({entry.from, entry.to, name_at(entry.block, entry.warp)});
  }
  for (auto& row : rows)
    std::stable_sort(row.begin(), row.end(),
                     [](const Letter& a, const Letter& b) { return a.from < b.from; });
  return rows;
}

void TimelineChart::add(const Timeline& piece) {
  units_ = piece.units;
  units_.insert(units_.end(), piece.others.begin(), piece.others.end());
  for (const Timeline::Launch& launch : piece.launches) {
    // Before its first block, a launch only costs time. Behind its last one, requests may be under
    // way.
    const bool goes_on = launch.launch == launch_ && style_.chooses_all();
    std::int64_t first = goes_on ? piece.from : piece.to;
    for (const Timeline::Block& block : piece.blocks)
      if (block.launch == launch.launch) first = std::min(first, block.from);
    const std::int64_t from = std::max(piece.from, first);
    const std::int64_t to = std::min(piece.to, launch.end.value_or(piece.to));
    if (from >= to) continue;
    parts_.note(piece, launch);
    if (!goes_on && !style_.chooses_from(piece, launch)) {
      is_left_out_ = true;
      continue;
    }
    if (launch.launch != launch_) {
      end_launch();
      begin_launch(launch);
    } else if (from != until_) {
      end_stretch();
      flush();
      write_(fmt::format("  time units {} to {} are left out\n", until_, from - 1));
    }
    add_rows(piece, launch);
    note_blocks(piece, launch);
    count_lines(piece, launch, from, to);
    draw(letters_of(piece, launch), from, to);
    until_ = to;
  }
}

void TimelineChart::finish() {
  end_launch();
  if (!units_.empty() && !heading_.empty() && !is_left_out_)
    write_(std::exchange(heading_, std::string()));
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
