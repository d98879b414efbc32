// The memory that one request accesses, as text. src/pages/timeline/picture.js shows the same.
#include "memlane/timeline/memory_text.hpp"

#include "accessed.hpp"
#include "letters.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <vector>

namespace memlane {
namespace {

constexpr std::size_t most_rows = 40;         // of those with a lane
constexpr std::int64_t most_rows_between = 2; // without a lane; more are left out
constexpr std::size_t most_parts = 4;         // of a wide memory, below each other

/// What a word is that no lane accesses.
enum class FreeWord : std::uint8_t { element, spare, outside };

/// Says what the words without a lane are.
class FreeWords {
public:
  explicit FreeWords(const AccessedMemory& memory) {
    for (const Timeline::Array& array : memory.timeline.arrays) {
      if (array.unit != memory.request.unit) continue;
      knows_ = true;
      if (array.block && array.block != memory.request.block) continue;
      if (array.launch && array.launch != memory.request.launch) continue;
      Words& words = arrays_.emplace_back(Words{array.first, array.words, 1, nullptr});
      for (const std::int64_t extent : array.extents) words.elements *= extent;
      if (array.words_of) {
        const auto& placement =
            memory.timeline.placements[static_cast<std::size_t>(*array.words_of)];
        words.placed = std::make_shared<std::set<std::int64_t>>(placement.begin(), placement.end());
      }
    }
  }

  FreeWord at(std::int64_t address) const {
    for (const Words& words : arrays_) {
      const std::int64_t word = address - words.first;
      if (word < 0 || word >= words.words) continue;
      const bool is_element = words.placed ? words.placed->count(word) > 0 : word < words.elements;
      return is_element ? FreeWord::element : FreeWord::spare;
    }
    return knows_ ? FreeWord::outside : FreeWord::element;
  }

private:
  struct Words {
    std::int64_t first = 0, words = 0, elements = 0;
    std::shared_ptr<std::set<std::int64_t>> placed; ///< none: element i is word i
  };
  std::vector<Words> arrays_;
  bool knows_ = false; ///< arrays were recorded
};

constexpr std::string_view lane_letters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::size_t last_digit = 9;

/// How cells are written.
struct CellStyle {
  std::size_t label = 0;                ///< columns before the cells
  std::size_t width = 1;                ///< of a cell
  bool letters = false;                 ///< lanes are letters, banks two lines of digits
  std::vector<std::int64_t> banks = {}; ///< that are shown
};

std::vector<std::int64_t> up_to(std::int64_t count) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(i);
  return all;
}

std::size_t digits_of(std::int64_t number) { return fmt::formatted_size("{}", number); }

/// All banks with numbers if there is room, else with letters, else the banks in use.
CellStyle style_of(const AccessedMemory& memory, std::size_t columns) {
  std::int64_t largest = memory.row_words - 1;
  std::set<std::int64_t> in_use;
  for (const auto& [address, word] : memory.words) {
    largest = std::max(largest, word.lanes.back());
    in_use.insert(address % memory.row_words);
  }
  CellStyle style;
  style.label = std::max<std::size_t>(
      4, memory.words.empty() ? 0 : digits_of(memory.words.rbegin()->first / memory.row_words));
  const auto fits = [&](std::size_t count, std::size_t width) {
    return style.label + 1 + count * width <= columns;
  };
  const std::size_t narrow = digits_of(largest) + 1; // with a mark
  /// The widest cells of so many banks.
  const auto width_of = [&](std::size_t count) {
    return fits(count, narrow + 2) ? narrow + 2 : fits(count, narrow + 1) ? narrow + 1 : narrow;
  };
  style.banks = up_to(memory.row_words);
  style.width = width_of(style.banks.size());
  if (fits(style.banks.size(), style.width)) return style;
  style.letters =
      static_cast<std::size_t>(largest) < lane_letters.size() && fits(style.banks.size(), 2);
  if (!style.letters) style.banks.assign(in_use.begin(), in_use.end());
  style.width = style.letters ? 2 : width_of(style.banks.size());
  return style;
}

/// The picture while it is drawn: its marks are those that it has used.
class MemoryDrawing {
public:
  MemoryDrawing(const AccessedMemory& memory, std::size_t columns)
      : memory_(memory), columns_(columns), free_(memory), style_(style_of(memory, columns)) {}

  std::string text() {
    std::string out;
    const std::size_t room = columns_ > style_.label + 1 ? columns_ - style_.label - 1 : 0;
    const std::size_t most = std::max<std::size_t>(1, room / style_.width);
    for (std::size_t begin = 0; begin < style_.banks.size(); begin += most) {
      const auto at = style_.banks.begin() + static_cast<std::ptrdiff_t>(begin);
      const std::size_t count = std::min(most, style_.banks.size() - begin);
      if (begin / most == most_parts) {
        out += fmt::format("\n{:>{}} {} more\n", "⋮", style_.label,
                           counted(static_cast<std::int64_t>(style_.banks.size() - begin),
                                   memory_.has_banks() ? "bank" : "word"));
        break;
      }
      out += part({at, at + static_cast<std::ptrdiff_t>(count)});
    }
    return out + '\n' + legend();
  }

private:
  std::string part(const std::vector<std::int64_t>& banks) {
    std::string out = '\n' + heading(banks);
    std::set<std::int64_t> rows;
    for (const auto& [address, word] : memory_.words)
      if (std::binary_search(banks.begin(), banks.end(), address % memory_.row_words))
        rows.insert(address / memory_.row_words);
    std::size_t drawn = 0;
    for (auto at = rows.begin(); at != rows.end(); ++at) {
      if (drawn++ == most_rows)
        return out + gap(counted(static_cast<std::int64_t>(rows.size() - most_rows),
                                 fmt::format("more {}", memory_.row_noun())));
      const std::int64_t before = at == rows.begin() ? *at : *std::prev(at) + 1;
      if (*at - before > most_rows_between)
        out += gap(fmt::format("{} {}s without a lane", *at - before, memory_.row_noun()));
      else
        for (std::int64_t row = before; row < *at; ++row) out += line(row, banks);
      out += line(*at, banks);
    }
    return out;
  }

  std::string gap(const std::string& what) const {
    return fmt::format("{:>{}} {}\n", "⋮", style_.label, what);
  }

  std::string heading(const std::vector<std::int64_t>& banks) const {
    std::string tens(style_.label + 1, ' ');
    std::string ones =
        fmt::format("{:<{}}", memory_.has_banks() ? "bank" : "word", style_.label + 1);
    for (const std::int64_t bank : banks) {
      if (!style_.letters) ones += fmt::format("{:>{}}", bank, style_.width);
      if (!style_.letters) continue;
      tens += bank < 10 ? "  " : fmt::format(" {}", bank / 10);
      ones += fmt::format(" {}", bank % 10);
    }
    return style_.letters ? tens + '\n' + ones + '\n' : ones + '\n';
  }

  std::string line(std::int64_t row, const std::vector<std::int64_t>& banks) {
    std::string out = fmt::format("{:>{}} ", row, style_.label);
    for (const std::int64_t bank : banks) {
      const std::string text = cell(row * memory_.row_words + bank);
      out += std::string(style_.width - std::min(style_.width, display_width(text)), ' ') + text;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + '\n';
  }

  std::string cell(std::int64_t address) {
    const auto word = memory_.words.find(address);
    if (word == memory_.words.end()) {
      const FreeWord free = free_.at(address);
      has_free_.at(static_cast<std::size_t>(free)) = true;
      return free == FreeWord::element ? "·" : free == FreeWord::spare ? "/" : "";
    }
    const auto& [lanes, stage] = word->second;
    has_further_ = has_further_ || stage > 0;
    has_several_ = has_several_ || lanes.size() > 1;
    last_lane_ = std::max(last_lane_, static_cast<std::size_t>(lanes.front()));
    const std::string lane =
        style_.letters ? std::string(1, lane_letters[static_cast<std::size_t>(lanes.front())])
                       : fmt::format("{}", lanes.front());
    return (stage > 0 ? "*" : "") + lane;
  }

  std::string legend() const {
    std::vector<std::string> entries = {fmt::format("{0}: lane {0} of the warp", last_lane_)};
    if (style_.letters && last_lane_ > last_digit)
      entries.front() =
          fmt::format("0 to 9, a to {}: lanes 0 to {}", lane_letters[last_lane_], last_lane_);
    if (has_several_) entries.emplace_back("of several lanes the first");
    if (has_further_)
      entries.emplace_back(memory_.has_banks() ? "*: in a further stage, a bank conflict"
                                               : fmt::format("*: in a further stage, another {}",
                                                             memory_.row_noun()));
    constexpr std::array free_words = {"·: no lane", "/: a spare word of the layout",
                                       "blank: no array"};
    for (std::size_t i = 0; i < free_words.size(); ++i)
      if (has_free_.at(i)) entries.emplace_back(free_words.at(i));
    if (static_cast<std::int64_t>(style_.banks.size()) < memory_.row_words)
      entries.emplace_back(memory_.has_banks() ? "banks without a lane are left out"
                                               : "words without a lane are left out");
    entries.push_back(
        fmt::format("row 1: words {} to {}", memory_.row_words, 2 * memory_.row_words - 1));
    return in_columns(entries, "   ", columns_);
  }

  const AccessedMemory& memory_;
  std::size_t columns_;
  FreeWords free_;
  CellStyle style_;
  std::size_t last_lane_ = 0;
  bool has_further_ = false, has_several_ = false;
  std::array<bool, 3> has_free_ = {}; ///< by FreeWord
};

/// The first request with the most stages of those that `is_chosen` accepts.
template <class Choose>
const Timeline::Request* costliest_of(const Timeline& timeline, Choose is_chosen) {
  const Timeline::Request* best = nullptr;
  for (const Timeline::Request& request : timeline.requests)
    if (is_chosen(request) && (!best || request.stages > best->stages)) best = &request;
  return best;
}

std::string wrapped_sentence(const std::string& sentence, std::size_t columns) {
  std::vector<std::string> words;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    end = sentence.find(' ', at);
    words.push_back(sentence.substr(at, end == std::string::npos ? end : end - at));
  }
  return in_columns(words, " ", columns);
}

} // namespace

std::string memory_text(const Timeline& timeline, const Sources& sources,
                        std::optional<std::int32_t> line, std::size_t columns) {
  const Timeline::Request* request = nullptr;
  if (line)
    request = costliest_of(timeline, [&](const Timeline::Request& r) {
      return r.span.known() && r.span.file == 0 && sources.begin(r.span).line == *line;
    });
  if (!request) request = costliest_of(timeline, [](const auto&) { return true; });
  if (!request) return "No request is in this timeline.\n";
  const AccessedMemory memory = accessed_memory(timeline, *request);
  return wrapped_sentence(access_sentence(memory, sources), columns) +
         MemoryDrawing(memory, columns).text();
}

} // namespace memlane
