#include "numpy.hpp"

#include <fmt/format.h>

#include <charconv>

namespace memlane::arrays {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// The text after `'key':` in the header's dictionary, without leading blanks.
std::optional<std::string_view> entry(std::string_view dictionary, std::string_view key) {
  const std::string quoted = fmt::format("'{}':", key);
  const std::size_t at = dictionary.find(quoted);
  if (at == std::string_view::npos) return std::nullopt;
  dictionary.remove_prefix(at + quoted.size());
  const std::size_t begin = dictionary.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  return dictionary.substr(begin);
}

std::optional<std::vector<std::int64_t>> read_shape(std::string_view text) {
  const std::size_t close = text.find(')');
  if (text.empty() || text.front() != '(' || close == std::string_view::npos) return std::nullopt;
  std::vector<std::int64_t> shape;
  std::string_view inside = text.substr(1, close - 1);
  while (true) {
    const std::size_t begin = inside.find_first_not_of(" ,");
    if (begin == std::string_view::npos) return shape;
    inside.remove_prefix(begin);
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), extent);
    if (error != std::errc() || extent < 0) return std::nullopt;
    inside.remove_prefix(static_cast<std::size_t>(end - inside.data()));
    shape.push_back(extent);
  }
}

/// The elements begin after `size` bytes.
Result<NumpyHeader> read_dictionary(std::string_view dictionary, std::size_t size) {
  const auto type = entry(dictionary, "descr");
  const auto order = entry(dictionary, "fortran_order");
  const auto shape = entry(dictionary, "shape");
  if (!type || !order || !shape) {
    return error_in("", "its header lacks one of 'descr', 'fortran_order' and 'shape'");
  }
  if (type->front() == '[') {
    return error_in("", "its elements are records; write one number for each element");
  }
  const std::size_t close = type->find('\'', 1);
  if (type->front() != '\'' || close == std::string_view::npos) {
    return error_in("", "the 'descr' of its header is not a type");
  }
  const auto extents = read_shape(*shape);
  if (!extents) return error_in("", "the 'shape' of its header is not a tuple of extents");
  return NumpyHeader{std::string(type->substr(1, close - 1)), order->substr(0, 4) == "True",
                     *extents, size};
}

} // namespace

Result<NumpyHeader> read_numpy_header(std::string_view content) {
  const auto wrong = [](std::string why) { return error_in("", std::move(why)); };
  if (content.substr(0, magic.size()) != magic) {
    return wrong("it is not a NumPy file, which begins with \\x93NUMPY");
  }
  if (content.size() < 12) return wrong("it is cut off in its header");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(content[i]));
  };
  if (byte(6) < 1 || byte(6) > 3) {
    return wrong(
        fmt::format("it has NumPy's format {}.{}; 1.0 to 3.0 are supported", byte(6), byte(7)));
  }
  const bool first_version = byte(6) == 1;
  const std::size_t begin = first_version ? 10 : 12;
  const std::size_t length = first_version
                                 ? byte(8) | byte(9) << 8
                                 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (content.size() - begin < length) {
    return wrong(fmt::format("its header announces {} bytes, {} follow: it is cut off", length,
                             content.size() - begin));
  }
  return read_dictionary(content.substr(begin, length), begin + length);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string_view numpy_type(ir::Scalar type) {
  switch (type) {
  case ir::Scalar::boolean: return "|b1";
  case ir::Scalar::int32: return "<i4";
  case ir::Scalar::int64: return "<i8";
  case ir::Scalar::float32: return "<f4";
  case ir::Scalar::float64: break;
  }
  return "<f8";
}

std::string numpy_header(const ir::Array& array) {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                       numpy_type(array.type), shape_text(array.extents));
  // The format pads the header to a multiple of 64 bytes, with a final line end.
  const std::size_t before = magic.size() + 4;
  while ((before + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  std::string header(magic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8 & 0xff);
  return header + dictionary;
}

} // namespace memlane::arrays
