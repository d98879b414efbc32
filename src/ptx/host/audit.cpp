#include "memlane/ptx/audit.hpp"

#include "memlane/ptx/link.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace memlane::ptx {

namespace {

struct AccessWords {
  std::string_view one, several;
};
constexpr std::array access_words = {
#define MEMLANE_MEMORY_ACCESS(name, one, several) AccessWords{one, several},
    MEMLANE_MEMORY_ACCESSES(MEMLANE_MEMORY_ACCESS)
#undef MEMLANE_MEMORY_ACCESS
};

/// Instructions by width.
using Widths = std::map<int, std::int64_t>;
struct BothWidths {
  Widths ptx, machine;
};
using Kinds = std::map<MemoryAccess, BothWidths>;

/// What the PTX of a kernel has beside the counts.
struct PtxFacts {
  bool calls = false, has_local = false, matrices = false;
  /// Atomics of shared memory that no architecture has one instruction for: ptxas makes each a loop
  /// of a load and a compare-and-swap. By the load's width.
  Widths looping_atomics;
};

std::optional<MemoryAccess> access_of(std::string_view machine_name) {
  struct Named {
    std::string_view name;
    MemoryAccess access;
  };
  using enum MemoryAccess;
  constexpr std::array<Named, 14> names = {{{"LDG", global_load},
                                            {"STG", global_store},
                                            {"LDS", shared_load},
                                            {"STS", shared_store},
                                            {"LDL", local_load},
                                            {"STL", local_store},
                                            {"LD", generic_load},
                                            {"ST", generic_store},
                                            {"ATOMG", global_atomic},
                                            {"RED", global_atomic},
                                            {"ATOMS", shared_atomic},
                                            {"ATOM", generic_atomic},
                                            {"LDGSTS", async_copy},
                                            {"LDSM", matrix_load}}};
  if (machine_name == "SHFL") return shuffle;
  for (const Named& row : names)
    if (row.name == machine_name) return row.access;
  return std::nullopt;
}

std::optional<MemoryAccess> load_of(Space space) {
  switch (space) {
  case Space::global: return MemoryAccess::global_load;
  case Space::shared: return MemoryAccess::shared_load;
  case Space::local: return MemoryAccess::local_load;
  case Space::generic: return MemoryAccess::generic_load;
  case Space::constant:
  case Space::param: break;
  }
  return std::nullopt;
}
std::optional<MemoryAccess> store_of(Space space) {
  switch (space) {
  case Space::global: return MemoryAccess::global_store;
  case Space::shared: return MemoryAccess::shared_store;
  case Space::local: return MemoryAccess::local_store;
  case Space::generic: return MemoryAccess::generic_store;
  case Space::constant:
  case Space::param: break;
  }
  return std::nullopt;
}
MemoryAccess atomic_of(Space space) {
  return space == Space::global   ? MemoryAccess::global_atomic
         : space == Space::shared ? MemoryAccess::shared_atomic
                                  : MemoryAccess::generic_atomic;
}

/// Measured as the opcodes of cubin.cpp were: sums of floating-point numbers, and whatever has 64
/// bits except exchanges.
bool loops_in_shared_memory(const Operation& op) {
  if (op.space != Space::shared) return false;
  if (op.words.any(Word::exch, Word::cas)) return false;
  return is_float(op.type) || bits_of(op.type) == 64;
}

void count_operation(const Operation& op, Kinds& kinds, PtxFacts& facts) {
  const auto count = [&](std::optional<MemoryAccess> access, int bits) {
    if (access) ++kinds[*access].ptx[bits];
  };
  const int bits = bits_of(op.type) * op.lanes_of_vector;
  switch (op.opcode) {
  case Opcode::ld:
  case Opcode::ldu: return count(load_of(op.space), bits);
  case Opcode::st: return count(store_of(op.space), bits);
  case Opcode::atom:
  case Opcode::red:
    if (loops_in_shared_memory(op)) ++facts.looping_atomics[bits_of(op.type)];
    return count(atomic_of(op.space), 0);
  case Opcode::cp:
    if (op.m.kind != OperandKind::none) count(MemoryAccess::async_copy, 0);
    return;
  case Opcode::ldmatrix: return count(MemoryAccess::matrix_load, 0);
  case Opcode::shfl: return count(MemoryAccess::shuffle, 0);
  case Opcode::call: facts.calls = true; return;
  case Opcode::wmma: facts.matrices = facts.matrices || op.m.kind != OperandKind::none; return;
  default: return;
  }
}

std::int64_t number(const Widths& widths) {
  std::int64_t sum = 0;
  for (const auto& [bits, count] : widths) sum += count;
  return sum;
}
std::int64_t all_bits(const Widths& widths) {
  std::int64_t sum = 0;
  for (const auto& [bits, count] : widths) sum += bits * count;
  return sum;
}
bool is_load_or_store(MemoryAccess access) { return access < MemoryAccess::global_atomic; }

/// `32 of 32 bits and 8 of 128 bits`.
std::string text_of(const Widths& widths) {
  std::vector<std::string> parts;
  for (const auto& [bits, count] : widths)
    parts.push_back(bits == 0 ? fmt::format("{}", count)
                              : fmt::format("{} of {} bits", count, bits));
  std::string text = parts.empty() ? "none" : parts.front();
  for (std::size_t k = 1; k < parts.size(); ++k)
    text += (k + 1 == parts.size() ? " and " : ", ") + parts[k];
  return text;
}
/// `64 shared loads of 32 bits`; of several widths `64 shared loads (60 of 32 bits and 4 of …)`.
std::string text_of(MemoryAccess access, const Widths& widths) {
  const std::int64_t count = number(widths);
  const std::string head = fmt::format("{} {}", count, name_of(access, count));
  if (widths.size() > 1) return fmt::format("{} ({})", head, text_of(widths));
  const int bits = widths.begin()->first;
  return bits == 0 ? head : fmt::format("{} of {} bits", head, bits);
}

/// How often the machine code repeats each instruction of the PTX; 0: not all of them as often.
std::int64_t repetition(const BothWidths& both) {
  if (both.ptx.size() != both.machine.size()) return 0;
  std::int64_t times = 0;
  for (const auto& [bits, count] : both.ptx) {
    const auto found = both.machine.find(bits);
    if (found == both.machine.end() || found->second % count != 0) return 0;
    if (times != 0 && found->second / count != times) return 0;
    times = found->second / count;
  }
  return times;
}

/// Why the counts of loads or stores differ, where they prove it; else nothing.
std::string reason_of(const BothWidths& both) {
  const std::int64_t before = all_bits(both.ptx), after = all_bits(both.machine);
  const bool wider = both.machine.rbegin()->first > both.ptx.rbegin()->first;
  if (wider && after == before) return ": merged into wider ones, which make fewer requests";
  if (wider && after > before)
    return ": merged into wider ones, which make fewer requests, and repeated, as by unrolling";
  if (wider) return ": some were merged into wider ones";
  if (const std::int64_t times = repetition(both); times > 1)
    return fmt::format(
        ": {} times each, as by unrolling a loop, which does not change how many are "
        "executed",
        times);
  const bool narrower = both.machine.rbegin()->first < both.ptx.rbegin()->first;
  if (narrower && after == before) return ": split into narrower ones";
  if (narrower && after < before) return ": narrower ones, of fewer words in all";
  if (number(both.machine) > number(both.ptx))
    return ": ptxas repeats instructions, as by unrolling a loop; the counts do not tell which";
  return "";
}

/// The sentence of one kind of access; empty: nothing differs.
std::string difference_of(MemoryAccess access, const BothWidths& both, const PtxFacts& facts,
                          bool may_tell_why) {
  if (both.ptx == both.machine) return "";
  if (both.ptx.empty()) {
    const bool local = access == MemoryAccess::local_load || access == MemoryAccess::local_store;
    const bool spills = local && !facts.calls && !facts.has_local;
    return fmt::format("{} that the PTX does not have{}", text_of(access, both.machine),
                       spills ? ": registers that ptxas keeps in memory" : "");
  }
  if (both.machine.empty())
    return fmt::format("{} that the machine code does not have", text_of(access, both.ptx));
  const bool same_width = both.ptx.size() == 1 && both.machine.size() == 1 &&
                          both.ptx.begin()->first == both.machine.begin()->first;
  const std::string became =
      same_width ? fmt::format("{}", number(both.machine)) : text_of(both.machine);
  return fmt::format("{} became {}{}", text_of(access, both.ptx), became,
                     may_tell_why && is_load_or_store(access) ? reason_of(both) : "");
}

/// Loads of the loops that shared atomics became are no loads of the PTX.
std::string take_out_loops(const PtxFacts& facts, Kinds& kinds) {
  const auto atomics = kinds.find(MemoryAccess::shared_atomic);
  if (facts.looping_atomics.empty() || atomics == kinds.end()) return "";
  if (number(atomics->second.ptx) != number(atomics->second.machine)) return "";
  Widths& loads = kinds[MemoryAccess::shared_load].machine;
  for (const auto& [bits, count] : facts.looping_atomics) {
    const auto found = loads.find(bits);
    if (found == loads.end() || found->second < count) return "";
  }
  for (const auto& [bits, count] : facts.looping_atomics)
    if ((loads[bits] -= count) == 0) loads.erase(bits);
  const std::int64_t loops = number(facts.looping_atomics);
  return fmt::format("{} became {} of a load and a compare-and-swap",
                     counted(loops, "shared atomic"), loops == 1 ? "a loop" : "loops");
}

void add_differences(const PtxFacts& facts, Kinds kinds, KernelAudit& audit) {
  const std::string loops = take_out_loops(facts, kinds);
  if (!loops.empty()) audit.differences.push_back(loops);
  if (facts.matrices)
    audit.differences.emplace_back(
        "loads and stores of matrices (wmma) became others, which are counted here");
  // An atomic may become a sequence with loads and stores, and an access by a generic address one
  // of a space; from sm_90 on, a kernel with asynchronous copies has three more shared loads. Then
  // counts of loads and stores alone prove nothing.
  bool may_tell_why = !facts.matrices;
  for (const auto& [access, both] : kinds) {
    const bool generic =
        access == MemoryAccess::generic_load || access == MemoryAccess::generic_store;
    if (generic || !is_load_or_store(access))
      may_tell_why = may_tell_why && access != MemoryAccess::async_copy &&
                     (access == MemoryAccess::shuffle || both.ptx == both.machine);
  }
  for (const auto& [access, both] : kinds) {
    std::string difference = difference_of(access, both, facts, may_tell_why);
    if (!difference.empty()) audit.differences.push_back(std::move(difference));
  }
}

/// Whether the function has machine code of its own, under its name or as a copy (`name$1`).
bool is_elsewhere(const Cubin& cubin, const std::string& function) {
  return std::any_of(cubin.functions.begin(), cubin.functions.end(), [&](const std::string& known) {
    return known.starts_with(function) &&
           (known.size() == function.size() || known[function.size()] == '$');
  });
}

std::string note_of(const Module& module, const Cubin& cubin,
                    const std::vector<std::string>& elsewhere) {
  if (!cubin.counted)
    return fmt::format("memlane does not know the instructions of sm_{}: none were counted",
                       cubin.architecture);
  std::string note;
  if (const std::string target = fmt::format("sm_{}", cubin.architecture);
      !module.target.starts_with(target))
    note = fmt::format("it was made of PTX for another architecture than that which is executed "
                       "here ({})",
                       module.target);
  if (!elsewhere.empty())
    note += fmt::format("{}without {}, whose machine code stands on its own",
                        note.empty() ? "" : "; ", fmt::join(elsewhere, ", "));
  return note;
}

} // namespace

std::string_view name_of(MemoryAccess access, std::int64_t count) {
  const AccessWords& words = access_words[static_cast<std::size_t>(access)];
  return count == 1 ? words.one : words.several;
}

KernelAudit audit_of(const Module& module, std::size_t kernel, const Cubin& cubin,
                     const CubinKernel& machine) {
  KernelAudit audit;
  audit.architecture = cubin.architecture;
  audit.counted = cubin.counted;
  audit.instructions = machine.instructions;
  Kinds kinds;
  PtxFacts facts;
  std::vector<std::string> elsewhere;
  const std::vector<bool> reached = reached_from(module, kernel);
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const Function& function = module.functions[k];
    if (!reached[k] || !function.defined) continue;
    if (k != kernel && is_elsewhere(cubin, function.name)) {
      elsewhere.push_back(function.name);
      continue;
    }
    for (const Operation& op : function.code) count_operation(op, kinds, facts);
    facts.has_local =
        facts.has_local || std::any_of(function.variables.begin(), function.variables.end(),
                                       [](const Variable& v) { return v.space == Space::local; });
  }
  audit.note = note_of(module, cubin, elsewhere);
  if (!audit.counted) return audit;
  for (const auto& [access, count] : machine.accesses)
    if (const auto kind = access_of(access.name))
      kinds[*kind].machine[is_load_or_store(*kind) ? access.bits : 0] += count;
  for (const auto& [access, both] : kinds) {
    std::map<int, ComparedAccess> rows;
    for (const auto& [bits, count] : both.ptx) rows[bits].ptx = count;
    for (const auto& [bits, count] : both.machine) rows[bits].machine = count;
    for (const auto& [bits, row] : rows)
      audit.accesses.push_back({access, bits, row.ptx, row.machine});
  }
  add_differences(facts, std::move(kinds), audit);
  return audit;
}

} // namespace memlane::ptx
