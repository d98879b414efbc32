// Source text as messages and pages quote it.
#include "memlane/support/text.hpp"

#include "support/catch.hpp"

using namespace memlane;

TEST_CASE("source text on one line has single blanks and no comments") {
  CHECK(compact_source("a +\n\t b") == "a + b");
  CHECK(compact_source("{ // first\n  x = 1 // second\n}") == "{ x = 1 }");
  CHECK(compact_source("x // at the end") == "x");
  CHECK(compact_source("// all").empty());
  CHECK(compact_source("").empty());
  CHECK(compact_source("print \"no // comment\" // one") == "print \"no // comment\"");
  CHECK(source_on_one_line(std::string(500, 'x')) == std::string(400, 'x') + "…");
}

TEST_CASE("a real number is the nearest double, and none where it is too large") {
  CHECK(real_value("1.5e3") == 1500.0);
  CHECK(real_value("0.1") == 0.1);
  CHECK(real_value("-2") == -2.0);
  CHECK(real_value("1e-400") == 0.0);
  CHECK_FALSE(real_value("1e400"));
  CHECK_FALSE(real_value("-1e400"));
}
