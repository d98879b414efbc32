#include "memlane/support/diagnostic.hpp"

#include "support/catch.hpp"

#include "memlane/support/result.hpp"

using namespace memlane;

namespace {

std::string one(const std::string& text, std::uint32_t begin, std::uint32_t end) {
  Sources sources;
  const auto file = sources.add("f.lane", text);
  return render(error_at({file, begin, end}, "m"), sources);
}

} // namespace

TEST_CASE("a message with source line, carets, help and notes") {
  Sources sources;
  const auto file = sources.add("programs/sum.lane", "let x = 1\nlet z = y + 1\n");
  Diagnostic diagnostic = error_at({file, 18, 19}, "'y' is not declared", {"did you mean 'x'?"});
  diagnostic.notes.push_back({Severity::note, {file, 4, 5}, {}, "'x' is declared here", {}, {}});
  CHECK(render(diagnostic, sources) == "programs/sum.lane:2:9: error: 'y' is not declared\n"
                                       "    let z = y + 1\n"
                                       "            ^\n"
                                       "  help: did you mean 'x'?\n"
                                       "programs/sum.lane:1:5: note: 'x' is declared here\n"
                                       "    let x = 1\n"
                                       "        ^\n");
}

TEST_CASE("messages without a source text") {
  const Sources sources;
  CHECK(render(error_in("--width", "expected a number"), sources) ==
        "--width: error: expected a number\n");
  CHECK(render(error_in("", "nothing to do", {"name a program"}), sources) ==
        "error: nothing to do\n  help: name a program\n");
  Diagnostic warning = error_in("x", "odd");
  warning.severity = Severity::warning;
  CHECK(render(warning, sources) == "x: warning: odd\n");
}

TEST_CASE("a place within a text precedes the message") {
  Sources sources;
  const auto file = sources.add("m.json", "{\"width\": 0}");
  Diagnostic diagnostic = error_at({file, 10, 11}, "expected at least 1");
  diagnostic.place = "width";
  CHECK(render(diagnostic, sources) == "m.json:1:11: error: width: expected at least 1\n"
                                       "    {\"width\": 0}\n"
                                       "              ^\n");
}

TEST_CASE("carets under tabs, empty spans and line ends") {
  CHECK(one("\ta\tbc", 3, 5) == "f.lane:1:4: error: m\n    \ta\tbc\n    \t \t^^\n");
  CHECK(one("\ta\tbc", 1, 5) == "f.lane:1:2: error: m\n    \ta\tbc\n    \t^\t^^\n");
  CHECK(one("\ta", 0, 1) == "f.lane:1:1: error: m\n    \ta\n    ^\n");
  CHECK(one("abc", 1, 1) == "f.lane:1:2: error: m\n    abc\n     ^\n");
  CHECK(one("abc", 3, 3) == "f.lane:1:4: error: m\n    abc\n       ^\n");
  CHECK(one("abc\n", 4, 4) == "f.lane:2:1: error: m\n    \n    ^\n");
  CHECK(one("abc\nd", 3, 4) == "f.lane:1:4: error: m\n    abc\n       ^\n"); // the line end itself
  CHECK(one("", 0, 0) == "f.lane:1:1: error: m\n    \n    ^\n");
  CHECK(one("abc", 50, 60) == "f.lane:1:4: error: m\n    abc\n       ^\n");
}

TEST_CASE("a span of several lines quotes the first") {
  CHECK(one("ab {\n  c\n}\n", 3, 10) == "f.lane:1:4: error: m\n    ab {\n       ^\n");
  CHECK(one("ab\r\ncd", 0, 6) == "f.lane:1:1: error: m\n    ab\n    ^^\n");
}

TEST_CASE("one caret for each character, while columns count bytes") {
  // characters of two and three bytes
  CHECK(one("\xC3\xA9 \xE2\x88\x91 x", 3, 6) ==
        "f.lane:1:4: error: m\n    \xC3\xA9 \xE2\x88\x91 x\n      ^\n");
  CHECK(one("\xC3\xA9 \xE2\x88\x91 x", 7, 8) ==
        "f.lane:1:8: error: m\n    \xC3\xA9 \xE2\x88\x91 x\n        ^\n");
}

TEST_CASE("invisible and control characters are replaced") {
  CHECK(one(std::string("a\0b\x1B[31m\xFFz\x7F", 11), 2, 3) ==
        "f.lane:1:3: error: m\n    a\uFFFDb\uFFFD[31m\uFFFDz\uFFFD\n      ^\n");
  CHECK(one("\xC2\x9B", 0, 2) == "f.lane:1:1: error: m\n    \uFFFD\n    ^\n");
  CHECK(one("\xE2\x88", 0, 2) == "f.lane:1:1: error: m\n    \uFFFD\uFFFD\n    ^^\n");
}

TEST_CASE("a very long line is cut around the caret") {
  const std::string text(100000, '(');
  const std::string shown = one(text, 50000, 50001);
  CHECK(shown == "f.lane:1:50001: error: m\n    ..." + std::string(160, '(') + "...\n    " +
                     std::string(63, ' ') + "^\n");
  CHECK(one(text, 0, 100000) == "f.lane:1:1: error: m\n    " + std::string(160, '(') + "...\n    " +
                                    std::string(160, '^') + "\n");
  const std::string at_end = one(text, 100000, 100000);
  CHECK(at_end == "f.lane:1:100001: error: m\n    ..." + std::string(60, '(') + "\n    " +
                      std::string(63, ' ') + "^\n");
}

TEST_CASE("messages are sorted by file and place, without duplicates") {
  Sources sources;
  const auto a = sources.add("a", "xyz");
  const auto b = sources.add("b", "xyz");
  const std::string all =
      render(Diagnostics{error_at({b, 0, 1}, "one"), error_at({a, 2, 3}, "two"),
                         error_at({a, 0, 1}, "three"), error_at({a, 2, 3}, "two"),
                         error_at({a, 2, 3}, "four"), error_in("p", "five"), error_in("q", "five")},
             sources);
  CHECK(all == "p: error: five\nq: error: five\n"
               "a:1:1: error: three\n    xyz\n    ^\n"
               "a:1:3: error: two\n    xyz\n      ^\n"
               "a:1:3: error: four\n    xyz\n      ^\n"
               "b:1:1: error: one\n    xyz\n    ^\n");
  CHECK(render(Diagnostics{}, sources).empty());
}

TEST_CASE("a result is a value or messages") {
  const Result<int> value = 3;
  CHECK(value.ok());
  CHECK(*value == 3);
  const Result<int> none = error_in("x", "no");
  CHECK_FALSE(none);
  CHECK(none.errors().size() == 1);
}
