// Values that were read from bytes of shared memory which nothing has written. CUDA leaves them
// undefined; to read one and not to use it is common and right, such as a last warp that reads more
// partial sums than there are. So a fault waits until the value is used: as an address, in a
// branch, by other lanes' operations, or by a store to other than shared memory. To copy the
// padding of a structure is right, too: such a store uses only what was computed, or what nothing
// has written any byte of.
#pragma once

#include "memory.hpp"
#include "step.hpp"

#include <array>
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
  void load(std::int32_t activation, const Step& step, const LaneAddresses& lanes,
            const SharedWords& words);
  /// Before a step is executed: what it computes of such values is one, too. False: it uses one;
  /// `fault` says which.
  bool pass(std::int32_t activation, const Step& step, Warp& warp, Fault& fault);
  /// Before a guarded step: whether lanes of `path` take part must not depend on such a value.
  bool pass_guard(std::int32_t activation, const Step& step, std::uint32_t path, Fault& fault);
  /// After a store to shared memory: words with such values count as not written.
  void stored(std::int32_t activation, const Step& step, Warp& warp);

private:
  /// Of a register: lanes whose value has such bytes, and which; lanes whose value is more than a
  /// copy that may be padding; and where the first of them comes from.
  struct Marks {
    std::uint32_t lanes = 0, made = 0;
    std::size_t origin = 0;
    std::array<std::uint8_t, warp_lanes> bytes{};
  };
  struct Row {
    std::int32_t activation = 0;
    Place place = -1;
    Marks marks;
  };
  struct Origin {
    const Step* step = nullptr;
    LaneAddresses lanes;
  };

  static Marks computed(Marks from);
  Marks find(Place place) const;
  Marks sources(const Step& step) const;
  Marks stored_values(const Step& step) const;
  void define(Place place, std::uint32_t mask, const Marks& marks);
  void define_all(const Step& step, std::uint32_t mask, const Marks& marks);
  std::uint32_t decided(const Step& step, const Warp& warp) const;
  void shuffle(const Step& step, Warp& warp);
  void move_halves(const Step& step, std::uint32_t mask);
  bool move_bits(const Step& step, const Warp& warp);
  bool uses(const Marks& marks, std::uint32_t lanes, Fault& fault) const;

  std::vector<Row> rows_;
  std::vector<Origin> origins_;
  std::int32_t activation_ = 0; ///< of the present step
};

/// Bytes behind each frame, in which UnwrittenValues shuffles lanes.
inline constexpr std::size_t scratch_bytes = 2 * warp_lanes * sizeof(std::uint32_t);

} // namespace memlane::ptx
