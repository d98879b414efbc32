// Ticks of axes: where they are and how they are written.
#include "support/catch.hpp"

#include "memlane/chart/scale.hpp"

#include <cmath>
#include <string>

namespace memlane::test {
namespace {

std::string ticks(AxisScale scale, double lo, double hi, std::size_t most = 8,
                  AxisText text = AxisText::number) {
  const ChartAxis axis{"", scale, text, {}, {}};
  std::string all;
  for (const AxisTick& tick : ticks_of(axis, {scale, lo, hi}, most))
    all += (all.empty() ? "" : " | ") + tick.text;
  return all;
}

} // namespace

TEST_CASE("ticks are powers on logarithmic axes and even steps elsewhere") {
  CHECK(ticks(AxisScale::log2, 15, 300) == "16 | 32 | 64 | 128 | 256");
  CHECK(ticks(AxisScale::log2, 900, 2e8) == "2¹² | 2¹⁵ | 2¹⁸ | 2²¹ | 2²⁴ | 2²⁷");
  CHECK(ticks(AxisScale::log2, 1, 5000, 20).find("2¹²") == std::string::npos);
  CHECK(ticks(AxisScale::log10, 0.5, 2e4) == "1 | 10 | 100 | 1000 | 10000");
  CHECK(ticks(AxisScale::log10, 50, 5e6) == "10² | 10³ | 10⁴ | 10⁵ | 10⁶");
  CHECK(ticks(AxisScale::log10, 1e-5, 0.2) == "10⁻⁵ | 10⁻⁴ | 10⁻³ | 10⁻² | 10⁻¹");
  CHECK(ticks(AxisScale::log10, 15, 300) == "20 | 50 | 100 | 200");
  CHECK(ticks(AxisScale::log10, 2.1e6, 4.9e6, 4) == "3·10⁶ | 4·10⁶");
  CHECK(ticks(AxisScale::log10, 1600, 36000, 2) == "2000 | 20000");
  CHECK(ticks(AxisScale::log10, 1600, 36000, 3) == "2000 | 5000 | 20000");
  CHECK(ticks(AxisScale::linear, 0.5, 3.5, 2) == "1 | 3");
  CHECK(ticks(AxisScale::linear, 0, 420) == "0 | 100 | 200 | 300 | 400");
  CHECK(ticks(AxisScale::linear, -3, 3, 4) == "-2 | 0 | 2");
  CHECK(ticks(AxisScale::linear, 0, 0.35, 5) == "0 | 0.1 | 0.2 | 0.3");
  CHECK(ticks(AxisScale::linear, 0, 2.2e6, 6) == "0 | 0.5·10⁶ | 10⁶ | 1.5·10⁶ | 2·10⁶");
  CHECK(ticks(AxisScale::log10, 5, 5e6, 8, AxisText::nanoseconds) ==
        "10 ns | 100 ns | 1 µs | 10 µs | 100 µs | 1 ms");
  CHECK(ticks(AxisScale::log10, 0.09, 11, 8, AxisText::ratio) == "1/10 | 1 | 10");
  CHECK(ticks(AxisScale::log10, 0.97, 1.03, 8, AxisText::percent) ==
        "-3 % | -2 % | -1 % | 0 % | +1 % | +2 % | +3 %");
}

TEST_CASE("there are two to the number of ticks asked for, within the axis, ascending") {
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log2, AxisScale::log10}) {
    for (int i = 0; i < 400; ++i) {
      const double lo = std::pow(10, i % 20 - 9), hi = lo * (1 + std::pow(1.3, i % 61) * 0.01);
      const AxisSpan span{scale, lo, hi};
      for (std::size_t most = 2; most < 9; ++most) {
        INFO(lo << " to " << hi << ", at most " << most);
        const auto all = ticks_of({"", scale, AxisText::number, {}, {}}, span, most);
        CHECK(all.size() <= most);
        CHECK(all.size() >= 2);
        for (std::size_t k = 0; k < all.size(); ++k) {
          CHECK(span.share(all[k].at) > -1e-6);
          CHECK(span.share(all[k].at) < 1 + 1e-6);
          if (k > 0) {
            CHECK(all[k].at > all[k - 1].at);
            CHECK(all[k].text != all[k - 1].text);
          }
        }
      }
    }
  }
}

TEST_CASE("an axis of one whole number has whole ticks beside it") {
  for (const double value : {1.0, 3.0, 16.0, 1000.0}) {
    const ChartAxis axis{"", AxisScale::linear, AxisText::number, {}, {value}};
    const auto all = ticks_of(axis, AxisRange(axis).span(false), 7);
    CHECK(all.size() >= 2);
    for (const AxisTick& tick : all) CHECK(tick.at == std::round(tick.at));
  }
}

TEST_CASE("a place on an axis and its value are inverse") {
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log2, AxisScale::log10}) {
    const AxisSpan span{scale, 3, 5000};
    CHECK(span.share(3) == 0);
    CHECK(std::abs(span.share(5000) - 1) < 1e-12);
    for (const double value : {3.0, 64.0, 1000.0, 4999.0})
      CHECK(std::abs(span.value(span.share(value)) / value - 1) < 1e-12);
  }
}

} // namespace memlane::test
