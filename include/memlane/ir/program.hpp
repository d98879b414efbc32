// A compiled program: arrays, kernels, host code, in the instructions of opcodes.hpp, with every
// parameter, constant and machine letter bound to its value.
#pragma once

#include "memlane/ir/opcodes.hpp"
#include "memlane/ir/value.hpp"
#include "memlane/support/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memlane::ir {

/// A register holds one Value per lane. -1: none.
using Register = std::int32_t;

struct Instruction {
  Opcode op = Opcode::end;
  Scalar type = Scalar::int32;
  bool counted = false; ///< an operator that counts (model.md section 6), and may cost time
  Register d = -1, a = -1, b = -1, c = -1;
  std::int64_t immediate = 0; ///< i, v (bits), T, A, B, F, U, S, M, L, f, s of the operand letters
  Span span;
};

/// Where a `bound` or `slice` check comes from, for its message.
struct BoundSite {
  std::string array; ///< as the source names it
  int dimension = 0;
  int dimensions = 1;
};

/// A launch in host code.
struct LaunchSite {
  std::int32_t kernel = 0;       ///< index into Program::functions
  std::vector<Register> actuals; ///< in order of the kernel's formals
  Register blocks = -1;
  Register threads = -1; ///< -1: as many as a multiprocessor has
};

/// An array in a thread's registers or in host memory.
struct LocalArray {
  std::string name;
  Scalar type = Scalar::int32;
};

/// Straight code with structured jumps; ends with `end`.
struct Function {
  std::string name;
  Span span;
  std::vector<Instruction> code;
  std::int32_t registers = 0;
  std::vector<Register> formals; ///< set by the launch, equal in all lanes
  std::vector<LocalArray> locals;
  std::vector<std::int32_t> shared; ///< arrays a block of this kernel holds, in declaration order
};

enum class Space : std::uint8_t { memory, shared };
enum class Layout : std::uint8_t { rows, padded, diagonal, random_shift, random_permute, function };
std::string_view name_of(Layout layout);

struct Array {
  std::string name;
  Span span;
  Space space = Space::memory;
  Scalar type = Scalar::int32;
  std::vector<std::int64_t> extents;
  Layout layout = Layout::rows;
  std::string layout_name;  ///< as a claim's `a.layout` compares it: the fn's name for `function`
  std::int64_t padding = 0; ///< spare words a row, of `padded`
  /// Value of an element, given its row-major number as special `index`: a function whose register
  /// 0 holds the result at `end`. -1: zero (memory) or unwritten (shared).
  std::int32_t initial = -1;
  std::int32_t layout_function = -1; ///< likewise, its word, for Layout::function
  bool snapshot = false;             ///< verify asks for `initial` of it

  std::int64_t elements() const {
    std::int64_t n = 1;
    for (std::int64_t extent : extents) n *= extent;
    return n;
  }
};

/// A constant table, row-major.
struct Table {
  std::string name;
  Scalar type = Scalar::int32;
  std::vector<Value> values;
};

/// A parameter or constant with its value, for results and claims.
struct Constant {
  std::string name;
  Scalar type = Scalar::int32;
  Value value;
  bool param = false;
};

struct Program {
  std::vector<Array> arrays; ///< memory first, each space in declaration order
  std::vector<Function> functions;
  std::vector<std::int32_t> kernels; ///< functions that launches run, as `kernel_names` names them
  std::int32_t main = -1;
  std::int32_t verify = -1;
  std::vector<LaunchSite> launches;
  std::vector<BoundSite> bounds;
  std::vector<Table> tables;
  std::vector<std::string> messages; ///< of asserts and traps
  std::vector<std::string> fns;      ///< whose calls are counted
  std::vector<Constant> constants;   ///< in declaration order
};

} // namespace memlane::ir
