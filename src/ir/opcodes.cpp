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

bool Program::order_matters() const {
  const auto matters = [](const Instruction& in) {
    return is_atomic(in.op) &&
           (in.d >= 0 || in.op >= Opcode::atomic_exchange ||
            (is_real(in.type) && (in.op == Opcode::atomic_add || in.op == Opcode::atomic_sub)));
  };
  return std::any_of(functions.begin(), functions.end(), [&](const Function& function) {
    return std::any_of(function.code.begin(), function.code.end(), matters);
  });
}

bool Program::same_code(const Program& other) const {
  return arrays == other.arrays && functions == other.functions && kernels == other.kernels &&
         main == other.main && verify == other.verify && launches == other.launches &&
         bounds == other.bounds && tables == other.tables && messages == other.messages &&
         fns == other.fns && threads_matter == other.threads_matter &&
         racy_statements == other.racy_statements;
}

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
