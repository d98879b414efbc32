// Stages of a warp's request (configs/README.md section 2): in closed form where addresses grow by
// a constant from lane to lane, in rows that are folded from row to row; else by one look at each
// address.
#pragma once

#include "rows.hpp"

#include "memlane/machine/spec.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace memlane::fast {

/// Words in parts of equal size: lines, address groups, rows of banks. Division is a shift where it
/// can be.
struct Parts {
  explicit Parts(std::int64_t words);

  std::int64_t number(std::int64_t word) const { return shift >= 0 ? word >> shift : word / size; }
  std::int64_t place(std::int64_t word) const {
    return shift >= 0 ? word & (size - 1) : word % size;
  }

  std::int64_t size;
  int shift; ///< -1: `size` is no power of two
};

/// A memory unit as requests see it.
class Banks {
public:
  Banks(UnitKind kind, std::int64_t width);

  UnitKind kind() const { return kind_; }
  std::int64_t width() const { return rows_.size; }

  /// Stages of `count` >= 1 addresses first, first + step, …
  std::int64_t of_steps(std::int64_t first, std::int64_t step, std::int64_t count) const {
    if (step == 0 || count == 1) return 1;
    const std::int64_t stride = step < 0 ? -step : step;
    if (kind_ == UnitKind::unified) {
      // Steps below w words skip no group; longer steps never touch a group twice.
      if (stride >= rows_.size) return count;
      const std::int64_t lowest = step < 0 ? first + step * (count - 1) : first;
      return group(lowest + stride * (count - 1)) - group(lowest) + 1;
    }
    const std::int64_t banks = rows_.size / std::gcd(stride, rows_.size);
    return (count + banks - 1) / banks;
  }

  /// Stages of a whole warp whose lanes have the addresses first + pattern.offset(j).
  std::int64_t of_pattern(std::int64_t first, const Pattern& pattern) {
    return pattern.folds == 0 ? of_steps(first, pattern.lane_step, rows_.size)
                              : of_folded(first, pattern);
  }
  /// Words that two or more of its lanes name.
  std::int64_t repeated_in(const Pattern& pattern) {
    if (pattern.folds == 0) return pattern.lane_step == 0 && rows_.size > 1 ? 1 : 0;
    return look_at(pattern).repeated;
  }

  /// Stages of any `count` >= 1 addresses; `repeated`: words that two or more of them name.
  std::int64_t of_addresses(const std::int64_t* addresses, int count, std::int64_t* repeated);
  /// What to fetch from memory into the caches while banks are counted: it waits for memory, and
  /// counting does not. Word i lies `size` * words[i] bytes behind `data`, or outside all memory.
  struct Prefetch {
    const unsigned char* data = nullptr; ///< null: nothing
    const std::int32_t* words = nullptr;
    std::int64_t size = 0;
  };
  /// Stages of the `count` >= 1 addresses base + words[0], …; `prefetch` has as many words.
  std::int64_t of_words(std::int64_t base, const std::int32_t* words, int count,
                        const Prefetch& prefetch);

private:
  std::int64_t group(std::int64_t address) const { return rows_.number(address); }
  std::int64_t bank(std::int64_t address) const { return rows_.place(address); }

  /// An open hash table that is emptied by a new round number.
  struct Seen {
    std::int64_t key = 0;
    std::uint32_t round = 0;
    std::uint32_t times = 0;
    std::uint64_t once = 0, twice = 0; ///< of a group: its words that so many lanes name, or more
  };
  /// The key's place; `times` is 0 if it is new in this round.
  Seen& look_up(std::int64_t key);
  void begin_round();
  /// `repeated`, only for groups of at most 64 words: as in of_addresses.
  std::int64_t distinct_groups(const std::int64_t* addresses, int count, std::int64_t* repeated);
  std::int64_t of_any(const std::int64_t* addresses, int count, std::int64_t* repeated);
  /// The stages on a discrete unit.
  template <class A>
  std::int64_t fullest_bank(A address, int count, const Prefetch& prefetch, std::int64_t* repeated);
  std::int64_t look_into(const std::uint8_t* fill, std::int64_t& repeated) const;
  std::int64_t of_32(std::int64_t base, const std::int32_t* words, int count,
                     const Prefetch& prefetch);
  bool all_distinct(std::uint64_t bank, int count) const;

  /// What was found by looking at each lane of a pattern; nothing of it depends on where it begins.
  struct Known {
    Pattern pattern;
    std::int64_t stages = 0; ///< stages on a discrete unit; 0: an empty place
    std::int64_t repeated = 0;
  };
  const Known& look_at(const Pattern& pattern);
  std::int64_t of_folded(std::int64_t first, const Pattern& pattern);

  UnitKind kind_;
  Parts rows_; ///< of as many words as the unit has banks, or an address group has
  std::uint32_t round_ = 0;
  int hash_shift_;
  std::vector<Seen> seen_;
  std::vector<std::uint32_t> load_; ///< distinct addresses of each bank
  std::vector<std::int64_t> banks_; ///< addresses, equal ones too, of each bank: width places
  std::vector<std::int64_t> addresses_;
  std::vector<Known> known_; ///< patterns by their hash; a new one takes the place of another
};

/// The words that the lanes of a request name: `length` words side by side at front, front + step,
/// … up to `back`, or with a step of 0 those that are `sorted`.
struct NamedWords {
  std::int64_t front = 0, back = 0;
  std::int64_t step = 0, length = 1;
  std::int64_t repeated = 0;        ///< words that several lanes name
  std::vector<std::int64_t> sorted; ///< with repetitions

  /// Elements of so many words, the least of them at `first`, `apart` words from each other.
  void set_steps(std::int64_t first, std::int64_t apart, std::int64_t elements, std::int64_t words);
  /// Those in `sorted`, which this sorts.
  void look();
  /// In how many parts they lie.
  std::int64_t parts(const Parts& of) const {
    return skips_none(of) ? of.number(back) - of.number(front) + 1 : parts_apart(of);
  }
  /// Calls f for each of these parts, rising.
  template <class F>
  void each_part(const Parts& of, F f) const {
    std::int64_t next = of.number(front);
    const auto upto = [&](std::int64_t last) {
      for (; next <= last; ++next) f(next);
    };
    if (skips_none(of)) return upto(of.number(back));
    const auto run = [&](std::int64_t first, std::int64_t last) {
      next = std::max(next, of.number(first));
      upto(of.number(last));
    };
    for (std::int64_t word = front; step > 0 && word <= back; word += step)
      run(word, word + length - 1);
    for (std::size_t k = 0; step == 0 && k < sorted.size(); ++k) run(sorted[k], sorted[k]);
  }

private:
  /// Whether steps skip no part between the first and the last.
  bool skips_none(const Parts& of) const { return step > 0 && step - length < of.size; }
  std::int64_t parts_apart(const Parts& of) const;
};

} // namespace memlane::fast
