// Escapes of hostile text, so that it cannot steer a terminal.
#include "support/catch.hpp"

#include "memlane/support/diagnostic.hpp"
#include "memlane/support/text.hpp"

using namespace memlane;

TEST_CASE("control characters and invalid UTF-8 become escapes, other text is unchanged") {
  CHECK(escape_controls("plain, \xC3\xA9 and \xF0\x9F\x98\x80") ==
        "plain, \xC3\xA9 and \xF0\x9F\x98\x80");
  CHECK(escape_controls("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(escape_controls("a\nb\tc\rd", "\n\t") == "a\nb\tc\\rd");
  CHECK(escape_controls(std::string_view("\0\x1B[31m\x7F", 7)) == "\\x00\\x1b[31m\\x7f");
  CHECK(escape_controls("\xC2\x9B") == "\\u009b");
  CHECK(escape_controls("\xE2\x80\xAE and \xD8\x9C") == "\\u202e and \\u061c");
  CHECK(escape_controls("\xFF\xC0\x80\xED\xA0\x80") == "\\xff\\xc0\\x80\\xed\\xa0\\x80");
  CHECK(escape_controls("cut \xE2\x82") == "cut \\xe2\\x82");
  CHECK(escape_controls("") == "");
}

TEST_CASE("no byte of a message can steer the terminal") {
  for (int first = 0; first < 256; ++first) {
    for (const char* rest : {"", "\x80", "\x80\xAE", "[2J"}) {
      const std::string hostile = static_cast<char>(first) + std::string(rest);
      const std::string text = render(
          error_in("place " + hostile, "message " + hostile, {"help " + hostile}), Sources{});
      std::size_t lines = 0;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(std::string_view(text).substr(at));
        REQUIRE(length > 0);
        const bool line_end = text[at] == '\n';
        lines += line_end ? 1 : 0;
        CHECK((line_end || !is_control(std::string_view(text).substr(at, length))));
        at += length;
      }
      CHECK(lines == 2);
    }
  }
}
