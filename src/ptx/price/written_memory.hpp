// The memory that a launch may write to, found before it runs. A read of other memory races with
// nothing, so the search for races does not keep it.
#pragma once

#include "exec/image.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace memlane::ptx {

/// Where a kernel has the addresses from that it writes to.
class WrittenPlaces {
public:
  /// All memory, if it writes to an address that it has read from memory, that another function
  /// has computed, or that follows from nothing. Cost: a few passes over the kernel's operations.
  WrittenPlaces(const Module& module, const Code& kernel);
  /// All memory.
  WrittenPlaces() : any_(true) {}

  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>; ///< begins and ends

  /// The allocations and variables that a launch with these parameters may write to; none: any.
  /// A kernel that leaves one allocation for another by arithmetic is not looked through.
  std::optional<Ranges> of(const Image& image, const std::vector<std::uint8_t>& params,
                           const DeviceMemory& device) const;

private:
  /// Eight bytes of a parameter, or a variable of the module.
  struct Place {
    bool is_variable = false;
    std::int64_t at = 0; ///< offset in the parameters; index into Module::variables
    bool operator==(const Place&) const = default;
  };
  class Flow;

  bool any_ = false;
  std::vector<Place> places_;
  std::vector<std::uint64_t> writes_; ///< for each: bits of the places that its address is made of
};

} // namespace memlane::ptx
