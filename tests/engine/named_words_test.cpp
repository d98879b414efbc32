#include "fast/vectors.hpp"
#include "support/catch.hpp"

#include "memlane/support/random.hpp"

#include <set>

namespace memlane::test {

TEST_CASE("words in steps lie in the parts that a look at each word finds") {
  std::uint64_t counter = 0;
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return random_integer(7, 2, counter++, least, most);
  };
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t first = draw(0, 300), length = draw(1, 3), elements = draw(1, 32);
    const std::int64_t step = length + draw(0, 1) * draw(0, 70);
    const fast::Parts of(round % 2 == 0 ? std::int64_t{1} << draw(0, 6) : draw(1, 64));
    fast::NamedWords words, looked_at;
    words.set_steps(first, step, elements, length);
    std::set<std::int64_t> parts;
    for (std::int64_t element = elements; element-- > 0;)
      for (std::int64_t word = first + element * step, k = 0; k < length; ++k, ++word) {
        parts.insert(word / of.size);
        looked_at.sorted.push_back(word);
      }
    looked_at.look();
    for (const fast::NamedWords& named : {words, looked_at}) {
      std::vector<std::int64_t> found;
      named.each_part(of, [&](std::int64_t part) { found.push_back(part); });
      CAPTURE(first, length, elements, step, of.size);
      REQUIRE(found == std::vector<std::int64_t>(parts.begin(), parts.end()));
      REQUIRE(named.parts(of) == static_cast<std::int64_t>(parts.size()));
      REQUIRE(named.front == first);
      REQUIRE(named.back == first + (elements - 1) * step + length - 1);
      REQUIRE(named.repeated == 0);
    }
  }
}

} // namespace memlane::test
