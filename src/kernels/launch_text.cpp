#include "memlane/kernels/launch_text.hpp"

#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace memlane {

const std::vector<ElementType>& element_types() {
  using ir::Scalar;
  static const std::vector<ElementType> types = {
      {"float", 4, 'f', Scalar::float32}, {"double", 8, 'f', Scalar::float64},
      {"int", 4, 'i', Scalar::int32},     {"long", 8, 'i', Scalar::int64},
      {"short", 2, 'i', Scalar::int32},   {"char", 1, 'i', Scalar::int32},
      {"uint", 4, 'u', Scalar::int64},    {"ulong", 8, 'u', Scalar::int64},
      {"ushort", 2, 'u', Scalar::int32},  {"uchar", 1, 'u', Scalar::int32},
      {"bool", 1, 'u', Scalar::boolean},
  };
  return types;
}

namespace {

/// More elements than any computer has room for are a mistake.
constexpr std::int64_t most_elements = std::int64_t{1} << 40;

class LaunchReader {
public:
  LaunchReader(const Sources& sources, std::int32_t file, const KnownNumbers& known = {})
      : file_(file), text_(sources.text(file)), known_(known) {}

  Result<LaunchText> launch() {
    LaunchText launch;
    skip_blanks();
    const std::size_t begin = at_;
    if (!kernel(launch.kernel)) return errors();
    launch.kernel_span = span(begin);
    if (!expect("<<<", "'<<<' and the shape: kernel<<<blocks, threads>>>(…)") ||
        !extents(launch.grid) || !expect(",", "',' and the threads of a block") ||
        !extents(launch.block))
      return errors();
    if (accept(",") && !whole(launch.dynamic_shared, 0, INT32_MAX)) return errors();
    if (at(',')) {
      fail("a launch has no stream here",
           {"shapes of several dimensions stand in brackets: kernel<<<(8,8), (32,8)>>>(…)"});
      return errors();
    }
    if (!expect(">>>", "'>>>'") || !expect("(", "'(' and the arguments")) return errors();
    if (!accept(")")) {
      do {
        if (!argument(launch.arguments.emplace_back())) return errors();
      } while (accept(","));
      if (!expect(")", "',' or ')'")) return errors();
    }
    accept(";");
    skip_blanks();
    if (at_ != text_.size()) return error("nothing may follow the launch");
    launch.span = span(begin);
    return launch;
  }

  Result<ElementsText> elements() {
    ElementsText elements;
    skip_blanks();
    const std::size_t begin = at_;
    if (!name(elements.name, "an array's name")) return errors();
    if (accept("[")) {
      if (!whole(elements.first, 0, most_elements)) return errors();
      elements.last = elements.first + 1;
      if (accept("..") && !whole(elements.last, elements.first + 1, most_elements)) return errors();
      if (!expect("]", "'..' or ']': a[3], a[0..8]")) return errors();
    }
    skip_blanks();
    if (at_ != text_.size()) return error("nothing may follow the elements");
    elements.span = span(begin);
    return elements;
  }

private:
  Diagnostics errors() const { return errors_; }
  Diagnostics error(const std::string& message) {
    fail(message);
    return errors_;
  }
  bool fail(std::string message, std::vector<std::string> help = {}) {
    const auto at = static_cast<std::uint32_t>(std::min(at_, text_.size()));
    const auto end = std::min(at + 1, static_cast<std::uint32_t>(text_.size()));
    errors_.push_back(error_at({file_, at, end}, std::move(message), std::move(help)));
    return false;
  }
  bool fail_at(Span at, std::string message, std::vector<std::string> help = {}) {
    errors_.push_back(error_at(at, std::move(message), std::move(help)));
    return false;
  }
  Span span(std::size_t begin) const {
    std::size_t end = at_;
    while (end > begin && std::isspace(static_cast<unsigned char>(text_[end - 1])) != 0) --end;
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool accept(std::string_view symbol) {
    skip_blanks();
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
  }
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool expect(std::string_view symbol, std::string_view wanted) {
    return accept(symbol) || fail(fmt::format("{} is needed here", wanted));
  }
  static bool begins_name(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
  }
  bool name(std::string& into, std::string_view wanted) {
    skip_blanks();
    std::size_t end = at_;
    while (end < text_.size() &&
           (begins_name(text_[end]) || std::isdigit(static_cast<unsigned char>(text_[end])) != 0))
      ++end;
    if (end == at_ || !begins_name(text_[at_]))
      return fail(fmt::format("{} is needed here", wanted));
    into = text_.substr(at_, end - at_);
    at_ = end;
    return true;
  }

  /// `scan`, `library::scan<unsigned int>`: as a list of kernels shows it.
  bool kernel(std::string& into) {
    if (!name(into, "a kernel's name")) return false;
    const std::size_t begin = at_ - into.size();
    for (std::string scope; accept("::");)
      if (!name(scope, "a kernel's name")) return false;
    if (at('<') && text_.substr(at_, 3) != "<<<")
      at_ = std::min(text_.find("<<<", at_), text_.size());
    into = text_.substr(begin, span(begin).end - begin); // without blanks behind it
    return true;
  }

  /// `32`, `(32)`, `(32, 8)`, `dim3(4, 4, 4)`.
  bool extents(std::array<std::int64_t, 3>& into) {
    if (const std::size_t begin = at_; accept("dim3") && !(skip_blanks(), at('('))) at_ = begin;
    if (!accept("(")) return whole(into[0], 1, INT32_MAX);
    for (std::size_t k = 0; k < into.size(); ++k) {
      if (!whole(into[k], 1, INT32_MAX)) return false;
      if (!accept(",")) break;
      if (k + 1 == into.size()) return fail("there are three extents at most");
    }
    return expect(")", "',' or ')'");
  }

  /// An integer, or a computation with integers and known numbers as in C; `^` is a power.
  bool whole(std::int64_t& into, std::int64_t least, std::int64_t most) {
    skip_blanks();
    const std::size_t begin = at_;
    if (!sum(into)) return false;
    if (into >= least && into <= most) return true;
    return fail_at(span(begin), fmt::format("the number must be {} to {}", least, most));
  }
  bool too_large(std::size_t begin) { return fail_at(span(begin), "the number is too large"); }
  bool sum(std::int64_t& into) {
    skip_blanks();
    const std::size_t begin = at_;
    if (!product(into)) return false;
    for (;;) {
      const bool plus = accept("+");
      if (!plus && !accept("-")) return true;
      std::int64_t next = 0;
      if (!product(next)) return false;
      if (plus ? __builtin_add_overflow(into, next, &into)
               : __builtin_sub_overflow(into, next, &into))
        return too_large(begin);
    }
  }
  bool product(std::int64_t& into) {
    skip_blanks();
    const std::size_t begin = at_;
    if (!power(into)) return false;
    for (;;) {
      const bool times = accept("*");
      if (!times && !accept("/")) return true;
      std::int64_t next = 0;
      if (!power(next)) return false;
      if (!times && next == 0) return fail_at(span(begin), "this divides by 0");
      if (times ? __builtin_mul_overflow(into, next, &into) : next == -1) return too_large(begin);
      if (!times) into /= next;
    }
  }
  bool power(std::int64_t& into) {
    skip_blanks();
    const std::size_t begin = at_;
    std::int64_t base = 0, exponent = 1;
    if (!factor(base) || (accept("^") && !factor(exponent))) return false;
    if (exponent < 0 || exponent > 64) return too_large(begin);
    into = 1;
    for (std::int64_t k = 0; k < exponent; ++k)
      if (__builtin_mul_overflow(into, base, &into)) return too_large(begin);
    return true;
  }
  bool factor(std::int64_t& into) {
    if (accept("(")) {
      if (++depth_ > 64) return fail("the brackets are nested too deeply");
      const bool read = sum(into) && expect(")", "')'");
      --depth_;
      return read;
    }
    if (at_ >= text_.size() || !begins_name(text_[at_])) return digits(into);
    const std::size_t begin = at_;
    std::string word;
    name(word, "a number");
    const auto known = known_.find(word);
    if (known != known_.end()) {
      into = known->second;
      return true;
    }
    std::vector<std::string> names;
    for (const auto& [one, value] : known_) names.push_back(one);
    std::vector<std::string> help = did_you_mean(word, names);
    if (!names.empty()) help.push_back(fmt::format("numbers: {}", fmt::join(names, ", ")));
    return fail_at(span(begin), fmt::format("a number is needed here, not '{}'", word),
                   std::move(help));
  }
  bool digits(std::int64_t& into) {
    skip_blanks();
    std::size_t end = at_;
    while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end])) != 0) ++end;
    if (end == at_) return fail("a number is needed here");
    const auto number = number_of<std::int64_t>(text_.substr(at_, end - at_));
    if (!number) return fail("the number is too large");
    into = *number;
    at_ = end;
    return true;
  }

  /// `-3`, `2^20`, `0.5`, `1e-3f`.
  bool number(ArgumentText& into) {
    skip_blanks();
    const std::size_t begin = at_;
    const bool negative = accept("-");
    skip_blanks();
    std::size_t end = at_;
    bool real = false;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool sign =
          (c == '-' || c == '+') && end > at_ && (text_[end - 1] == 'e' || text_[end - 1] == 'E');
      const bool point = c == '.' && text_.substr(end, 2) != "..";
      if (std::isdigit(static_cast<unsigned char>(c)) == 0 && !point && c != 'e' && c != 'E' &&
          !sign)
        break;
      real = real || point || c == 'e' || c == 'E';
      ++end;
    }
    if (!real) {
      if (!whole(into.integer, 0, INT64_MAX)) return false;
      into.integer = negative ? -into.integer : into.integer;
      into.real = static_cast<double>(into.integer);
      into.whole = true;
      return true;
    }
    std::string digits(text_.substr(at_, end - at_));
    if (digits.back() == '.') digits += '0';
    if (digits.front() == '.') digits.insert(0, "0");
    const auto value = real_value(digits);
    at_ = end;
    if (!value) return fail_at(span(begin), "this is no number", {"as in 12, 2^20, 0.5, 1e-3"});
    into.real = negative ? -*value : *value;
    if (at_ < text_.size() && text_[at_] == 'f') ++at_;
    return true;
  }

  bool argument(ArgumentText& into) {
    skip_blanks();
    const std::size_t begin = at_;
    const bool is_name = at_ < text_.size() && begins_name(text_[at_]);
    if (is_name && !name(into.name, "an argument")) return false;
    if (!is_name || known_.count(into.name) > 0) {
      at_ = begin;
      into.name.clear();
      const bool read = number(into);
      into.span = span(begin);
      return read;
    }
    into.span = span(begin);
    if (!accept(":")) return true;
    ArrayText& array = into.array.emplace();
    array.name = into.name;
    if (!type(array.type) || !expect("[", "'[' and the number of elements: float[1024]") ||
        !whole(array.count, 1, most_elements) || !expect("]", "']'"))
      return false;
    if (accept("=")) {
      skip_blanks();
      const std::size_t filled = at_;
      if (!fill(array.fill, array.count) || !fits(array.fill, *array.type, filled)) return false;
    }
    array.span = into.span = span(begin);
    return true;
  }

  /// Whether elements of the type can have the numbers. `begin`: where these stand.
  bool fits(const Fill& fill, const ElementType& type, std::size_t begin) {
    const bool numbers = fill.kind == FillKind::number || fill.kind == FillKind::range ||
                         (fill.kind == FillKind::random && fill.bounded);
    if (!numbers || type.kind == 'f') return true;
    const int bits = type.name == "bool" ? 1 : 8 * type.bytes - (type.kind == 'i' ? 1 : 0);
    const double end = std::ldexp(1.0, bits), least = type.kind == 'i' ? -end : 0;
    const double high = fill.kind == FillKind::random ? fill.high : fill.low;
    if (fill.kind != FillKind::random && fill.low != std::floor(fill.low))
      return fail_at(span(begin), fmt::format("elements of type {} are integers", type.name),
                     {"float or double has fractions"});
    return (fill.low >= least && high < end) ||
           fail_at(span(begin),
                   fmt::format("elements of type {} are from {} to 2^{} - 1", type.name,
                               least < 0 ? fmt::format("-2^{}", bits) : "0", bits));
  }

  bool type(const ElementType*& into) {
    skip_blanks();
    const std::size_t begin = at_;
    std::string word;
    if (!name(word, "the type of the array's elements")) return false;
    if (word == "unsigned") {
      std::string more;
      const std::size_t behind = at_;
      skip_blanks();
      if (at_ < text_.size() && begins_name(text_[at_])) name(more, "a type");
      word = more.empty() ? "uint" : "u" + more;
      if (more.empty()) at_ = behind;
    }
    for (const ElementType& known : element_types())
      if (known.name == word) {
        into = &known;
        return true;
      }
    std::vector<std::string> names;
    for (const ElementType& known : element_types()) names.emplace_back(known.name);
    std::vector<std::string> help = did_you_mean(word, names);
    help.push_back(fmt::format("types: {}", fmt::join(names, ", ")));
    return fail_at(span(begin), fmt::format("elements have no type '{}'", word), std::move(help));
  }

  /// Of an array of `count` elements.
  bool fill(Fill& into, std::int64_t count) {
    skip_blanks();
    const std::size_t begin = at_;
    if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 ||
                               text_[at_] == '-' || is_fraction()))
      return fill_of_numbers(into, count);
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != ',' && text_[end] != ')' && text_[end] != '(' &&
           std::isspace(static_cast<unsigned char>(text_[end])) == 0)
      ++end;
    const std::string word(text_.substr(at_, end - at_));
    at_ = end;
    if (word == "zeros") return true;
    if (word == "random") {
      into.kind = FillKind::random;
      if (!accept("(")) return true;
      ArgumentText low, high;
      if (!number(low) || !expect(",", "',' and the upper end: random(0, 1)") || !number(high) ||
          !expect(")", "')'"))
        return false;
      into.low = low.real;
      into.high = high.real;
      into.bounded = true;
      return into.low < into.high ||
             fail_at(span(begin), "the lower end is not below the upper one");
    }
    if (word.find('.') == std::string::npos)
      return fail_at(span(begin), fmt::format("an array is not filled with '{}'", word),
                     {"zeros, random, random(0, 10), a number, 0.. (0, 1, 2, …), or a file: "
                      ".bin, .npy, .txt, .csv"});
    into.kind = FillKind::file;
    into.path = word;
    return true;
  }
  bool is_fraction() const {
    return text_[at_] == '.' && at_ + 1 < text_.size() &&
           std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0;
  }
  /// `5`, `0..`, `0..1024`.
  bool fill_of_numbers(Fill& into, std::int64_t count) {
    skip_blanks();
    const std::size_t begin = at_;
    ArgumentText low, high;
    if (!number(low)) return false;
    into.low = low.real;
    into.kind = FillKind::number;
    if (!accept("..")) return true;
    into.kind = FillKind::range;
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] == ',' || text_[at_] == ')') return true;
    if (!number(high)) return false;
    const double end = low.real + static_cast<double>(count);
    // What is written in decimals is rounded.
    const double rounding = 1e-9 * std::max({1.0, std::abs(low.real), std::abs(end)});
    return std::abs(high.real - end) <= rounding ||
           fail_at(span(begin),
                   fmt::format("{} from {} on {} before {}, not before {}",
                               counted(count, "element"), low.real, count == 1 ? "ends" : "end",
                               end, high.real),
                   {fmt::format("leave the end out: {}..", low.real)});
  }

  std::int32_t file_;
  std::string_view text_;
  KnownNumbers known_;
  std::size_t at_ = 0;
  int depth_ = 0; ///< of brackets
  Diagnostics errors_;
};

} // namespace

Result<LaunchText> read_launch(const Sources& sources, std::int32_t text,
                               const KnownNumbers& known) {
  return LaunchReader(sources, text, known).launch();
}

Result<ElementsText> read_elements(const Sources& sources, std::int32_t text) {
  return LaunchReader(sources, text).elements();
}

} // namespace memlane
