// Random programs with counted operators, as trees of the generator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memlane::test {

enum class Form {
  number,      // text
  lane,        //
  given,       // the kernel's argument
  name,        // text: a register, or a parameter of a fn
  field,       // text: a record in a register, field: x or y
  element,     // text: an array; parts: its index
  table,       // parts: the index
  unary,       // text; parts: one
  binary,      // text; parts: two
  builtin,     // text; parts: its arguments
  chain,       // texts of comparisons; parts: one more
  logic,       // text: and, or; parts: two
  negation,    // not
  conditional, // parts: condition, arms
  conversion,  // int(condition)
  call,        // text: a fn; parts: its arguments
};

struct Tree {
  Form form = Form::number;
  std::string text;
  std::vector<Tree> parts = {};
  std::vector<std::string> comparisons = {};
};

enum class Act { declare, assign, field, store, record, call, branch };

struct Line {
  Act act = Act::declare;
  std::string target = {};      ///< a register, an array, a proc
  std::string op = {};          ///< "", "+", "-", "*": of an assignment; a field's name
  std::vector<Tree> parts = {}; ///< values; of a store: index, value
  std::string array = {};       ///< call: what is handed to its formal X
  std::vector<Line> then = {}, otherwise = {};
};

struct Fn {
  std::string name;
  Tree body; ///< over x and y
};
struct Proc {
  std::string name;
  std::vector<Line> body; ///< over v and X
};

/// Memory arrays a = index and c, shared s, arrays of registers m0 and m1, a table T: 4 elements
/// each. The kernel's argument `given` is 3.
struct CountingProgram {
  std::vector<Fn> fns;
  std::vector<Proc> procs;
  std::vector<Line> kernel;
};

CountingProgram random_counting_program(std::uint64_t seed);
/// The same with parts of its expressions named by lets, where a number of operators may not
/// change.
CountingProgram with_names(const CountingProgram& program, std::uint64_t seed);
std::string text_of(const CountingProgram& program);

} // namespace memlane::test
