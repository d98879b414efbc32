// The words that a request accesses, row by row.
#include "request_shape.hpp"

#include <algorithm>
#include <bit>

namespace memlane::ptx {

namespace {

constexpr std::int64_t row_words = 32;

class PartsOfRequest {
public:
  PartsOfRequest(const RequestLanes& lanes, bool write)
      : lanes_(lanes), write_(write),
        shift_(std::countr_zero(static_cast<std::uint64_t>(lanes.of_lane()))),
        first_row_(lanes.word(0) / row_words) {}

  /// False: lanes that are not neighbours access the same words.
  bool find() {
    std::int64_t begin = 0, end = 0; // of the words that the lanes before have read
    for (int first = 0, last = 0; first < lanes_.count(); first = last) {
      last = lanes_.end_of_run(first);
      const std::int64_t run_begin = lanes_.word(first), run_end = lanes_.end_word(last - 1);
      if (begin <= run_begin && run_end <= end) continue;
      if (!add_run(first, last)) return false;
      if (write_) continue;
      begin = run_begin;
      end = run_end;
    }
    return true;
  }

  std::vector<RowPart> parts;

private:
  /// Lanes whose words are the same or follow each other.
  bool add_run(int first, int last) {
    if (lanes_.is_dense() && lanes_.end_of_different(first, last) == last)
      return add(lanes_.word(first), lanes_.end_word(last - 1), lanes_.lane(first), 1);
    for (int k = first, behind = 0; k < last; k = behind) {
      behind = lanes_.end_of_same(k, last);
      if (!add(lanes_.word(k), lanes_.end_word(k), lanes_.lane(write_ ? behind - 1 : k), 0))
        return false;
    }
    return true;
  }

  /// Words that begin with those of a lane. `step`: from their lanes to the next ones; 0: there is
  /// one lane.
  bool add(std::int64_t begin, std::int64_t end, int lane, int step) {
    for (std::int64_t at = begin; at < end;) {
      const std::int64_t row = at / row_words, row_begin = row * row_words;
      const std::int64_t row_end = std::min(end, row_begin + row_words);
      const auto words = static_cast<std::uint32_t>((std::uint64_t{1} << (row_end - row_begin)) -
                                                    (std::uint64_t{1} << (at - row_begin)));
      const auto before = static_cast<int>((row_begin - begin) >> shift_);
      RowPart part{row - first_row_, words, static_cast<std::int16_t>(lane + before * step),
                   static_cast<std::int8_t>(step), static_cast<std::uint8_t>(shift_)};
      bool joined = false;
      for (RowPart& known : parts) {
        if (known.row != part.row) continue;
        if ((known.words & words) != 0) return false;
        joined = joined || join(known, part);
      }
      if (!joined) parts.push_back(part);
      at = row_end;
    }
    return true;
  }

  /// Adds one lane's words to a part, if its lanes are then at equal distances.
  bool join(RowPart& part, const RowPart& one) const {
    if (one.step != 0) return false;
    const int unit = std::countr_zero(one.words) >> shift_;
    if (part.step == 0) {
      const int first = std::countr_zero(part.words) >> shift_;
      if ((one.lane - part.lane) % (unit - first) != 0) return false;
      const int step = (one.lane - part.lane) / (unit - first);
      part.lane = static_cast<std::int16_t>(part.lane - first * step);
      part.step = static_cast<std::int8_t>(step);
    } else if (part.lane + unit * part.step != one.lane) {
      return false;
    }
    part.words |= one.words;
    return true;
  }

  const RequestLanes& lanes_;
  const bool write_;
  const int shift_;
  const std::int64_t first_row_;
};

} // namespace

std::vector<RowPart> row_parts(const RequestLanes& lanes, bool write) {
  PartsOfRequest found(lanes, write);
  if (!found.find()) return {};
  return std::move(found.parts);
}

} // namespace memlane::ptx
