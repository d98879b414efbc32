// Packed texts: what comes back, in how many letters, and what does not.
#include "support/catch.hpp"

#include "memlane/points/packed_text.hpp"
#include "memlane/support/base64.hpp"

#include <random>
#include <string>

namespace memlane::sweep {
namespace {

constexpr std::size_t most = std::size_t{1} << 22;

void check_comes_back(const std::string& text) {
  const auto back = unpacked(packed(text), most);
  REQUIRE(back);
  CHECK((*back == text));
}

} // namespace

TEST_CASE("a packed text comes back, whatever it holds") {
  check_comes_back("");
  check_comes_back("a");
  check_comes_back("ab");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  check_comes_back(all);
  check_comes_back(all + all);
  for (std::size_t size = 1; size < 600; ++size) check_comes_back("x" + std::string(size, 'a'));
  check_comes_back(std::string(std::size_t{1} << 20, '\0'));
  std::mt19937 random(1);
  for (const int letters : {1, 2, 3, 20, 256})
    for (const std::size_t size : {3U, 300U, 70'000U}) {
      std::string text(size, ' ');
      for (char& letter : text)
        letter = static_cast<char>(random() % static_cast<unsigned>(letters));
      check_comes_back(text);
    }
  // Matches as far back as any may be, one letter nearer and one farther.
  for (const std::size_t distance : {32767U, 32768U, 32769U}) {
    std::string text = "the same words";
    while (text.size() < distance) text += static_cast<char>(random());
    check_comes_back(text + "the same words");
  }
}

TEST_CASE("a packed text has fewer letters") {
  std::string text;
  for (int line = 0; line < 200; ++line)
    text += "forall i in 0.." + std::to_string(line) + " { a[i] = 3 * b[i] + 1 }\n";
  CHECK(packed(text).size() < text.size() / 5);
}

TEST_CASE("letters that are no packed text are refused, and no more is unpacked than is allowed") {
  const std::string letters = packed(std::string(1000, 'a') + "b");
  CHECK(unpacked(letters, 1001));
  CHECK(unpacked(letters, 1000).errors().front().message == "it unpacks to more than 1000 bytes");
  for (std::size_t left = 0; left < letters.size(); ++left)
    CHECK_FALSE(unpacked(letters.substr(0, left), most));
  for (const char* const wrong : {"", "A", "AA", "=", "not base64!", "_____"})
    CHECK_FALSE(unpacked(wrong, most));
  CHECK_FALSE(unpacked(letters + "AAAA", most)); // bytes behind its end
}

TEST_CASE("the letters of bytes are read back, and no others") {
  std::string bytes;
  for (int byte = 0; byte < 300; ++byte) {
    CHECK(bytes_of_base64url(base64url(bytes)) == bytes);
    bytes += static_cast<char>(byte * 7);
  }
  for (const char* const wrong : {"A", "AAAAA", "Zg=", "Zh", "Zm9", "a b", "+/8"})
    CHECK_FALSE(bytes_of_base64url(wrong));
}

} // namespace memlane::sweep
