// A compiled program: arrays, kernels, host code, in the instructions of opcodes.hpp, with every
// parameter, constant and machine letter bound to its value.
#pragma once

#include "memlane/ir/arithmetic.hpp"
#include "memlane/ir/opcodes.hpp"
#include "memlane/support/diagnostic.hpp"
#include "memlane/support/layouts.hpp"
#include "memlane/support/result.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::ir {

/// A register holds one Value per lane. -1: none.
using Register = std::int32_t;

/// Marks of the instructions of statements whose executions have to be told apart
/// (Statement::performs): where one begins and ends, and what it performs.
enum class StatementMark : std::uint8_t { none, begins, performs, ends };

struct Instruction {
  Opcode op = Opcode::end;
  Scalar type = Scalar::int32;
  bool counted = false; ///< a counted operator (configs/README.md section 6)
  StatementMark mark = StatementMark::none;
  Register d = -1, a = -1, b = -1, c = -1;
  std::int64_t immediate = 0; ///< i, v (bits), T, A, B, F, U, S, M, L, f, s of the operand letters
  Span span;
  std::int32_t statement = -1; ///< index into Function::statements; -1: none that costs
  bool racy = false;           ///< part of a statement that is written `racy`

  bool operator==(const Instruction&) const = default;
};

/// Where a `bound` or `slice` check comes from, for its message.
struct BoundSite {
  std::string array; ///< its name in the source
  int dimension = 0;
  int dimensions = 1;

  bool operator==(const BoundSite&) const = default;
};

/// A launch in host code.
struct LaunchSite {
  std::int32_t kernel = 0;       ///< index into Program::functions
  std::vector<Register> actuals; ///< one for each formal of the kernel, in order
  Register blocks = -1;
  Register threads = -1; ///< -1: as many as a multiprocessor has

  bool operator==(const LaunchSite&) const = default;
};

/// An array in a thread's registers or in host memory.
struct LocalArray {
  std::string name;
  Scalar type = Scalar::int32;

  bool operator==(const LocalArray&) const = default;
};

/// A variable and the register that holds it.
struct NamedRegister {
  std::string name;
  Scalar type = Scalar::int32;
  Register reg = -1;

  bool operator==(const NamedRegister&) const = default;
};

/// A variable of a kernel's source: its register between two instructions of the code.
struct Variable {
  std::string name; ///< a record's field is named `r.x`
  Scalar type = Scalar::int32;
  Register reg = -1;
  Span span;                       ///< its declaration
  std::size_t first = 0, last = 0; ///< instructions: [first, last)

  bool operator==(const Variable&) const = default;
};

/// The variables that an assert's condition uses, for its message.
struct AssertSite {
  std::int64_t message = 0; ///< the assert's operand
  std::vector<NamedRegister> variables;

  bool operator==(const AssertSite&) const = default;
};

/// A dimension of an array that each launch sizes anew.
struct LaunchExtent {
  std::int32_t array = 0;
  std::int32_t dimension = 0;

  bool operator==(const LaunchExtent&) const = default;
};

/// Whether an execution of a statement performs a counted operator or an access to a memory array.
enum class Performs : std::uint8_t { never, always, sometimes };

/// A statement of a kernel that costs (configs/README.md section 6): a data statement, or a
/// condition, bound or range that makes requests. The statements of procs and fns are those of
/// their calls.
struct Statement {
  Span span;
  std::size_t first = 0; ///< its first instruction: each execution executes it once
  Performs performs = Performs::never;
  std::int32_t depth = 0; ///< statements around it that perform `sometimes`
  bool left_out = false;  ///< ir::without_data removed it: its executions are not seen

  bool operator==(const Statement&) const = default;
};

/// An instruction as it was before ir::without_data changed the code.
struct OriginalInstruction {
  Instruction in;
  /// Data decides which lanes execute it, or which element of a thread's own array it accesses.
  bool depends_on_data = false;

  bool operator==(const OriginalInstruction&) const = default;
};

/// Straight code with structured jumps; ends with `end`.
struct Function {
  std::string name;
  Span span;
  std::vector<Instruction> code;
  /// Of ir::without_data, one for each instruction: what it operates on, and what it waits for,
  /// takes time although the data is gone. Else empty.
  std::vector<OriginalInstruction> originals;
  std::int32_t registers = 0;
  std::vector<Register> formals; ///< set by the launch, equal in all lanes
  /// What the last formals hold; those before them are the launch site's actuals.
  std::vector<LaunchExtent> launch_extents;
  std::vector<LocalArray> locals;
  std::vector<AssertSite> asserts;
  std::vector<Variable> variables;   ///< a kernel's, sorted by `first`
  std::vector<Statement> statements; ///< sorted by their beginnings
  std::vector<std::int32_t> shared;  ///< arrays a block of this kernel holds, in declaration order

  const Instruction& original(std::size_t at) const {
    return originals.empty() ? code[at] : originals[at].in;
  }

  bool operator==(const Function&) const = default;
};

enum class Space : std::uint8_t { memory, shared };

/// An array of more elements is larger than any memory.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 56;

/// The numbers of a layout `strides`: of each dimension, the lowest digit of its index first.
struct Strides {
  std::vector<std::vector<StrideMap::Digit>> dimensions;
  bool sized = false; ///< the program gives the digits' sizes; else each is its dimension's extent

  bool operator==(const Strides&) const = default;
};

struct Array {
  std::string name;
  Span span;
  Space space = Space::memory;
  Scalar type = Scalar::int32;
  std::vector<std::int64_t> extents; ///< 0: each launch has its own
  /// Extents of a shared array sized by `threads`: for each dimension a function of that special
  /// whose register 0 holds the extent at `end`, or -1 for a fixed one. Empty: all are fixed.
  std::vector<std::int32_t> extent_functions;
  LayoutKind layout = LayoutKind::rows;
  std::string layout_name;  ///< what a claim's `a.layout` compares: the fn's name for `function`
  std::int64_t padding = 0; ///< spare words a row, of `padded`
  Swizzle swizzle;          ///< the numbers of `swizzle`
  BitMap bits;              ///< the map of `bits`
  Strides strides;          ///< the numbers of `strides`
  /// Value of an element, given its row-major number as special `index`: a function whose register
  /// 0 holds the result at `end`. -1: zero (memory) or unwritten (shared).
  std::int32_t initial = -1;
  std::int32_t layout_function = -1; ///< likewise, its word, for LayoutKind::function
  bool snapshot = false;             ///< verify asks for `initial` of it
  bool top_level = false;            ///< declared at the program's top level
  std::string races_allowed;         ///< why its races are no errors; empty: they are

  std::int64_t elements() const {
    std::int64_t n = 1;
    for (std::int64_t extent : extents) n *= extent;
    return n;
  }

  bool operator==(const Array&) const = default;
};

/// An element by its indices: `a[3, 1]`.
std::string element_name(const std::string& array, const std::vector<std::int64_t>& extents,
                         std::int64_t element);

/// No layout of a program puts an element farther.
inline constexpr std::int64_t farthest_word = std::int64_t{1} << 48;

/// The digits of an element's number, of an array with a layout `strides` and these extents.
/// Errors: sizes that are not the extents, elements at one word or beyond farthest_word.
Result<StrideMap> stride_map(const Array& array, const std::vector<std::int64_t>& extents);

/// A constant table, row-major.
struct Table {
  std::string name;
  Scalar type = Scalar::int32;
  std::vector<Value> values;

  bool operator==(const Table&) const = default;
};

/// A parameter or constant with its value, for results and claims.
struct Constant {
  std::string name;
  Scalar type = Scalar::int32;
  Value value;
  bool param = false;
};

struct Program {
  std::vector<Array> arrays;         ///< memory first, each space in declaration order
  std::vector<std::string> unstored; ///< memory arrays that no code mentions
  std::vector<Function> functions;
  std::vector<std::int32_t> kernels; ///< functions that launches run, as `kernel_names` names them
  std::int32_t main = -1;
  std::int32_t verify = -1;
  std::vector<LaunchSite> launches;
  std::vector<BoundSite> bounds;
  std::vector<Table> tables;
  std::vector<std::string> messages; ///< texts of asserts and traps
  std::vector<std::string> fns;      ///< fns with counted calls
  std::vector<Constant> constants;   ///< listed as they are declared
  /// What the program does depends on the number of threads in more ways than which thread executes
  /// an iteration of a forall: its text names p, thread, threads, warp or warps, a forall is
  /// chunked, or iterations assign to variables of their thread that are declared outside of the
  /// forall.
  bool threads_matter = false;
  bool racy_statements = false; ///< some instructions are `racy`

  /// Whether results may depend on the order in which atomics are computed: an old value is used, a
  /// sum is rounded, or the last one decides what remains.
  bool order_matters() const;
  /// Whether a run of the other program executes the same: they differ at most in the values that
  /// are listed. Cost: the size of the code.
  bool same_code(const Program& other) const;
  /// Whether the text allows some races, of arrays or between statements (programs/README.md,
  /// "Races that are allowed"). What it allows as a whole is RunOptions::allow_races.
  bool allows_some_races() const {
    return racy_statements || std::any_of(arrays.begin(), arrays.end(),
                                          [](const Array& a) { return !a.races_allowed.empty(); });
  }
};

// A compiled program as text: the source line beside each instruction.

/// Every function of the program: a heading, then one line an instruction: its number, `*` for a
/// counted operator, mnemonic with type, operands by name, and, where it changes, the source line
/// it comes from.
std::string disassemble(const Program& program, const Sources& sources);

} // namespace memlane::ir
