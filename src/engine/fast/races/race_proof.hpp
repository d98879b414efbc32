// Proofs that an interval between two barriers has no race (configs/README.md section 7).
//
// A race needs two accesses to one word by different threads, or in different iterations of one
// forall, one of them writing. Accesses of regular code have closed forms: the word is a function
// of the iteration. Accesses by one function do not conflict if it is injective, accesses by two
// functions do not if their ranges are disjoint. A proof that fails does not mean that there is a
// race.
#pragma once

#include "fast/vectors.hpp"

#include <cstdint>
#include <vector>

namespace memlane::fast {

/// Accesses of one instruction by a tile. `iterations`: of the present forall, whose number is
/// `forall`; or of no forall (0) and the threads' own numbers.
struct Accesses {
  const Register* elements = nullptr;
  const Register* iterations = nullptr;
  std::uint32_t forall = 0;
  std::int32_t site = 0;
  bool write = false;
};

class RaceProof {
public:
  RaceProof(const Shape& shape) : shape_(shape) {}

  void set_shape(const Shape& shape) { shape_ = shape; }
  /// False: the proof has failed.
  bool add(const Accesses& accesses, const Mask& mask, const LaneSets& sets);
  /// The interval is over: whether no two of its accesses can conflict. Begins the next.
  bool close();
  /// Forgets the interval's accesses so far.
  void clear() { uses_.clear(); }

private:
  /// Words first <= e <= last with e = first modulo `step`, and how they follow from iterations.
  struct Use {
    enum class Map : std::uint8_t {
      affine,     ///< e = offset + pattern(i mod w) + warp_step * (i div w)
      increasing, ///< each iteration's word is greater than those of all before
      none
    };
    Map map = Map::none;
    bool write = false;
    std::uint32_t forall = 0;
    std::int32_t site = -1; ///< its site, if no other one can share the map
    std::int64_t offset = 0, warp_step = 0;
    Pattern pattern;
    std::int64_t first_row = 0, last_row = 0; ///< affine maps: i div w
    std::int64_t first = 0, last = 0, step = 0;
    std::int64_t last_iteration = 0;

    bool same(const Use& other) const {
      return map == other.map && forall == other.forall && site == other.site &&
             offset == other.offset && warp_step == other.warp_step && pattern.same(other.pattern);
    }
  };

  bool add_single(const Accesses& accesses, const Mask& mask, const LaneSets& sets);
  bool find_affine(const Rows& e, const Rows& i, const Mask& mask, const LaneSets& sets,
                   Use& use) const;
  bool find_shifted(const Register& e, const Rows& i, const Mask& mask, const LaneSets& sets,
                    Use& use) const;
  bool vector_increases(const Register& e, const Rows& i, const Mask& mask, const LaneSets& sets,
                        Use& use) const;
  bool injective(const Use& use, bool for_all_rows) const;
  bool find_increasing(const Rows& e, const Rows& i, const Mask& mask, const LaneSets& sets,
                       Use& use) const;
  void find_extent(const Rows& e, const Mask& mask, const LaneSets& sets, Use& use) const;
  void find_vector_extent(const Register& e, const Mask& mask, const LaneSets& sets,
                          Use& use) const;
  bool extend(const Use& use);
  bool merge(const Use& use, std::int32_t site);
  static bool apart(const Use& a, const Use& b);

  Shape shape_;
  std::vector<Use> uses_;
  Rows uniform_rows_[2]; ///< scratch space of as_rows
};

} // namespace memlane::fast
