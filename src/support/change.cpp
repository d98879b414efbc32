#include "memlane/support/change.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane {

std::string_view name_of(ChangeKind kind) {
  constexpr std::array<std::string_view, change_kinds> names = {"machine", "parameter", "layout",
                                                                "fn", "type"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view prefix_of(ChangeKind kind) {
  constexpr std::array<std::string_view, change_kinds> prefixes = {"set", "param", "layout", "fn",
                                                                   "type"};
  return prefixes[static_cast<std::size_t>(kind)];
}

std::string Change::option_text() const {
  return kind == ChangeKind::fn ? value : fmt::format("{}={}", name, value);
}

std::string Change::text() const {
  const bool named = kind == ChangeKind::machine || kind == ChangeKind::parameter;
  return named ? option_text() : fmt::format("{} {}", prefix_of(kind), option_text());
}

} // namespace memlane
