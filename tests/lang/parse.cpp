#include "support/catch.hpp"
#include "texts.hpp"

#include <iterator>

using namespace memlane;
using namespace memlane::lang;

TEST_CASE("operators bind as the grammar says") {
  CHECK(shape_of("1 + 2 * 3 - 4") == "((1 + (2 * 3)) - 4)");
  CHECK(shape_of("a | b xor c + d") == "(((a | b) xor c) + d)");
  CHECK(shape_of("a << b & c % d") == "(((a << b) & c) % d)");
  CHECK(shape_of("2^3^2") == "(2 ^ (3 ^ 2))");
  CHECK(shape_of("-2^2") == "(-(2 ^ 2))");
  CHECK(shape_of("2^-1") == "(2 ^ (-1))");
  CHECK(shape_of("-~-x") == "(-(~(-x)))");
  CHECK(shape_of("-a * b") == "((-a) * b)");
  CHECK(shape_of("a--b") == "(a - (-b))");
  CHECK(shape_of("2*-3") == "(2 * (-3))");
  CHECK(shape_of("x[i]^2") == "(x[i] ^ 2)");
  CHECK(shape_of("not a == b and c or d") == "(((not (a == b)) and c) or d)");
  CHECK(shape_of("not not a") == "(not (not a))");
  CHECK(shape_of("a or b and c or d") == "((a or (b and c)) or d)");
}

TEST_CASE("comparisons chain, brackets end a chain") {
  CHECK(shape_of("0 <= i < n") == "(0 <= i < n)");
  CHECK(shape_of("a == b != c > d >= e") == "(a == b != c > d >= e)");
  CHECK(shape_of("(a < b) < c") == "((a < b) < c)");
  CHECK(shape_of("a < (b < c)") == "(a < (b < c))");
  CHECK(shape_of("a + 1 < b | 1") == "((a + 1) < (b | 1))");
}

TEST_CASE("choices, calls, elements, fields") {
  CHECK(shape_of("if a then b else if c then d else e") ==
        "(if a then b else (if c then d else e))");
  CHECK(shape_of("f() + g(1, x)[2].sum") == "(f() + g(1, x)[2].sum)");
  CHECK(shape_of("initial(a)[i, j].step") == "initial(a)[i, j].step");
  CHECK(shape_of("t.layout != rows and combine.steps == 1") ==
        "((t.layout != rows) and (combine.steps == 1))");
  CHECK(shape_of("true == false") == "(true == false)");
  CHECK(shape_of("blocks + threads + O + Omega + Theta") ==
        "((((blocks + threads) + O) + Omega) + Theta)");
}

TEST_CASE("a call may go on in the next line") {
  const Parsed t("main { a[i] = b\n(c) }");
  REQUIRE(t.ok());
  const auto& body = t.program().hosts[0].body;
  REQUIRE(body.size() == 1);
  CHECK(shape(body[0].expressions[0]) == "b(c)");
  const Parsed names("main { a = b\nc(d)\ne = -f\n-g }");
  REQUIRE(names.ok());
  REQUIRE(names.program().hosts[0].body.size() == 3);
  CHECK(shape(names.program().hosts[0].body[2].expressions[0]) == "((-f) - g)");
}

TEST_CASE("numbers") {
  CHECK(shape_of("9223372036854775807") == "9223372036854775807");
  CHECK(shape_of("007") == "7");
  CHECK(shape_of("1.5") == "real 1.500000");
  CHECK(shape_of("25e-2") == "real 0.250000");
  CHECK(shape_of("1.5E+1") == "real 15.000000");
  CHECK(shape_of("1e-400") == "real 0.000000");
  CHECK(shape_of("0xFF") == "255");
  CHECK(shape_of("0XfFfFfFfF") == "4294967295");
  CHECK(shape_of("0x7FFFFFFFFFFFFFFF") == "9223372036854775807");
  CHECK(shape_of("0x10 - 0xe1") == "(16 - 225)");
  for (const char* wrong :
       {"4abc", "0x", "0xg", "0b1", "0x8000000000000000", "1_000", "1e", "1e+", "1.5x",
        "9223372036854775808", "99999999999999999999999999", "1e400", ".5", "1.", "5 5"})
    CHECK(shape_of(wrong).find("error: ") != std::string::npos);
  const Parsed range("main { f(a[0..n]) }");
  REQUIRE(range.ok());
  CHECK(shape(range.program().hosts[0].body[0].actuals[0].bounds[0]) == "0");
}

TEST_CASE("the whole text must be one expression") {
  CHECK(shape_of("").find("expected an expression, found the end of the text") !=
        std::string::npos);
  CHECK(shape_of("1 )").find("expected the end of the text, found ')'") != std::string::npos);
}

TEST_CASE("spans cover what was written") {
  Sources sources;
  const auto file = sources.add("e", " (a + b) * f(c)[1] ");
  const auto parsed = parse_expression(sources, file);
  REQUIRE(parsed.ok());
  CHECK((*parsed).span == Span{file, 1, 18});
  CHECK((*parsed).operands[0].span == Span{file, 1, 8});
  CHECK((*parsed).operands[1].span == Span{file, 11, 18});
}

TEST_CASE("every declaration") {
  const Parsed t(everything);
  INFO(t.messages());
  REQUIRE(t.ok());
  const Program& p = t.program();
  CHECK(p.path == "t.lane");
  CHECK(p.doc == "Every construct of the language.\nIt need not make sense.");
  CHECK(p.uses.size() == 1);
  REQUIRE(p.params.size() == 2);
  CHECK(p.params[0].doc == "How many.");
  CHECK(shape(*p.params[0].where) == "(is_pow2(n) and (0 < n <= (2 ^ 20)))");
  CHECK(p.params[1].doc == "quickly");
  REQUIRE(p.consts.size() == 2);
  CHECK(p.consts[0].value.list);
  CHECK(p.consts[0].value.values.size() == 4);
  CHECK_FALSE(p.consts[1].type);
  CHECK(p.types[0].alias->text == "int");
  CHECK(p.types[1].fields[1].type.text == "item");
  REQUIRE(p.arrays.size() == 4);
  CHECK(p.arrays[0].arrays[1].extents.size() == 2);
  CHECK(p.arrays[0].layout->name.text == "padded");
  CHECK(p.arrays[2].space == ArraySpace::shared);
  CHECK(p.arrays[3].space == ArraySpace::local);
  CHECK(p.views[0].target.array.text == "a");
  CHECK(p.views[1].target.value->name == "a");
  CHECK(p.fns[0].parameters.size() == 2);
  CHECK(p.fns[1].parameterless);
  REQUIRE(p.kernels.size() == 2);
  CHECK(p.kernels[0].proc);
  CHECK(p.kernels[0].formals[0].extents[0].text == "_");
  CHECK_FALSE(p.kernels[0].formals[1].array);
  CHECK(p.kernels[1].doc == "Doubles.");
  CHECK_FALSE(p.hosts[0].verify);
  CHECK(p.hosts[1].verify);
  const ClaimKind kinds[] = {ClaimKind::equal, ClaimKind::big_o,   ClaimKind::omega,
                             ClaimKind::theta, ClaimKind::at_most, ClaimKind::at_least,
                             ClaimKind::about};
  REQUIRE(p.claims.size() == std::size(kinds));
  for (std::size_t k = 0; k < std::size(kinds); ++k) CHECK(p.claims[k].kind == kinds[k]);
  CHECK(p.claims[0].machines.size() == 2);
  CHECK(p.claims[0].source == "Theorem 1");
}

TEST_CASE("every statement") {
  const Parsed t(everything);
  REQUIRE(t.ok());
  const auto& body = t.program().kernels[1].body;
  const StatementKind kinds[] = {
      StatementKind::let,    StatementKind::var,    StatementKind::arrays,  StatementKind::view,
      StatementKind::forall, StatementKind::forall, StatementKind::forall,  StatementKind::forall,
      StatementKind::forall, StatementKind::if_,    StatementKind::while_,  StatementKind::for_,
      StatementKind::for_,   StatementKind::for_,   StatementKind::barrier, StatementKind::assert_,
      StatementKind::call};
  REQUIRE(body.size() == std::size(kinds));
  for (std::size_t k = 0; k < body.size(); ++k) CHECK(body[k].kind == kinds[k]);
  CHECK(body[4].ranges.size() == 2);
  CHECK(body[4].forall_kind == ForallKind::block);
  CHECK(body[5].forall_kind == ForallKind::grid);
  CHECK(body[6].forall_kind == ForallKind::block);
  CHECK(body[6].chunked);
  CHECK(body[7].forall_kind == ForallKind::sync);
  CHECK(body[8].forall_kind == ForallKind::grid);
  CHECK(body[8].chunked);
  CHECK_FALSE(body[5].chunked);
  CHECK(body[5].body[0].assign_op == AssignOp::add);
  CHECK(body[6].body[0].assign_op == AssignOp::sub);
  CHECK(body[7].body[0].assign_op == AssignOp::mul);
  REQUIRE(body[9].alternative.size() == 1);
  CHECK(body[9].alternative[0].kind == StatementKind::if_);
  CHECK(body[9].alternative[0].alternative.size() == 1);
  CHECK(body[11].down);
  CHECK(body[11].step_kind == StepKind::divide);
  CHECK(body[12].step_kind == StepKind::multiply);
  CHECK(body[13].step_kind == StepKind::add);
  CHECK(body[13].expressions.size() == 3);
  CHECK(body[15].text == "a thread's number");
  const Statement& together = t.program().hosts[0].body[2];
  REQUIRE(together.kind == StatementKind::concurrent);
  REQUIRE(together.body.size() == 1);
  const Actual& slice = together.body[0].actuals[0];
  CHECK(slice.array.text == "c");
  CHECK(slice.lead.size() == 1);
  CHECK(shape(slice.bounds[1]) == "n");
  const Statement& launch = t.program().hosts[0].body[1];
  CHECK(shape(*launch.blocks) == "(n / w)");
  CHECK(shape(*launch.threads) == "min(p, (w ^ 2))");
}

TEST_CASE("a document belongs to what follows it, the first to the program") {
  const Parsed t(
      "/// File.\nparam a: int = 1\n/// Not: a line between.\n\nparam b: int = 2 // b's\n"
      "//// a rule\nparam c: int = 3\nparam d: int = 4 param e: int = 5 // e's\n");
  REQUIRE(t.ok());
  CHECK(t.program().doc == "File.");
  CHECK(t.program().params[0].doc.empty());
  CHECK(t.program().params[1].doc == "b's");
  CHECK(t.program().params[2].doc.empty());
  CHECK(t.program().params[3].doc.empty());
  CHECK(t.program().params[4].doc == "e's");
}

TEST_CASE("line ends, byte order mark, empty texts") {
  CHECK(Parsed("").ok());
  CHECK(Parsed("\xEF\xBB\xBF").ok());
  CHECK(Parsed(" \r\n\t// nothing").ok());
  const Parsed t("\xEF\xBB\xBF/// Doc\r\nparam n: int = 1\r\nmain { }\r\n");
  REQUIRE(t.ok());
  CHECK(t.program().doc == "Doc");
  CHECK(t.program().hosts.size() == 1);
}
