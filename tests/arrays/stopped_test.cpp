// Readers of large files poll the stop token.
#include "support/catch.hpp"

#include "memlane/arrays/array_files.hpp"

#include <string>

namespace memlane {

TEST_CASE("a reader of an array polls its stop token at least once in 256 elements") {
  constexpr int count = 10'000;
  ir::Array array;
  array.name = "a";
  array.type = ir::Scalar::int32;
  array.extents = {count};
  std::string text, raw(std::size_t{4} * count, '\0');
  for (int i = 0; i < count; ++i) text += "7\n";
  for (const auto& [path, content] : {std::pair{"a.txt", text}, std::pair{"a.bin", raw}}) {
    int polls = 0;
    bool stops = false;
    Limits limits;
    limits.check = [&] { return ++polls, stops ? Stop::wall_clock : Stop::none; };
    Sources sources;
    sources.set_limits(limits);
    INFO(path);
    CHECK(arrays::read_array(sources, path, content, array).ok());
    CHECK(polls >= count / 256);
    stops = true;
    const auto stopped = arrays::read_array(sources, path, content, array);
    REQUIRE(!stopped);
    CHECK(stop_of(stopped.errors()) == Stop::wall_clock);
  }
}

} // namespace memlane
