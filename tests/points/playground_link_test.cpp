// Addresses of the playground: what they hold, and what they cannot.
#include "support/catch.hpp"

#include "memlane/points/playground_link.hpp"
#include "memlane/support/base64.hpp"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <string>

namespace memlane::sweep {
namespace {

/// The setting of an address, as a browser finds it.
nlohmann::json unpacked(const std::string& fragment) {
  REQUIRE(fragment.starts_with("#1."));
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string bytes;
  unsigned group = 0, bits = 0;
  for (const char letter : fragment.substr(3)) {
    const std::size_t value = letters.find(letter);
    REQUIRE(value != std::string::npos);
    group = group << 6 | static_cast<unsigned>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 255);
  }
  std::string text(1 << 16, '\0');
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, -MAX_WBITS) == Z_OK); // without a frame
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  REQUIRE(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  CHECK(stream.avail_in == 0);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return nlohmann::json::parse(text);
}

} // namespace

TEST_CASE("base 64 has the letters and the padding of RFC 4648") {
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("fooba") == "Zm9vYmE=");
  CHECK(base64("foob") == "Zm9vYg==");
  CHECK(base64("\xfb\xff") == "+/8=");
  CHECK(base64url("\xfb\xff") == "-_8");
  CHECK(base64url("").empty());
}

TEST_CASE("an address of the playground holds the program, the machine and the numbers") {
  Recipe recipe;
  recipe.program.definitions = {"n=64", "s=4"};
  recipe.program.replaced = {{"layout", "t=padded(1)"}};
  recipe.machine.name = "dmm-w32";
  recipe.machine.overrides = {"latency=20"};
  recipe.seed = 7;
  const auto link = playground_fragment(recipe, "programs/access/strided.lane");
  REQUIRE(link);
  const nlohmann::json wanted = {{"path", "programs/access/strided.lane"},
                                 {"machine", "dmm-w32"},
                                 {"define", {{"n", "64"}, {"s", "4"}}},
                                 {"layout", {{"t", "padded(1)"}}},
                                 {"set", {{"latency", "20"}}},
                                 {"seed", 7}};
  CHECK(unpacked(*link) == wanted);
  std::string text = "param n: int = 1 // \"ä\"\n";
  while (text.size() < 5000) text += text;
  const auto own = playground_fragment(Recipe{}, "own.lane", text);
  REQUIRE(own);
  CHECK(unpacked(*own).at("text") == text);
  CHECK(unpacked(*own).at("define").is_object());
}

TEST_CASE("what a playground cannot set is no address") {
  Recipe recipe;
  recipe.machine.name = "mine/gpu.json";
  recipe.program.replaced = {{"fn", "f(x) = x"}, {"layout", "t=rows"}};
  recipe.inputs = {{"a", "a.csv"}};
  recipe.atomics = ExecutionOrder::reversed;
  const auto link = playground_fragment(recipe, "p.lane");
  REQUIRE(!link);
  REQUIRE(link.errors().size() == 4);
  CHECK(link.errors()[0].message ==
        "the playground cannot have the machine 'mine/gpu.json', which is a file: only shipped "
        "machines");
  CHECK(link.errors()[1].message == "the playground cannot have --fn 'f(x) = x'");
  CHECK(link.errors()[2].message == "the playground cannot have --input a");
  CHECK(link.errors()[3].message == "the playground cannot have --atomics");
}

} // namespace memlane::sweep
