// Launches that ask a machine for the same, request by request: one of them is timed, and the
// others take as long.
#pragma once

#include "price/priced_kernel.hpp"

#include "memlane/engine/run.hpp"
#include "memlane/engine/stream.hpp"

#include <compare>
#include <cstdint>
#include <map>

namespace memlane::ptx {

/// What a warp has asked so far, as 64 bits: equal for equal steps, and hardly ever for others.
class AskedSteps {
public:
  void add(std::uint64_t step) {
    bits_ = (bits_ ^ step) * 0x9e3779b97f4a7c15;
    bits_ ^= bits_ >> 32;
  }
  std::uint64_t bits() const { return bits_; }

private:
  std::uint64_t bits_ = 0x243f6a8885a308d3;
};

/// What a machine knows of a launch before its blocks ask something.
struct LaunchKey {
  const PricedKernel* kernel = nullptr;
  std::int64_t blocks = 0, threads = 0, shared_words = 0, registers = 0;

  LaunchKey(const PricedKernel& of, const LaunchShape& shape)
      : kernel(&of), blocks(shape.blocks), threads(shape.threads), shared_words(shape.shared_words),
        registers(shape.registers) {}
  auto operator<=>(const LaunchKey&) const = default;
};

/// The timed launches of a run on one machine: some of them, as an outcome has kilobytes.
class EqualLaunches {
public:
  /// Whether a launch of this kind has been timed.
  bool has(const LaunchKey& key) const { return timed_.count(key) != 0; }
  /// That which asked the same (LaunchWatch::asked); null: none is kept.
  const LaunchOutcome* find(const LaunchKey& key, std::uint64_t asked) const {
    const auto kind = timed_.find(key);
    if (kind == timed_.end()) return nullptr;
    const auto known = kind->second.find(asked);
    return known == kind->second.end() ? nullptr : &known->second;
  }
  void add(const LaunchKey& key, std::uint64_t asked, const LaunchOutcome& outcome) {
    if (count_ == most_outcomes) return;
    std::map<std::uint64_t, LaunchOutcome>& kind = timed_[key];
    // Where most launches differ, few of them are worth keeping.
    if (kind.size() < most_of_kind && kind.try_emplace(asked, outcome).second) ++count_;
  }

private:
  static constexpr std::size_t most_outcomes = 1024, most_of_kind = 64;

  std::map<LaunchKey, std::map<std::uint64_t, LaunchOutcome>> timed_;
  std::size_t count_ = 0;
};

} // namespace memlane::ptx
