#include "support/catch.hpp"

#include "memlane/support/diagnostic.hpp"

using namespace memlane;

TEST_CASE("positions count lines and bytes from one") {
  Sources sources;
  const auto file = sources.add("a.lane", "ab\ncd\r\n\n\xC3\xA9x");
  CHECK(sources.path(file) == "a.lane");
  CHECK(sources.position(file, 0) == Position{1, 1});
  CHECK(sources.position(file, 2) == Position{1, 3}); // the line end belongs to its line
  CHECK(sources.position(file, 3) == Position{2, 1});
  CHECK(sources.position(file, 7) == Position{3, 1});
  CHECK(sources.position(file, 10) == Position{4, 3});   // columns are bytes
  CHECK(sources.position(file, 11) == Position{4, 4});   // the end of the file
  CHECK(sources.position(file, 9999) == Position{4, 4}); // beyond it: its end
  CHECK(sources.line(file, 1) == "ab");
  CHECK(sources.line(file, 2) == "cd"); // without \r
  CHECK(sources.line(file, 3) == "");
  CHECK(sources.line(file, 4) == "\xC3\xA9x");
}

TEST_CASE("an empty text, and a last line without a line end") {
  Sources sources;
  const auto empty = sources.add("empty", "");
  CHECK(sources.position(empty, 0) == Position{1, 1});
  CHECK(sources.line(empty, 1) == "");
  const auto ended = sources.add("ended", "x\n");
  CHECK(sources.position(ended, 2) == Position{2, 1});
  CHECK(sources.line(ended, 2) == "");
  CHECK(sources.count() == 2);
}

TEST_CASE("cover is the smallest span of both") {
  CHECK(cover({0, 3, 5}, {0, 1, 4}) == Span{0, 1, 5});
  CHECK(cover({}, {0, 1, 4}) == Span{0, 1, 4});
  CHECK(cover({0, 1, 4}, {}) == Span{0, 1, 4});
  CHECK_FALSE(cover({}, {}).known());
  CHECK(cover({0, 1, 4}, {1, 7, 9}) == Span{0, 1, 4}); // of two files: the first
}
