// A launch of a CUDA kernel as an option writes it:
// `transpose<<<(32,32),(32,8)>>>(out: float[1024*1024], in: float[1024*1024] = random, 1024)`.
#pragma once

#include "memlane/ir/arithmetic.hpp"
#include "memlane/support/diagnostic.hpp"
#include "memlane/support/result.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// The type of an array's elements.
struct ElementType {
  std::string_view name; ///< as in CUDA
  int bytes = 4;
  char kind = 'i';                         ///< `i` signed, `u` unsigned, `f` floating point
  ir::Scalar in_files = ir::Scalar::int32; ///< as files hold it, except for raw bytes
};
const std::vector<ElementType>& element_types();

/// What an array has in it before the first launch.
enum class FillKind : std::uint8_t { zeros, random, number, range, file };
struct Fill {
  FillKind kind = FillKind::zeros;
  double low = 0, high = 0; ///< `number`: low; `random`: from low to high; `range`: low, low + 1, …
  bool bounded = false;     ///< `random`: low and high are given
  std::string path;
};

struct ArrayText {
  std::string name;
  const ElementType* type = nullptr;
  std::int64_t count = 0;
  Fill fill;
  Span span;
};

/// What a parameter is given: the address of an array, or a number.
struct ArgumentText {
  std::optional<ArrayText> array; ///< a new one
  std::string name;               ///< of an array, also of a new one; empty: a number
  bool whole = false;             ///< the number is an integer
  std::int64_t integer = 0;
  double real = 0;
  Span span;
};

struct LaunchText {
  std::string kernel;
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t dynamic_shared = 0; ///< bytes
  std::vector<ArgumentText> arguments;
  Span span, kernel_span;
};

/// Numbers by names, which a launch may use: `n`.
using KnownNumbers = std::map<std::string, std::int64_t>;

/// Reads a text of `sources`. Integers may be computed as in C, with `^` for powers: `1024*1024`,
/// `2^20`, `(n+31)/32`. Errors are at their places, with the way out.
Result<LaunchText> read_launch(const Sources& sources, std::int32_t text,
                               const KnownNumbers& known = {});

/// `out`, `out[3]`, `out[0..8]`: elements of an array, [first, last).
struct ElementsText {
  std::string name;
  std::int64_t first = 0, last = -1; ///< -1: to its end
  Span span;
};
Result<ElementsText> read_elements(const Sources& sources, std::int32_t text);

} // namespace memlane
