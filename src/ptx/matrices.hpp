// Matrices of mma and wmma: which lane has which elements (PTX ISA 9.0, section 9.7.15). What a
// lane has of a matrix is a fragment. Those of mma are PTX's; those of wmma, which PTX leaves open,
// follow the same rule, so that operations on all elements of a fragment and mma agree.
#pragma once

#include "memlane/ptx/module.hpp"

namespace memlane::ptx {

/// d and c are m × n, a is m × k, b is k × n.
struct MatrixShape {
  int m = 0, n = 0, k = 0;
};
/// m = 0: the words name no shape.
MatrixShape shape_of(const Words& words);

/// Of matrix c or d: `c`.
enum class MatrixRole : std::uint8_t { a, b, c };

struct MatrixPlace {
  int row = 0, column = 0;
};

struct Fragment {
  MatrixRole role = MatrixRole::a;
  MatrixShape shape;
  Type type = Type::none;
  int registers = 0; ///< of a lane
  int elements = 1;  ///< of a register
  int distinct = 0; ///< registers; behind these they repeat: f16 of wmma, on the first tensor cores

  int rows() const { return role == MatrixRole::b ? shape.k : shape.m; }
  int columns() const { return role == MatrixRole::a ? shape.k : shape.n; }
  /// Of an element of a register of a lane.
  MatrixPlace place(int lane, int reg, int element) const;
  /// Whether the elements of a register follow each other in memory.
  bool follow_each_other(bool by_rows) const {
    return elements == 1 || by_rows == (role != MatrixRole::b);
  }
};

Fragment fragment_of(Opcode opcode, MatrixShape shape, MatrixRole role, Type type);
/// That of a load or store of wmma.
Fragment fragment_in_memory(const Operation& op);

} // namespace memlane::ptx
