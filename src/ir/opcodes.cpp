#include "memlane/ir/opcodes.hpp"

#include "memlane/ir/program.hpp"

#include <array>

namespace memlane::ir {

namespace {

struct Entry {
  std::string_view mnemonic;
  std::string_view operands;
};

constexpr std::array entries = {
#define MEMLANE_ENTRY(opcode, mnemonic, operands, effects, group) Entry{mnemonic, operands},
    MEMLANE_OPCODES(MEMLANE_ENTRY)
#undef MEMLANE_ENTRY
};

} // namespace

std::string_view mnemonic(Opcode op) { return entries[static_cast<std::size_t>(op)].mnemonic; }
std::string_view operands(Opcode op) { return entries[static_cast<std::size_t>(op)].operands; }

std::string_view name_of(Special special) {
  switch (special) {
  case Special::thread: return "thread";
  case Special::threads: return "threads";
  case Special::block: return "block";
  case Special::blocks: return "blocks";
  case Special::lane: return "lane";
  case Special::warp: return "warp";
  case Special::warps: return "warps";
  case Special::index: return "index";
  }
  return "";
}

std::string_view name_of(Layout layout) {
  switch (layout) {
  case Layout::rows: return "rows";
  case Layout::padded: return "padded";
  case Layout::diagonal: return "diagonal";
  case Layout::random_shift: return "random_shift";
  case Layout::random_permute: return "random_permute";
  case Layout::swizzle: return "swizzle";
  case Layout::function: return "function";
  }
  return "";
}

std::optional<Layout> layout_named(std::string_view name) {
  for (const Layout layout : built_in_layouts())
    if (name == name_of(layout)) return layout;
  return std::nullopt;
}

std::span<const Layout> built_in_layouts() {
  using enum Layout;
  static constexpr std::array layouts = {rows,         padded,         diagonal,
                                         random_shift, random_permute, swizzle};
  return layouts;
}

std::string_view parameters_of(Layout layout) {
  if (layout == Layout::padded) return "k";
  if (layout == Layout::swizzle) return "B, M, S";
  return "";
}

std::string layouts_in_words() {
  std::string text;
  for (const Layout layout : built_in_layouts()) {
    text += text.empty() ? "" : ", ";
    text += name_of(layout);
    if (const std::string_view own = parameters_of(layout); !own.empty())
      text += "(" + std::string(own) + ")";
  }
  return text;
}

} // namespace memlane::ir
