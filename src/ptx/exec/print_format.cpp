#include "print_format.hpp"

#include <algorithm>
#include <cstdio>

namespace memlane::ptx {

namespace {

/// Widths and precisions are no longer than this.
constexpr int most_width = 4096;

struct Conversion {
  std::string flags; ///< of `-+ #0`
  int width = 0, precision = -1;
  std::string length;
  char letter = '\0'; ///< zero: the format ends before it
};

class Formatter {
public:
  Formatter(std::string_view format, std::size_t most,
            const std::function<std::uint64_t(int)>& take,
            const std::function<std::string(std::uint64_t)>& text)
      : format_(format), most_(most), take_(take), text_(text) {}

  std::string all() {
    while (at_ < format_.size() && made_.size() < most_) {
      if (format_[at_] != '%') {
        made_ += format_[at_++];
        continue;
      }
      const std::size_t begin = at_++;
      const Conversion conversion = read();
      if (!convert(conversion)) made_ += format_.substr(begin, at_ - begin);
    }
    return std::move(made_);
  }

private:
  char now() const { return at_ < format_.size() ? format_[at_] : '\0'; }

  /// A number, or `*`: the next argument.
  int number() {
    if (now() == '*') {
      ++at_;
      return static_cast<int>(static_cast<std::uint32_t>(take_(4)));
    }
    int value = 0;
    for (; now() >= '0' && now() <= '9'; ++at_)
      value = std::min(value * 10 + (now() - '0'), most_width);
    return value;
  }

  Conversion read() {
    Conversion made;
    while (now() != '\0' && std::string_view("-+ #0").find(now()) != std::string_view::npos)
      made.flags += format_[at_++];
    made.width = number();
    if (made.width < 0) {
      made.flags += '-';
      made.width = made.width < -most_width ? most_width : -made.width;
    }
    made.width = std::min(made.width, most_width);
    if (now() == '.') {
      ++at_;
      made.precision = std::clamp(number(), -1, most_width);
    }
    while (now() != '\0' && std::string_view("hlLqjzt").find(now()) != std::string_view::npos)
      made.length += format_[at_++];
    made.letter = now();
    if (at_ < format_.size()) ++at_;
    return made;
  }

  template <class Value>
  void print(const Conversion& conversion, std::string_view length, Value value) {
    // Flags, width, precision and letter are C's own: the host's printf prints one value.
    std::string one = "%" + conversion.flags;
    if (conversion.width > 0) one += std::to_string(conversion.width);
    if (conversion.precision >= 0) one += "." + std::to_string(conversion.precision);
    one += length;
    one += conversion.letter;
    const int bytes = std::snprintf(nullptr, 0, one.c_str(), value);
    if (bytes <= 0) return;
    const std::size_t end = made_.size();
    made_.resize(end + static_cast<std::size_t>(bytes) + 1);
    std::snprintf(made_.data() + end, static_cast<std::size_t>(bytes) + 1, one.c_str(), value);
    made_.pop_back();
  }

  /// False: C has no such conversion.
  bool convert(const Conversion& conversion) {
    const bool wide = conversion.length == "l" || conversion.length == "ll" ||
                      conversion.length == "j" || conversion.length == "z" ||
                      conversion.length == "t" || conversion.length == "q";
    switch (conversion.letter) {
    case '%': made_ += '%'; return true;
    case 'd':
    case 'i': {
      auto value = static_cast<long long>(
          wide ? static_cast<std::int64_t>(take_(8))
               : std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(take_(4)))});
      if (conversion.length == "h") value = static_cast<short>(value);
      if (conversion.length == "hh") value = static_cast<signed char>(value);
      print(conversion, "ll", value);
      return true;
    }
    case 'o':
    case 'u':
    case 'x':
    case 'X': {
      auto value = static_cast<unsigned long long>(take_(wide ? 8 : 4));
      if (conversion.length == "h") value = static_cast<unsigned short>(value);
      if (conversion.length == "hh") value = static_cast<unsigned char>(value);
      print(conversion, "ll", value);
      return true;
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': print(conversion, "", __builtin_bit_cast(double, take_(8))); return true;
    case 'c': print(conversion, "", static_cast<int>(take_(4) & 0xff)); return true;
    case 's': print(conversion, "", text_(take_(8)).c_str()); return true;
    case 'p': {
      Conversion hexadecimal = conversion;
      hexadecimal.letter = 'x';
      hexadecimal.flags += '#';
      print(hexadecimal, "ll", static_cast<unsigned long long>(take_(8)));
      return true;
    }
    case 'n': take_(8); return true;
    default: return false;
    }
  }

  std::string_view format_;
  std::size_t most_, at_ = 0;
  const std::function<std::uint64_t(int)>& take_;
  const std::function<std::string(std::uint64_t)>& text_;
  std::string made_;
};

} // namespace

std::string formatted(std::string_view format, std::size_t most,
                      const std::function<std::uint64_t(int bytes)>& take,
                      const std::function<std::string(std::uint64_t address)>& text) {
  return Formatter(format, most, take, text).all();
}

} // namespace memlane::ptx
