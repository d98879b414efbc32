// What the words of the language mean.
#include "memlane/lang/words.hpp"

#include "lexer.hpp"

#include "memlane/ir/arithmetic.hpp"
#include "memlane/ir/opcodes.hpp"
#include "memlane/lang/builtins.hpp"
#include "memlane/support/layouts.hpp"
#include "memlane/support/machine_names.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane::lang {
namespace {

/// A word whose name is in a table of its own.
template <class Key>
struct WordRow {
  Key key;
  std::string_view usage, meaning;
};

constexpr std::array reserved_rows = [] {
  using enum TokenKind;
  using Row = WordRow<TokenKind>;
  return std::array{
      Row{use_word, "use PROGRAM", "the declarations of another program, without its claims"},
      Row{param_word, "param NAME: TYPE = VALUE where CONDITION",
          "a number that each run may set, with -D NAME=VALUE"},
      Row{where_word, "param NAME: TYPE = VALUE where CONDITION",
          "the condition that a parameter's value must fulfil"},
      Row{const_word, "const NAME = VALUE, const NAME[n] = [a, b, …]",
          "a constant or a table of constants; to read one is free"},
      Row{type_word, "type NAME = TYPE, type NAME = (FIELD: TYPE, …)",
          "another name of a type, or a record"},
      Row{memory_word, "memory NAME[n]: TYPE = VALUE",
          "an array in the machine's memory, on an HMM in its global memory; 0 unless it has an "
          "initial value"},
      Row{shared_word, "shared NAME[n]: TYPE",
          "an array in the shared memory of the block's multiprocessor; a word that was not "
          "written must not be read"},
      Row{var_word, "var NAME = VALUE, var NAME[n]: TYPE",
          "a variable, or an array in a thread's registers; its accesses are free"},
      Row{layout_word, "memory NAME[n, m]: TYPE layout LAYOUT",
          "at which words the elements of an array lie"},
      Row{view_word, "view NAME = ARRAY[0..n]", "a name of a part of an array"},
      Row{fn_word, "fn NAME(x, y) = VALUE, fn NAME(x) { … return VALUE }",
          "a function: its types follow from each call, and it writes no array but its own"},
      Row{kernel_word, "kernel NAME(x[n]: TYPE, k: TYPE) { … }",
          "code that the machine's threads execute; main launches it"},
      Row{proc_word, "proc NAME(x[n]: TYPE, k: TYPE) { … }",
          "code that kernels, procs and main call; arrays are passed by reference"},
      Row{main_word, "main { … }", "what the host does: it launches kernels, one after the other"},
      Row{verify_word, "verify { … }",
          "what the host checks after main: every assert must be true"},
      Row{claim_word, "claim COUNT == FORMULA when CONDITION on MODEL \"source\"",
          "a statement about the cost, which every run compares with its counts"},
      Row{races_word, "races allowed ARRAY, … \"reason\"",
          "races of these arrays, or of the whole program, that are no error"},
      Row{allowed_word, "races allowed ARRAY, … \"reason\"",
          "races of these arrays, or of the whole program, that are no error"},
      Row{when_word, "claim … when CONDITION", "the runs that a claim is about"},
      Row{on_word, "claim … on dmm, umm", "the models that a claim is about"},
      Row{let_word, "let NAME = VALUE", "a value with a name, which does not change"},
      Row{if_word, "if CONDITION { … } else { … }, if CONDITION then VALUE else VALUE",
          "of lanes that differ, one path follows the other: the warp executes both"},
      Row{else_word, "if CONDITION { … } else { … }", "what is executed otherwise"},
      Row{while_word, "while CONDITION { … }",
          "a loop; lanes that leave it wait for the others of their warp"},
      Row{for_word, "for i = LOW to HIGH step 2 { … }",
          "a loop that each thread executes by itself, HIGH included"},
      Row{to_word, "for i = LOW to HIGH", "counts upwards, HIGH included"},
      Row{downto_word, "for i = HIGH downto LOW", "counts downwards, LOW included"},
      Row{step_word, "for i = 1 to n step * 2",
          "what is added in each round; with * or /, a factor"},
      Row{forall_word, "forall i in 0..n { … }",
          "a loop whose iterations the threads of the block share: thread j takes j, j + threads, "
          "…; a barrier follows"},
      Row{grid_word, "forall grid i in 0..n { … }",
          "the threads of all blocks share the iterations; no barrier follows"},
      Row{chunked_word, "forall chunked i in 0..n { … }",
          "each thread takes consecutive iterations"},
      Row{sync_word, "forall sync i in 0..n { … }",
          "all threads read, then all write: the step of a PRAM"},
      Row{barrier_word, "barrier", "a warp waits here until all warps of its block arrive"},
      Row{break_word, "break", "leaves the innermost for or while"},
      Row{continue_word, "continue", "begins the next round of the innermost for or while"},
      Row{return_word, "return VALUE",
          "the value of a fn; lanes that return early wait for the others"},
      Row{assert_word, "assert CONDITION \"message\"", "ends the run with an error if it is false"},
      Row{print_word, "print \"text\", VALUE", "writes a line to standard error; it takes no time"},
      Row{concurrent_word, "concurrent { launch … launch … }",
          "launches that do not depend on each other and may run at the same time"},
      Row{racy_word, "racy x[i] = VALUE, racy let v = x[i]",
          "this access may race with another racy one"},
      Row{atomic_word, "atomic x[i] += VALUE, let old = atomic x[i] += VALUE",
          "reads a word and writes it at once; its value is the old word"},
      Row{tensor_word, "tensor c[i, j] += a[i, k] * b[k, j]",
          "multiplies two tiles of tensor_size rows by the tensor unit; all lanes of a warp do it "
          "together"},
      Row{launch_word, "launch KERNEL(…) blocks=n threads=m",
          "runs a kernel and waits for its end; without blocks one block, without threads blocks "
          "of p"},
      Row{in_word, "forall i in 0..n", "the range of an index; 0..n does not contain n"},
      Row{then_word, "if CONDITION then VALUE else VALUE", "the value where the condition is true"},
      Row{and_word, "a and b", "true if both are; b is not evaluated if a is false"},
      Row{or_word, "a or b", "true if one of them is; b is not evaluated if a is true"},
      Row{not_word, "not a", "true if a is false"},
      Row{xor_word, "a xor b", "of integers, the bits that differ"},
      Row{true_word, "true", "the bool that holds"},
      Row{false_word, "false", "the bool that does not hold"},
      Row{initial_word, "initial(ARRAY)[i]", "the array as it was before main, in verify"}};
}();

constexpr std::array type_rows = [] {
  using enum ir::Scalar;
  using Row = WordRow<ir::Scalar>;
  return std::array{Row{int32, "x: int, int(x)", "whole numbers of 32 bits; they wrap around"},
                    Row{int64, "x: long, long(x)", "whole numbers of 64 bits; they wrap around"},
                    Row{float32, "x: float, float(x)", "floating point of 32 bits"},
                    Row{float64, "x: double, double(x)", "floating point of 64 bits"},
                    Row{boolean, "x: bool", "true and false; not in memory"}};
}();

constexpr std::array thread_rows = [] {
  using enum ir::Special;
  using Row = WordRow<ir::Special>;
  return std::array{
      Row{thread, "thread", "this thread's number in its block, from 0"},
      Row{threads, "threads", "the number of threads of a block"},
      Row{block, "block", "this block's number, from 0"},
      Row{blocks, "blocks", "the number of blocks"},
      Row{lane, "lane", "this thread's number in its warp, from 0"},
      Row{warp, "warp", "the warp's number in its block, from 0"},
      Row{warps, "warps", "the number of warps of a block"},
      Row{index, "memory NAME[n]: int = index", "in an initial value, the element's number"}};
}();

constexpr std::array layout_rows = [] {
  using enum LayoutKind;
  using Row = WordRow<LayoutKind>;
  return std::array{
      Row{rows, "", "a row follows the other; the layout of arrays that have none"},
      Row{padded, "", "k spare words follow each row"},
      Row{diagonal, "", "row r is rotated by r places"},
      Row{random_shift, "", "each row is rotated by a random number of places"},
      Row{random_permute, "", "row r is rotated by the place of r mod w in a random permutation"},
      Row{swizzle, "",
          "word i lies at i xor ((i >> S) & mask), mask = (2^B - 1) 2^M: the swizzle of CUTLASS"},
      Row{bits, "",
          "element 2^j lies at word c number j, any other at the xor of those of its bits"},
      Row{strides, "",
          "each index goes its stride, or each digit of it as in CuTe: (4, 8):(1, 32)"}};
}();

// Not reserved: a program may have a fn of the name.
constexpr std::array atomic_rows = {
    WordRow<std::string_view>{"exchange", "let old = exchange(x[i], VALUE)",
                              "an atomic: the word becomes the value"},
    WordRow<std::string_view>{"cas", "let old = cas(x[i], EXPECTED, VALUE)",
                              "an atomic: the word becomes the value if it was the expected one"}};

template <class Rows, class NameOf>
void add_words(std::vector<Word>& all, WordKind kind, const Rows& rows, NameOf name) {
  for (const auto& row : rows)
    all.push_back(
        {kind, std::string(name(row.key)), std::string(row.usage), std::string(row.meaning)});
}

std::vector<Word> all_words() {
  std::vector<Word> all;
  add_words(all, WordKind::reserved, reserved_rows, [](TokenKind key) { return spelling(key); });
  add_words(all, WordKind::type, type_rows, [](ir::Scalar key) { return ir::name_of(key); });
  add_words(all, WordKind::thread, thread_rows, [](ir::Special key) { return ir::name_of(key); });
  for (const Builtin& fn : builtins())
    all.push_back(
        {WordKind::builtin, std::string(fn.name), std::string(fn.usage), std::string(fn.meaning)});
  add_words(all, WordKind::builtin, atomic_rows, [](std::string_view name) { return name; });
  for (const WordRow<LayoutKind>& row : layout_rows) {
    const std::string_view parameters = parameters_of(row.key);
    all.push_back({WordKind::layout, std::string(name_of(row.key)),
                   parameters.empty() ? fmt::format("layout {}", name_of(row.key))
                                      : fmt::format("layout {}({})", name_of(row.key), parameters),
                   std::string(row.meaning)});
  }
  for (const MachineName& name : machine_names)
    all.push_back({WordKind::machine, std::string(name.name), std::string(name.name),
                   std::string(name.meaning)});
  return all;
}

} // namespace

std::string_view name_of(WordKind kind) {
  switch (kind) {
  case WordKind::reserved: return "reserved";
  case WordKind::type: return "type";
  case WordKind::thread: return "thread";
  case WordKind::builtin: return "builtin";
  case WordKind::layout: return "layout";
  case WordKind::machine: return "machine";
  }
  return "";
}

const std::vector<Word>& words() {
  static const std::vector<Word> all = all_words();
  return all;
}

} // namespace memlane::lang
