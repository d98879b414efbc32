// The rows of a time chart as text; timeline_strips.cpp writes them.
#include "memlane/report/timeline_text.hpp"

#include "timeline_letters.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace memlane {
namespace {

constexpr std::string_view names = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr char nameless = '*';
constexpr std::int64_t most_ports = 4; // that a unit's rows show

} // namespace

TimelineChart::TimelineChart(const Sources& sources, ChartStyle style, std::string heading,
                             Write write)
    : sources_(sources), style_(style), heading_(std::move(heading)), write_(std::move(write)) {
  if (style_.legend) heading_ += letters_legend(style_.columns);
}

char TimelineChart::name_of(const Place& place) const {
  const auto number = static_cast<std::size_t>(
      std::lower_bound(places_.begin(), places_.end(), place) - places_.begin());
  return number < names.size() ? names[number] : nameless;
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

std::string timeline_text(const Timeline& timeline, const Sources& sources,
                          const ChartStyle& style) {
  std::string text;
  TimelineChart chart(sources, style, {}, [&](std::string_view part) { text += part; });
  chart.add(timeline);
  chart.finish();
  return text;
}

} // namespace memlane
