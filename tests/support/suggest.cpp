#include "memlane/support/suggest.hpp"

#include "support/catch.hpp"

using namespace memlane;

TEST_CASE("edit distance of words") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("width", "WIDTH") == 0);
  CHECK(edit_distance("widht", "width") == 1); // neighbours swapped
  CHECK(edit_distance("kernal", "kernel") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("threds", "threads") == 1);
}

TEST_CASE("the nearest name, if it is near enough") {
  const std::vector<std::string> known{"width", "latency", "threads", "n", "d"};
  CHECK(nearest("widht", known) == "width");
  CHECK(nearest("Latency", known) == "latency");
  CHECK(nearest("thread", known) == "threads");
  CHECK(nearest("N", known) == "n");
  CHECK_FALSE(nearest("m", known)); // one letter is near every other letter
  CHECK_FALSE(nearest("capacity", known));
  CHECK_FALSE(nearest("", known));
  CHECK_FALSE(nearest("width", {}));
  CHECK(nearest("ab", {"ac", "ad"}) == "ac"); // the first of equals
  CHECK_FALSE(nearest(std::string(1000000, 'x'), known));
}

TEST_CASE("suggestions as help lines") {
  CHECK(did_you_mean("widht", {"width"}) == std::vector<std::string>{"did you mean 'width'?"});
  CHECK(did_you_mean("capacity", {"width"}).empty());
}
