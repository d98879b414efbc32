#include "svg.hpp"

#include "letters.hpp"

#include "memlane/chart/layout.hpp"
#include "memlane/chart/markup.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace memlane {
namespace {

constexpr double svg_side = 8, svg_row = 16, svg_bar = 11, svg_line = 17, svg_gap = 6;
constexpr double usual_plot = 660, least_plot = 340, widest_unit = 36, narrowest_unit = 1;
constexpr std::string_view svg_ink = "#1b1b1f", svg_faint = "#55555c", svg_rule = "#d9d9de",
                           port_colour = "#4a4a52", other_port_colour = "#b4b4bc";

/// How a state looks: its colour, and which parts of the row's height its bars fill. So the states
/// differ without colours, too.
struct StateLook {
  std::string_view colour;
  std::array<std::pair<double, double>, 2> parts;
};
/// By WarpState.
constexpr std::array<StateLook, 7> state_looks = {{
    {"#5b5b64", {{{0.45, 0.55}, {0, 0}}}},
    {"#0067a3", {{{0, 1}, {0, 0}}}},
    {"#b94a00", {{{0, 0.4}, {0.6, 1}}}},
    {"#6fb1d8", {{{0.3, 0.7}, {0, 0}}}},
    {"#c9a3be", {{{0, 1}, {0, 0}}}},
    {"#00694c", {{{0.15, 0.35}, {0.65, 0.85}}}},
    {"#d9d9de", {{{0.4, 0.6}, {0, 0}}}},
}};

std::string svg_text(double x, double y, std::string_view text, std::string_view colour,
                     std::string_view more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\"{}>{}</text>\n", x, y, colour,
                     more, escaped(text));
}

/// The bars of a state in a row: a part of an SVG path.
std::string bars_of(const StateLook& look, double x, double width, double top) {
  std::string path;
  for (const auto& part : look.parts) {
    const double height = (part.second - part.first) * svg_bar;
    if (height > 0)
      path += fmt::format("M{:.1f},{:.1f}h{:.1f}v{:.1f}h{:.1f}z", x, top + part.first * svg_bar,
                          width, height, -width);
  }
  return path;
}

class SvgDrawing {
public:
  SvgDrawing(const Timeline& timeline, const ChartStyle& style, std::string_view title);
  std::string text();

private:
  using Group = std::pair<std::int64_t, std::int64_t>;                ///< multiprocessor, slot
  using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>; ///< and the warp
  using BlockOfLaunch = std::pair<std::int64_t, std::int64_t>;
  using Lane = std::pair<std::int64_t, std::int64_t>; ///< unit and port

  /// What enters a port.
  struct PortBar {
    std::int64_t launch = 0, block = 0, warp = 0, from = 0, to = 0;
  };

  void find_places();
  void find_ports();
  void note_use(std::int64_t unit, std::int64_t port, const PortBar& bar);
  void place_rows();
  void place_legend();
  std::string states_text() const;
  std::string ports_text() const;
  std::string blocks_text() const;
  std::string launches_text() const;
  std::string axis_text() const;
  std::string notes_text();
  std::optional<Place> place_of(std::int64_t launch, std::int64_t block, std::int64_t warp) const;
  double x(std::int64_t time) const {
    return left_ + static_cast<double>(std::clamp(time, from_, to_) - from_) * unit_;
  }
  double width() const { return left_ + plot_ + 2 * svg_side; }
  /// As in texts: where a launch has several blocks, headings name them.
  bool is_grouped() const {
    return std::any_of(timeline_.launches.begin(), timeline_.launches.end(),
                       [](const Timeline::Launch& launch) { return launch.blocks > 1; });
  }
  bool names_multiprocessors() const { return !groups_.empty() && groups_.rbegin()->first > 0; }

  const Timeline& timeline_;
  const std::vector<WarpSpan> spans_;
  const ChartStyle& style_;
  const std::string title_;
  std::int64_t from_ = 0, to_ = 0;
  std::vector<Timeline::Unit> units_;
  std::map<BlockOfLaunch, Group> group_of_; ///< of the chosen blocks
  std::set<Place> places_;                  ///< those that have a row
  std::size_t all_places_ = 0;              ///< the chosen ones
  std::set<Group> groups_;
  std::map<Lane, std::vector<PortBar>> ports_;

  double unit_ = 1, plot_ = 0, left_ = 0; ///< widths of a time unit, of all, and of the labels
  double top_ = 0, bottom_ = 0;           ///< of the rows
  std::map<Group, double> group_top_;
  std::map<Place, double> top_of_;
  std::map<Lane, double> port_top_;
  std::string head_; ///< title and legend
};

SvgDrawing::SvgDrawing(const Timeline& timeline, const ChartStyle& style, std::string_view title)
    : timeline_(timeline), spans_(warp_spans(timeline)), style_(style), title_(title),
      from_(timeline.from), units_(timeline.units) {
  units_.insert(units_.end(), timeline.others.begin(), timeline.others.end());
  // Before its first block, a launch only costs time.
  if (!timeline.blocks.empty()) {
    const auto first = std::min_element(
        timeline.blocks.begin(), timeline.blocks.end(),
        [](const Timeline::Block& a, const Timeline::Block& b) { return a.from < b.from; });
    from_ = std::clamp(first->from, from_, std::max(from_, timeline.to - 1));
  }
  to_ = std::min(timeline.to, from_ + most_svg_units);
  const auto count = static_cast<double>(std::max<std::int64_t>(1, to_ - from_));
  unit_ = std::clamp(usual_plot / count, narrowest_unit, widest_unit);
  plot_ = std::max(least_plot, unit_ * count);
  find_places();
  find_ports();
}

void SvgDrawing::find_places() {
  std::map<std::int64_t, std::int64_t> warps; // of a block of a launch
  for (const Timeline::Launch& launch : timeline_.launches) warps[launch.launch] = launch.warps;
  std::set<Place> all;
  for (const Timeline::Block& block : timeline_.blocks) {
    if (!style_.chooses_block(block.block) || block.from >= to_) continue;
    group_of_[{block.launch, block.block}] = {block.multiprocessor, block.slot};
    for (std::int64_t warp = 0; warp < warps[block.launch]; ++warp)
      if (style_.chooses_warp(warp)) all.insert({block.multiprocessor, block.slot, warp});
  }
  all_places_ = all.size();
  for (const Place& place : all) {
    if (places_.size() == style_.most_warps) break;
    places_.insert(place);
    groups_.insert({std::get<0>(place), std::get<1>(place)});
  }
}

void SvgDrawing::note_use(std::int64_t unit, std::int64_t port, const PortBar& bar) {
  const auto& own = units_[static_cast<std::size_t>(unit)].multiprocessor;
  const auto is_of = [&](const Group& group) { return group.first == *own; };
  if (own && std::none_of(groups_.begin(), groups_.end(), is_of)) return;
  if (port < most_charted_ports && bar.to > from_ && bar.from < to_)
    ports_[{unit, port}].push_back(bar);
}

void SvgDrawing::find_ports() {
  for (const Timeline::Request& request : timeline_.requests)
    for (const PortUse& use :
         port_uses(request, units_[static_cast<std::size_t>(request.unit)].ports))
      note_use(request.unit, use.port,
               {request.launch, request.block, request.warp, use.from, use.to});
  const auto first_other = static_cast<std::int64_t>(timeline_.units.size());
  for (const Timeline::Entry& entry : timeline_.entries)
    note_use(first_other + entry.unit, entry.port,
             {entry.launch, entry.block, entry.warp, entry.from, entry.to});
}

/// The rows of warps, a heading above those of each group, then the ports.
void SvgDrawing::place_rows() {
  std::optional<Group> group;
  bottom_ = top_;
  for (const Place& place : places_) {
    const Group own = {std::get<0>(place), std::get<1>(place)};
    if (is_grouped() && group != own) {
      group_top_[own] = bottom_;
      bottom_ += svg_row;
    }
    group = own;
    top_of_[place] = bottom_;
    bottom_ += svg_row;
  }
  if (places_.empty()) bottom_ += svg_row; // for a sentence
  bottom_ += ports_.empty() ? 0 : svg_gap;
  for (const auto& port : ports_) {
    port_top_[port.first] = bottom_;
    bottom_ += svg_row;
  }
}

/// Writes title and legend, and finds the places of what is below.
void SvgDrawing::place_legend() {
  for (const auto& port : ports_)
    left_ = std::max(left_, text_width(port_label(units_, port.first.first, port.first.second),
                                       chart_text_size));
  left_ = std::max(left_, text_width(is_grouped() && names_multiprocessors() ? "multiprocessor 99"
                                                                             : "W999",
                                     chart_text_size)) +
          2 * svg_side;
  double y = svg_side;
  for (const std::string& line : wrapped(title_, chart_title_size, width() - 2 * svg_side)) {
    y += svg_line;
    head_ += svg_text(svg_side, y, line, svg_ink,
                      fmt::format(" font-size=\"{:g}\" font-weight=\"bold\"", chart_title_size));
  }
  std::set<WarpState> used;
  for (const WarpSpan& span : spans_)
    if (span.from < to_ && place_of(span.launch, span.block, span.warp)) used.insert(span.state);
  constexpr double sample = 20, gap = 5, between = 14;
  double x = svg_side;
  y += svg_line;
  for (const WarpState state : used) {
    const std::string_view meaning = meaning_of(state);
    const double needed = sample + gap + text_width(meaning, chart_text_size);
    if (x > svg_side && x + needed > width() - svg_side) x = svg_side, y += svg_line;
    const StateLook& look = state_looks[static_cast<std::size_t>(state)];
    head_ += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", look.colour,
                         bars_of(look, x, sample, y - svg_bar + 1));
    head_ += svg_text(x + sample + gap, y, meaning, svg_ink);
    x += needed + between;
  }
  top_ = y + (timeline_.launches.size() > 1 ? svg_line : 0) + svg_side;
}

/// None: the warp has no row.
std::optional<SvgDrawing::Place> SvgDrawing::place_of(std::int64_t launch, std::int64_t block,
                                                      std::int64_t warp) const {
  const auto group = group_of_.find({launch, block});
  if (group == group_of_.end()) return std::nullopt;
  const Place place = {group->second.first, group->second.second, warp};
  return places_.count(place) > 0 ? std::optional(place) : std::nullopt;
}

std::string SvgDrawing::states_text() const {
  std::string text;
  for (const auto& row : top_of_)
    text += svg_text(left_ - svg_side, row.second + svg_bar,
                     fmt::format("W{}", std::get<2>(row.first)), svg_ink, " text-anchor=\"end\"");
  std::array<std::string, state_looks.size()> paths;
  for (const WarpSpan& span : spans_) {
    const std::optional<Place> place = place_of(span.launch, span.block, span.warp);
    if (!place || span.from >= to_ || span.to <= from_) continue;
    const auto state = static_cast<std::size_t>(span.state);
    paths[state] += bars_of(state_looks[state], x(span.from), x(span.to) - x(span.from),
                            top_of_.at(*place) + 2);
  }
  for (std::size_t state = 0; state < paths.size(); ++state)
    if (!paths[state].empty())
      text += fmt::format("<path fill=\"{}\" d=\"{}\"><title>{}</title></path>\n",
                          state_looks[state].colour, paths[state],
                          escaped(meaning_of(static_cast<WarpState>(state))));
  return text;
}

/// A bar for each use of a port, with the number of its warp where there is room.
std::string SvgDrawing::ports_text() const {
  constexpr double number_size = 10;
  std::string text;
  for (const auto& [lane, bars] : ports_) {
    const double top = port_top_.at(lane);
    text += svg_text(left_ - svg_side, top + svg_bar, port_label(units_, lane.first, lane.second),
                     svg_ink, " text-anchor=\"end\"");
    std::string own, other, numbers;
    for (const PortBar& bar : bars) {
      const double begin = x(bar.from), wide = x(bar.to) - begin;
      const bool has_row = place_of(bar.launch, bar.block, bar.warp).has_value();
      const double gap = unit_ >= 3 ? 0.6 : 0;
      (has_row ? own : other) += bars_of({"", {{{0, 1}, {0, 0}}}}, begin, wide - gap, top + 2);
      const std::string number = std::to_string(bar.warp);
      if (has_row && text_width(number, number_size) <= wide)
        numbers += svg_text(begin + wide / 2, top + svg_bar, number, "#ffffff");
    }
    for (const auto& part : {std::pair(own, port_colour), std::pair(other, other_port_colour)})
      if (!part.first.empty())
        text += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", part.second, part.first);
    if (!numbers.empty())
      text += fmt::format("<g font-size=\"{:g}\" text-anchor=\"middle\">\n{}</g>\n", number_size,
                          numbers);
  }
  return text;
}

/// Where blocks begin, in the headings of their groups.
std::string SvgDrawing::blocks_text() const {
  std::string text;
  for (const auto& group : group_top_) {
    if (names_multiprocessors())
      text += svg_text(svg_side, group.second + svg_bar,
                       fmt::format("multiprocessor {}", group.first.first), svg_faint);
    for (const Timeline::Block& block : timeline_.blocks) {
      if (Group(block.multiprocessor, block.slot) != group.first || block.from >= to_) continue;
      if (block.to.value_or(to_) <= from_) continue; // its requests are under way
      if (!style_.chooses_block(block.block)) continue;
      const double begin = x(block.from), end = x(block.to.value_or(to_));
      const std::string name = fmt::format("block {}", block.block);
      text += fmt::format("<path fill=\"{}\" d=\"M{:.1f},{:.1f}h1v{:g}h-1z\"/>\n", svg_faint, begin,
                          group.second + 3, svg_row - 4);
      if (text_width(name, chart_text_size) + 4 <= end - begin)
        text += svg_text(begin + 4, group.second + svg_bar, name, svg_faint);
    }
  }
  return text;
}

/// Where launches begin, if there are several.
std::string SvgDrawing::launches_text() const {
  std::string text;
  if (timeline_.launches.size() < 2) return text;
  for (const Timeline::Launch& launch : timeline_.launches) {
    if (launch.begin >= to_) continue;
    const double begin = x(launch.begin), end = x(launch.end.value_or(to_));
    text += fmt::format("<path fill=\"{}\" d=\"M{:.1f},{:.1f}h1V{:.1f}h-1z\"/>\n", svg_rule, begin,
                        top_ - svg_line, bottom_);
    const std::string name = fmt::format("launch {}: {}", launch.launch, launch.kernel);
    for (const std::string& shown : {name, std::to_string(launch.launch)}) {
      if (text_width(shown, chart_text_size) + 4 > end - begin) continue;
      text += svg_text(begin + 3, top_ - 6, shown, svg_faint);
      break;
    }
  }
  return text;
}

std::string SvgDrawing::axis_text() const {
  ChartAxis axis;
  AxisSpan span;
  span.lo = static_cast<double>(from_);
  span.hi = static_cast<double>(from_) + plot_ / unit_;
  span.whole = true;
  std::string text;
  const double end = left_ + plot_;
  for (const AxisTick& tick :
       ticks_of(axis, span, std::max<std::size_t>(2, static_cast<std::size_t>(plot_ / 60)))) {
    const double at = left_ + plot_ * span.share(tick.at);
    if (tick.at > static_cast<double>(to_)) break;
    text += fmt::format("<path fill=\"{}\" d=\"M{:.1f},{:.1f}h1V{:.1f}h-1z\"/>\n", svg_rule,
                        at - 0.5, top_, bottom_ + 4);
    text += svg_text(at, bottom_ + svg_row, tick.text, svg_faint, " text-anchor=\"middle\"");
  }
  return text +
         fmt::format("<path fill=\"{}\" d=\"M{:.1f},{:.1f}H{:.1f}v1H{:.1f}z\"/>\n", svg_faint,
                     left_, bottom_, end, left_) +
         svg_text(left_ + plot_ / 2, bottom_ + svg_row + svg_line, "time in units", svg_ink,
                  " text-anchor=\"middle\"");
}

/// What is not drawn, in sentences below the axis; moves the bottom below them.
std::string SvgDrawing::notes_text() {
  std::vector<std::string> notes;
  if (to_ < timeline_.to)
    notes.push_back(fmt::format("Drawn are the time units {} to {} of {} to {}: --window A:B "
                                "chooses others.",
                                from_, to_ - 1, from_, timeline_.to - 1));
  else if (timeline_.time.value_or(INT64_MAX) > to_)
    notes.push_back(fmt::format("The run goes on after time {}: --window A:B chooses other time "
                                "units.",
                                to_));
  if (places_.size() < all_places_)
    notes.push_back(fmt::format("Drawn are {} of {} warps: --warps, --blocks and --rows choose "
                                "others.",
                                places_.size(), all_places_));
  const bool has_others = std::any_of(ports_.begin(), ports_.end(), [&](const auto& port) {
    return std::any_of(port.second.begin(), port.second.end(), [&](const PortBar& bar) {
      return !place_of(bar.launch, bar.block, bar.warp);
    });
  });
  if (has_others) notes.emplace_back("Light bars at ports are of warps without a row.");
  std::string text;
  bottom_ += svg_row + svg_line;
  for (const std::string& note : notes)
    for (const std::string& line : wrapped(note, chart_text_size, width() - 2 * svg_side)) {
      bottom_ += svg_line;
      text += svg_text(svg_side, bottom_, line, svg_faint);
    }
  bottom_ += svg_side;
  return text;
}

std::string SvgDrawing::text() {
  place_legend();
  place_rows();
  std::string body =
      head_ + axis_text() + launches_text() + blocks_text() + states_text() + ports_text();
  if (places_.empty()) body += svg_text(left_, top_ + svg_bar, "No warp is resident.", svg_ink);
  body += notes_text();
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
                     "viewBox=\"0 0 {0:g} {1:g}\" role=\"img\" font-family=\"Helvetica, Arial, "
                     "'DejaVu Sans', sans-serif\" font-size=\"{2:g}\">\n<title>{3}</title>\n"
                     "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{4}</svg>\n",
                     width(), bottom_, chart_text_size, escaped(title_), body);
}

} // namespace

std::string timeline_svg(const Timeline& timeline, const ChartStyle& style,
                         std::string_view title) {
  return SvgDrawing(timeline, style, title).text();
}

} // namespace memlane
