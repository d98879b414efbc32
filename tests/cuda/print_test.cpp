// The device tree as text: brackets by precedence, one line or several by length.
#include "device_tree.hpp"
#include "support/catch.hpp"

namespace memlane::cuda {
namespace {

Expr a() { return named("a"); }
Expr b() { return named("b"); }
Expr c() { return named("c"); }

std::string text(const Expr& e) {
  const std::string line = print({evaluate(e)}, 0);
  return line.substr(0, line.size() - 2);
}

Function returning(const std::string& name, Expr value) {
  Function function;
  function.result = "int", function.name = name;
  function.body = {simple(Statement::return_, std::move(value))};
  return function;
}

} // namespace

TEST_CASE("expressions have the brackets that precedence asks for, and no others") {
  CHECK(text(a() * (b() + c())) == "a * (b + c)");
  CHECK(text(a() * b() + c()) == "a * b + c");
  CHECK(text(a() - (b() - c())) == "a - (b - c)");
  CHECK(text(a() - b() - c()) == "a - b - c");
  CHECK(text(a() / (b() * c())) == "a / (b * c)");
  CHECK(text(less(a() + b(), binary(a(), "&", c()))) == "a + b < (a & c)");
  CHECK(text(binary(binary(a(), "<<", b()), "+", c())) == "(a << b) + c");
  CHECK(text(unary("-", a() + b())) == "-(a + b)");
  CHECK(text(unary("-", integer(-1))) == "-(-1)");
  CHECK(text(unary("-", unary("-", a()))) == "-(-a)");
  CHECK(text(cast("long long", a() + b(), ir::Scalar::int64)) == "(long long)(a + b)");
  CHECK(text(cast("int", a() + b(), ir::Scalar::int32)) == "int(a + b)");
  CHECK(text(member_of(a() + b(), "x")) == "(a + b).x");
  CHECK(text(indexed(a(), b() + c())) == "a[b + c]");
  const Expr choice = choose(less(a(), b()), a(), b(), ir::Scalar::int32);
  CHECK(text(choice + c()) == "(a < b ? a : b) + c");
}

TEST_CASE("logical operators are associative, and brackets show where they mix") {
  const auto logical = [](Expr x, const char* op, Expr y) {
    return binary(std::move(x), op, std::move(y), ir::Scalar::boolean);
  };
  CHECK(text(logical(a(), "&&", logical(b(), "&&", c()))) == "a && b && c");
  CHECK(text(logical(a(), "||", logical(b(), "&&", c()))) == "a || (b && c)");
}

TEST_CASE("sums leave out zeros and continue each other") {
  CHECK(sum(integer(0), a()) == a());
  CHECK(product(a(), integer(1)) == a());
  CHECK(product(a(), integer(0)).is(0));
  CHECK(text(sum(a(), b() + c())) == "a + b + c");
  CHECK(text(sum(a(), b() - c())) == "a + (b - c)");
}

TEST_CASE("a function of one return is on one line if it fits") {
  CHECK(print(returning("f", a()), 0) == "int f() { return a; }\n");
  const std::string wide(90, 'x');
  CHECK(print(returning("f", named(wide)), 1) == "  int f() {\n    return " + wide + ";\n  }\n");
}

TEST_CASE("an alternative of one if goes on with else if") {
  const Block one = {assign(a(), integer(1))};
  const Statement inner = if_else(b(), one, one);
  CHECK(print({if_else(c(), one, {inner}, "// why")}, 0) ==
        "if (c) {" + std::string(56, ' ') +
            "// why\n  a = 1;\n} else if (b) {\n  a = 1;\n"
            "} else {\n  a = 1;\n}\n");
}

TEST_CASE("one walk finds what a function has to be given") {
  Expr array = named("words"), size = named("n"), lane = named("lane");
  array.role = Role::array, array.symbol = 3;
  size.role = Role::run_value;
  lane.role = Role::special, lane.special = ir::Special::lane;
  Needs needs;
  add_needs(
      {brief_if(less(lane, size), assign(indexed(array, lane), call("two_to", {integer(3)})))},
      needs);
  REQUIRE(needs.captures.size() == 2);
  CHECK(needs.captures.begin()->name == "words");
  CHECK(needs.specials == std::set{ir::Special::lane});
  CHECK(needs.called == std::set<std::string>{"two_to"});
  CHECK(!needs.none());
}

} // namespace memlane::cuda
