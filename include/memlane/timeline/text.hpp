// Time charts as text, in the style of the papers' figures: warps down, time across.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/timeline/timeline.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// How a chart is drawn; all but the rows and their choice is of texts alone.
struct ChartStyle {
  std::size_t columns = 80; ///< the width of a line; a strip has at least 8 time units
  bool color = false;       ///< the letters say the same
  bool legend = true;
  bool every_unit = false;     ///< false: shortens long stretches without a change
  std::size_t most_warps = 32; ///< the most rows of a launch; the first ones are drawn
  /// Warps of a block, and blocks of a launch, that are drawn: first and last number.
  std::pair<std::int64_t, std::int64_t> warps = {0, INT64_MAX}, blocks = {0, INT64_MAX};

  bool chooses_block(std::int64_t block) const {
    return block >= blocks.first && block <= blocks.second;
  }
  bool chooses_warp(std::int64_t warp) const { return warp >= warps.first && warp <= warps.second; }
  /// Whether a chosen warp of the launch is resident in the piece.
  bool chooses_from(const Timeline& piece, const Timeline::Launch& launch) const;
  bool chooses_all() const {
    constexpr std::pair<std::int64_t, std::int64_t> all = {0, INT64_MAX};
    return warps == all && blocks == all;
  }
};

/// The blocks and warps of a window; the ranges of a style choose from them.
struct ChartedParts {
  std::int64_t blocks = 0, warps = 0;                    ///< the most of a launch, and of a block
  std::int64_t first_block = INT64_MAX, last_block = -1; ///< the numbers of resident blocks

  void note(const Timeline& piece, const Timeline::Launch& launch);
};

/// Draws a time chart that comes in pieces, and holds one strip of it. A row is a warp of a place
/// for a block on a multiprocessor; below it are the ports of the memory units, with the warp whose
/// stage enters. Only the chosen warps of the chosen blocks are drawn and counted; at a port, `+`
/// is a warp without a row. `write` receives the text in parts.
class TimelineChart {
public:
  using Write = std::function<void(std::string_view)>;
  /// `heading`: lines above the chart; nothing is written before its first piece.
  TimelineChart(const Sources& sources, ChartStyle style, std::string heading, Write write);

  /// A piece of the window. Pieces follow each other in time; a gap between two is left out.
  void add(const Timeline& piece);
  /// The last strip.
  void finish();

  /// Whether the style's ranges choose nothing that the window has. Then nothing was written.
  bool chose_nothing() const { return is_left_out_ && !has_drawn_; }
  const ChartedParts& parts() const { return parts_; }

private:
  /// A place of a warp: multiprocessor, slot, number in the block.
  struct Place {
    std::int64_t multiprocessor = 0, slot = 0, warp = 0;
    auto operator<=>(const Place&) const = default;
  };
  using Group = std::pair<std::int64_t, std::int64_t>; ///< multiprocessor and slot
  /// A port of a memory unit.
  struct Lane {
    std::int64_t unit = 0, port = 0;
    auto operator<=>(const Lane&) const = default;
  };
  /// A letter of a row for some time.
  struct Letter {
    std::int64_t from = 0, to = 0;
    char letter = ' ';
  };
  struct Column {
    std::int64_t time = 0;
    bool gap = false;    ///< it stands for the stretch before the next column
    std::string letters; ///< one for each row, then one for each lane
  };
  struct LineRequests {
    std::int64_t requests = 0, stages = 0, completed = 0;
    std::string_view text;
  };
  using Rows = std::vector<std::vector<Letter>>;

  void begin_launch(const Timeline::Launch& launch);
  void end_launch();
  void add_rows(const Timeline& piece, const Timeline::Launch& launch);
  void choose_rows();
  void note_blocks(const Timeline& piece, const Timeline::Launch& launch);
  void count_lines(const Timeline& piece, const Timeline::Launch& launch, std::int64_t from,
                   std::int64_t to);
  Rows letters_of(const Timeline& piece, const Timeline::Launch& launch);
  void draw(const Rows& rows, std::int64_t from, std::int64_t to);
  void stretch(std::int64_t time, std::int64_t count, std::string letters);
  void end_stretch();
  void column(Column column);
  void flush();
  std::string scale() const;
  std::string group_line(Group group) const;
  std::string line(const std::string& label, std::size_t row) const;
  std::size_t strip_width() const;
  char name_of(const Place& place) const;

  const Sources& sources_;
  const ChartStyle style_;
  std::string heading_; ///< not written yet
  Write write_;

  std::vector<Timeline::Unit> units_;
  std::int64_t launch_ = -1;
  std::int64_t blocks_ = 0;        ///< the number of blocks in the launch
  std::vector<Place> places_;      ///< all places of the launch, in order
  std::vector<std::size_t> shown_; ///< indices into `places_`: the places that have a row
  std::vector<Lane> lanes_;
  std::map<std::int64_t, Group> group_of_; ///< where each block is resident
  std::set<Group> chosen_;                 ///< the groups that have had a chosen block
  /// The blocks of this strip and of later ones.
  std::map<Group, std::vector<Timeline::Block>> resident_;
  std::map<std::pair<std::int32_t, std::int32_t>, LineRequests> lines_; ///< keyed by file and line
  std::vector<Column> strip_;
  Column pending_; ///< the column that repeats from its time on
  std::int64_t pending_count_ = 0;
  std::int64_t until_ = 0; ///< the chart has been drawn up to here
  ChartedParts parts_;
  bool has_drawn_ = false, is_left_out_ = false; ///< what the window has, by the style's ranges
};

/// The chart of a whole timeline.
std::string timeline_text(const Timeline& timeline, const Sources& sources,
                          const ChartStyle& style = {});

} // namespace memlane
