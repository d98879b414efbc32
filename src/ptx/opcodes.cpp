#include "memlane/ptx/opcodes.hpp"

#include "memlane/ptx/module.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace memlane::ptx {

namespace {

struct TypeRow {
  std::string_view name;
  int bits;
  char kind;
};
constexpr TypeRow type_rows[] = {
#define MEMLANE_PTX_TYPE(name, bits, letter) {#name, bits, letter},
    MEMLANE_PTX_TYPES(MEMLANE_PTX_TYPE)
#undef MEMLANE_PTX_TYPE
};
constexpr std::string_view words[] = {
#define MEMLANE_PTX_WORD(name, spelling) spelling,
    MEMLANE_PTX_WORDS(MEMLANE_PTX_WORD)
#undef MEMLANE_PTX_WORD
};
constexpr std::string_view specials[] = {
#define MEMLANE_PTX_SPECIAL(name, spelling) spelling,
    MEMLANE_PTX_SPECIALS(MEMLANE_PTX_SPECIAL)
#undef MEMLANE_PTX_SPECIAL
};
constexpr OpcodeRow rows[] = {
#define MEMLANE_PTX_OPCODE(opcode, mnemonic, operands, types, words, effects, meaning)             \
  {Opcode::opcode, mnemonic, operands, types, words, Effects::effects, meaning},
    MEMLANE_PTX_OPCODES(MEMLANE_PTX_OPCODE)
#undef MEMLANE_PTX_OPCODE
};

/// Names of a table by what they are spelled.
template <class Enum, std::size_t count>
std::unordered_map<std::string_view, Enum> by_name(const std::string_view (&names)[count]) {
  std::unordered_map<std::string_view, Enum> map;
  for (std::size_t k = 0; k < count; ++k) map.emplace(names[k], static_cast<Enum>(k));
  return map;
}
template <class Map>
auto find_in(const Map& map, std::string_view name) {
  const auto found = map.find(name);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

/// Calls f for each word of a list that blanks separate.
template <class F>
void for_words(std::string_view list, F f) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (end > 0) f(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

/// What the short forms in the table's words stand for.
std::string_view expanded(std::string_view word) {
  if (word == "round") return "rn rz rm rp";
  if (word == "cmp") return "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan";
  if (word == "space")
    return "global shared shared::cta local const param param::entry param::func";
  if (word == "order")
    return "weak volatile relaxed acquire release acq_rel sc mmio cta cluster gpu sys";
  if (word == "cache")
    return "ca cg cs lu cv wb wt nc L2::cache_hint L2::64B L2::128B L2::256B L1::evict_normal "
           "L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_first "
           "L2::evict_last L2::evict_normal";
  return word;
}

/// Of an instruction: those of matrices d, a, b and c.
constexpr std::size_t most_types = 4;

/// What the decoder asks of a row, once for all.
struct Decoded {
  Words words;
  std::vector<Type> types[most_types];
};

const std::vector<Decoded>& decoded_rows() {
  static const std::vector<Decoded> all = [] {
    std::vector<Decoded> made;
    for (const OpcodeRow& row : rows) {
      Decoded& own = made.emplace_back();
      for_words(row.words, [&](std::string_view short_form) {
        for_words(expanded(short_form),
                  [&](std::string_view word) { own.words.add(*word_named(word)); });
      });
      std::string_view types = row.types;
      for (auto& list : own.types) {
        const std::size_t end = std::min(types.find('/'), types.size());
        for_words(types.substr(0, end),
                  [&](std::string_view type) { list.push_back(*type_named(type)); });
        types.remove_prefix(std::min(end + 1, types.size()));
      }
    }
    return made;
  }();
  return all;
}

} // namespace

std::optional<Type> type_named(std::string_view name) {
  static const auto map = [] {
    std::unordered_map<std::string_view, Type> made;
    for (std::size_t k = 0; k < std::size(type_rows); ++k)
      made.emplace(type_rows[k].name, static_cast<Type>(k));
    return made;
  }();
  return find_in(map, name);
}
std::string_view name_of(Type type) { return type_rows[static_cast<std::size_t>(type)].name; }
int bits_of(Type type) { return type_rows[static_cast<std::size_t>(type)].bits; }
char kind_of(Type type) { return type_rows[static_cast<std::size_t>(type)].kind; }

std::optional<Word> word_named(std::string_view spelling) {
  static const auto map = by_name<Word>(words);
  return find_in(map, spelling);
}
std::string_view name_of(Word word) { return words[static_cast<std::size_t>(word)]; }

std::optional<Special> special_named(std::string_view spelling) {
  static const auto map = by_name<Special>(specials);
  return find_in(map, spelling);
}
std::string_view name_of(Special special) { return specials[static_cast<std::size_t>(special)]; }

std::string_view name_of(Space space) {
  constexpr std::string_view names[] = {"generic", "global", "shared", "local", "const", "param"};
  return names[static_cast<std::size_t>(space)];
}

std::span<const OpcodeRow> opcode_rows() { return rows; }
const OpcodeRow& row_of(Opcode opcode) { return rows[static_cast<std::size_t>(opcode)]; }

const OpcodeRow* find_opcode(std::string_view mnemonic) {
  static const auto map = [] {
    std::unordered_map<std::string_view, const OpcodeRow*> made;
    for (const OpcodeRow& row : rows) made.emplace(row.mnemonic, &row);
    return made;
  }();
  const auto found = map.find(mnemonic);
  return found == map.end() ? nullptr : found->second;
}

bool is_known_elsewhere(std::string_view mnemonic) {
  constexpr std::string_view names[] = {"applypriority", "clusterlaunchcontrol",
                                        "createpolicy",  "getctarank",
                                        "istypep",       "mapa",
                                        "movmatrix",     "multimem",
                                        "setmaxnreg",    "st_async",
                                        "stmatrix",      "sured",
                                        "tcgen05",       "tensormap",
                                        "vabsdiff",      "vadd",
                                        "video",         "vmad",
                                        "vmax",          "vmin",
                                        "vset",          "vshl",
                                        "vshr",          "vsub",
                                        "wgmma"};
  return std::find(std::begin(names), std::end(names), mnemonic) != std::end(names);
}

bool allows(const OpcodeRow& row, Word word) {
  return decoded_rows()[static_cast<std::size_t>(row.opcode)].words.has(word);
}
std::span<const Type> types_of(const OpcodeRow& row, std::size_t index) {
  if (index >= most_types) return {};
  return decoded_rows()[static_cast<std::size_t>(row.opcode)].types[index];
}

} // namespace memlane::ptx
