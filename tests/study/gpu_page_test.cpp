// Pages of measurements: what they show, and that hostile names and numbers do no harm.
#include "support/catch.hpp"

#include "memlane/study/gpu/report.hpp"

#include <cstddef>
#include <string>

using namespace memlane;

namespace {

measure::ComparedPoint page_point(const std::string& name, double measured, double predicted,
                                  double bytes) {
  measure::ComparedPoint point;
  point.measured.program = point.curve = name;
  point.measured.parameters = {{"n", "64"}};
  point.size = 64;
  point.measured.samples_ns = point.measured.priced_samples_ns = {measured};
  point.measured.median_ns = point.measured.priced_ns = measured;
  if (bytes > 0) point.measured.array_bytes = bytes;
  point.measured.device.name = "a device";
  point.measured.device.peak_bandwidth_gbps = 640;
  point.predicted_ns = predicted;
  return point;
}

std::string page_of(std::vector<measure::ComparedPoint> points) {
  measure::MeasuredComparison comparison;
  comparison.path = "m.jsonl";
  comparison.machine.name = "a machine";
  comparison.points = std::move(points);
  measure::FittedCosts costs;
  costs.unit.value = 1;
  costs.launch.value = 2500;
  costs.points = comparison.points.size();
  comparison.costs = costs;
  return measured_page(comparison);
}

std::size_t times_in(const std::string& page, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = page.find(what, at)) != std::string::npos; at += what.size())
    ++count;
  return count;
}

/// The part of a page before its script and data.
std::string words_of(const std::string& page) { return page.substr(0, page.find("<script")); }

/// Of all attributes that are places in a picture: a number, and within it.
void check_places(const std::string& whole) {
  const std::string page = words_of(whole);
  for (const std::string attribute : {" cx=\"", " cy=\"", " x1=\"", " y1=\"", " x2=\"", " y2=\""}) {
    for (std::size_t at = 0; (at = page.find(attribute, at)) != std::string::npos;) {
      at += attribute.size();
      const double place = std::stod(page.substr(at));
      CHECK(place >= 0);
      CHECK(place <= 760);
    }
  }
  for (const char* no_number : {"nan", "inf\"", "inf,", ">inf"})
    CHECK(page.find(no_number) == std::string::npos);
}

} // namespace

TEST_CASE("the worst ten come from the farthest on, both ways alike") {
  std::vector<measure::ComparedPoint> points;
  for (int i = 0; i < 12; ++i)
    points.push_back(page_point("p" + std::to_string(i), 1000, 1000 * (1 + 0.01 * i), 4096));
  points.push_back(page_point("third", 3000, 1000, 4096));
  points.push_back(page_point("twice", 1000, 2000, 4096));
  const std::string page = page_of(points);
  const std::size_t begin = page.find("The worst ten"), end = page.find("</table>", begin);
  const std::string table = page.substr(begin, end - begin);
  CHECK(times_in(table, "<tr>") == 11);
  CHECK(table.find("<td>third</td>") < table.find("<td>twice</td>"));
  CHECK(table.find("<td>twice</td>") < table.find("<td>p11</td>"));
  CHECK(table.find("1/3<") != std::string::npos);
  CHECK(table.find("<td>p3</td>") == std::string::npos);
  CHECK(page.find("Of 14 points 13 are within a factor of two") != std::string::npos);
  check_places(page);
}

TEST_CASE("the roofline has points with bytes in global memory, the peak and the launch") {
  measure::ComparedPoint dmm = page_point("inside", 1000, 1000, 4096);
  dmm.measured.machine.model = Model::dmm;
  const std::string page =
      page_of({page_point("large", 1e6, 1e6, 1e8), page_point("none", 1000, 1000, 0), dmm});
  const std::string roofline = page.substr(page.find("<figcaption>Roofline"));
  const std::string figure = roofline.substr(0, roofline.find("</svg>"));
  CHECK(times_in(figure, "<title>") == 3); // of a point and two lines
  CHECK(figure.find("large n=64 (emitted): 100 MB in 1 ms, 100 GB/s") != std::string::npos);
  CHECK(figure.find("peak 640 GB/s") != std::string::npos);
  CHECK(figure.find("one launch of 2.5 µs") != std::string::npos);
  CHECK(times_in(figure, "class=\"guide strong\"") == 4); // two of them in the legend
  CHECK(page_of({page_point("none", 1000, 1000, 0)}).find("Roofline") == std::string::npos);
}

TEST_CASE("one point, points all alike, and the ends of what times can be stay in the pictures") {
  check_places(page_of({page_point("one", 1000, 1000, 4096)}));
  check_places(page_of({page_point("a", 1000, 2000, 64), page_point("b", 1000, 2000, 64)}));
  check_places(page_of({page_point("a", 1e-3, 1e18, 1e18), page_point("b", 1e18, 1e-3, 1e-3)}));
  check_places(page_of({page_point("a", 1e-3, 1e27, 1), page_point("b", 1e18, 1e-6, 1)}));
  check_places(page_of({page_point("near", 1000, 1000.001, 1)}));
  measure::ComparedPoint unknown = page_point("a", 1000, 1, 0);
  unknown.predicted_ns.reset();
  const std::string page = page_of({unknown});
  CHECK(page.find("Predicted against measured") == std::string::npos); // nothing was predicted
  CHECK(page.find("The worst") == std::string::npos);
  check_places(page);
}

TEST_CASE("names are text in a page, whatever they hold") {
  const std::string name = "<script>alert('x')</script>\"&\x1b[31m\xff\xe2\x80\xae"
                           "end";
  const std::string page = page_of({page_point(name, 1000, 1000, 64)});
  CHECK(page.find("<script>alert") == std::string::npos);
  CHECK(page.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;\\x1b[31m\\xff\\u202e"
                  "end") != std::string::npos);
  std::size_t controls = 0;
  for (char byte : words_of(page))
    controls += static_cast<unsigned char>(byte) < 0x20 && byte != 0x0a;
  CHECK(controls == 0);
}
