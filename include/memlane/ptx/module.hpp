// A module of PTX, decoded: kernels and device functions as operations, and their variables (PTX
// ISA 9.0, sections 4 to 9). Names are resolved; there is no other tree.
#pragma once

#include "memlane/ptx/opcodes.hpp"
#include "memlane/ptx/type.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memlane::ptx {

/// Where a variable is. `generic` is an address of any of them.
enum class Space : std::uint8_t { generic, global, shared, local, constant, param };
std::string_view name_of(Space space);

/// The predefined registers of section 10 that memlane has.
#define MEMLANE_PTX_SPECIALS(X)                                                                    \
  X(tid_x, "%tid.x")                                                                               \
  X(tid_y, "%tid.y")                                                                               \
  X(tid_z, "%tid.z")                                                                               \
  X(ntid_x, "%ntid.x")                                                                             \
  X(ntid_y, "%ntid.y")                                                                             \
  X(ntid_z, "%ntid.z")                                                                             \
  X(ctaid_x, "%ctaid.x")                                                                           \
  X(ctaid_y, "%ctaid.y")                                                                           \
  X(ctaid_z, "%ctaid.z")                                                                           \
  X(nctaid_x, "%nctaid.x")                                                                         \
  X(nctaid_y, "%nctaid.y")                                                                         \
  X(nctaid_z, "%nctaid.z")                                                                         \
  X(laneid, "%laneid")                                                                             \
  X(warpid, "%warpid")                                                                             \
  X(nwarpid, "%nwarpid")                                                                           \
  X(smid, "%smid")                                                                                 \
  X(nsmid, "%nsmid")                                                                               \
  X(gridid, "%gridid")                                                                             \
  X(lanemask_eq, "%lanemask_eq")                                                                   \
  X(lanemask_le, "%lanemask_le")                                                                   \
  X(lanemask_lt, "%lanemask_lt")                                                                   \
  X(lanemask_ge, "%lanemask_ge")                                                                   \
  X(lanemask_gt, "%lanemask_gt")                                                                   \
  X(clock, "%clock")                                                                               \
  X(clock_hi, "%clock_hi")                                                                         \
  X(clock64, "%clock64")                                                                           \
  X(globaltimer, "%globaltimer")                                                                   \
  X(globaltimer_lo, "%globaltimer_lo")                                                             \
  X(globaltimer_hi, "%globaltimer_hi")                                                             \
  X(dynamic_smem_size, "%dynamic_smem_size")                                                       \
  X(total_smem_size, "%total_smem_size")                                                           \
  X(reserved_begin, "%reserved_smem_offset_begin")                                                 \
  X(reserved_end, "%reserved_smem_offset_end")                                                     \
  X(reserved_cap, "%reserved_smem_offset_cap")                                                     \
  X(reserved_0, "%reserved_smem_offset_0")                                                         \
  X(reserved_1, "%reserved_smem_offset_1")                                                         \
  X(envreg1, "%envreg1")                                                                           \
  X(envreg2, "%envreg2")                                                                           \
  X(warp_size, "WARP_SZ")

enum class Special : std::uint8_t {
#define MEMLANE_PTX_SPECIAL(name, spelling) name,
  MEMLANE_PTX_SPECIALS(MEMLANE_PTX_SPECIAL)
#undef MEMLANE_PTX_SPECIAL
};
std::optional<Special> special_named(std::string_view spelling);
std::string_view name_of(Special special);

enum class OperandKind : std::uint8_t {
  none,      ///< missing, or `_`
  reg,       ///< index into Function::registers
  immediate, ///< `value`: its bits in the operand's type
  special,   ///< Special
  variable,  ///< the address of a variable of the module or the function
  function,  ///< the address of a function
  vector,    ///< `count` operands from `index` on in Function::elements
};

struct Operand {
  OperandKind kind = OperandKind::none;
  bool negated = false;   ///< of a predicate: `!p`
  bool of_module = false; ///< `variable`: index into Module::variables, else Function::variables
  std::uint8_t count = 0;
  std::int32_t index = -1;
  std::int64_t value = 0; ///< of an address: what is added, in bytes
};

/// A decoded instruction.
struct Operation {
  Opcode opcode = Opcode::add;
  Type type = Type::none;                    ///< none: it has none
  Type other = Type::none;                   ///< a second type: cvt's source, or matrix a
  Type of_b = Type::none, of_c = Type::none; ///< matrices b and c (wmma.mma, mma)
  Space space = Space::generic;
  Words words;
  std::int32_t guard = -1; ///< predicate register that decides whether a lane takes part; -1: none
  bool guard_negated = false;
  std::uint8_t lanes_of_vector = 1; ///< elements of ld, st: 1, 2, 4 or 8
  Operand d, q, a, b, c, e, m, n;   ///< named as in OpcodeRow::operands
  /// Of control: the label's operation, the call (Function::calls) or the list of labels
  /// (Function::targets).
  std::int32_t target = -1;
  std::int32_t location = -1; ///< index into Module::locations
  Span span;
};

/// Bytes of a variable that are (a part of) an address.
struct Relocation {
  std::int64_t at = 0; ///< offset in the variable
  int bytes = 8;
  int shift = 0; ///< the first byte is bits shift … of the address
  Operand address;
};

struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::b8;
  std::int64_t bytes = 0; ///< 0: an extern array, whose launch says its size
  std::int64_t align = 1;
  bool is_extern = false;
  std::vector<std::uint8_t> initial; ///< first bytes; the others are 0
  std::vector<Relocation> relocations;
  Span span;
};

/// One call. Parameters are variables of the function in space param.
struct Call {
  std::int32_t function = -1; ///< index into Module::functions; -1: by address
  Operand address;
  std::vector<std::int32_t> arguments, results; ///< indices into Function::variables
};

/// Values of directives such as `.maxntid`; 0: not given.
struct Directives {
  std::int64_t most_threads[3] = {0, 0, 0};
  std::int64_t required_threads[3] = {0, 0, 0};
  std::int64_t least_blocks = 0;
  std::int64_t most_registers = 0;
};

struct Function {
  std::string name;
  Span span;
  bool kernel = false;
  bool defined = false; ///< it has a body
  Directives directives;
  std::vector<Type> registers;
  std::vector<Variable> variables;               ///< local, shared, and of space param
  std::vector<std::int32_t> parameters, results; ///< indices into variables
  std::vector<Operation> code;
  std::vector<Operand> elements; ///< of vectors
  std::vector<Call> calls;
  std::vector<std::vector<std::int32_t>> targets; ///< lists of labels: operations
};

/// A place in the source that was compiled to PTX.
struct Location {
  std::int32_t file = 0;        ///< key of Module::files
  std::int32_t line = 0;        ///< 0: unknown
  std::int32_t inlined_at = -1; ///< index into Module::locations: where the function was inlined

  auto operator<=>(const Location&) const = default;
};

struct Module {
  int version = 0;                           ///< 10 * major + minor
  std::string target;                        ///< `sm_75`
  std::int32_t text = -1;                    ///< number of the PTX's text in Sources
  std::map<std::int32_t, std::string> files; ///< paths by number, from `.file`
  std::vector<Location> locations;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

/// Decodes a text of `sources`. Errors name the opcode, type or directive that memlane does not
/// execute, and its line: all of them, up to a hundred. Within sources.limits(). Cost: linear.
Result<Module> parse(Sources& sources, std::int32_t text);

/// The kernel or function of this name; -1: none.
std::int32_t find_function(const Module& module, std::string_view name);

} // namespace memlane::ptx
