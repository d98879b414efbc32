// Counted operators (configs/README.md section 6): small cases and equivalent spellings, counted by
// hand. Each runs on both engines and without data, with and without an instruction cost.
#include "counting.hpp"
#include "support/catch.hpp"

namespace memlane::test {
namespace {

/// A kernel with these statements, and arrays for them.
std::string counting_kernel(const std::string& statements, const std::string& declared = "") {
  return "type four = (x: int, y: int, z: int, t: int)\n"
         "const T[4] = [1, 2, 3, 4]\n"
         "memory a[16], q[16]: int = index\n"
         "memory zero[16], c[16]: int\n"
         "memory R[4]: four\n" +
         declared +
         "kernel k(given: int) {\n"
         "  shared s[8]: int\n"
         "  shared S[4]: four\n" +
         statements +
         "\n}\n"
         "main { launch k(a[3]) }\n"
         "verify { assert true }\n";
}

/// A smallest case. The time after [K] is that of the statements, each
/// of max(1, operators + global operands) and its conflicts.
struct SmallestCase {
  const char* statements;
  std::int64_t time, io, operators;
  std::int64_t silent; ///< data statements with neither operators nor global operands
  const char* declared = "";
  const char* before = ""; ///< statements that are not part of the case
};

constexpr SmallestCase smallest_cases[] = {
    {"s[lane] = a[lane]", 1, 1, 0, 0},
    {"s[lane] = 0", 1, 0, 0, 1},
    {"let x = a[lane] + 1  s[lane] = x", 3, 1, 1, 1},
    {"s[lane] = a[q[lane]]", 2, 2, 0, 0},
    {"s[lane] = get(lane)", 1, 1, 0, 0, "fn get(i) = a[i]\n"},
    {"s[lane] = get(lane)", 2, 1, 1, 0, "fn get(i) = a[i] + 1\n"},
    {"S[lane] = R[lane]", 4, 4, 0, 0},
    {"let g = if a[lane] > 0 then 1 else 0  c[lane] = (g + 1)*2", 4, 2, 2, 0},
    {"var x = 0  for i = 0 to 3 { if zero[4*i + lane] > 0 { x += 1 } }", 4, 4, 0, 0},
    {"let g = a[lane] >= 0 and q[lane] >= 0", 5, 2, 3, 0},
    {"let g = 0 <= a[lane] < 9", 3, 1, 2, 0},
    {"c[lane] = a[lane]*a[lane]", 4, 3, 1, 0},
    {"a[lane] += 1", 3, 2, 1, 0},
    {"c[lane] = min(a[lane], q[lane], 2)", 4, 3, 1, 0},
    {"s[lane] = if lane < 2 then a[lane] + 1 else a[lane]*3 - 1", 5, 2, 3, 0},
    {"s[2*lane] += 1", 3, 0, 1, 0, "", "s[2*lane] = 0"},
};

/// Statements and their counted operators.
struct CountedCase {
  std::int64_t operators;
  const char* statements;
  const char* declared = "";
};

constexpr CountedCase cases_of_spellings[] = {
    // The same value in one statement, through registers, and through a proc.
    {5, "c[lane] = a[lane]*a[lane]*a[lane] + 2*a[lane] + 1"},
    {5, "let x = a[lane]  c[lane] = x*x*x + 2*x + 1"},
    {5, "let x = a[lane]  let y = x*x*x  let z = 2*x  c[lane] = y + z + 1"},
    {5, "var y = a[lane]  let x = y  y *= x  y *= x  y += 2*x  c[lane] = y + 1"},
    {5, "put(a[lane])", "proc put(x: int) { c[lane] = x*x*x + 2*x + 1 }\n"},
    {1, "c[lane] = f(a[lane])", "fn f(x) = x*x*x + 2*x + 1\n"},
};

constexpr CountedCase cases_of_registers[] = {
    // Data, independent of the assignment's place in the text.
    {2, "var x = 1  c[lane] = x + 1  x = a[lane]  c[lane] = x + 1"},
    {1, "var x = lane*2  x = x + 3  x = a[lane]"}, // the declaration reads none
    {0, "var x = lane*2  x = x*3 + 1  c[lane] = x - 5"},
    {2, "var x[2]: int  x[0] = 3 - x[1]  x[1] = a[lane]  x[0] += 1"},
    {0, "var x[2]: int  x[0] = 3 - x[1]  x[a[lane] & 1] = 4"},
    {2, "var r = R[lane]  r.y = r.x + 1  c[lane] = -r.t"},
    {1, "var r = four(1, 2, 3, 4)  r.x = r.y + 1  r.z = a[lane]"},
    {0, "var r = four(1, 2, 3, 4)  r.x = r.y + 1  r.z = lane"},
    // Loop variables, indices of foralls, tables and a kernel's arguments are not data.
    {0, "for i = a[lane] to a[lane] + 2 { let x = i + 1  c[x & 7] = x*2 }"},
    {0, "forall i in a[0]..a[4] { let x = i + 1  c[x] = x*2 }"},
    {0, "c[lane] = T[lane] + 1"},
    {0, "c[lane] = T[a[lane]] + 1"},
    {0, "c[lane] = given*2  let x = given + 1"},
    {1, "c[lane] = T[lane] + a[lane]"},
    // Variables of one name are different variables.
    {1, "if true { var x = a[lane]  x = x + 1 }  if true { var x = 1  x = x + 1 }"},
};

constexpr CountedCase cases_of_places[] = {
    // Index brackets.
    {0, "c[a[lane] + 1] = a[q[lane]*1]"},
    {1, "c[a[lane] + 1] += lane"},
    {0, "c[lane] = lane*T[a[lane] & 3]"},
    {1, "let i = q[lane] + 1  c[i] = a[i - 1]"},
    {0, "c[lane] = get(lane)", "fn get(i) = a[i + q[i]]\n"},
    {1, "c[lane] = get(q[lane] + 1)", "fn get(i) = a[i]\n"},
    // Conditions, bounds, ranges and slices.
    {0, "if a[lane] + 1 > 0 { }  while a[lane]*2 < 0 { }"},
    {0, "for i = a[0] + 1 to a[1]*2 { }  forall i in -a[1]..a[2]*1 { }"},
    {0, "view v = c[0..a[4] + 1]  v[0] = 1"},
    {0, "put(c[0..a[4] + 1])", "proc put(X[size]: int) { X[lane] = size*2 }\n"},
    {0, "c[lane] = if a[lane]*2 > 3 then 1 else 0"},
    {1, "c[lane] = (if a[lane] > 3 then 1 else 0) + 1"},
    {1, "c[lane] = if a[lane] > 0 then if a[lane] - 1 > 0 then a[lane] + 1 else 0 else 0"},
    {1, "c[lane] = int(a[lane] > 3)"},
    {0, "let x = a[lane]  assert x + 1 > 0"},
    // Expressions that no active thread evaluates.
    {1, "c[lane] = if lane < 9 then a[lane] + 1 else a[lane] - 1"},
    {2, "c[lane] = if lane < 2 then a[lane] + 1 else a[lane] - 1"},
    {2, "let g = a[lane] < 0 and q[lane] < 0"},
    {2, "let g = a[lane] >= 0 or q[lane] < 0"},
    {1, "let g = lane < 0 and q[lane] < 0"},
    {1, "let g = a[lane] < 0 < q[lane]"},
    {0, "if lane < 0 { c[lane] = a[lane] + 1 }"},
};

constexpr CountedCase cases_of_operators[] = {
    {2, "c[lane] = -a[lane] + 1"},
    {1, "c[lane] = ~a[lane]"},
    {1, "let g = a[lane] == 1"},
    {2, "let g = not (a[lane] == 1)"},
    {1, "let g = R[lane] == four(0, 0, 0, 0)"},
    {4, "let g = 0 <= a[lane] < q[lane] + 9 < 100"}, // three comparisons and the sum
    {2, "let g = lane < 9 < a[lane] + 20"},
    {1, "c[lane] = max(1, lane, a[lane], 7)"},
    {2, "c[lane] = max(1, min(a[lane], 4))"},
    {2, "c[lane] = abs(a[lane] - 3)"},
    {1, "let x = sqrt(a[lane])"},
    {2, "let x = sqrt(double(a[lane]))*2"},
    {1, "c[lane] = mulmod(lane, a[lane], 7)"},
    {0, "c[lane] = a[lane]  let x = long(a[lane])  let r = four(a[0], 1, 2, 3)  let y = r.x"},
    {1, "c[lane] -= 1"},
    {2, "c[lane] *= a[lane] + 1"},
    {1, "R[lane].y += 1"},
    {0, "c[lane] = lane*2 + 1"},
};

constexpr CountedCase cases_of_fns[] = {
    {1, "c[lane] = f(a[lane], 2)", "fn f(x, y) = x*y + x*x\n"},
    {0, "c[lane] = f(lane, 2)", "fn f(x, y) = x*y + x*x\n"},
    {0, "c[lane] = f(a[lane], 2)", "fn f(x, y) = y*y\n"},
    {2, "c[lane] = f(f(a[lane], 1), 2)", "fn f(x, y) = x + y\n"},
    {2, "c[lane] = f(a[lane] + 1)", "fn f(x) = x*2\n"},
    {1, "c[lane] = f(a[lane])", "fn g(x) = x + 1\nfn f(x) = g(x)\n"},
    {1, "c[lane] = f(a[lane])", "fn g(x) = x + 1\nfn f(x) = g(x)*g(x + 1)\n"},
    {0, "c[lane] = f(a[lane])", "fn f(x) = if x > 3 then x else 3\n"},
    {1, "c[lane] = f(a[lane])", "fn f(x) = max(x, 3)\n"},
    {1, "c[lane] = f(a[lane]) + 1", "fn f(x) = if x > 3 then 1 else 0\n"},
    {1, "c[lane] = first + 1", "fn first = a[0]\n"},
    {1, "c[lane] = first", "fn first = a[0] + 1\n"},
    {1, "let g = inside(a[lane])", "fn inside(x) = 0 <= x < 9\n"},
    {1, "S[lane] = plus(R[lane], R[lane])",
     "fn plus(r, o) = four(r.x + o.x, r.y + o.y, r.z + o.z, r.t + o.t)\n"},
    {0, "S[lane] = turn(R[lane])", "fn turn(r) = four(r.y, r.z, r.t, r.x)\n"},
    {0, "if f(a[lane]) > 0 { }", "fn f(x) = x + 1\n"},
    {0, "c[f(a[lane])] = 0", "fn f(x) = x + 1\n"},
    {1, "c[lane] = f(a[lane])", "fn f(x) = if true then x else x + 1\n"}, // whatever it computes
};

// An atomic is one operator, which no instruction cost is for; what it is given counts, too.
constexpr CountedCase cases_of_atomics[] = {
    {1, "atomic c[lane] += a[lane]"},
    {2, "let v = a[lane]  atomic c[lane] += ~v"},
    {2, "let v = a[lane]  atomic c[lane] += f(v)", "fn f(x) = x*x + 1\n"},
    {1, "atomic c[lane] += f(lane)", "fn f(x) = ~x\n"},
    {1, "let v = a[lane]  let old = atomic c[f(v)] max= v", "fn f(x) = x + 1\n"},
    {3, "let v = a[lane]  let old = cas(c[lane], f(v), f(v + 1)*1)", "fn f(x) = x\n"},
    {4, "let v = a[lane]  let old = cas(c[lane], f(v), f(v + 1))", "fn f(x) = ~x\n"},
    {2, "var old = 0  old = exchange(c[lane], f(a[lane]))", "fn f(x) = ~x\n"},
};

constexpr CountedCase cases_of_procs[] = {
    {0, "p(lane)", "proc p(x: int) { let y = x + 1  c[y] = y*2 }\n"},
    {2, "p(a[lane])", "proc p(x: int) { let y = x + 1  c[lane] = y*2 }\n"},
    {2, "p(lane)  p(a[lane])  p(3)", "proc p(x: int) { let y = x + 1  c[lane] = y*2 }\n"},
    {3, "p(a[lane] + 1)", "proc p(x: int) { let y = x + 1  c[lane] = y*2 }\n"},
    {1, "o(lane)  o(a[lane])", "proc p(x: int) { c[lane] = x + 1 }\nproc o(x: int) { p(x) }\n"},
    {1, "o(a[lane])", "proc p(x: int) { c[lane] = x + 1 }\nproc o(x: int) { p(lane)  p(x) }\n"},
    {0, "o(a[lane])", "proc p(x: int) { c[lane] = x + 1 }\nproc o(x: int) { p(T[x & 3]) }\n"},
    // Arrays of registers are passed by reference.
    {1, "var x[2]: int  p(x, a[lane])  x[1] = x[0] + 1",
     "proc p(X[_]: int, v: int) { X[0] = v }\n"},
    {0, "var x[2]: int  p(x, lane)  x[1] = x[0] + 1", "proc p(X[_]: int, v: int) { X[0] = v }\n"},
    {1, "var x[2]: int  var y[2]: int  y[0] = a[lane]  p(x, y)  x[1] = x[0] + 1",
     "proc p(X[_]: int, Y[_]: int) { X[0] = Y[0] }\n"},
    {0, "var x[2]: int  var y[2]: int  y[0] = a[lane]  p(y, x)  x[1] = x[0] + 1",
     "proc p(X[_]: int, Y[_]: int) { X[0] = Y[0] }\n"},
    {2, "var x[2]: int  o(x)  x[1] = x[0] + 1  x[0] = x[1]*2",
     "proc p(X[_]: int) { X[0] = a[lane] }\nproc o(X[_]: int) { view v = X[0..1]  p(v) }\n"},
    {2, "var x[2]: int  p(x)  p(c)", "proc p(X[_]: int) { X[1] = X[0] + 1  X[0] += 1 }\n"},
};

Counts counts_of_case(const std::string& text) {
  bool fast = false;
  const Counts counts = counts_by_all_engines(text, fast);
  CHECK(fast);
  return counts;
}

// Difficult cases, counted by hand.
constexpr CountedCase cases_of_all_kinds[] = {
    {2, "forall sync i in 0..4 { let x = a[i] + 1  c[i] = x*2 }"},
    {4, "forall sync i in 0..8 { let x = a[i] + 1  c[i] = x*2 }"}, // two rounds
    {3, "var x = a[lane]  while x < 3 { x += 1 }"},                // lane 0 has three to go
    {2, "var x = a[lane]  while true { if x >= 2 { break }  x += 1 }"},
    {3, "for i = 1 to 3 { c[lane] += i*i }"},
    {2, "if lane < 2 { let x = a[lane] + 1 } else { let y = a[lane] + 1 }"},
    {1, "c[lane] = B[lane, a[lane]*1] - B[q[lane], 0]", "memory B[16, 4]: int\n"},
    {1, "view v = a[4..8]  c[lane] = v[lane] + v[0]"},
    {0, "p(a[lane])", "proc p(x: int) { c[x + 1] = 2 }\n"},
    {1, "p(lane)  p(a[0])", "proc p(x: int) { var y = 0  y = y + 1  y = x }\n"},
    {0, "let x = min(lane, 3) + T[0]*2"},
    {1, "var g = false  g = a[lane] > 1  if g and lane > 0 { c[lane] = 1 }"},
    {2, "let g = a[lane] > 1  let h = g or lane == 2"},
    {0, "c[if a[lane] > 1 then 1 else 0] = 5"},
    {3, "c[lane] = f(f(f(a[lane])))", "fn f(x) = x - 1\n"},
    {2, "a[lane] *= -a[lane]"},
    {1, "let x = a[lane]^2  let y = 2^lane"},
    {3, "c[lane] = a[lane] << 1 >> 1 xor 3"},
    {1, "c[lane] = mod(a[lane], 3)"},
    {2, "let x = log2(a[lane] + 1)  let y = ceil_div(lane, 2)"},
    {1, "let g = is_pow2(a[lane])"},
    {1, "let x = float(a[lane])*0.5  let y = int(x)"},
    {1, "let g = lane > a[lane]"},
    {1, "var x = given  x = x + 1  x = a[0]"},
    {2, "var r = R[lane]  let x = r.x + r.y  r.x += 1"},
    {2, "R[lane] = four(a[lane] + 1, 2*3, lane*2, -a[lane])"},
    {1, "c[lane] = min(a[lane], highest(int))"},
    {3, "let x = a[lane]  let y = -x + -3 + -lane"},
    {1, "let x = (if lane < 0 then a[lane] else 1) + 1"}, // data stands in the operand
    {1, "let x = long((if given < 0 then a[lane] else 1) + 1)"},
    {1, "let x = long((if 1 < 0 then a[lane] else 1) + 1)"}, // whatever the compiler knows
    {1, "p(x[0..2], a[0])",
     "fn id(v) = v\nproc p(X[_]: int, v: int) { X[0] = id(v) + 1 }\n"
     "shared x[4]: int\n"},
};

void check_cases(const CountedCase* begin, const CountedCase* end) {
  for (const CountedCase* at = begin; at != end; ++at) {
    const std::string text = counting_kernel(at->statements, at->declared);
    INFO(at->declared << at->statements);
    CHECK(counts_of_case(text).instructions == at->operators);
  }
}

} // namespace

TEST_CASE("what counts: atomics") {
  for (const CountedCase& row : cases_of_atomics) {
    INFO(row.declared << row.statements);
    std::int64_t operators = 0;
    for (const StatementCounts& statement :
         statements_by_all_engines(counting_kernel(row.statements, row.declared)))
      operators += statement.operators;
    CHECK(operators == row.operators);
  }
}

TEST_CASE("what counts: the smallest cases of the definition") {
  for (const SmallestCase& row : smallest_cases) {
    INFO(row.declared << row.statements);
    const std::string text =
        counting_kernel(std::string(row.before) + "\n" + row.statements, row.declared);
    const std::string before = counting_kernel(row.before, row.declared);
    const Counts all = counts_of_case(text);
    const Counts others = counts_of_case(before);
    CHECK(all.instructions - others.instructions == row.operators);
    CHECK(*all.agpu.time - *others.agpu.time == row.time);
    CHECK(*all.agpu.io - *others.agpu.io == row.io);
    StatementCounts sum;
    std::vector<StatementCounts> statements = statements_by_all_engines(text);
    statements.erase(statements.begin(),
                     statements.begin() +
                         static_cast<std::ptrdiff_t>(statements_by_all_engines(before).size()));
    for (const StatementCounts& statement : statements) {
      sum.operators += statement.operators;
      sum.global_operands += statement.global_operands;
      sum.silent += statement.silent;
      sum.conflicts += statement.conflicts;
      sum.blocks_touched += statement.blocks_touched;
    }
    CHECK(sum.operators == row.operators);
    CHECK(sum.silent == row.silent);
    CHECK(sum.blocks_touched == row.io);
    CHECK(sum.cost() == row.time);
    CHECK(all.global[0].requests - others.global[0].requests == sum.global_operands);
  }
}

TEST_CASE("what counts: executions of a statement that perform nothing, warp by warp") {
  const auto silent = [](const std::string& statement, std::int64_t warps) {
    const auto all = statements_by_all_engines(counting_kernel(statement), warps);
    REQUIRE(all.size() == 1);
    CHECK(all[0].executions == warps);
    return all[0].silent;
  };
  // Of four warps the first two hold a thread for which the condition holds.
  const std::string arm = "if thread < 6 then a[thread] else 0";
  CHECK(silent("s[thread & 7] = " + arm, 2) == 0);
  CHECK(silent("let x = " + arm, 4) == 2);
  CHECK(silent("let x = 1 + (" + arm + ")", 4) == 0);
  // Either arm performs something, or both do: no warp's execution counts twice.
  CHECK(silent("let x = if thread < 6 then a[thread] else if thread < 10 then q[thread] else 0",
               4) == 1);
  CHECK(silent("let x = four(" + arm + ", if thread > 13 then q[thread] else 1, 2, 3)", 4) == 1);
  // Within a block of a fn, whose statements are its own.
  const auto all = statements_by_all_engines(
      counting_kernel("let x = if thread < 6 then a[thread] else f(thread)",
                      "fn f(i) { let y = if i > 13 then q[i] else 0  return y }\n"),
      4);
  REQUIRE(all.size() == 3);
  CHECK(all[0].silent == 2);
  CHECK(all[1].executions == 3);
  CHECK(all[1].silent == 2);
  CHECK(all[2].silent == 3);
}

TEST_CASE("what counts does not depend on where values are named") {
  check_cases(std::begin(cases_of_spellings), std::end(cases_of_spellings));
}

TEST_CASE("what counts: which registers are data") {
  check_cases(std::begin(cases_of_registers), std::end(cases_of_registers));
}

TEST_CASE("what counts: brackets, conditions, what is not evaluated") {
  check_cases(std::begin(cases_of_places), std::end(cases_of_places));
}

TEST_CASE("what counts: operators") {
  check_cases(std::begin(cases_of_operators), std::end(cases_of_operators));
}

TEST_CASE("what counts: fns") { check_cases(std::begin(cases_of_fns), std::end(cases_of_fns)); }

TEST_CASE("what counts: cases of all kinds") {
  check_cases(std::begin(cases_of_all_kinds), std::end(cases_of_all_kinds));
}

TEST_CASE("what counts: procs, call by call") {
  check_cases(std::begin(cases_of_procs), std::end(cases_of_procs));
}

} // namespace memlane::test
