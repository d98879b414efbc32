// Pictures in formats that memlane does not write, and malicious ones.
#include "cli/shell.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace memlane::test {
namespace {

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

/// PNG, section 5.3: length, type, data, checksum of type and data.
std::string chunk(const std::string& type, const std::string& data) {
  const std::string both = type + data;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(both.data()), static_cast<uInt>(both.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + both +
         big_endian(static_cast<std::uint32_t>(sum));
}

std::string deflated(const std::string& data) {
  std::string out(compressBound(static_cast<uLong>(data.size())), '\0');
  uLongf size = static_cast<uLongf>(out.size());
  REQUIRE(compress(reinterpret_cast<Bytef*>(out.data()), &size,
                   reinterpret_cast<const Bytef*>(data.data()),
                   static_cast<uLong>(data.size())) == Z_OK);
  out.resize(size);
  return out;
}

/// `data`: rows, each after its filter byte. `color` as in section 11.2.1: 0 grey, 2 RGB, 3
/// palette, 6 RGB and transparency.
std::string png(std::uint32_t width, std::uint32_t height, int depth, int color,
                const std::string& data, const std::string& before_data = "") {
  std::string head = big_endian(width) + big_endian(height);
  head += static_cast<char>(depth);
  head += static_cast<char>(color);
  head.append(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", head) + before_data + chunk("IDAT", deflated(data)) +
         chunk("IEND", "");
}

std::string bytes(std::initializer_list<int> numbers) {
  std::string out;
  for (int number : numbers) out += static_cast<char>(number);
  return out;
}

/// A folder with an empty program over an array p[rows, columns].
class PictureFolder {
public:
  PictureFolder(int rows, int columns, const std::string& type = "int") {
    spit(playground_.folder() + "/p.lane", "memory p[" + std::to_string(rows) + ", " +
                                               std::to_string(columns) + "]: " + type +
                                               "\nmain { }\nverify { assert p[0, 0] >= 0 }\n");
  }
  Outcome read(const std::string& file, const std::string& content) const {
    spit(playground_.folder() + "/" + file, content);
    return playground_.run("memlane run p.lane --input p=" + file + " --output p=out.csv -o t");
  }
  /// The array after reading the file.
  std::string values(const std::string& file, const std::string& content) const {
    const Outcome outcome = read(file, content);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return slurp(playground_.folder() + "/out.csv");
  }
  const Playground& playground() const { return playground_; }

private:
  Playground playground_;
};

void check_refused(const Outcome& outcome, const std::string& words) {
  INFO(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.rfind("error: array p[", 0) == 0);
  CHECK(outcome.err.find(words) != std::string::npos);
}

} // namespace

TEST_CASE("colours become 0.299 R + 0.587 G + 0.114 B, transparency is ignored") {
  const PictureFolder folder(1, 3);
  const std::string rgb = bytes({0, 255, 0, 0, 0, 255, 0, 0, 0, 255});
  CHECK(folder.values("a.png", png(3, 1, 8, 2, rgb)) == "76,150,29\n");
  const std::string rgba = bytes({0, 255, 255, 255, 0, 10, 20, 30, 255, 0, 0, 0, 7});
  CHECK(folder.values("a.png", png(3, 1, 8, 6, rgba)) == "255,18,0\n");
  const std::string palette = chunk("PLTE", bytes({255, 0, 0, 0, 0, 255}));
  CHECK(folder.values("a.png", png(3, 1, 1, 3, bytes({0, 0x40}), palette)) == "76,29,76\n");
}

TEST_CASE("grey of 1 bit is 0 or 255, grey of 16 bits keeps its value, and gamma is ignored") {
  const PictureFolder folder(1, 3);
  CHECK(folder.values("a.png", png(3, 1, 1, 0, bytes({0, 0xa0}))) == "255,0,255\n");
  const std::string wide = bytes({0, 0, 1, 0x12, 0x34, 0xff, 0xff});
  CHECK(folder.values("a.png", png(3, 1, 16, 0, wide)) == "1,4660,65535\n");
  const std::string linear = chunk("gAMA", big_endian(100000));
  CHECK(folder.values("a.png", png(3, 1, 8, 0, bytes({0, 1, 128, 255}), linear)) == "1,128,255\n");
  CHECK(PictureFolder(1, 3, "float").values("a.png", png(3, 1, 8, 0, bytes({0, 1, 128, 255}))) ==
        "1,128,255\n");
}

TEST_CASE("a picture of another size is rejected before it is decoded") {
  const PictureFolder folder(1, 3);
  for (std::uint32_t side : {2u, 4u, 60000u, 0x7fffffffu}) {
    check_refused(folder.read("a.png", png(side, side, 8, 6, "")), "(width x height)");
  }
  // A decompression bomb: only a row of three pixels is decoded.
  const std::string bomb(std::size_t{50} << 20, '\0');
  const Outcome outcome = folder.read("a.png", png(3, 1, 8, 0, bomb));
  CHECK((outcome.status == 0 || outcome.status == 2));
  check_refused(folder.read("a.png", png(3, 0, 8, 0, "")), "not a valid PNG");
  check_refused(folder.read("a.png", png(3, 1, 5, 0, "")), "not a valid PNG");
}

TEST_CASE("a picture cut or changed at any byte gives a result or a message") {
  const PictureFolder folder(4, 4);
  std::string pixels;
  for (int row = 0; row < 4; ++row) pixels += bytes({0, 9 * row, 100, 200, 255 - row});
  const Playground& playground = folder.playground();
  const std::string from_png = png(4, 4, 8, 0, pixels);
  REQUIRE(folder.read("a.png", from_png).status == 0);
  REQUIRE(playground.run("memlane run p.lane --input p=a.png --output p=b.jpg -o t").status == 0);
  const std::string jpeg = slurp(playground.folder() + "/b.jpg");
  for (const auto& [file, content] : {std::pair<std::string, std::string>{"c.png", from_png},
                                      std::pair<std::string, std::string>{"c.jpg", jpeg}}) {
    INFO(file);
    const std::size_t step = content.size() / (sanitized ? 15 : 40) + 1;
    for (std::size_t size = 0; size < content.size(); size += step) {
      CAPTURE(size);
      check_refused(folder.read(file, content.substr(0, size)), "the file is not a valid");
      std::string changed = content;
      changed[size] = static_cast<char>(changed[size] ^ 0x55);
      const Outcome outcome = folder.read(file, changed);
      CHECK((outcome.status == 0 || outcome.status == 2));
      CHECK(outcome.err.empty() == (outcome.status == 0));
    }
  }
}

TEST_CASE("a picture written and read again is equal as PNG and PGM, and similar as JPEG") {
  const PictureFolder folder(2, 2);
  CHECK(folder.values("a.pgm", "P2 2 2 255 0 100 200 255") == "0,100\n200,255\n");
  const Playground& playground = folder.playground();
  for (const char* file : {"b.png", "b.pgm"}) {
    const std::string name = file;
    CHECK(
        playground.run("memlane run p.lane --input p=a.pgm --output p=" + name + " -o t").status ==
        0);
    CHECK(folder.values(name, slurp(playground.folder() + "/" + name)) == "0,100\n200,255\n");
  }
  CHECK(playground.run("memlane run p.lane --input p=a.pgm --output p=b.jpg -o t").status == 0);
  const std::string jpeg = folder.values("b.jpg", slurp(playground.folder() + "/b.jpg"));
  int a = 0, b = 0, c = 0, d = 0;
  REQUIRE(std::sscanf(jpeg.c_str(), "%d,%d\n%d,%d", &a, &b, &c, &d) == 4);
  CHECK(std::abs(a) + std::abs(b - 100) + std::abs(c - 200) + std::abs(d - 255) < 40);
}

} // namespace memlane::test
