// Values that were read from words of shared memory which nothing has written. CUDA leaves them
// undefined; to read one and not to use it is common and right, such as a last warp that reads more
// partial sums than there are. So a fault waits until the value is used: as an address, in a
// branch, by other lanes' operations, or by a store to other than shared memory.
#pragma once

#include "memory.hpp"
#include "step.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memlane::ptx {

/// The rows of a warp's registers that have such values, by lane.
class UnwrittenValues {
public:
  bool any() const { return !rows_.empty(); }
  void clear();
  /// The function is over: its registers are gone.
  void leave(std::int32_t activation);

  /// The load `step` has put such values into its destination, in these lanes.
  void load(std::int32_t activation, const Step& step, const LaneAddresses& lanes);
  /// Before a step is executed: what it computes of such values is one, too. False: it uses one;
  /// `fault` says which.
  bool pass(std::int32_t activation, const Step& step, Warp& warp, Fault& fault);
  /// Before a guarded step: whether lanes of `path` take part must not depend on such a value.
  bool pass_guard(std::int32_t activation, const Step& step, std::uint32_t path, Fault& fault);
  /// After a store to shared memory: words with such values count as not written.
  void stored(std::int32_t activation, const Step& step, Warp& warp);

private:
  struct Row {
    std::int32_t activation = 0;
    Place place = -1;
    std::uint32_t lanes = 0;
    std::size_t origin = 0;
  };
  struct Origin {
    const Step* step = nullptr;
    LaneAddresses lanes;
  };
  /// Lanes, and where the first of them comes from.
  struct Found {
    std::uint32_t lanes = 0;
    std::size_t origin = 0;
  };

  Found find(Place place) const;
  Found sources(const Step& step) const;
  Found stored_values(const Step& step) const;
  void define(Place place, std::uint32_t mask, Found found);
  void define_all(const Step& step, std::uint32_t mask, Found found);
  std::uint32_t decided(const Step& step, const Warp& warp) const;
  void shuffle(const Step& step, Warp& warp);
  bool uses(Found found, std::uint32_t mask, Fault& fault) const;

  std::vector<Row> rows_;
  std::vector<Origin> origins_;
  std::int32_t activation_ = 0; ///< of the present step
};

/// Bytes behind each frame, in which UnwrittenValues shuffles lanes.
inline constexpr std::size_t scratch_bytes = 2 * warp_lanes * sizeof(std::uint32_t);

} // namespace memlane::ptx
