#include "memlane/support/layouts.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane {

std::string_view name_of(LayoutKind layout) {
  switch (layout) {
  case LayoutKind::rows: return "rows";
  case LayoutKind::padded: return "padded";
  case LayoutKind::diagonal: return "diagonal";
  case LayoutKind::random_shift: return "random_shift";
  case LayoutKind::random_permute: return "random_permute";
  case LayoutKind::swizzle: return "swizzle";
  case LayoutKind::bits: return "bits";
  case LayoutKind::strides: return "strides";
  case LayoutKind::function: return "function";
  }
  return "";
}

std::optional<LayoutKind> layout_named(std::string_view name) {
  for (const LayoutKind layout : built_in_layouts())
    if (name == name_of(layout)) return layout;
  return std::nullopt;
}

std::span<const LayoutKind> built_in_layouts() {
  using enum LayoutKind;
  static constexpr std::array layouts = {rows,           padded,  diagonal, random_shift,
                                         random_permute, swizzle, bits,     strides};
  return layouts;
}

std::string_view parameters_of(LayoutKind layout) {
  if (layout == LayoutKind::padded) return "k";
  if (layout == LayoutKind::swizzle) return "B, M, S";
  if (layout == LayoutKind::bits) return "c, ...";
  if (layout == LayoutKind::strides) return "s, ...";
  return "";
}

std::string layouts_in_words() {
  std::string text;
  for (const LayoutKind layout : built_in_layouts()) {
    text += text.empty() ? "" : ", ";
    text += name_of(layout);
    if (const std::string_view own = parameters_of(layout); !own.empty())
      text += "(" + std::string(own) + ")";
  }
  return text;
}

std::string problem_of(const Swizzle& swizzle) {
  const auto [bits, base, shift] = swizzle;
  if (bits < 1) return fmt::format("B is {}: give 1 or more", bits);
  if (base < 0) return fmt::format("M is {}: give 0 or more", base);
  if (shift < bits) return fmt::format("S is {}: give B = {} or more", shift, bits);
  // One at a time: their sum may overflow.
  constexpr std::int64_t most = Swizzle::most_bits;
  if (shift > most || base > most || bits + base + shift > most)
    return fmt::format("B + M + S is more than {}, the bits of a word's number", most);
  return "";
}

} // namespace memlane
