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

} // namespace memlane::ir
