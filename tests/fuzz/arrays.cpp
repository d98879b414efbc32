// Fuzzes array files of each format: errors, or as many values as the array has.
#include "fuzz.hpp"

#include "memlane/arrays/array_files.hpp"

#include <array>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace memlane;
  constexpr std::array endings = {"csv", "txt", "bin", "npy", "pgm", "png", "jpg"};
  if (size == 0) return 0;
  // The first byte chooses the format and the array.
  const std::string path = std::string("a.") + endings[data[0] % endings.size()];
  ir::Array array;
  array.name = "a";
  array.type = data[0] & 0x40 ? ir::Scalar::float32 : ir::Scalar::int32;
  array.extents = data[0] & 0x80 ? std::vector<std::int64_t>{12} : std::vector<std::int64_t>{3, 4};
  if (!arrays::fits_file(path, array)) return 0;
  Sources sources;
  const auto values = arrays::read_array(sources, path, test::text_of(data + 1, size - 1), array);
  if (values)
    test::require(values->size() == 12);
  else
    test::require(!render(values.errors(), sources).empty());
  return 0;
}
