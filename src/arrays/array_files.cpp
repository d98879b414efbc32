#include "memlane/arrays/array_files.hpp"

#include "images.hpp"
#include "numpy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

namespace memlane::arrays {
namespace {

using Values = std::vector<ir::Value>;

constexpr std::size_t max_bytes = std::size_t{4} << 30;

/// More than any file of the array needs, with a margin for headers and for files of a wrong
/// length, since the error about these names the length. limits.memory bounds the margin.
std::size_t max_bytes_of(const ir::Array& array, const Limits& limits) {
  const std::size_t min_margin = std::size_t{64} << 10, max_margin = std::size_t{64} << 20;
  const std::size_t margin = std::clamp(
      static_cast<std::size_t>(std::max<std::int64_t>(limits.memory, 0)), min_margin, max_margin);
  const std::size_t element_bytes = 64;
  const auto elements = static_cast<std::size_t>(array.elements());
  return elements < max_bytes / element_bytes
             ? std::min(margin + element_bytes * elements, max_bytes)
             : max_bytes;
}

Diagnostic wrong_length(const std::string& path, const ir::Array& array, std::size_t found) {
  return error_in("",
                  fmt::format("array {} has {} elements, file '{}' has {}", array.name,
                              array.elements(), path, found),
                  {"-D sets the parameters that determine an array's size"});
}

/// Sets `overflows` if the text is a number outside the range of the type.
template <class Number>
std::optional<Number> signed_number(std::string_view text, bool* overflows = nullptr) {
  Number number{};
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = end == text.data() + text.size() && !text.empty();
  if (overflows) *overflows = whole && error == std::errc::result_out_of_range;
  if (error != std::errc() || !whole) return {};
  return number;
}

Result<ir::Value> value_of(std::string_view word, ir::Scalar type, Span span) {
  const auto shown = fmt::format("'{}'", word.size() > 40 ? word.substr(0, 40) : word);
  bool overflows = false;
  const auto real = signed_number<double>(word, &overflows);
  if (ir::is_integer(type)) {
    const auto number = signed_number<std::int64_t>(word);
    const bool fits =
        number && (type == ir::Scalar::int64 || (*number >= INT32_MIN && *number <= INT32_MAX));
    if (fits) return ir::Value::of(*number);
    const bool whole = word.find_first_not_of("+-0123456789") == std::string_view::npos;
    if (whole && (number || word.find_first_of("0123456789") != std::string_view::npos)) {
      return error_at(span, fmt::format("{} does not fit in {}", shown, name_of(type)));
    }
    return error_at(span,
                    real ? fmt::format("{} is not an integer, as {} needs", shown, name_of(type))
                         : fmt::format("{} is not a number", shown));
  }
  if (overflows) return error_at(span, fmt::format("{} does not fit in {}", shown, name_of(type)));
  if (!real) return error_at(span, fmt::format("{} is not a number", shown));
  if (type == ir::Scalar::float64) return ir::Value::of(*real);
  const auto single = signed_number<float>(word);
  if (!single) return error_at(span, fmt::format("{} does not fit in float", shown));
  return ir::Value::of(static_cast<double>(*single));
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct TextLine {
  Span span;
  std::size_t numbers = 0;
};

/// Each line must be a row of the last dimension, unless all numbers are on one line, or each is on
/// a line of its own.
Status check_rows(const std::vector<TextLine>& lines, const ir::Array& array) {
  const auto single = [](const TextLine& line) { return line.numbers == 1; };
  if (array.extents.size() < 2 || lines.size() == 1) return Done{};
  if (std::all_of(lines.begin(), lines.end(), single)) return Done{};
  const auto row = static_cast<std::size_t>(array.extents.back());
  for (const TextLine& line : lines) {
    if (line.numbers == row) continue;
    return error_at(line.span,
                    fmt::format("array {} has shape {}, so rows of {}; this line has {}",
                                array.name, shape_text(array.extents), row, line.numbers),
                    {"write each row of the array's last dimension on one line"});
  }
  return Done{};
}

/// Numbers separated by white space or commas.
Result<Values> read_text(Sources& sources, const std::string& path, std::string content,
                         const ir::Array& array) {
  if (content.size() > std::numeric_limits<std::uint32_t>::max()) {
    return error_in("", fmt::format("cannot read '{}': a text is at most 4 GiB", path));
  }
  const std::string_view byte_order_mark = "\xef\xbb\xbf";
  std::size_t at = content.compare(0, 3, byte_order_mark) == 0 ? 3 : 0;
  const std::int32_t file = sources.add(path, std::move(content));
  const std::string_view text = sources.text(file);
  const auto span = [&](std::size_t begin, std::size_t end) {
    return Span{file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  };
  Values values;
  // Once, since copying a large list takes long.
  values.reserve(std::min(static_cast<std::size_t>(array.elements()), text.size() / 2 + 1));
  std::vector<TextLine> lines;
  bool on_line = false; // this line has a number already
  bool number_before_comma = false;
  Watch watch(sources.limits());
  while (at < text.size()) {
    if (!watch.go_on()) return stopped_while(watch.stop(), fmt::format("reading '{}'", path));
    if (is_blank(text[at])) {
      on_line = on_line && text[at] != '\n' && text[at] != '\r';
      ++at;
    } else if (text[at] == ',') {
      if (!number_before_comma) {
        return error_at(span(at, at + 1), "a number is missing before this comma");
      }
      number_before_comma = false;
      ++at;
    } else {
      std::size_t end = at;
      while (end < text.size() && !is_blank(text[end]) && text[end] != ',') ++end;
      const Result<ir::Value> value =
          value_of(text.substr(at, end - at), array.type, span(at, end));
      if (!value) return value.errors();
      values.push_back(*value);
      if (!std::exchange(on_line, true)) lines.push_back({span(at, end)});
      lines.back().span.end = static_cast<std::uint32_t>(end);
      ++lines.back().numbers;
      number_before_comma = true;
      at = end;
    }
  }
  if (static_cast<std::int64_t>(values.size()) != array.elements()) {
    return wrong_length(path, array, values.size());
  }
  if (Status rows = check_rows(lines, array); !rows) return rows.errors();
  return values;
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t bits = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return bits;
}

ir::Value value_of_bits(std::uint64_t bits, ir::Scalar type) {
  switch (type) {
  case ir::Scalar::boolean: return ir::Value::of(bits != 0);
  case ir::Scalar::int32:
    return ir::Value::of(std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(bits))});
  case ir::Scalar::float32:
    return ir::Value::of(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  case ir::Scalar::int64:
  case ir::Scalar::float64: break;
  }
  return {bits};
}

std::uint64_t bits_of(ir::Value value, ir::Scalar type) {
  if (type == ir::Scalar::float32) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value.real()));
  }
  return value.bits;
}

Result<Values> read_raw(const std::string& path, std::string_view content, const ir::Array& array,
                        const Limits& limits) {
  const auto size = static_cast<std::size_t>(size_of(array.type));
  if (content.size() % size != 0) {
    return error_in("", fmt::format("file '{}' has {} bytes, not a multiple of the {} of {}", path,
                                    content.size(), size, name_of(array.type)));
  }
  if (static_cast<std::int64_t>(content.size() / size) != array.elements()) {
    return wrong_length(path, array, content.size() / size);
  }
  Values values;
  values.reserve(content.size() / size);
  Watch watch(limits);
  for (std::size_t at = 0; at < content.size(); at += size) {
    if (!watch.go_on()) return stopped_while(watch.stop(), fmt::format("reading '{}'", path));
    values.push_back(value_of_bits(little_endian(content.substr(at, size)), array.type));
  }
  return values;
}

/// Python code that converts the file.
std::string numpy_help(const std::string& path, const std::string& conversion) {
  std::string name;
  for (const char c : path)
    name += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return fmt::format("in Python: numpy.save('{0}', numpy.load('{0}'){1})", name, conversion);
}

Result<Values> read_numpy(const std::string& path, std::string_view content, const ir::Array& array,
                          const Limits& limits) {
  const auto header = read_numpy_header(content);
  if (!header)
    return error_in("", fmt::format("file '{}': {}", path, header.errors().front().message));
  if (header->type != numpy_type(array.type)) {
    return error_in("",
                    fmt::format("array {} has type {} (NumPy's {}), file '{}' has '{}'", array.name,
                                name_of(array.type), numpy_type(array.type), path, header->type),
                    {numpy_help(path, fmt::format(".astype('{}')", numpy_type(array.type)))});
  }
  if (header->shape != array.extents) {
    std::vector<std::string> help = {"-D sets the parameters that determine an array's shape"};
    std::int64_t elements = 1;
    for (const std::int64_t extent : header->shape)
      if (__builtin_mul_overflow(elements, extent, &elements)) elements = -1;
    if (elements == array.elements())
      help.push_back(numpy_help(path, fmt::format(".reshape({})", shape_text(array.extents))));
    return error_in("",
                    fmt::format("array {} has shape {}, file '{}' has {}", array.name,
                                shape_text(array.extents), path, shape_text(header->shape)),
                    std::move(help));
  }
  if (header->column_major && array.extents.size() > 1) {
    return error_in("",
                    fmt::format("file '{}' is in column-major order; arrays are row-major", path),
                    {numpy_help(path, ".copy(order='C')")});
  }
  const std::size_t found = content.size() - header->size;
  const auto wanted = static_cast<std::size_t>(array.elements() * size_of(array.type));
  if (found != wanted) {
    return error_in("", fmt::format("file '{}' {}: its header of {} bytes announces {} bytes of "
                                    "elements, {} follow",
                                    path, found < wanted ? "is cut off" : "is too long",
                                    header->size, wanted, found));
  }
  return read_raw(path, content.substr(header->size), array, limits);
}

std::string raw_content(const ir::Array& array, const Values& values, std::string content,
                        Watch& watch) {
  content.reserve(content.size() + values.size() * static_cast<std::size_t>(size_of(array.type)));
  for (ir::Value value : values) {
    if (!watch.go_on()) break;
    std::uint64_t bits = bits_of(value, array.type);
    for (std::int64_t i = 0; i < size_of(array.type); ++i, bits >>= 8) {
      content += static_cast<char>(bits & 0xff);
    }
  }
  return content;
}

std::string text_content(const ir::Array& array, const Values& values, char separator,
                         Watch& watch) {
  const auto row = static_cast<std::size_t>(array.extents.size() > 1 ? array.extents.back() : 1);
  std::string content;
  for (std::size_t i = 0; i < values.size() && watch.go_on(); ++i) {
    content += to_string(array.type, values[i]);
    content += (i + 1) % row == 0 ? '\n' : separator;
  }
  return content;
}

/// In lower case, since cameras write .JPG.
std::string ending(const std::string& path) {
  std::string end = std::filesystem::path(path).extension().string();
  for (char& c : end) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return end;
}

bool is_picture(ArrayFormat format) {
  return format == ArrayFormat::pgm || format == ArrayFormat::png || format == ArrayFormat::jpeg;
}

} // namespace

Result<ArrayFormat> array_format(const std::string& path) {
  const std::string end = ending(path);
  if (end == ".csv" || end == ".txt") return ArrayFormat::text;
  if (end == ".bin") return ArrayFormat::raw;
  if (end == ".npy") return ArrayFormat::numpy;
  if (end == ".pgm") return ArrayFormat::pgm;
  if (end == ".png") return ArrayFormat::png;
  if (end == ".jpg" || end == ".jpeg") return ArrayFormat::jpeg;
  return error_in("", fmt::format("the ending of '{}' names no known format", path),
                  {"known endings: .csv, .txt, .bin, .npy, and for pictures .pgm, .png, .jpg"});
}

Status fits_file(const std::string& path, const ir::Array& array) {
  const Result<ArrayFormat> format = array_format(path);
  if (!format) return format.errors();
  return is_picture(*format) ? fits_picture(*format, path, array) : Done{};
}

Result<FileSizeLimit> file_size_limit(const std::string& path, const ir::Array& array,
                                      const Limits& limits) {
  if (const Status fits = fits_file(path, array); !fits) return fits.errors();
  const std::int64_t bytes = array.elements() * size_of(array.type);
  if (array.elements() > limits.memory / size_of(array.type))
    return stopped_while(
        Stop::memory, fmt::format("reading '{}': array {} has {} bytes", path, array.name, bytes));
  return FileSizeLimit{
      max_bytes_of(array, limits),
      fmt::format("array {} has {} elements, {} bytes", array.name, array.elements(), bytes)};
}

Result<Values> read_array(Sources& sources, const std::string& path, std::string content,
                          const ir::Array& array) {
  const ArrayFormat format = *array_format(path);
  if (is_picture(format)) return read_picture(format, path, content, array, sources.limits());
  if (format == ArrayFormat::raw) return read_raw(path, content, array, sources.limits());
  if (format == ArrayFormat::numpy) return read_numpy(path, content, array, sources.limits());
  return read_text(sources, path, std::move(content), array);
}

Result<ArrayContent> array_content(const std::string& path, const ir::Array& array,
                                   const Values& values, const Limits& limits) {
  const ArrayFormat format = *array_format(path);
  if (is_picture(format)) return picture_content(format, path, array, values, limits);
  Watch watch(limits);
  ArrayContent content;
  if (format == ArrayFormat::text) {
    content.bytes = text_content(array, values, ending(path) == ".csv" ? ',' : ' ', watch);
  } else {
    content.bytes = raw_content(
        array, values, format == ArrayFormat::numpy ? numpy_header(array) : std::string(), watch);
  }
  if (watch.stopped()) return stopped_while(watch.stop(), fmt::format("writing '{}'", path));
  return content;
}

} // namespace memlane::arrays
