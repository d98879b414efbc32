// What the checked program says of types, counted operators and uniformity.
#include "support/catch.hpp"

#include "memlane/lang/check.hpp"
#include "memlane/lang/parse.hpp"

using namespace memlane;
using namespace memlane::lang;
using ir::Scalar;

namespace {

constexpr const char* host = "main { launch f() }\nverify { assert true }\n";

Checked checked(const std::string& text) {
  Sources sources;
  std::int32_t file = sources.add("p.lane", text + host);
  Result<Program> program = parse_text(sources, file);
  if (!program) FAIL(render(program.errors(), sources));
  Result<Checked> result = check(sources, std::move(*program));
  if (!result) FAIL(render(result.errors(), sources));
  return std::move(*result);
}

std::string errors(const std::string& text) {
  Sources sources;
  std::int32_t file = sources.add("p.lane", text);
  Result<Program> program = parse_text(sources, file);
  if (!program) FAIL(render(program.errors(), sources));
  Result<Checked> result = check(sources, std::move(*program));
  return result ? "" : render(result.errors(), sources);
}

/// Statement number `at` of kernel f.
const TStatement& statement(const Checked& program, std::size_t at) {
  return program.functions[0].body.at(at);
}

const VariableSymbol& variable(const Checked& program, const std::string& name) {
  const VariableSymbol* found = nullptr;
  for (const VariableSymbol& symbol : program.variables) {
    if (symbol.name == name) found = &symbol;
  }
  REQUIRE(found);
  return *found;
}

int counted(const TExpr& e) {
  int n = e.counted ? 1 : 0;
  for (const TExpr& operand : e.operands) n += counted(operand);
  for (const Binding& binding : e.bindings) n += counted(binding.value);
  return n;
}

/// Counted operators of statement `at` of kernel f, that of `+=` included.
int counted(const Checked& program, std::size_t at) {
  const TStatement& s = statement(program, at);
  return counted(*s.value) + (s.counted ? 1 : 0);
}

} // namespace

TEST_CASE("literals take the type of the other side") {
  Checked p = checked("memory x[4]: float\nmemory y[4]: double\nmemory a[4]: int\n"
                      "fn identity = 0\n"
                      "kernel f() {\n"
                      "  x[0] = x[1] * 0.5 + 1\n"
                      "  x[1] = identity\n"
                      "  x[2] = if a[0] == 0 then 0.25 else -1\n"
                      "  y[0] = a[0] * 0.5\n"
                      "  y[1] = x[0] + a[0]\n"
                      "  let big = 3000000000\n"
                      "  let small = -2147483648\n"
                      "  let power = 2^3\n"
                      "  let root = 2.0^3\n"
                      "}\n");
  for (std::size_t i : {0U, 1U, 2U}) CHECK(statement(p, i).value->type.scalar == Scalar::float32);
  CHECK(statement(p, 1).value->operands[0].value.real() == 0.0);
  CHECK(statement(p, 3).value->operands[0].kind == TExprKind::convert);
  CHECK(statement(p, 4).value->kind == TExprKind::convert);
  CHECK(statement(p, 4).value->operands[0].type.scalar == Scalar::float32);
  CHECK(variable(p, "big").type.scalar == Scalar::int64);
  CHECK(variable(p, "small").type.scalar == Scalar::int32);
  CHECK(variable(p, "power").type.scalar == Scalar::int64);
  CHECK(variable(p, "root").type.scalar == Scalar::float64);
}

TEST_CASE("a conversion that is written is kept") {
  Checked p = checked("memory x[4]: float\nmemory a[4]: int\n"
                      "kernel f() {\n"
                      "  let of_float = x[0] * double(0.1)\n"
                      "  let of_sum = x[0] + double(0.1 * 0.1)\n"
                      "  let of_int = a[0] + long(a[1] == 0)\n"
                      "  let shifted = long(a[0] == 0) << a[1]\n"
                      "  let widened = 3000000000 + int(a[0] == 0)\n"
                      "}\n");
  CHECK(variable(p, "of_float").type.scalar == Scalar::float64);
  CHECK(variable(p, "of_sum").type.scalar == Scalar::float64);
  CHECK(variable(p, "of_int").type.scalar == Scalar::int64);
  CHECK(variable(p, "shifted").type.scalar == Scalar::int64);
  CHECK(variable(p, "widened").type.scalar == Scalar::int64);
  for (const char* const value : {"double(0.1)", "long(true)"}) {
    const std::string text =
        "kernel f() { var h: " + std::string(value[0] == 'd' ? "float" : "int") +
        " = 0 h = " + value + " }\n" + host;
    CHECK(errors(text).find("narrowing needs a conversion") != std::string::npos);
  }
}

TEST_CASE("a whole literal beside a float is rounded once") {
  Checked p = checked("memory x[4]: float\nkernel f() { let sum = x[0] + 9007199791611905 }\n");
  const TExpr& literal = statement(p, 0).value->operands[1];
  CHECK(literal.type.scalar == Scalar::float32);
  CHECK(literal.value.real() == 9007200328482816.0);
}

TEST_CASE("indices of loops take the widest type of their bounds") {
  Checked p = checked("memory a[64]: int\n"
                      "kernel f() {\n"
                      "  for t = 0 to 3 { forall i in 0..2^t { a[i] = t } }\n"
                      "}\n");
  CHECK(variable(p, "t").type.scalar == Scalar::int32);
  CHECK(variable(p, "i").type.scalar == Scalar::int64);
}

TEST_CASE("chains of comparisons evaluate their middle once, from left to right") {
  Checked p = checked("memory a[8]: int\n"
                      "kernel f() {\n"
                      "  let plain = 0 <= thread < 8\n"
                      "  let once = a[0] < a[1] < a[2]\n"
                      "  let turned = a[0] > a[1]\n"
                      "  let swapped = a[0] > thread\n"
                      "}\n");
  CHECK(statement(p, 0).value->kind == TExprKind::logical_and);
  const TExpr& once = *statement(p, 1).value;
  REQUIRE(once.kind == TExprKind::fn_call);
  CHECK(once.symbol == -1);
  REQUIRE(once.bindings.size() == 2);
  CHECK(once.bindings[0].value.operands[0].value.integer() == 0);
  CHECK(once.bindings[1].value.operands[0].value.integer() == 1);
  const TExpr& turned = *statement(p, 2).value;
  REQUIRE(turned.kind == TExprKind::fn_call);
  CHECK(turned.operands[0].op == ir::Opcode::lt);
  CHECK(turned.operands[0].operands[1].symbol == turned.bindings[0].variable);
  CHECK(statement(p, 3).value->kind == TExprKind::comparison);
  CHECK(statement(p, 3).value->operands[0].kind == TExprKind::special);
}

TEST_CASE("operators of data statements count") {
  Checked p = checked("memory a[8]: int\nmemory c[8]: int\n"
                      "fn combine(x, y) = x * y + 1\n"
                      "fn load(i) = a[i + 1]\n"
                      "kernel f() {\n"
                      "  a[thread * 2 + 1] = 3 * thread\n"                   // 0: no data operand
                      "  a[0] = a[1] + a[2 * thread] * 2\n"                  // 1: two
                      "  a[0] += thread + 1\n"                               // 2: the +=
                      "  a[0] = combine(a[1], thread * 2)\n"                 // 3: the call
                      "  a[0] = combine(load(1), load(2) + 1)\n"             // 4: call and +
                      "  a[0] = if a[1] > 2 then a[2] + 1 else thread + 1\n" // 5: one arm
                      "  let x = a[0] * a[1]\n"                              // 6: one
                      "  var y = 0\n"                                        // 7
                      "  y = y + 1\n"                                        // 8: y is data
                      "  y = a[3]\n"                                         // 9: a copy
                      "  var z = 0\n"                                        // 10
                      "  z = z * thread\n"                                   // 11: index arithmetic
                      "  a[0] = max(a[1], a[2], 3)\n"                        // 12: one call
                      "  a[0] = int(a[1]) - x\n"                             // 13: x is data
                      "}\n");
  const int expected[] = {0, 2, 1, 1, 2, 1, 1, 0, 1, 0, 0, 0, 1, 1};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    INFO("statement " << i);
    CHECK(counted(p, i) == expected[i]);
  }
  CHECK(variable(p, "y").data);
  CHECK_FALSE(variable(p, "z").data);
}

TEST_CASE("data statements read or assign data, or make a request") {
  Checked p = checked("memory a[8]: int\nconst T[4] = [1, 2, 3, 4]\n"
                      "fn get(i) = a[i]\n"
                      "kernel f() {\n"
                      "  var x = thread * 2\n"         // 0: x is data, but no data is read
                      "  x = thread\n"                 // 1: assigns data
                      "  x = a[0]\n"                   // 2
                      "  let y = x\n"                  // 3
                      "  var z = T[a[thread] & 3]\n"   // 4: no data, but a request
                      "  z = z + 1\n"                  // 5
                      "  var local[2]: int\n"          // 6
                      "  local[z] = T[z]\n"            // 7
                      "  local[get(0) & 1] = 2\n"      // 8
                      "  a[0] = 1\n"                   // 9
                      "  let w1 = get(thread)\n"       // 10
                      "  let w2 = local[1] + thread\n" // 11
                      "}\n");
  const bool expected[] = {false, true,  true, true, true, false,
                           false, false, true, true, true, false};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    INFO("statement " << i);
    CHECK(statement(p, i).data == expected[i]);
  }
}

TEST_CASE("calls with other data arguments have another body") {
  Checked p =
      checked("memory a[8]: int\n"
              "kernel f() { p(thread, thread)  p(a[0], 1)  p(thread * 2, 3)  p(1, a[0] + 1) }\n"
              "proc p(x: int, y: int) { a[0] = x + 1  a[1] = y * 2 }\n");
  const auto variant = [&](std::size_t call) { return statement(p, call).variant; };
  REQUIRE(p.variants.size() == 2);
  CHECK(variant(0) == -1);
  CHECK(variant(1) == 0);
  CHECK(variant(2) == -1);
  CHECK(variant(3) == 1);
  const auto marks = [&](const std::vector<TStatement>& body) {
    return std::pair(counted(*body[0].value), counted(*body[1].value));
  };
  CHECK(marks(p.functions[1].body) == std::pair(0, 0));
  CHECK(marks(p.variants[0]) == std::pair(1, 0));
  CHECK(marks(p.variants[1]) == std::pair(0, 1));
  CHECK_FALSE(statement(p, 0).actuals[0].data);
  CHECK(statement(p, 1).actuals[0].data);
  CHECK(counted(*statement(p, 3).actuals[1].value) == 1);
}

TEST_CASE("registers and local arrays are data if they are given data") {
  Checked p = checked("memory a[8]: int\n"
                      "kernel f() {\n"
                      "  var free[4]: int\n"
                      "  var held[4]: int\n"
                      "  free[0] = free[1] + 1\n"
                      "  held[0] = held[1] + 1\n"
                      "  held[1] = a[0]\n"
                      "}\n");
  CHECK(counted(p, 2) == 0);
  CHECK(counted(p, 3) == 1);
}

TEST_CASE("how far variables may differ") {
  Checked p = checked("memory a[8]: int\n"
                      "kernel f() {\n"
                      "  let c1 = 3\n"
                      "  let l1 = threads + 1\n"
                      "  let b1 = block * 2\n"
                      "  let t1 = lane + b1\n"
                      "  let e1 = a[0]\n"
                      "  let e2 = a[lane]\n"
                      "  var v1 = 0\n"
                      "  v1 = 1\n"
                      "  var v2 = 0\n"
                      "  if lane == 0 { v2 = 1 }\n"
                      "  var v3 = 0\n"
                      "  while v3 < a[lane] { v3 = v3 + 1 }\n"
                      "  var v4 = 0\n"
                      "  while true { if a[lane] == 0 { break } v4 = 2 }\n"
                      "  forall i in 0..8 { let d1 = 4  a[i] = d1 }\n"
                      "}\n");
  auto of = [&](const char* name) { return variable(p, name).uniformity; };
  CHECK(of("c1") == Uniformity::constant);
  CHECK(of("l1") == Uniformity::launch);
  CHECK(of("b1") == Uniformity::block);
  CHECK(of("t1") == Uniformity::thread);
  CHECK(of("e1") == Uniformity::block);
  CHECK(of("e2") == Uniformity::thread);
  CHECK(of("v1") == Uniformity::constant);
  CHECK(of("v2") == Uniformity::thread);
  CHECK(of("v3") == Uniformity::thread);
  CHECK(of("v4") == Uniformity::thread);
  CHECK(of("i") == Uniformity::thread);
  CHECK(of("d1") == Uniformity::constant);
}

TEST_CASE("a local array is as uniform as what is written to it") {
  CHECK(errors("memory a[8]: int\n"
               "kernel f() {\n"
               "  var r[2]: int\n  var s[2]: int\n"
               "  r[0] = block\n  s[0] = lane\n"
               "  if r[0] == 0 { barrier }\n"
               "}\n" +
               std::string(host)) == "");
  CHECK(errors("memory a[8]: int\n"
               "kernel f() {\n"
               "  var s[2]: int\n"
               "  for t = 0 to 1 { if s[0] == 0 { barrier } s[0] = lane }\n"
               "}\n" +
               std::string(host)) != "");
}

TEST_CASE("procs are analysed at each call") {
  CHECK(errors("memory a[8]: int\n"
               "proc p(n: int) { if n == 0 { a[n] = 1 } let m = n  if m == 0 { a[0] = 2 } }\n"
               "proc q(n: int) { if n == 0 { barrier } }\n"
               "kernel f() { p(lane)  p(0)  q(block)  q(0) }\n" +
               std::string(host)) == "");
}

TEST_CASE("arrays nobody mentions are not used") {
  Checked p = checked("memory a[8]: int\nmemory idle[8]: int\nmemory seen[8]: int\n"
                      "view v = seen[0 .. 4]\n"
                      "fn read(i) = a[i]\n"
                      "kernel f() { let x = read(0)  v[0] = x }\n");
  CHECK(p.arrays[0].used);
  CHECK_FALSE(p.arrays[1].used);
  CHECK(p.arrays[2].used);
  CHECK(p.arrays[3].kind == ArrayKind::view);
  REQUIRE(p.arrays[3].target);
  CHECK(p.arrays[3].target->array == 2);
}

TEST_CASE("verify sees main's variables, and locals hide top-level names") {
  CHECK(errors("param n: int = 4\nmemory a[n]: int\n"
               "kernel f() { let a1 = n  let w = 3  shared n[4]: int  n[0] = a1 + w + a[0] }\n"
               "main { var count = 0  var list[n]: int  launch f()  count += 1  list[0] = 2 }\n"
               "verify { assert count == 1 and list[0] == 2  let k = 2  assert k == 2 }\n") == "");
}

TEST_CASE("hostile programs end in messages") {
  std::string text = "memory a[8]: int\nfn g0(x) = x + x\n";
  for (int i = 1; i <= 40; ++i) {
    text += "fn g" + std::to_string(i) + "(x) = g" + std::to_string(i - 1) + "(x + 1) + g" +
            std::to_string(i - 1) + "(x)\n";
  }
  std::string message = errors(text + "kernel f() { a[0] = g40(a[0]) }\n" + host);
  CHECK(message.find("more than 100000 calls of fns") != std::string::npos);
  text = "memory a[8]: int\nproc p0() { a[0] = 1 }\n";
  for (int i = 1; i <= 40; ++i) {
    std::string inner = "p" + std::to_string(i - 1) + "()";
    text += "proc p" + std::to_string(i) + "() { " + inner + " " + inner + " }\n";
  }
  message = errors(text + "kernel f() { p40() }\n" + host);
  CHECK(message.find("more than 100000 calls of procs") != std::string::npos);
}
