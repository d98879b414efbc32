// Decimal numbers of files are exact.
#include "memlane/support/decimal.hpp"

#include "support/catch.hpp"

using namespace memlane;

TEST_CASE("decimals are read and written exactly") {
  for (const char* const text : {"0", "1", "2.5", "0.000001", "999999999.999999", "10.05"}) {
    const auto number = decimal_of(text);
    REQUIRE(number);
    CHECK(text_of(*number) == text);
  }
  CHECK(decimal_of("2.500")->millionths == 2500000);
  CHECK(text_of(*decimal_of("3.0")) == "3");
  for (const char* const text : {"", ".5", "1.", "1.0000001", "01", "00", "1e3", "-1", "+1", "1,5",
                                 "1.5 ", "1000000000", "2.5.1", "0x1", "1.-5"}) {
    INFO(text);
    CHECK_FALSE(decimal_of(text));
  }
}

TEST_CASE("a product with a decimal is rounded up") {
  CHECK(times_rounded_up(4, *decimal_of("2.5")) == 10);
  CHECK(times_rounded_up(1, *decimal_of("2.5")) == 3);
  CHECK(times_rounded_up(3, *decimal_of("1.000001")) == 4);
  CHECK(times_rounded_up(1000000, *decimal_of("1.000001")) == 1000001);
  CHECK(times_rounded_up(0, *decimal_of("7.3")) == 0);
}
