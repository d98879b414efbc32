// Readers and writers of large files poll the stop token.
#include "support/catch.hpp"

#include "memlane/arrays/array_files.hpp"

#include <climits>
#include <string>

namespace memlane {

TEST_CASE("a reader of an array polls its stop token at least once in 256 elements") {
  constexpr int side = 100, count = side * side;
  ir::Array array;
  array.name = "a";
  array.type = ir::Scalar::int32;
  array.extents = {side, side};
  const std::vector<ir::Value> values(count, ir::Value::of(std::int64_t{7}));
  std::string plain = "P2 100 100 255\n";
  for (int i = 0; i < count; ++i) plain += "7 ";
  for (const char* path : {"a.txt", "a.bin", "a.npy", "a.pgm", "a.png", "a.jpg", "plain.pgm"}) {
    const std::string content =
        *path == 'p' ? plain : arrays::array_content(path, array, values, {})->bytes;
    int polls = 0, stops_at = INT_MAX;
    Limits limits;
    limits.check = [&] { return ++polls > stops_at ? Stop::wall_clock : Stop::none; };
    Sources sources;
    sources.set_limits(limits);
    INFO(path);
    CHECK(arrays::read_array(sources, path, content, array).ok());
    CHECK(polls >= count / 256);
    for (const int stops : {0, polls / 2, polls - 1}) {
      polls = 0;
      stops_at = stops;
      INFO("stopped at poll " << stops);
      const auto stopped = arrays::read_array(sources, path, content, array);
      REQUIRE(!stopped);
      CHECK(stop_of(stopped.errors()) == Stop::wall_clock);
    }
  }
}

TEST_CASE("a writer of an array polls its stop token at least once in 256 elements") {
  constexpr int side = 100, count = side * side;
  ir::Array array;
  array.name = "a";
  array.type = ir::Scalar::int32;
  array.extents = {side, side};
  std::vector<ir::Value> values;
  for (int i = 0; i < count; ++i) values.push_back(ir::Value::of(std::int64_t{i % 251}));
  for (const std::string path : {"a.txt", "a.csv", "a.bin", "a.npy", "a.pgm", "a.png", "a.jpg"}) {
    int polls = 0, stops_at = INT_MAX;
    Limits limits;
    limits.check = [&] { return ++polls > stops_at ? Stop::interrupted : Stop::none; };
    INFO(path);
    CHECK(arrays::array_content(path, array, values, limits).ok());
    CHECK(polls >= count / 256);
    for (const int stops : {0, polls / 2, polls - 1}) {
      polls = 0;
      stops_at = stops;
      INFO("stopped at poll " << stops);
      const auto stopped = arrays::array_content(path, array, values, limits);
      REQUIRE(!stopped);
      CHECK(stop_of(stopped.errors()) == Stop::interrupted);
      CHECK(stopped.errors().front().message.find("writing '" + path) != std::string::npos);
    }
  }
}

} // namespace memlane
