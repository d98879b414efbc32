// Which source lines of two runs are shown side by side.
#include "support/catch.hpp"

#include "memlane/study/compare/comparison.hpp"

#include <string>

namespace memlane::sweep {
namespace {

CountedLine counted_line(std::int32_t number, std::string text, std::int64_t requests,
                         std::int64_t stages) {
  return {"x.lane", number, std::move(text), {requests, stages, 1}};
}

/// `1-2 3- -4`: the numbers of the lines that stand side by side.
std::string pairing(const std::vector<LinePair>& pairs) {
  std::string text;
  for (const LinePair& pair : pairs)
    text += (text.empty() ? "" : " ") + (pair.first ? std::to_string(pair.first->number) : "") +
            "-" + (pair.second ? std::to_string(pair.second->number) : "");
  return text;
}

} // namespace

TEST_CASE("lines of one program are paired by number") {
  const std::vector<CountedLine> first{counted_line(3, "a", 4, 4), counted_line(5, "b", 4, 8)};
  const std::vector<CountedLine> second{counted_line(4, "a", 2, 2), counted_line(5, "c", 4, 8),
                                        counted_line(9, "d", 1, 1)};
  const auto pairs = pair_lines(first, second, LineMatch::number);
  CHECK(pairing(pairs) == "3- -4 5-5 -9");
  CHECK(pairs[0].differs());
  CHECK(!pairs[2].differs());
}

TEST_CASE("lines of two programs are paired by their texts, in order") {
  const std::vector<CountedLine> first{counted_line(1, "t[i] = a[i]", 4, 4),
                                       counted_line(2, "t[i] = t[i] + t[i + s]", 4, 8),
                                       counted_line(3, "b[block] = t[0]", 1, 1)};
  const std::vector<CountedLine> second{
      counted_line(4, "barrier_free(x)", 1, 1), counted_line(5, "t[i]  =  a[i]", 4, 4),
      counted_line(7, "t[pad(i)] = t[pad(i)] + t[pad(i + s)]", 4, 4),
      counted_line(8, "b[block] = t[0]", 1, 1)};
  CHECK(pairing(pair_lines(first, second, LineMatch::text)) == "-4 1-5 2-7 3-8");
  CHECK(pairing(pair_lines(second, first, LineMatch::text)) == "4- 5-1 7-2 8-3");
  // What is moved is paired once, and nothing pairs with what it has little in common with.
  const std::vector<CountedLine> swapped{first[2], first[0]};
  const auto moved = pairing(pair_lines(first, swapped, LineMatch::text));
  CHECK((moved == "1- 2- 3-3 -1" || moved == "-3 1-1 2- 3-"));
  CHECK(pairing(pair_lines({counted_line(1, "alpha", 1, 1)}, {counted_line(2, "qqqq", 1, 1)},
                           LineMatch::text)) == "1- -2");
  CHECK(pair_lines({}, {}, LineMatch::text).empty());
}

} // namespace memlane::sweep
