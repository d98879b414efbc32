// The registers of a tile and what instructions do to them.
#pragma once

#include "registers.hpp"

#include "memlane/ir/program.hpp"

#include <array>
#include <vector>

namespace memlane::fast {

/// What lane 0 of warp 0 of the tile sees in the special registers.
struct Specials {
  std::int64_t thread = 0, threads = 1;
  std::int64_t block = 0, blocks = 1;
  std::int64_t warp = 0, warps = 1;
  std::int64_t index = 0;    ///< an element's number: grows by one a lane
  std::int64_t together = 1; ///< blocks in the tile: if several, each is one warp
};

class Values {
public:
  /// All registers are 0. `threads`: of the tile, or of each block in it.
  void start(const Shape& shape, std::int64_t threads, std::int32_t registers,
             const Specials& specials);

  const Shape& shape() const { return shape_; }
  const LaneSets& sets() const { return sets_; }
  /// A register; -1, none, is 0 and not to be written.
  Register& operator[](ir::Register r) { return registers_[static_cast<std::size_t>(r + 1)]; }
  const Register& operator[](ir::Register r) const {
    return registers_[static_cast<std::size_t>(r + 1)];
  }

  /// Executes an instruction of the groups values (random aside), arithmetic and comparisons for
  /// the lanes of `mask`, as ir::apply defines it. `writes_all`: the other lanes' destination may
  /// be overwritten. False: a lane has no result.
  bool compute(const ir::Instruction& in, const Mask& mask, bool writes_all);

  /// The result that is being made; `commit` moves it to its register.
  Register& out() { return out_; }
  void commit(ir::Register d, ir::Scalar type, const Mask& mask, bool writes_all);

  /// The words of the lanes of `part` as T: the register's own if it is a vector of T, else
  /// expanded into scratch number `which` (0 to 2).
  template <class T>
  const T* words(const Register& r, int which, const Shape& part) {
    if (r.form == Form::vector && r.type == scalar_of<T>()) return r.words<T>();
    Register& scratch = scratch_[static_cast<std::size_t>(which)];
    expand(r, part, make_vector<T>(scratch, shape_));
    return scratch.words<T>();
  }
  template <class T>
  const T* words(const Register& r, int which) {
    return words<T>(r, which, shape_);
  }
  /// Whether the active lanes' integers fit the type, so that `words` is exact.
  bool fits(const Register& r, ir::Scalar type, const Mask& mask) const;

private:
  bool special(const ir::Instruction& in);
  bool compute_rows(const ir::Instruction& in);
  bool scale(const ir::Instruction& in, const Rows& a, const Rows& b);
  bool compare_rows(const ir::Instruction& in, const Rows& a, const Rows& b);
  bool divide(const ir::Instruction& in);
  template <class T>
  bool compute_integers(const ir::Instruction& in, const Mask& mask);
  template <class T>
  bool compute_reals(const ir::Instruction& in, const Mask& mask);
  bool compute_booleans(const ir::Instruction& in, const Mask& mask);
  bool convert(const ir::Instruction& in, const Mask& mask);
  bool select(const ir::Instruction& in, const Mask& mask);
  /// Lane by lane, for operations without a vector loop.
  bool compute_lanes(const ir::Instruction& in, const Mask& mask);

  Shape shape_;
  LaneSets sets_;
  Specials specials_;
  std::vector<Register> registers_;
  Register out_;
  std::array<Register, 3> scratch_;
  std::array<Rows, 2> uniform_rows_; ///< scratch space of as_rows
};

/// The type of what an instruction leaves in its destination.
ir::Scalar result_type(const ir::Instruction& in);

} // namespace memlane::fast
