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
