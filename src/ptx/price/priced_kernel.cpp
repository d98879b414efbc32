#include "priced_kernel.hpp"

#include "memlane/ptx/flow.hpp"
#include "memlane/ptx/link.hpp"

#include <algorithm>

namespace memlane::ptx {

namespace {

/// Lines behind this one are not shown: a `.loc` may name any number.
constexpr std::int32_t last_line = 1 << 20;

std::map<std::int32_t, std::int32_t> last_lines(const Module& module) {
  std::map<std::int32_t, std::int32_t> last;
  for (const Location& place : module.locations)
    if (place.line <= last_line) last[place.file] = std::max(last[place.file], place.line);
  return last;
}

std::vector<std::uint32_t> begins_of_lines(const std::string& text) {
  std::vector<std::uint32_t> begins{0};
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] == '\n') begins.push_back(static_cast<std::uint32_t>(k) + 1);
  return begins;
}

} // namespace

SourcePlaces::SourcePlaces(const Module& module, const Sources& texts, Sources& sources,
                           const ReadSource& read)
    : module_(module), sources_(sources) {
  for (const auto& [number, last] : last_lines(module)) {
    const auto path = module.files.find(number);
    if (path == module.files.end()) continue;
    std::optional<std::string> text = read ? read(path->second) : std::nullopt;
    File& file = files_[number];
    file.has_text = text.has_value();
    std::string known = text ? std::move(*text) : std::string();
    const auto lines = std::count(known.begin(), known.end(), '\n') + 1;
    if (lines < last) known.append(static_cast<std::size_t>(last - lines), '\n');
    file.number = sources.add(path->second, std::move(known));
    begins_[file.number] = begins_of_lines(sources.text(file.number));
  }
  for (const Function& function : module.functions)
    for (const Operation& operation : function.code) {
      const auto [known, fresh] = ptx_.try_emplace(operation.span.file, -1);
      if (!fresh) continue;
      known->second = sources.add(texts.path(known->first), texts.text(known->first));
      begins_[known->second] = begins_of_lines(sources.text(known->second));
    }
}

SourceLine SourcePlaces::line_of(const Operation& operation) const {
  SourceLine innermost{0, 0};
  for (std::int32_t at = operation.location; at >= 0;) {
    const Location& place = module_.locations[static_cast<std::size_t>(at)];
    const auto file = files_.find(place.file);
    if (file != files_.end() && place.line > 0 && place.line <= last_line) {
      const SourceLine line{file->second.number, place.line};
      if (file->second.has_text) return line;
      if (innermost.second == 0) innermost = line;
    }
    at = place.inlined_at < at ? place.inlined_at : -1; // a chain, whatever the text says
  }
  if (innermost.second > 0) return innermost;
  const std::int32_t text = ptx_.at(operation.span.file);
  return {text, sources_.position(text, operation.span.begin).line};
}

Span SourcePlaces::span_of(SourceLine line) const {
  const auto begins = begins_.find(line.first);
  if (begins == begins_.end() || line.second < 1) return {};
  const auto number = static_cast<std::size_t>(line.second);
  if (number > begins->second.size()) return {};
  const std::string_view text = sources_.line(line.first, line.second);
  const std::size_t margin = std::min(text.size(), text.find_first_not_of(" \t"));
  const std::uint32_t begin = begins->second[number - 1];
  return {line.first, begin + static_cast<std::uint32_t>(margin),
          begin + static_cast<std::uint32_t>(text.size())};
}

bool is_counted(const Operation& operation) {
  switch (operation.opcode) {
  case Opcode::mov:
  case Opcode::cvta: return false;
  case Opcode::ld:
  case Opcode::st: return operation.space != Space::param;
  case Opcode::cvt: // widening ones are free
    return bits_of(operation.type) <= bits_of(operation.other) ||
           is_float(operation.type) != is_float(operation.other);
  default: return true;
  }
}

OperationClass operation_of(const Operation& operation) {
  if (row_of(operation.opcode).effects != Effects::none) return OperationClass::other;
  if (operation.type == Type::f64 || operation.other == Type::f64) return OperationClass::double_;
  switch (operation.opcode) {
  case Opcode::rcp:
  case Opcode::sqrt:
  case Opcode::rsqrt:
  case Opcode::sin:
  case Opcode::cos:
  case Opcode::lg2:
  case Opcode::ex2:
  case Opcode::tanh: return OperationClass::special;
  case Opcode::div:
  case Opcode::rem:
    return is_float(operation.type) ? OperationClass::other : OperationClass::division;
  default: return OperationClass::other;
  }
}

namespace {

/// Reads that the hardware does not answer from an earlier one of the block.
bool is_volatile(const Operation& operation) {
  return operation.opcode == Opcode::mbarrier ||
         operation.words.any(Word::volatile_, Word::relaxed, Word::acquire, Word::mmio);
}

AccessKind access_kind_of(const Operation& operation) {
  const Words& words = operation.words;
  switch (operation.opcode) {
  case Opcode::atom:
  case Opcode::red: return AccessKind::atomic;
  case Opcode::wmma: return words.has(Word::load) ? AccessKind::read : AccessKind::write;
  case Opcode::mbarrier:
    if (words.any(Word::test_wait, Word::try_wait)) return AccessKind::read;
    return words.any(Word::arrive, Word::arrive_drop) ? AccessKind::atomic : AccessKind::write;
  default: break;
  }
  const bool reads = row_of(operation.opcode).effects == Effects::reads;
  return reads ? AccessKind::read : AccessKind::write;
}

/// Accesses of one memory, beside those of asynchronous copies.
bool accesses_memory(const Operation& operation) {
  switch (operation.opcode) {
  case Opcode::ld:
  case Opcode::ldu:
  case Opcode::st:
  case Opcode::atom:
  case Opcode::red:
  case Opcode::ldmatrix:
  case Opcode::tex:
  case Opcode::tld4:
  case Opcode::suld:
  case Opcode::sust: return true;
  case Opcode::wmma:
  case Opcode::mbarrier: return operation.m.kind != OperandKind::none;
  default: return false;
  }
}

/// Adds the sites of instructions, function by function.
class SitesOfKernel {
public:
  SitesOfKernel(PricedKernel& kernel, const MachineSpec& machine, const SourcePlaces& places)
      : kernel_(kernel), machine_(machine), places_(places) {}

  /// The operations of this function follow.
  void begin(const Function& function) {
    read_.assign(function.registers.size(), false);
    for (const Operation& operation : function.code)
      for_registers(function, operation, [&](std::int32_t reg, bool written) {
        if (!written) read_[static_cast<std::size_t>(reg)] = true;
      });
  }

  void add(const Operation& operation) {
    const bool copies = operation.opcode == Opcode::cp && operation.m.kind != OperandKind::none;
    SitesOfStep& sites = kernel_.sites.emplace_back();
    InstructionInfo& instruction = kernel_.info.instructions.emplace_back();
    kernel_.operations.push_back(&operation);
    instruction.counted = is_counted(operation);
    instruction.operation = operation_of(operation);
    is_volatile_ = is_volatile(operation);
    uses_old_ = operation.opcode == Opcode::atom && operation.d.kind == OperandKind::reg &&
                read_[static_cast<std::size_t>(operation.d.index)];
    instruction.barrier = operation.opcode == Opcode::bar || operation.opcode == Opcode::barrier;
    instruction.line = places_.line_of(operation);
    if (copies) {
      sites.global = site(UnitId::global, AccessKind::read);
      sites.shared = site(UnitId::shared, AccessKind::write);
    }
    if (!accesses_memory(operation)) return;
    const Space space = operation.space;
    if (space == Space::global || space == Space::generic)
      sites.global = site(UnitId::global, access_kind_of(operation));
    if (space == Space::shared || space == Space::generic)
      sites.shared = site(UnitId::shared, access_kind_of(operation));
  }

private:
  std::int32_t site(UnitId unit, AccessKind kind) {
    SiteInfo& site = kernel_.info.sites.emplace_back();
    site.unit = !machine_.global ? UnitId::shared : !machine_.shared ? UnitId::global : unit;
    site.kind = kind;
    site.instruction = kernel_.info.instructions.size() - 1;
    site.array = unit == UnitId::global ? 0 : 1;
    site.global = unit == UnitId::global;
    site.line = kernel_.info.instructions.back().line;
    site.is_volatile = is_volatile_ && kind == AccessKind::read;
    site.uses_old = uses_old_;
    kernel_.spans.push_back(places_.span_of(site.line));
    return static_cast<std::int32_t>(kernel_.info.sites.size()) - 1;
  }

  PricedKernel& kernel_;
  const MachineSpec& machine_;
  const SourcePlaces& places_;
  bool is_volatile_ = false, uses_old_ = false; ///< the operation at hand
  std::vector<bool> read_;                      ///< registers that its function reads
};

} // namespace

PricedKernel priced_kernel(const Module& module, const Code& code, const MachineSpec& machine,
                           const SourcePlaces& places) {
  PricedKernel kernel;
  kernel.written = WrittenPlaces(module, code);
  kernel.info.name = code.function->name;
  kernel.info.all_statements = false;
  kernel.first.assign(module.functions.size(), -1);
  const auto own = static_cast<std::size_t>(code.number);
  const std::vector<bool> reached = reached_from(module, own);
  SitesOfKernel sites(kernel, machine, places);
  const auto add = [&](std::size_t number) {
    kernel.first[number] = static_cast<std::int64_t>(kernel.info.instructions.size());
    sites.begin(module.functions[number]);
    for (const Operation& operation : module.functions[number].code) sites.add(operation);
  };
  add(own);
  for (std::size_t other = 0; other < reached.size(); ++other)
    if (reached[other] && other != own) add(other);
  return kernel;
}

} // namespace memlane::ptx
