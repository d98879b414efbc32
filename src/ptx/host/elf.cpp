#include "memlane/ptx/elf.hpp"

#include "bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace memlane::ptx {

namespace {

constexpr std::uint64_t elf_header_bytes = 64, section_header_bytes = 64, symbol_bytes = 24,
                        dynamic_bytes = 16;
/// Types of sections (sh_type).
constexpr std::uint32_t section_without_bits = 8, section_dynamic = 6, section_dynamic_symbols = 11,
                        section_version_needs = 0x6ffffffe, section_versions = 0x6fffffff,
                        section_version_definitions = 0x6ffffffd;

Diagnostic elf_error(const std::string& place, std::uint64_t at, const std::string& what) {
  return error_in(place, fmt::format("offset {:#x} of the ELF file: {}", at, what),
                  {"the file is cut off or damaged: copy it whole, or compile it again"});
}

class ElfReader {
public:
  ElfReader(std::string_view bytes, const std::string& place) : bytes_(bytes), place_(place) {}

  Result<ElfFile> read() {
    if (bytes_.size() < elf_header_bytes)
      return elf_error(place_, bytes_.size(), "it ends within the header");
    if (bytes_[4] != 2 || bytes_[5] != 1)
      return elf_error(place_, 4, "it is no file of 64 bits with the lowest byte first");
    file_.kind = number_at<std::uint16_t>(bytes_, 0x10);
    file_.machine = number_at<std::uint16_t>(bytes_, 0x12);
    file_.flags = number_at<std::uint32_t>(bytes_, 0x30);
    if (Status sections = read_sections(); !sections) return sections.errors();
    for (const ElfSection& section : file_.sections)
      if (section.type == section_dynamic)
        if (Status dynamic = read_dynamic(section); !dynamic) return dynamic.errors();
    for (const ElfSection& section : file_.sections)
      if (section.type == section_dynamic_symbols)
        if (Status symbols = read_symbols(section); !symbols) return symbols.errors();
    return std::move(file_);
  }

private:
  Status read_sections() {
    const auto table = number_at<std::uint64_t>(bytes_, 0x28);
    const auto entry = number_at<std::uint16_t>(bytes_, 0x3a);
    std::uint64_t count = number_at<std::uint16_t>(bytes_, 0x3c);
    std::uint64_t names = number_at<std::uint16_t>(bytes_, 0x3e);
    if (table == 0) return Done{}; // a file without them
    if (entry != section_header_bytes)
      return elf_error(place_, 0x3a, fmt::format("headers of sections have {} bytes", entry));
    if (!is_inside(table, section_header_bytes, bytes_.size()))
      return elf_error(place_, 0x28, fmt::format("sections at {:#x} are outside", table));
    // Of more than 0xff00 sections, the first header has the number.
    if (count == 0) count = number_at<std::uint64_t>(bytes_, table + 0x20);
    if (names == 0xffff) names = number_at<std::uint32_t>(bytes_, table + 0x28);
    if (count > bytes_.size() / section_header_bytes ||
        !is_inside(table, count * section_header_bytes, bytes_.size()))
      return elf_error(place_, 0x3c, fmt::format("{} sections do not fit into it", count));
    std::vector<std::uint32_t> name_offsets;
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t at = table + k * section_header_bytes;
      ElfSection& section = file_.sections.emplace_back();
      name_offsets.push_back(number_at<std::uint32_t>(bytes_, at));
      section.type = number_at<std::uint32_t>(bytes_, at + 4);
      section.address = number_at<std::uint64_t>(bytes_, at + 0x10);
      section.offset = number_at<std::uint64_t>(bytes_, at + 0x18);
      section.bytes = number_at<std::uint64_t>(bytes_, at + 0x20);
      section.link = number_at<std::uint32_t>(bytes_, at + 0x28);
      section.info = number_at<std::uint32_t>(bytes_, at + 0x2c);
      if (section.type == section_without_bits || section.type == 0) continue;
      if (!is_inside(section.offset, section.bytes, bytes_.size()))
        return elf_error(place_, at + 0x18,
                         fmt::format("section {} is outside: {} bytes from {:#x}", k, section.bytes,
                                     section.offset));
      section.content = bytes_.substr(section.offset, section.bytes);
    }
    if (names >= count) return Done{}; // sections without names
    const std::string_view texts = file_.sections[names].content;
    for (std::size_t k = 0; k < file_.sections.size(); ++k)
      file_.sections[k].name = text_at(texts, name_offsets[k]);
    return Done{};
  }

  /// The strings of a section that another one refers to.
  std::string_view strings_of(const ElfSection& section) const {
    return section.link < file_.sections.size() ? file_.sections[section.link].content
                                                : std::string_view();
  }

  Status read_dynamic(const ElfSection& section) {
    const std::string_view texts = strings_of(section);
    for (std::uint64_t at = 0; is_inside(at, dynamic_bytes, section.content.size());
         at += dynamic_bytes) {
      const auto tag = number_at<std::uint64_t>(section.content, at);
      const auto value = number_at<std::uint64_t>(section.content, at + 8);
      if (tag == 0) break;
      if (tag != 1 && tag != 14 && tag != 15 && tag != 29) continue;
      if (value >= texts.size())
        return elf_error(place_, section.offset + at + 8,
                         fmt::format("a text at {:#x} of {} bytes", value, texts.size()));
      const std::string_view text = text_at(texts, value);
      if (tag == 1) file_.needed.emplace_back(text);
      if (tag == 14) file_.soname = text;
      if (tag == 15) file_.rpath = text;
      if (tag == 29) file_.runpath = text;
    }
    return Done{};
  }

  /// Names of symbol versions by their numbers: of those that are needed (lists in a list, linked
  /// by distances in bytes) and those that are defined.
  std::map<std::uint16_t, std::string> version_names() const {
    std::map<std::uint16_t, std::string> names;
    for (const ElfSection& section : file_.sections) {
      const std::string_view content = section.content, texts = strings_of(section);
      const bool needs = section.type == section_version_needs;
      if (!needs && section.type != section_version_definitions) continue;
      const std::uint64_t head = needs ? 16 : 20;
      // Each step goes forward, so that no list is endless.
      for (std::uint64_t at = 0; is_inside(at, head, content.size());) {
        std::uint64_t item = at + number_at<std::uint32_t>(content, at + (needs ? 8 : 12));
        const auto items = number_at<std::uint16_t>(content, at + (needs ? 2 : 6));
        for (int k = 0; k < items && is_inside(item, needs ? 16 : 8, content.size()); ++k) {
          const auto name = number_at<std::uint32_t>(content, item + (needs ? 8 : 0));
          const auto number = needs ? number_at<std::uint16_t>(content, item + 6)
                                    : number_at<std::uint16_t>(content, at + 4);
          names.try_emplace(number, text_at(texts, name));
          if (!needs) break; // the first one is its own name, the others its parents'
          const auto next = number_at<std::uint32_t>(content, item + 12);
          if (next == 0) break;
          item += next;
        }
        const auto next = number_at<std::uint32_t>(content, at + (needs ? 12 : 16));
        if (next == 0) break;
        at += next;
      }
    }
    return names;
  }

  Status read_symbols(const ElfSection& section) {
    const std::string_view content = section.content, texts = strings_of(section);
    std::string_view versions;
    for (const ElfSection& other : file_.sections)
      if (other.type == section_versions) versions = other.content;
    const std::map<std::uint16_t, std::string> names = version_names();
    for (std::uint64_t k = 1; is_inside(k * symbol_bytes, symbol_bytes, content.size()); ++k) {
      const std::uint64_t at = k * symbol_bytes;
      const auto name = number_at<std::uint32_t>(content, at);
      if (name >= texts.size())
        return elf_error(place_, section.offset + at,
                         fmt::format("a name at {:#x} of {} bytes", name, texts.size()));
      ElfSymbol& symbol = file_.symbols.emplace_back();
      symbol.name = text_at(texts, name);
      symbol.defined = number_at<std::uint16_t>(content, at + 6) != 0;
      symbol.weak = number_at<std::uint8_t>(content, at + 4) >> 4 == 2;
      if (!is_inside(2 * k, 2, versions.size())) continue;
      // The highest bit: hidden.
      const auto number =
          static_cast<std::uint16_t>(number_at<std::uint16_t>(versions, 2 * k) & 0x7fff);
      if (const auto found = names.find(number); number > 1 && found != names.end())
        symbol.version = found->second;
    }
    return Done{};
  }

  std::string_view bytes_;
  const std::string& place_;
  ElfFile file_;
};

} // namespace

const ElfSection* ElfFile::find(std::string_view name) const {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const ElfSection& section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

bool ElfFile::needs(std::string_view library_prefix) const {
  return std::any_of(needed.begin(), needed.end(), [&](const std::string& name) {
    return name.compare(0, library_prefix.size(), library_prefix) == 0;
  });
}

bool is_elf(std::string_view bytes) {
  return bytes.substr(0, 4) == "\x7f"
                               "ELF";
}

Result<ElfFile> read_elf(std::string_view bytes, const std::string& place) {
  if (!is_elf(bytes)) return elf_error(place, 0, "it does not begin as one");
  return ElfReader(bytes, place).read();
}

} // namespace memlane::ptx
